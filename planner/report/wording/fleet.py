"""The words of a fleet: the answer, its tables, what it does not know."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from planner.answer.measure import cost_of
from planner.answer.ranges import Range
from planner.answer.recommend import settled
from planner.answer.row import Shortfall
from planner.fleet.result import FleetComparison, FleetScenario, Waits
from planner.mix.advice import Purchase
from planner.mix.sold import family_of
from planner.models.bill_lines import COMMITMENT_UNUSED, COMPUTE
from planner.plan.wording import listed
from planner.report.wording import figures, fleet_beside, fleet_demand, rounding, spoken, stale_prices
from planner.report.wording.mix import amount, thing
from planner.report.wording.preferred import NAME, preferred_for
from planner.report.wording.sheet import Sheet, budget, left_out, of_heading, sheet_with, sheet_without, unknown
from planner.report.wording.spoken import hours
from planner.report.wording.table import Column
from pricing.offers import PurchaseOption

MOST_UNABLE = 4  # projects that are named
RELEASED = 0.01  # of the node-hours, from which On-Demand is warned of
MOST_LACKING = 4  # reasons why no choice is recommended
LESS_WAITING = "less waiting (worth {mine} instead of {theirs})"


def heading(found: FleetComparison) -> list[str]:
    """Below the name: who shares what, over how long; the prices and draws."""
    plan = found.plan
    return [
        f"{plan.region}, {figures.many(len(plan.projects), 'project')} on {' and '.join(plan.types)}, "
        f"{figures.many(plan.run.months, 'month')}, USD before tax",
        *([fleet_demand.heading(found.from_file)] if found.from_file else []),
        f"prices of {found.prices.as_of}{stale_prices.aged(found.prices)}; P10-P90 of "
        f"{figures.many(found.draws, 'outcome')}, seed {found.seed}",
    ]


def nodes(one: FleetScenario) -> str:
    """`400 p4d and 64 p5`."""
    parts = [
        f"{count or math.ceil(top)} {family_of(name)}" for (name, count), top in zip(one.nodes, one.peak, strict=True)
    ]
    return " and ".join(parts) if one.peak else one.instance_type


def bought(one: FleetScenario) -> str:
    """How its nodes are bought, in words."""
    if one.option is None:
        return "a mix of commitments and On-Demand"
    return "On-Demand" if one.way == "on-demand" else figures.purchase_words(one.option)


def answer(found: FleetComparison) -> list[str]:
    """What is recommended and why, in sentences."""
    best = found.best
    warned = stale_prices.warnings(found.stale)
    if best is None:
        lacks = _lacking(found)
        waiting = all(each.kind in ("finish", "backlog") for s in found.scenarios for each in s.shortfalls)
        more = "More nodes would do; nodes: mix shows how many the jobs need if none waits."
        return [
            "No choice is recommended: none stays within the limits.",
            *warned,
            *lacks,
            *([more] if waiting and found.scenarios else []),
        ]
    assert best.cost_usd is not None  # it is eligible
    assert best.wait_hours is not None
    return [
        f"Recommended: #1 {nodes(best)}, {bought(best)}: about {figures.usd(best.cost_usd.p50)} over "
        f"{figures.many(found.plan.run.months, 'month')}; a job waits {mean_wait(best)} on average.",
        *warned,
        why(found, best),
        *_not_promised(found, best),
        waits(best),
        risk(found, best),
        *filter(None, (useful(best), after(best), fleet_beside.places(found))),
    ]


def _lacking(found: FleetComparison) -> list[str]:
    """What is beyond the limits of each choice of nodes, of those that lack the same together; the first few."""
    simulated = [s for s in found.scenarios if s.feasible]
    if not simulated:
        return list(dict.fromkeys(f"{s.id}: {why}." for s in found.scenarios for why in s.why_not))
    by_reason: dict[str, dict[str, None]] = {}
    for one in simulated:
        by_reason.setdefault("; ".join(reasons(one)), {})[nodes(one)] = None
    shown = list(by_reason.items())[:MOST_LACKING]
    rest = len({nodes(one) for one in simulated} - {choice for _, choices in shown for choice in choices})
    return [
        *(f"{', or '.join(choices)}: {reason}." for reason, choices in shown),
        *([f"{figures.many(rest, 'other choice')} of nodes: -f json says what each lacks."] if rest else []),
    ]


def why(found: FleetComparison, best: FleetScenario) -> str:
    """What makes it the best one, against the next cheaper in money and the next shorter wait."""
    value = found.plan.waiting.usd_per_gpu_hour
    worth = f" with an hour of waiting at ${value:,.2f} a GPU" if value else ", as the plan gives waiting no value"
    tied = [s for s in found.scenarios if s.id in found.answer.tied and s.id != best.id]
    if tied:
        other = settled(tied, found.answer.rank_by)  # which the rule would choose without it
        reason = preferred_for(best, other, found.answer.rank_by, LESS_WAITING)
        if reason == NAME and not value:
            reason = f"{NAME}; the plan gives waiting no value (waiting.usd_per_gpu_hour)"
        lead = f"It costs as much as {_named(other, best)} within the uncertainty, and is chosen for {reason}."
    else:
        other, lead = best, f"It has the lowest cost{worth}."
    others = [s for s in found.scenarios if s.id in found.frontier and s.id not in (best.id, other.id)]
    cheaper = [s for s in others if cost_of(s, "p50") < cost_of(best, "p50")]
    costlier = [s for s in others if cost_of(s, "p50") > cost_of(best, "p50")]
    parts = [lead]
    if cheaper:
        parts.append(_beside(cheaper[-1], best, "less", "more"))
    if costlier:
        parts.append(_beside(costlier[0], best, "more", "less"))
    parts += [at for at in (_at_the_end(found, name, count) for name, count in best.nodes) if at]
    return " ".join(parts)


def _not_promised(found: FleetComparison, best: FleetScenario) -> list[str]:
    """The first cheaper choice that is held back, and why."""
    cheaper = [s for s in found.scenarios if s.eligible and s.held_back and cost_of(s, "p50") < cost_of(best, "p50")]
    return [
        f"Not {nodes(s)}, {bought(s)}, for {rounding.usd_apart(cost_of(best, 'p50'), cost_of(s, 'p50'))} less: "
        f"{s.unproven}."
        for s in sorted(cheaper, key=lambda s: cost_of(s, "p50"))[:1]
    ]


def _at_the_end(found: FleetComparison, name: str, count: int) -> str:
    """That a group has the most or the fewest nodes that the plan compares, of several; "" where it has not."""
    counts = next(group.nodes for group in found.plan.groups if group.instance_type == name)
    ends = {max(counts): ("most", "more"), min(counts): ("fewest", "fewer")} if len(counts) > 1 else {}
    if count not in ends:
        return ""
    most, more = ends[count]
    return f"{count} {family_of(name)} nodes are the {most} that the plan compares: {more} may do better."


def _beside(other: FleetScenario, best: FleetScenario, cost: str, wait: str) -> str:
    assert other.wait_hours is not None  # both were simulated
    assert best.wait_hours is not None
    usd = rounding.usd_apart(cost_of(best, "p50"), cost_of(other, "p50"))
    apart = rounding.hours_apart(best.wait_hours.plan, other.wait_hours.plan)
    least = "at least " if _grows(other) and wait == "more" else ""
    said = f"{_named(other, best).capitalize()} cost {usd} {cost}, and a job waits {least}{apart} {wait}"
    grows = f"; in {figures.percent(_grows(other))} of the outcomes its queue grows without end"
    return f"{said}{grows if _grows(other) else ''}."


def _named(other: FleetScenario, best: FleetScenario) -> str:
    """Its nodes, and how they are bought where that differs."""
    return nodes(other) if other.way == best.way else f"{nodes(other)}, {bought(other)},"


def _grows(one: FleetScenario) -> float:
    """Share of the outcomes in which its queue grows without end, so that the simulation gives it up."""
    return 0.0 if one.finish_fraction is None else 1 - one.finish_fraction


def mean_wait(one: FleetScenario) -> str:
    """`13 hours`; `at least 13 hours` where a queue was given up."""
    assert one.wait_hours is not None  # it was simulated
    return ("at least " if _grows(one) else "") + hours(one.wait_hours.plan)


def wait_cell(one: FleetScenario, value: float | None) -> str:
    """A wait in a table: `>13 hours` where a queue was given up, `-` of what was not simulated."""
    return "-" if value is None else (">" if _grows(one) else "") + hours(value)


def waits(best: FleetScenario) -> str:
    """How long jobs wait, and how busy nodes are."""
    large = best.waits[-1] if best.waits else None
    long = f" Jobs of {size(large)} wait {hours(large.mean_hours)} on average." if large and len(best.waits) > 1 else ""
    met = "" if best.deadlines_met is None else f" {figures.percent(best.deadlines_met)} of the deadlines are met."
    busy = [
        f"{figures.percent(share)} of {family_of(name)}"
        for (name, _), share in zip(best.nodes, best.utilisation, strict=True)
    ]
    return f"Busy: {', '.join(busy)} nodes. {one_in_ten(best.p90_wait_hours)}{long}{met}"


def one_in_ten(p90_hours: float) -> str:
    """The wait that 1 in 10 jobs exceeds."""
    if p90_hours < 1 / 60:
        return "9 of 10 jobs wait less than a minute."
    return f"1 in 10 jobs waits more than {hours(p90_hours)}."


def size(waits: Waits) -> str:
    """`1 node`, `16 to 31 nodes`, `less than a node`."""
    if not waits.most:
        return "less than a node"
    if waits.least == waits.most:
        return figures.many(waits.least, "node")
    return f"{waits.least} to {waits.most} nodes"


def risk(found: FleetComparison, best: FleetScenario) -> str:
    """What 1 in 10 outcomes costs."""
    if few := spoken.risk_of_few(found.draws, "--draws"):
        return few
    assert best.cost_usd is not None  # it is eligible
    if not math.isfinite(best.cost_usd.p90):
        return "Risk: in more than 1 in 10 outcomes the queue grows without end."
    said = f"Risk: 1 in 10 outcomes costs more than {figures.usd(best.cost_usd.p90)}{spoken.behind(found.draws)}"
    return said + ("; --draws simulates more." if found.draws < spoken.MANY else ".")


def nine_in_ten(p90_usd: float) -> str:
    """What 9 of 10 outcomes cost at most, if their queues end."""
    return f"9 of 10 less than {figures.usd(p90_usd)}" if math.isfinite(p90_usd) else "in over 1 of 10 the queue grows"


def useful(best: FleetScenario) -> str:
    """Dollars a useful GPU-hour."""
    each = best.usd_per_useful
    if each is None or not math.isfinite(each.p50):
        return ""
    return f"A GPU-hour of work that was completed costs ${each.p50:,.2f} ({range_of_useful(each)})."


def range_of_useful(each: Range) -> str:
    """P10 to P90 of a useful GPU-hour, in USD."""
    most = f"${each.p90:,.2f}" if math.isfinite(each.p90) else figures.NEVER
    return f"${each.p10:,.2f} to {most}"


def after(best: FleetScenario) -> str:
    """What a commitment costs beyond the horizon."""
    parts = []
    if best.unused_usd > 0.5:
        parts.append(f"{figures.usd(best.unused_usd)} of commitments goes unused")
    if best.after_usd > 0.5:
        parts.append(f"{figures.usd(best.after_usd)} more is due after the plan's end")
    return "; ".join(parts) + "." if parts else ""


def sharing(found: FleetComparison) -> str:
    """What sharing is worth."""
    best, alone = found.best, found.sharing
    if best is None or alone is None or best.wait_hours is None:
        return ""
    said = (
        f"The same nodes divided among the projects by their use: a job would wait "
        f"{'at least ' if alone.overloaded_fraction else ''}{hours(alone.mean_wait_hours)} instead of "
        f"{mean_wait(best)}"
    )
    if alone.unable:
        said += f", and {listed(alone.unable, MOST_UNABLE)} could not run every job"
    if alone.overloaded_fraction:
        said += f"; in {figures.percent(alone.overloaded_fraction)} of the outcomes some queue grows without end"
    return said + "."


def reasons(one: FleetScenario) -> list[str]:
    """Why it is not eligible."""
    if not one.feasible:
        return list(one.why_not)
    return [*(_reason(each) for each in one.shortfalls), *([one.unproven] if one.unproven else [])]


def _reason(each: Shortfall) -> str:
    share = figures.percent(each.fraction)
    if each.kind == "finish":
        return f"the queue grows without end in {figures.percent(1 - each.fraction)} of the outcomes"
    limit = 0.0 if each.limit is None else each.limit
    if each.kind == "backlog":
        return f"at most {figures.percent(limit)} of the work still waits at the end in only {share} of the outcomes"
    if each.kind == "deadlines":
        return f"{figures.percent(1 - limit)} of the deadlines are met in only {share} of the outcomes"
    if each.kind == "mean wait":
        return f"the mean wait is within {hours(limit)} in only {share} of the outcomes"
    return f"within {figures.usd(limit)} in only {share} of the outcomes"


def columns(rows: Sequence[FleetScenario]) -> list[Column]:
    """Every choice that can be bought, in order."""

    def cell(shown: Callable[[float], str], value: float | None) -> str:
        return "-" if value is None or not math.isfinite(value) else shown(value)

    return [
        Column(title="#", values=[str(at) for at in range(1, len(rows) + 1)]),
        Column(title="Nodes", values=[nodes(s) for s in rows], text=True),
        Column(title="Bought", values=[short(s.option) for s in rows], text=True),
        Column(title="P50 $", values=[cell(figures.dollars, s.cost_usd and s.cost_usd.p50) for s in rows]),
        Column(title="P90 $", values=[cell(figures.dollars, s.cost_usd and s.cost_usd.p90) for s in rows], keep=2),
        Column(
            title="Mean wait", values=["-" if s.wait_hours is None else wait_cell(s, s.wait_hours.plan) for s in rows]
        ),
        Column(title="P90 wait", values=[wait_cell(s, s.p90_wait_hours) for s in rows], keep=3),
        Column(title="Busy", values=["/".join(figures.percent(u) for u in s.utilisation) for s in rows], keep=1),
        Column(
            title="$/useful GPU-h",
            values=[cell(lambda v: f"{v:,.2f}", s.usd_per_useful and s.usd_per_useful.p50) for s in rows],
            keep=4,
        ),
        Column(title="", values=[_standing(s) for s in rows], text=True, keep=1),
    ]


def _standing(one: FleetScenario) -> str:
    if not one.eligible:
        return "not eligible"
    return "not promised" if one.held_back else ""


def short(option: PurchaseOption | None) -> str:
    return "mix" if option is None else figures.short_purchase(option)


def purchase_columns(purchases: Sequence[Purchase]) -> list[Column]:
    """What the mix buys, by month."""
    when = ["now" if not one.month else f"month {one.month + 1}, by forecast" for one in purchases]
    return [
        Column(title="When", values=when, text=True),
        Column(title="What", values=[thing(one) for one in purchases], text=True),
        Column(title="How much", values=[amount(one) for one in purchases]),
        Column(
            title="Used at mean demand",
            keep=1,
            values=["-" if one.used is None else figures.percent(one.used) for one in purchases],
        ),
    ]


def wait_columns(best: FleetScenario) -> list[Column]:
    """Waits by size of job."""
    return [
        Column(title="Jobs of", values=[size(one) for one in best.waits], text=True),
        Column(title="Jobs", values=[f"{one.jobs:,.0f}" for one in best.waits]),
        Column(title="Mean wait", values=[hours(one.mean_hours) for one in best.waits]),
        Column(title="P90 wait", values=[hours(one.p90_hours) for one in best.waits]),
    ]


def show_back_columns(found: FleetComparison, best: FleetScenario) -> list[Column]:
    """Each project's part of the bill, and the sum."""
    rows = sorted(best.show_back, key=lambda one: -one.usd)
    kinds = [family_of(name) for name in found.plan.types]
    return [
        Column(title="Project", values=[*(one.project for one in rows), "all"], text=True),
        Column(title="USD", values=rounding.whole([one.usd for one in rows])),
        Column(title="Share", values=[*rounding.percents([one.usd for one in rows]), "100%"]),
        *(
            Column(title=f"{kind} node-h", values=rounding.whole([one.node_hours[at] for one in rows]), keep=1)
            for at, kind in enumerate(kinds)
        ),
        Column(title="Useful GPU-h", values=rounding.whole([one.useful_gpu_hours for one in rows]), keep=2),
    ]


