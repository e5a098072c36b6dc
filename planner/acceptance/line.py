"""One line of an acceptance: what was measured beside the plan's range, and what a miss costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from planner.acceptance.miss import Change
from planner.account.masking import masked

PASS, MISS, NOT_MEASURED = "pass", "miss", "not measured"
STATES = (MISS, NOT_MEASURED, PASS)


@dataclass(frozen=True, kw_only=True)
class Line:
    """id: read.10000000. low, planned, high: P5, central value and P95 of the plan; None where it has none. change: of
    a miss, over the run; None where it changes nothing that the plan knows. assumption, value: what the next plan
    takes."""

    id: str
    state: str
    what: str
    said: str
    unit: str = ""
    measured: float | None = None
    low: float | None = None
    planned: float | None = None
    high: float | None = None
    change: Change | None = None
    means: str = ""
    mends: str = ""
    assumption: str = ""
    value: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The line with account ids masked; the range as [P10, P50, P90]."""
        plain = asdict(self)
        change = plain.pop("change")
        found = {key: masked(value) if isinstance(value, str) else value for key, value in plain.items()}
        for key in ("days", "usd"):
            # JSON has no infinity: a run that never ends has no difference
            found[f"more_{key}"] = list(change[key]) if change and isfinite(change[key][0]) else None
        found["never_fraction"] = change["never_fraction"] if change else None
        return found


def counts(lines: list[Line]) -> dict[str, int]:
    """State -> lines in it."""
    return {state: sum(line.state == state for line in lines) for state in STATES}
