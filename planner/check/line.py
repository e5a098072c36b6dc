"""One line of the check: what was asked, what AWS said, what it means in dollars if ignored, what mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
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


@dataclass(frozen=True, kw_only=True)
class Matter:
    """What is asked, and what a bad answer means, costs and is mended by; the answer makes it a line."""

    id: str
    asked: str
    means: str = ""
    usd_per_hour: float | None = None
    mends: str = ""

    def fine(self, said: str) -> Line:
        return Line(id=self.id, state=FINE, asked=self.asked, said=said)

    def bad(self, state: str, said: str) -> Line:
        """state: warns, not known or blocks."""
        return Line(state=state, said=said, **vars(self))

    def not_known(self, answer: NotKnown) -> Line:
        """Without a usable answer."""
        mends = "run the check again" if answer.may else f"attach {POLICY} to the identity, then run the check again"
        return replace(self, mends=mends).bad(NOT_KNOWN, answer.why)

    def half(self, lacks: str) -> Line:
        """With an answer that lacks something."""
        return self.not_known(half(lacks))


def half(lacks: str, to: str = "") -> NotKnown:
    """An answer that lacks something. to: which call."""
    return NotKnown(why=f"half an answer{f' to {to}' if to else ''}: {lacks}")
