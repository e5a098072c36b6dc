"""The words of a worker pool: the answer, the table, how jobs fare, what the cost depends on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from planner.answer.compared import Relaxation
from planner.answer.measure import cost_of, ranked
from planner.answer.ranges import Range
from planner.answer.row import Shortfall
from planner.models.bill import Unpriced
from planner.models.bill_lines import COMPUTE
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.report.wording import figures, futures, rounding, spoken, stale_prices
from planner.report.wording.preferred import apart_though_tied, chosen_for
from planner.report.wording.spoken import hours, minutes, time_limit
from planner.report.wording.spoken_worker import spoken_worker
from planner.report.wording.table import Column
from planner.report.wording.worker_pool_markets import diversity, leaving
from planner.worker_pool.choices import SPOT
from planner.worker_pool.compare import DEAD_LETTERS
from planner.worker_pool.result import PoolComparison, PoolScenario, Spread
from planner.worker_pool.search import PoolSearch, sizes_of

CHANGES = "Changes with which a choice meets the limits, the nearest that were tried"
PICTURE = "Distributions, and one interrupted job as a picture:"
MOST_STALE = 2  # prices that are named
Shown = Callable[[float], str]

PURCHASES = {"list": "price list", "spot": "Spot", "on-demand": "On-Demand", "spot-fallback": "Spot, then OD"}
USES = {
    "work": "work",
    "repeated": "work done again",
    "loading": "downloads",
    "checkpoints": "checkpoints",
    "failed": "failed jobs",
    "idle": "idle",
    "boot": "booting",
}


PAGE = {
    "kind": "Cost of a worker pool",
    "skip": "Skip to the answer",
    "answer": "Answer",
    "comparison": "Comparison",
    "not_eligible": "Not eligible",
    "distributions": "Distributions of ",
    "bill": "Bill of ",
    "assumptions": "Assumptions",
}


def heading(found: PoolComparison) -> list[str]:
    """Below the name: the jobs and nodes; the prices and runs."""
    plan = found.plan
    jobs, pool = plan.jobs, plan.pool
    age = stale_prices.aged(found.prices)
    return [
        f"{plan.region}, {figures.many(jobs.count, 'job')} of {figures.many(jobs.steps, 'step')} on {pool.min:,} to "
        f"{figures.many(pool.max, 'node')}, USD before tax",
        f"prices of {found.prices.as_of}{age}; P10-P90 of {figures.many(found.draws, 'simulated run')}, seed "
        f"{found.seed}",
    ]


def answer(found: PoolComparison) -> list[str]:
    """What is recommended and why, in sentences."""
    best = found.best
    warned = stale_prices.warnings(found.stale)
    if best is None:
        return [
            "No choice is recommended: none meets the limits and can be deployed.",
            *warned,
            *(f"{spoken_worker(s.id)}: {why}" for s in found.scenarios for why in reasons(s)),
            *alternatives(found),
            *([f"{CHANGES}: {'; '.join(map(changed, found.relaxations))}."] if found.relaxations else []),
        ]
    wait, loss, job = best.wait_hours, best.loss_minutes, best.job_hours
    assert wait is not None  # it was simulated
    assert job is not None
    return [
        f"Recommended: #1 {spoken_worker(best.id)}: {_costs(best)}",
        *warned,
        condition(found, best),
        *unpriced(found),
        f"A job waits {hours(wait.p50)} in the queue ({hours(wait.p10)} to {hours(wait.p90)}) and takes "
        f"{hours(job.p50)} on nodes. {_interrupted(best, loss)}",
        f"Paid node time: {used(best)}.",
        risk(found, best),
        *filter(None, (leaving(best, found), diversity(found))),
        *alternatives(found),
    ]


def changed(one: Relaxation) -> str:
    """`--set run.deadline=2.55d (g5.xlarge On-Demand, $2.49k, 2.48 days)`."""
    return f"{one.options} ({spoken_worker(one.scenario)}, {figures.usd(one.cost_usd)}, {lasts(one.days)})"


def bought(one: PoolScenario) -> str:
    """`g5.xlarge on spot, at most 38 nodes at once`."""
    return f"{spoken_worker(one.id)}, at most {figures.many(one.most_nodes, 'node')} at once"


def _costs(one: PoolScenario) -> str:
    assert one.cost_usd is not None  # it is eligible
    assert one.days is not None
    assert one.per_job is not None
    assert one.per_step is not None
    cost = futures.about(one) if one.futures else f"about {figures.usd(one.cost_usd.p50)}"
    return (
        f"{cost} for all jobs, {usd_each(one.per_job.p50)} a job and {usd_each(one.per_step.p50)} a step; the last job "
        f"ends after {lasts(one.days.p50)}."
    )


def condition(found: PoolComparison, best: PoolScenario) -> str:
    """Under which limits it is the cheapest, and by how much; or the tie."""
    share = f"{found.answer.confidence:.0%} of the runs"
    limit = found.plan.limit_days
    keeps = f"within {time_limit(limit)} in at least {share}" if limit else f"all jobs in at least {share}"
    keeps += "" if limit else "; no deadline is set"
    tied = [s for s in found.scenarios if s.id in found.answer.tied and s.id != best.id]
    if tied:
        names, more = " and ".join(spoken_worker(s.id) for s in tied[:2]), len(tied) - 2
        others = f"{names} and {more} more" if more > 0 else names
        apart = apart_though_tied(found.answer, best, tied, lambda s: spoken_worker(s.id), "runs")
        return (
            f"It finishes {keeps}, and costs as much as {others}, within the uncertainty{apart}; it is chosen for "
            f"{chosen_for(best, tied, found.answer.rank_by)}."
        )
    whose = "choice on AWS" if best.choice.on_ec2 else "choice"
    priced = " with a price" if _without(found) else ""
    return f"It is the cheapest {whose}{priced} that finishes {keeps}.{_next(found, best)}"


def unpriced(found: PoolComparison) -> list[str]:
    """Which choices are not compared, since the book lacks something of theirs, and what of the plan would give it."""
    missing = _without(found)
    if not missing:
        return []
    keys = dict.fromkeys(key for s in missing for key in _keys(s))
    remedy = f": {' and '.join(keys)} would add {'it' if len(missing) == 1 else 'them'}" if keys else ""
    names = [spoken_worker(s.id) for s in missing]
    return [f"Not compared, since the price book lacks their figures: {', '.join(names)}{remedy}."]


def _without(found: PoolComparison) -> list[PoolScenario]:
    """The choices without a price or without an interruption rate."""
    return [s for s in found.scenarios if not s.complete and (s.unpriced or not s.choice.interruptions_said)]


def _keys(scenario: PoolScenario) -> list[str]:
    """The keys of a worker that give what the book lacks of a choice on spot."""
    if scenario.choice.purchase != SPOT:
        return []
    keys = ["spot_usd_per_hour"] if any(entry.line == COMPUTE for entry in scenario.unpriced) else []
    keys += [] if scenario.choice.interruptions_said else ["interruptions"]
    return [f"{key} of {scenario.choice.worker.id}" for key in keys]


def _held_back(one: PoolScenario) -> str:
    """Why one that cannot be deployed is not recommended, after `is`."""
    listed = one.choice.option is None
    return f"not recommended, because {'the planner cannot deploy a price list' if listed else one.priced_only}"


def _next(found: PoolComparison, best: PoolScenario) -> str:
    by = found.answer.rank_by
    rivals = [s for s in found.scenarios if s.eligible and not s.held_back and ranked(s, by) > ranked(best, by)]
    if not rivals:
        return ""
    second = rivals[0]
    ends = cost_of(best, by), cost_of(second, by)
    if figures.usd(ends[1]) == figures.usd(ends[0]) and second.effort_usd > best.effort_usd:
        more = figures.money(second.effort_usd - best.effort_usd)
        return f" The next, {spoken_worker(second.id)}, costs the same and takes ${more} more of an engineer's time."
    if ends[1] < ends[0]:
        return (
            f" The next, {spoken_worker(second.id)}, costs {rounding.less_in_full(*ends)} but takes "
            f"${figures.money(second.effort_usd - best.effort_usd)} more of an engineer's time."
        )
    return (
        f" The next, {spoken_worker(second.id)}, costs {rounding.usd_apart(*ends)} ({rounding.share_apart(*ends)}) "
        f"more and {spoken.costlier_in(second, 'runs')}."
    )


def risk(found: PoolComparison, best: PoolScenario) -> str:
    """What one run in ten costs and takes, and how many are late."""
    if few := spoken.risk_of_few(found.draws, "--draws"):
        return few
    assert best.cost_usd is not None  # it is eligible
    assert best.days is not None
    if not math.isfinite(best.cost_usd.p90):
        return "Risk: 1 in 10 runs does not finish."
    late = "" if best.on_time_fraction in (None, 1.0) else f"; {figures.percent(1 - best.on_time_fraction)} are late"
    return (
        f"Risk: 1 in 10 runs costs more than {figures.usd(best.cost_usd.p90)}; 1 in 10 takes more than "
        f"{lasts(best.days.p90)}{late}."
    )


def alternatives(found: PoolComparison) -> list[str]:
    """Other choices to consider, each with what speaks against it."""
    by_id = {s.id: s for s in found.scenarios}
    lines = []
    for entry in found.answer.alternatives:
        one = by_id[entry.id]
        title = "Safer" if entry.kind == "safest" else "Cheaper"
        why = f"lower at P90 ({figures.usd(cost_of(one, 'p90'))})" if entry.kind == "safest" else ""
        against = why or "; ".join((*reasons(one), *([_held_back(one)] if one.priced_only else [])))
        lines.append(
            f"{title}: {spoken_worker(one.id)}: {_costs(one)} It {'is ' if why or one.priced_only else ''}{against}."
        )
    return lines


def _interrupted(scenario: PoolScenario, loss: Spread | None) -> str:
    if not scenario.interruptions or loss is None or math.isnan(loss.p50):
        return "None is interrupted."
    return (
        f"{figures.share(scenario.interrupted_fraction)} of the jobs are interrupted; each interruption costs a job "
        f"{minutes(loss.p50)} ({minutes(loss.p10)} to {minutes(loss.p90)})."
    )


def used(scenario: PoolScenario) -> str:
    """`work 98.9%, idle 1.1%`: without those below 0.05 %."""
    return ", ".join(f"{USES[name]} {share}" for name, share in shares(scenario).items() if not share.startswith("<"))


def shares(scenario: PoolScenario) -> dict[str, str]:
    """The paid node time by use, means that add up to 100 % as printed."""
    means = {name: spread.mean for name, spread in scenario.shares.items() if spread.mean > 0}
    return dict(zip(means, rounding.percents(list(means.values()), 1), strict=True))


def reasons(scenario: PoolScenario) -> tuple[str, ...]:
    """Why a choice is not eligible."""
    return (
        *scenario.why_not,
        *(_without_price(scenario, entry) for entry in scenario.unpriced),
        *map(_lacks, scenario.shortfalls),
    )


def _without_price(scenario: PoolScenario, entry: Unpriced) -> str:
    """With the key of the plan that would price it, where there is one."""
    near = f"; nearest: {', '.join(entry.nearest)}" if entry.nearest else ""
    spot = entry.line == COMPUTE and scenario.choice.purchase == "spot"
    own = f"; spot_usd_per_hour of {scenario.choice.worker.id} would price it" if spot else ""
    return f"no price: {entry.what}{near}{own}"


def _lacks(entry: Shortfall) -> str:
    missed = f"in {figures.percent(1 - entry.fraction)} of the runs"
    if entry.kind == "finish":
        return f"does not finish {missed}"
    if entry.kind == "deadline":
        return f"takes longer than {time_limit(entry.limit or 0.0)} {missed}"
    if entry.kind == "budget":
        return f"costs more than ${entry.limit:,.0f} {missed}"
    allowed = f"more than {entry.limit:,.0f}" if entry.limit else "some"
    return f"{allowed} jobs fail for good {missed}"


def columns(scenarios: Sequence[PoolScenario]) -> list[Column]:
    """The table of the choices that were simulated."""

    def column(title: str, value: Callable[[PoolScenario], str], keep: int = 0) -> Column:
        return Column(title=title, values=[value(s) for s in scenarios], keep=keep)

    return [
        column("#", lambda s: str(scenarios.index(s) + 1)),
        Column(title="Worker", values=[s.choice.worker.id for s in scenarios], text=True),
        Column(title="Buy", values=[PURCHASES[s.choice.purchase] for s in scenarios], text=True),
        column("Days", lambda s: shown_days(s.days)),
        column("P10 $", lambda s: _usd(s, "p10")),
        column("P50 $", lambda s: _usd(s, "p50")),
        column("P90 $", lambda s: _usd(s, "p90")),
        column(
            "$/job",
            lambda s: "no price" if not s.complete else usd_each(s.per_job.p50).removeprefix("$") if s.per_job else "",
        ),
        column(
            "$/step", lambda s: "" if not s.complete or not s.per_step else usd_each(s.per_step.p50).removeprefix("$")
        ),
        column("Wait h", lambda s: f"{s.wait_hours.p50:.3g}" if s.wait_hours else "", keep=2),
        column("Lost", lambda s: shares(s).get("repeated", "0.0%") if s.shares else "", keep=3),
    ]


def _usd(scenario: PoolScenario, part: str) -> str:
    if scenario.cost_usd is None or not scenario.feasible:
        return ""
    value = float(getattr(scenario.cost_usd, part))
    if not scenario.complete:
        return f">={figures.dollars(value)}" if value else ""
    return figures.dollars(value)


def shown_days(spread: Range | None) -> str:
    """P50, with enough digits for a pool that ends within hours."""
    return "" if spread is None else _days(spread.p50)


def _days(value: float) -> str:
    return figures.plain(value, 3) if value < 9.995 else figures.days(value)


def lasts(value: float) -> str:
    """`2.48 days`, as in the table; below one day with the hours: `0.225 days (5.4 hours)`."""
    if not math.isfinite(value):
        return figures.NEVER
    said = _days(value)
    return spoken.counted(said, "day") + (f" ({hours(value * 24)})" if said.startswith("0") else "")


def tried(found: PoolSearch) -> str:
    """`Tried: pool.max of 1, 2, 5, 10, 20 and 40, ...`: sizes between them were not."""
    sizes = sizes_of(found.loaded)
    counts = " and ".join(filter(None, [", ".join(f"{size:,}" for size in sizes[:-1]), f"{sizes[-1]:,}"]))
    return (
        f"Tried: pool.max of {counts}. The answer is the best of these"
        f"{'; sizes between them were not tried' if len(sizes) > 1 else ''}."
    )


def size_answer(found: PoolSearch) -> str:
    """Which size, in a sentence."""
    best = found.best
    one = best and best.scenario
    if best is None or one is None or one.cost_usd is None or one.days is None:
        return " ".join([_no_size(found), *stale_prices.warnings(found.comparison.stale)])
    what = "cheapest" if found.minimize == "cost" else "fastest"
    least = min(cost_of(at.scenario, "p50") for at in found.sizes if at.scenario.eligible and not at.scenario.held_back)
    counts = found.minimize == "cost" and least < cost_of(one, "p50")
    effort = f" with {figures.usd(one.effort_usd)} of an engineer's time" if counts else ""
    said = " ".join(
        [
            f"Recommended: pool.max={best.nodes} with {spoken_worker(one.id)}, the {what} that meets the "
            f"limits{effort}: about {figures.usd(one.cost_usd.p50)}, and the last job ends after "
            f"{lasts(one.days.p50)}.",
            *stale_prices.warnings(found.comparison.stale),
        ]
    )
    other = found.beside
    if other is None or other.scenario.cost_usd is None or other.scenario.days is None:
        return said
    return (
        f"{said} pool.max={other.nodes} with {spoken_worker(other.scenario.id)} would cost "
        f"{figures.usd(other.scenario.cost_usd.p50)} and take {lasts(other.scenario.days.p50)}; it is "
        f"{_held_back(other.scenario)}."
    )


def _no_size(found: PoolSearch) -> str:
    """Which limit no size meets, and what comes nearest."""
    near, plan = found.nearest, found.loaded.plan
    if near is None:
        why = dict.fromkeys(why for at in found.sizes for why in reasons(at.scenario))
        return f"No size has a choice that can be compared{': ' if why else ''}{'; '.join(why)}."
    said = (
        f"No size meets the limits. The nearest is pool.max={near.nodes} with {spoken_worker(near.scenario.id)}, which"
    )
    lacks = "; ".join(f"{_lacks(one)}{_by_how_much(plan, one)}" for one in near.scenario.shortfalls)
    return f"{said} {lacks}."


def _by_how_much(plan: WorkerPoolPlan, entry: Shortfall) -> str:
    """`: 90% of them need 3.2 days, 60% more than run.deadline`."""
    if not entry.limit or not math.isfinite(entry.needed):
        return f" ({_limit_key(plan, entry)})" if _limit_key(plan, entry) else ""
    needed = time_limit(entry.needed) if entry.kind == "deadline" else f"${entry.needed:,.0f}"
    needed = figures.many(round(entry.needed), "job") if entry.kind == DEAD_LETTERS else needed
    more = f"{max(round((entry.needed / entry.limit - 1) * 100), 1):,}%"
    runs = f"; {plan.decision.confidence:.0%} of them keep to {needed}"
    return f"{runs}, {more} more than {_limit_key(plan, entry)}"


def _limit_key(plan: WorkerPoolPlan, entry: Shortfall) -> str:
    """The key of the plan that sets a limit."""
    if entry.kind == "deadline":
        by_days = plan.constraints.max_days is not None and plan.constraints.max_days == plan.limit_days
        return "constraints.max_days" if by_days else "run.deadline"
    return {"budget": "constraints.max_cost_usd", DEAD_LETTERS: "constraints.max_dead_letters"}.get(entry.kind, "")


def size_columns(found: PoolSearch) -> list[Column]:
    """A row for each size."""
    rows = [(at.nodes, at.scenario) for at in found.sizes]
    return [
        Column(title="Nodes", values=[f"{nodes:,}" for nodes, _ in rows]),
        Column(title="Best choice", values=[s.id.removeprefix("workers/") for _, s in rows], text=True),
        Column(title="Days", values=[shown_days(s.days) for _, s in rows]),
        *(Column(title=f"{part.upper()} $", values=[_usd(s, part) for _, s in rows]) for part in ("p10", "p50", "p90")),
        Column(title="Wait h", values=[f"{s.wait_hours.p50:.3g}" if s.wait_hours else "" for _, s in rows]),
        Column(title="Limits", values=["met" if s.eligible else "not met" for _, s in rows], text=True),
    ]


def not_eligible(found: PoolComparison) -> list[str]:
    """Below the table: why choices are not eligible."""
    return [
        f"{spoken_worker(s.id)}: {'; '.join(why)}"
        for s in found.scenarios
        if found.best is not None and (why := reasons(s))
    ]


def notes(found: PoolComparison) -> list[str]:
    """What interrupts nodes, what the figures leave out, old prices."""
    by_law: dict[str, list[str]] = {}
    for scenario in found.scenarios:
        if scenario.feasible:
            by_law.setdefault(scenario.choice.interruptions_said, []).append(spoken_worker(scenario.id))
    lines = [f"{', '.join(names)}: {said}" for said, names in by_law.items()]
    old = stale_prices.sentences([entry for entry in found.stale if not entry.later])
    more = [f"and {len(old) - MOST_STALE} more out of date"] if len(old) > MOST_STALE else []
    return [*lines, *found.notes, *(f"out of date: {text}" for text in old[:MOST_STALE]), *more]


def usd_each(value: float) -> str:
    """USD of a small thing, to three digits: $0.292, $0.000208."""
    if not math.isfinite(value):
        return figures.NEVER
    return f"${figures.plain(value, 3)}" if abs(value) < 0.995 else f"${figures.dollars(value)}"
