"""What to do about a Capacity Block, in a sentence."""

from __future__ import annotations

from dataclasses import replace

from planner.estimate.block_tail import EXTEND, NONE
from planner.estimate.node_purchase import BLOCK_FEE, Cash
from planner.estimate.result import BlockPlan, Scenario
from planner.models.block_sizes import BLOCK_MAX_DAYS, block_parts
from planner.report.wording import figures

MOST = 0.5  # a block that most outcomes outlast needs a reason


def short(plan: BlockPlan, *, brief: bool = False) -> str:
    """The same for a screen: what comes second and third in a few words. brief: without a length that costs less."""
    return " ".join(sentences(replace(plan, nearly=None) if brief else plan, in_full=False))


def sentences(plan: BlockPlan, *, in_full: bool = True) -> list[str]:
    """`Buy 21 days ($1.58M, sold from 2026-09-07).` `7% of the outcomes outlast it: half of these need up to 4 days
    more ($301k at the same price), 1 in 10 of these more than 11 ($828k).` `Decide by day 18 (2026-11-20): if less
    than 86% is done, extend by the rest (planner reserve --extend, sold from 2026-09-28, assumed chance 50%).` `If AWS
    has none: On-Demand for as long (planner leave, $350k, assumed chance 60%); if not that either, a later block
    (assumed: 14 days on).`
    """
    buy = f"Buy {_days(plan.days)} ({figures.usd(plan.usd)}, sold from {plan.sold_from})"
    if len(plan.parts) > 1:
        first, second = (figures.usd(plan.usd * part / plan.days) for part in plan.parts)  # at one price
        buy = f"Buy {_days(plan.parts[0])} ({first}, sold from {plan.sold_from}) and {plan.parts[1]} more the same day"
        buy = f"{buy} ({second}{_first_alone(plan)})"
    return [f"{buy}.", *_after(plan, in_full=in_full), *_nearly(plan)]


def _first_alone(plan: BlockPlan) -> str:
    """`; in the 54% where AWS has none, the run costs $192k on average, P90 $272k`"""
    alone = plan.first_alone
    if alone is None:
        return ""
    share, mean, p90 = figures.percent(alone.fraction), figures.usd(alone.mean_usd), figures.usd(alone.p90_usd)
    return f"; in the {share} where AWS has none, the run costs {mean} on average, P90 {p90}"


def _nearly(plan: BlockPlan) -> list[str]:
    """`28 days would cost $64k less on average, on time in 89.8% of the outcomes.`"""
    nearly = plan.nearly
    if nearly is None:
        return []
    less, on_time = figures.usd(nearly.usd_less), f"{nearly.on_time_fraction:.1%}"
    parts = block_parts(int(nearly.days))
    sold = f" ({' + '.join(map(str, parts))})" if len(parts) > 1 else ""
    return [f"{_days(nearly.days)}{sold} would cost {less} less on average, on time in {on_time} of the outcomes."]


def _after(plan: BlockPlan, *, in_full: bool) -> list[str]:
    """How often a run outlasts it, and what to do then."""
    if plan.outlast_fraction is None:
        return []
    if plan.left_days is None:
        return ["No outcome outlasts it."]
    share = figures.percent(plan.outlast_fraction)
    if plan.tail == NONE:
        return [f"{share} of the outcomes outlast it and do not finish."]
    longer = not plan.is_given and plan.days < BLOCK_MAX_DAYS
    why = "; a longer one costs more on average" if plan.outlast_fraction > MOST and longer else ""
    when = "Before its end:"
    if plan.decide_day:
        by = "by" if plan.tail == EXTEND else "on"
        behind = f"if less than {figures.percent(plan.done_fraction)} is done,"
        when = f"Decide {by} day {plan.decide_day} ({plan.decide_on}): {behind}"
    (first, _), *others = _ways(plan)
    if others and not in_full:
        first += f"; else {' or '.join(name for _, name in others)}"
    rest = (
        [f"If AWS has none: {'; if not that either, '.join(way for way, _ in others)}."] if others and in_full else []
    )
    cost = "" if plan.outlast_mean_usd is None else f" and cost {figures.usd(plan.outlast_mean_usd)} on average"
    return [f"{share} of the outcomes outlast it{cost}{why}{_needed(plan)}.", f"{when} {first}.", *rest]


