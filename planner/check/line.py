"""One line of the check: what was asked, what AWS said, what it means in dollars if ignored, what mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from planner.account.masking import masked

FINE, WARNS, NOT_KNOWN, BLOCKS = "fine", "warns", "not known", "blocks"
POLICY = "infra/check-policy.json"


@dataclass(frozen=True, kw_only=True)
class NotKnown:
    """No usable answer: throttled, not allowed, refused, or half of one. code: AWS's word; empty where it has none."""

    why: str
    code: str = ""
    may: bool = True  # False: the identity lacks the right to ask


@dataclass(frozen=True, kw_only=True)
class Line:
    """state: fine, warns, not known or blocks. usd_per_hour: what ignoring it costs; None: no such figure, see means.
    mends: a command or an action; empty where nothing is to be done."""

    id: str
    state: str
    asked: str
    said: str
    means: str = ""
    usd_per_hour: float | None = None
    mends: str = ""

    def as_json(self) -> dict[str, Any]:
        """The line with account ids masked."""
        return {key: masked(value) if isinstance(value, str) else value for key, value in asdict(self).items()}


def not_known(id: str, asked: str, answer: NotKnown, means: str, usd_per_hour: float | None = None) -> Line:
    """The line of a question without a usable answer. means: what may happen if the answer would have been bad."""
    mends = "run the check again" if answer.may else f"attach {POLICY} to the identity, then run the check again"
    return Line(
        id=id, state=NOT_KNOWN, asked=asked, said=answer.why, means=means, usd_per_hour=usd_per_hour, mends=mends
    )
