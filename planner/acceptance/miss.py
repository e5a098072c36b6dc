"""What a miss costs over the run: the scenario again with the measured value, in the same draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.acceptance.knob import fixed
from planner.acceptance.planned import Table, evaluated
from planner.estimate.outcomes import outcomes_of
from planner.estimate.request import Request
from planner.models.number import quantiles

SHARES = (0.1, 0.5, 0.9)
NEVER = (np.inf, np.inf, np.inf)  # nothing to compare: the plan, or what stands, never ends


@dataclass(frozen=True, kw_only=True)
class Change:
    """Against the plan, over the whole run: P10, median and P90 of the differences, draw by draw. never_fraction:
    share of the draws that end with the plan's value and not with the measured one."""

    days: tuple[float, float, float]
    usd: tuple[float, float, float]
    never_fraction: float = 0.0


def change_of(request: Request, scenario: str, table: Table, key: str, measured: float) -> Change:
    """Of one assumption at its measured value instead of its planned one; all else is drawn as in the plan."""
    planned, found = (
        outcomes_of(evaluated(request, scenario, fixed(table, key, value)), request.draws)
        for value in (table[key].value, measured)
    )
    both = np.isfinite(planned.cost_usd) & np.isfinite(found.cost_usd)
    never = float(np.mean(np.isfinite(planned.cost_usd) & ~np.isfinite(found.cost_usd)))
    if not both.any():
        return Change(days=NEVER, usd=NEVER, never_fraction=never)
    days, usd = ((getattr(found, name) - getattr(planned, name))[both] for name in ("days", "cost_usd"))
    first, middle, last = quantiles(days, SHARES)
    low, median, high = quantiles(usd, SHARES)
    return Change(days=(first, middle, last), usd=(low, median, high), never_fraction=never)
