"""What a source published: a figure, a range, a bound, or that something must be refused; and how near is near."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

REFUSALS = {
    "refused",
    "refuse",
    "refusal",
    "warned",
    "warn",
    "warning",
    "error",
    "refused or warned",
    "warned or refused",
}
DEFAULT_RELATIVE = 0.01  # of a figure without a tolerance
_NUMBER = r"[+-]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published result.

    text: as printed. low, high: its ends, equal for a figure; one of them infinite for a bound. refusal: whether a
    planner must refuse it or warn. absolute, relative: the tolerance. tolerance: as printed.
    """

    text: str
    low: float
    high: float
    refusal: bool
    absolute: float
    relative: float
    tolerance: str

    @property
    def is_bound(self) -> bool:
        return math.isinf(self.low) != math.isinf(self.high)

    @property
    def is_figure(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high and not self.refusal

    def margin(self, value: float) -> float:
        """How far a result may be from this published value."""
        return max(self.absolute, self.relative * abs(value)) + 1e-12 * abs(value)


def published_in_text(text: str, tolerance: str, id: str) -> Published:
    """Raises ValueError that says what to write."""
    absolute, relative = _tolerance(tolerance, id)
    shown = text.strip()
    if shown.lower() in REFUSALS:
        return Published(
            text=shown.lower(),
            low=math.nan,
            high=math.nan,
            refusal=True,
            absolute=0.0,
            relative=0.0,
            tolerance=tolerance,
        )
    bound = re.fullmatch(rf"([<>])=?\s*({_NUMBER})", shown)
    span = re.fullmatch(rf"({_NUMBER})\s*\.\.\s*({_NUMBER})", shown)
    if bound:
        limit = _number(bound[2])
        low, high = (-math.inf, limit) if bound[1] == "<" else (limit, math.inf)
    elif span:
        low, high = _number(span[1]), _number(span[2])
        if low > high:
            raise ValueError(f"{id}: published_result {shown!r} ends below its start\nwrite the lower end first")
    elif re.fullmatch(_NUMBER, shown):
        low = high = _number(shown)
    else:
        raise ValueError(
            f"{id}: published_result {shown!r} is no figure\n"
            "write a number, a range as 0.29..0.49, a bound as <50000, or refused for what must not be answered"
        )
    return Published(
        text=shown, low=low, high=high, refusal=False, absolute=absolute, relative=relative, tolerance=tolerance
    )


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("_", ""))


def _tolerance(text: str, id: str) -> tuple[float, float]:
    """(absolute, relative). Raises ValueError."""
    words = text.strip().lower()
    if not words:
        return 0.0, DEFAULT_RELATIVE
    if words == "exact":
        return 0.0, 1e-9
    if words in ("bound", "range"):
        return 0.0, DEFAULT_RELATIVE if words == "range" else 0.0
    relative = re.fullmatch(rf"rel\.?\s*({_NUMBER})\s*(%?)", words)
    if relative:
        return 0.0, _number(relative[1]) / (100 if relative[2] else 1)
    absolute = re.fullmatch(rf"abs\.?\s*({_NUMBER})", words)
    if absolute:
        return _number(absolute[1]), 0.0
    raise ValueError(
        f"{id}: tolerance {text!r} is not understood\nwrite rel 2%, abs 0.01, exact, bound, range, or nothing for 1 %"
    )
