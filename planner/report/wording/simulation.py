"""The words of `simulate`: what each rule costs, how far the outcomes spread, and when the jobs end."""

from __future__ import annotations

import numpy as np

from planner.report.wording.figures import many
from planner.report.wording.table import Column
from planner.spot.simulate import Result, Run
from planner.spot.trace import SECONDS_PER_HOUR

LEGEND = (
    "Cost: share of the same work On-Demand. P10, P90: 1 of 10 jobs costs less, 1 of 10 more. omniscient: the least "
    "that any rule could cost with perfect foresight. own: patient progress, see docs/spot-policies.md."
)


def title(run: Run) -> str:
    """What was simulated, in one line."""
    job = run.job
    work, deadline, changeover = (f"{s / SECONDS_PER_HOUR:g} h" for s in (job.work, job.deadline, job.changeover))
    return (
        f"{run.series}: {many(len(run.starts), 'job')} of {work} with {deadline} until the deadline, {changeover} "
        f"changeover, On-Demand at {job.price_ratio:.3g} x spot"
    )


def columns(run: Run) -> list[Column]:
    """A row for each rule, cheapest first."""
    rows = sorted(run.results, key=lambda result: float(result.cost_fraction.mean()))
    hours = run.job.gap / SECONDS_PER_HOUR

    def quantile(share: float) -> list[str]:
        return [f"{np.quantile(row.cost_fraction, share):.3f}" for row in rows]

    return [
        Column(title="Policy", values=[row.policy for row in rows], text=True),
        Column(title="Cost", values=[f"{row.cost_fraction.mean():.3f}" for row in rows]),
        Column(title="P10", values=quantile(0.1)),
        Column(title="P90", values=quantile(0.9)),
        Column(title="Spot h", values=[_mean(row, "spot_ticks", hours) for row in rows], keep=1),
        Column(title="On-Demand h", values=[_mean(row, "on_demand_ticks", hours) for row in rows], keep=1),
        Column(title="Starts", values=[_mean(row, "starts", 1.0) for row in rows], keep=2),
        Column(title="Mean end h", values=[_mean(row, "end", hours) for row in rows], keep=2),
        Column(title="Late", values=[str(row.late) for row in rows]),
    ]


def _mean(row: Result, name: str, factor: float) -> str:
    return "-" if row.outcomes is None else f"{getattr(row.outcomes, name).mean() * factor:.1f}"