def month_columns(found: FleetComparison, best: FleetScenario) -> list[Column]:
    """Cost by month: what is used in it, and what is due in it."""
    rows = best.months
    kinds = [family_of(name) for name in found.plan.types]
    return [
        Column(title="Month", values=[*(str(one.month) for one in rows), "all"], text=True),
        Column(title="Accrued $", values=rounding.whole([one.accrued_usd for one in rows])),
        Column(title="Cash due $", values=rounding.whole([one.cash_usd for one in rows])),
        *(
            Column(
                title=f"{kind} busy",
                values=[*(f"{one.nodes_busy[at]:,.0f}" for one in rows), ""],
                keep=1,
            )
            for at, kind in enumerate(kinds)
        ),
    ]


def frontier_columns(found: FleetComparison) -> list[Column]:
    """Choices that no other one beats in both cost and wait; waiting at the plan's value."""
    rows = [next(s for s in found.scenarios if s.id == one) for one in found.frontier]
    return [
        Column(title="Nodes", values=[nodes(s) for s in rows], text=True),
        Column(title="Bought", values=[short(s.option) for s in rows], text=True),
        Column(title="P50 $", values=[figures.dollars(cost_of(s, "p50")) for s in rows]),
        Column(title="Mean wait", values=[wait_cell(s, s.wait_hours and s.wait_hours.plan) for s in rows]),
        Column(title="Waiting $", values=[figures.dollars(s.effort_usd) for s in rows]),
        Column(title="Both $", values=[figures.dollars(_both(s)) for s in rows]),
    ]


