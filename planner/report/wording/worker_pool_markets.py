"""What several markets in one pool are worth, and when a pool on spot has to go On-Demand, in a sentence each."""

from __future__ import annotations

from planner.report.wording import figures
from planner.report.wording.spoken import hours, time_limit
from planner.report.wording.spoken_worker import spoken_worker
from planner.worker_pool.choices import FALLBACK, SPOT, rules_of
from planner.worker_pool.result import PoolComparison, PoolScenario
from planner.worker_pool.tail import of_job, reserve_hours


def diversity(found: PoolComparison) -> str:
    """`Several markets: ...`: beside the best single one, each on spot alone; "" where there is only one of either."""
    spot = [one for one in found.scenarios if one.choice.purchase == SPOT and one.complete and one.cost_usd]
    many = next((one for one in spot if one.choice.members), None)
    alone = next((one for one in spot if not one.choice.members), None)
    if many is None or alone is None or many.cost_usd is None or alone.cost_usd is None:
        return ""
    limit = found.plan.limit_days
    within = (
        f" {_late(many)} of its runs take longer than {time_limit(limit)}, against {_late(alone)}." if limit else ""
    )
    return (
        f"What several markets are worth: {spoken_worker(many.id)} alone costs {figures.usd(many.cost_usd.p50)} (P90 "
        f"{figures.usd(many.cost_usd.p90)}); the best single market, {spoken_worker(alone.id)}, costs "
        f"{figures.usd(alone.cost_usd.p50)} (P90 {figures.usd(alone.cost_usd.p90)}).{within}"
    )


def _late(scenario: PoolScenario) -> str:
    return figures.percent(1 - (scenario.on_time_fraction or 0.0))


def leaving(best: PoolScenario, found: PoolComparison) -> str:
    """When to move the rest to On-Demand, and by which command; "" for a choice that never does."""
    supply = best.choice.supplies[0] if best.choice.supplies else None
    if best.choice.purchase != FALLBACK or supply is None or supply.tail is None:
        return ""
    rules, each = rules_of(found.plan), of_job(supply.tail, 0.0)
    return (
        f"{figures.percent(best.left_spot_fraction)} of the runs end On-Demand. The move is not automatic: run "
        f"`planner leave` and `pulumi up` once the open jobs, in rounds of {rules.most} that take {hours(each)} each, "
        f"would end less than {hours(reserve_hours(supply, rules))} before the deadline."
    )
