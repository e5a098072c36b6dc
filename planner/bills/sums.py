"""What the rows of a cost export are grouped by, and what a group adds up to."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.bills.columns import TEXTS

KEYS = (*TEXTS, "stack", "component")
# of a charge that is not the stack's only these matter: totals by kind, and who else uses a commitment
OF_OTHERS = ("category", "currency", "unit", "commitment", "savings_plan", "commitment_status", "reservation", "stack")
# in JSON text the quotes of values are escaped, so that no value looks like a key; Athena writes {a=b, c=d}
TAG_IN_TEXT = (
    r'[{{,]\s*"(?:user[:_])?planner[:_]{tag}"\s*:\s*"(?P<value>[^"\\]*)"',
    r'^\{{?(?:[^"]*,)?\s*(?:user[:_])?planner[:_]{tag}\s*=\s*(?P<value>[^",}}]*)',
)


@dataclass
class Sums:
    """What rows with the same key add up to. first, last: of their charge periods, as ISO text."""

    rows: int = 0
    amounts: dict[str, float] = field(default_factory=dict)
    first: str = ""
    last: str = ""