def _both(one: FleetScenario) -> float:
    """Cost and waiting, as the two are printed."""
    return sum(rounding.printed(usd, figures.dollars) for usd in (cost_of(one, "p50"), one.effort_usd))


def bill_columns(best: FleetScenario) -> list[Column]:
    """Lines, and the total."""
    lines = best.bill
    total = math.fsum(line.effective_cost for line in lines)
    usd = [*rounding.cents([line.effective_cost for line in lines], total), total]
    return [
        Column(title="Line", values=[*(line.line for line in lines), "all lines"], text=True, code=True),
        Column(
            title="Quantity",
            values=[*(f"{figures.quantity(line.quantity)} {line.unit}" for line in lines), ""],
            keep=1,
        ),
        Column(title="Unit $", values=[*(figures.plain(line.effective_unit_price) for line in lines), ""], keep=2),
        Column(title="USD", values=[f"{each:,.2f}" for each in usd]),
    ]


def bill_sources(best: FleetScenario) -> list[str]:
    """Where each price comes from."""
    said = [
        f"{line.line}: {line.price_source}, {line.price_date}"
        + (f", grade {line.price_grade}" if line.price_grade else "")
        for line in best.bill
        if line.line != COMMITMENT_UNUSED
    ]
    return list(dict.fromkeys(said))