def _ways(plan: BlockPlan) -> list[tuple[str, str]]:
    """The ways on, in the order in which they are tried, each in full and in a few words."""
    ways = [(f"a later block (assumed: {_days(plan.later_wait_days)} on)", "a later block")]
    if plan.on_demand_usd is not None:
        usd, chance = figures.usd(plan.on_demand_usd), figures.percent(plan.on_demand_found)
        way = f"On-Demand for as long (planner leave, {usd}, assumed chance {chance})"
        ways = [(way, f"On-Demand ({chance})"), *ways]
    if plan.tail == EXTEND and plan.extension_usd is not None:
        ways = [(_extension(plan), "an extension"), *ways]
    return ways[:1] if plan.extension_is_certain else ways


def _extension(plan: BlockPlan) -> str:
    """Beyond 182 days in all AWS extends no block, and sells another from the day on which this one ends."""
    chance = f"assumed chance {figures.percent(plan.extension_granted)}"
    chance = "on which the plan counts" if plan.extension_is_certain else chance
    # the earlier it is bought, the more capacity is free; the later, the better one knows how far the run is
    chance = f"sold from {plan.ask_from}, {chance}"
    if _exceeds(plan, plan.extension_days):
        return f"buy another block from its last day for the rest ({chance})"
    beyond = _exceeds(plan, plan.extension_p90_days)
    other = f", or buy another block where that exceeds {BLOCK_MAX_DAYS} days in all" if beyond else ""
    return f"extend by the rest (planner reserve --extend, {chance}){other}"


def _exceeds(plan: BlockPlan, more_days: float | None) -> bool:
    return plan.days + (more_days or 0) > BLOCK_MAX_DAYS


def due(scenario: Scenario, entry: Cash) -> str:
    """When a payment falls due; of the fee of a block, the days between which it is bought."""
    plan = scenario.block_plan
    if plan is None or entry.derivation != BLOCK_FEE:
        return entry.due
    return f"at purchase, by {entry.due} (sold from {plan.sold_from})"


def more_cash(plan: BlockPlan) -> str:
    """`2026-11-20: $301k more where it outlasts the block (7% of the outcomes), for an extension by 4 days`; "" if it
    never does."""
    if not plan.outlast_fraction or plan.extension_usd is None or plan.tail != EXTEND:
        return ""
    share = figures.percent(plan.outlast_fraction)
    what = "another block of" if _exceeds(plan, plan.extension_days) else "an extension by"
    return (
        f"{plan.decide_on}: {figures.usd(plan.extension_usd)} more where the run outlasts the block ({share} of the "
        f"outcomes), for {what} {_days(plan.extension_days or 0)} if AWS has it, enough in half of these"
    )


def _needed(plan: BlockPlan) -> str:
    """`: half of these need up to 4 days more ($301k at the same price), 1 in 10 of these more than 11 ($828k)`"""
    if plan.tail != EXTEND or plan.extension_usd is None:
        return ""
    days, most = plan.extension_days or 0, plan.extension_p90_days
    if most is None or most <= days:
        return f": these need up to {_days(days)} more ({figures.usd(plan.extension_usd)} at the same price)"
    said = f": half of these need up to {_days(days)} more ({figures.usd(plan.extension_usd)} at the same price)"
    return f"{said}, 1 in 10 of these more than {int(most)} ({figures.usd(plan.extension_p90_usd or 0)})"


def _days(days: float) -> str:
    return figures.many(int(days), "day")
