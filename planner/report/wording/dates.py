"""The days of a run: its start, its end, its limit, the end of its block."""

from __future__ import annotations

from datetime import date

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.report.wording import spoken


def sentences(comparison: Comparison, best: Scenario) -> tuple[str, ...]:
    """`Starts on 2026-12-07. Half of the outcomes end by 2026-12-19, 9 of 10 by 2027-01-02; the deadline is
    2027-01-04.`; none without a start, or without outcomes, or where nodes are held for a given time."""
    start = comparison.plan.get("start")
    if not isinstance(start, str) or not comparison.draws or best.is_held or best.days is None:
        return ()
    first, run = date.fromisoformat(start), best.days
    ends = f"half of the outcomes end by {spoken.by_day(first, run.p50)}, 9 of 10 by {spoken.by_day(first, run.p90)}"
    said = [f"Starts on {first}; {ends}"]
    if best.limit_days is not None and not best.limit_is_assumed:
        said.append(f"the deadline is {spoken.by_day(first, best.limit_days)}")
    if best.block_plan:
        said.append(f"the Capacity Block ends on {spoken.by_day(first, best.block_plan.days)}, 11:30 UTC")
    return (f"{'; '.join(said)}.",)