def warnings(found: FleetComparison) -> list[str]:
    """What may change the answer."""
    return [*_released(found), *fleet_demand.warnings(found), *found.warnings]


def _released(found: FleetComparison) -> list[str]:
    """How much rests on On-Demand nodes that are given back and taken again."""
    if found.best is None or found.plan.purchase.idle != "release":
        return []
    lines = [(line.line, line.quantity) for line in found.best.bill if line.unit == "node-hours"]
    total = math.fsum(hours for _, hours in lines)
    free = math.fsum(hours for name, hours in lines if name.startswith(f"{COMPUTE}-on-demand"))
    if free < RELEASED * total:
        return []
    return [
        f"{figures.percent(free / total)} of the node-hours are On-Demand, released when idle: nothing promises nodes "
        "when a job comes (purchase.idle: hold)."
    ]


def notes(found: FleetComparison) -> list[str]:
    """What else bounds it."""
    missing = [
        f"{', '.join(filter(None, (' and '.join(f'{n} {family_of(name)}' for name, n in s.nodes if n), bought(s))))}: "
        f"{text}"
        for s in found.scenarios
        if not s.feasible
        for text in s.why_not
    ]
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return [*fleet_demand.notes(found), *found.notes, *([f"Not compared: {missing[0]}{more}."] if missing else [])]


def assumed(found: FleetComparison) -> list[str]:
    """Every assumption with its range and source."""
    return [
        f"{one.key} = {figures.plain(one.value)} ({figures.plain(one.low)} to {figures.plain(one.high)}) {one.unit}: "
        f"{one.source}"
        for one in found.assumptions
    ]


def sheet_of(found: FleetComparison) -> Sheet:
    """The page to sign."""
    best, (first, *rest) = found.best, answer(found)
    if best is None:
        return sheet_without(found, first, rest)
    now = [f"{amount(one)}: {thing(one)}" for one in best.purchases if not one.month]
    facts = [
        ("The fleet", (of_heading(heading(found)),)),
        ("Budget to approve", (budget(best, "outcomes"), left_out())),
        ("Buy now", tuple(now) if best.is_mix else (f"{nodes(best)}, {bought(best)}",)),
        (
            "Decide later",
            tuple(f"month {one.month + 1}: {amount(one)}: {thing(one)}" for one in best.purchases if one.month),
        ),
        ("Why this one", (why(found, best),)),
        ("Waiting", (waits(best),)),
        ("Commitment", tuple(filter(None, [after(best)]))),
        ("Risk", (risk(found, best).removeprefix("Risk: "),)),
        ("Not known", unknown([*warnings(found), *notes(found)])),
    ]
    return sheet_with(found, first.removeprefix("Recommended: #1 "), facts)
