"""The words of a worker pool: the answer, the table, how jobs fare, what the cost depends on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from planner.report.wording import figures, stale_prices
from planner.report.wording.table import Column
from planner.report.wording.worker_pool_markets import diversity, leaving
from planner.worker_pool.result import PoolComparison, PoolScenario, Spread
from planner.worker_pool.search import PoolSearch

PICTURE = "Distributions, and one interrupted job as a picture:"
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


def footer(version: str, plan_sha256: str, model_sha256: str) -> str:
    """What gave the page."""
    return (
        f"planner {version}, plan {plan_sha256[:12]}, model {model_sha256[:12]}. The same plan, prices, seed, runs and "
        "version give this page byte for byte."
    )


def heading(found: PoolComparison) -> list[str]:
    """Below the name: the jobs and nodes; the prices and runs."""
    plan = found.plan
    jobs, pool = plan.jobs, plan.pool
    age = ""
    if plan.start is not None:
        days = (plan.start - found.prices_as_of).days
        age = f", {days} days old on {plan.start}" if days >= 0 else ""
    return [
        f"{plan.region}, {figures.many(jobs.count, 'job')} of {jobs.steps:,} steps on {pool.min:,} to {pool.max:,} "
        "nodes, USD before tax",
        f"prices of {found.prices_as_of}{age}; P10-P90 of {found.runs:,} simulated runs, seed {found.seed}",
    ]


def answer(found: PoolComparison) -> list[str]:
    """What is recommended and why, in sentences."""
    best = found.best
    if best is None:
        return [
            "No choice meets the limits.",
            *_later(found),
            *(f"{s.id}: {why}" for s in found.scenarios for why in reasons(s)),
        ]
    assert best.cost is not None  # it is eligible
    assert best.days is not None
    assert best.per_job is not None
    assert best.per_step is not None
    lines = [
        f"Recommended: #1 {best.id}: about {figures.usd(best.cost.p50)} for all jobs, {usd_each(best.per_job.p50)} a "
        f"job and {usd_each(best.per_step.p50)} a step; the last job ends after {hours(best.days.p50 * 24)}."
    ]
    share = f"{found.plan.decision.confidence:.0%} of the runs"
    lines += _later(found)
    limit = found.plan.limit_days
    what = (
        f"within {limit:g} days in at least {share}" if limit else f"all jobs in at least {share}; no deadline is set"
    )
    whose = "choice on AWS" if best.choice.on_ec2 else "choice"
    lines.append(f"It is the cheapest {whose} that finishes {what}.{_next(found, best)}")
    wait, loss, job = best.wait_hours, best.loss_minutes, best.job_hours
    assert wait is not None  # it was simulated
    assert job is not None
    lines.append(
        f"A job waits {hours(wait.p50)} in the queue ({hours(wait.p10)} to {hours(wait.p90)}) and takes "
        f"{hours(job.p50)} on nodes. {_interrupted(best, loss)}"
    )
    lines.append(f"Paid node time: {used(best)}.")
    return [*lines, *filter(None, (leaving(best, found), diversity(found)))]


def _later(found: PoolComparison) -> list[str]:
    start = found.plan.start
    return [] if start is None or start >= found.prices_as_of else [stale_prices.later(found.prices_as_of, start)]


def _next(found: PoolComparison, best: PoolScenario) -> str:
    others = [s for s in found.scenarios[1:] if s.eligible]
    if not others or best.cost is None or others[0].cost is None:
        return ""
    more = others[0].cost.p50 - best.cost.p50
    if more < 0 and not others[0].choice.on_ec2:
        return (
            f" {others[0].id}, a price list, would cost {figures.usd(-more)} ({-more / best.cost.p50:.0%}) less; it is "
            "beside the recommendation, because no stack can be of it."
        )
    return f" The next, {others[0].id}, costs {figures.usd(more)} ({more / best.cost.p50:.0%}) more."


def _interrupted(scenario: PoolScenario, loss: Spread | None) -> str:
    if not scenario.interruptions or loss is None or math.isnan(loss.p50):
        return "None is interrupted."
    return (
        f"{figures.share(scenario.interrupted_fraction)} of the jobs are interrupted; each interruption costs a job "
        f"{minutes(loss.p50)} ({minutes(loss.p10)} to {minutes(loss.p90)})."
    )


def used(scenario: PoolScenario) -> str:
    """`work 98.9%, idle 1.1%`: parts above 0.05 %."""
    parts = [(USES[name], spread.mean) for name, spread in scenario.shares.items() if spread.mean >= 0.0005]
    return ", ".join(f"{name} {share:.1%}" for name, share in parts)


def reasons(scenario: PoolScenario) -> tuple[str, ...]:
    """Why a choice is not eligible."""
    choice = scenario.choice
    return (
        *choice.why_not,
        *(f"no price: {text.removeprefix('no price for ')}" for text in choice.unpriced),
        *scenario.shortfalls,
    )


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
        column("Wait h", lambda s: f"{s.wait_hours.p50:.1f}" if s.wait_hours else "", keep=2),
        column("Lost", lambda s: figures.share(s.shares["repeated"].mean) if s.shares else "", keep=3),
    ]


def _usd(scenario: PoolScenario, part: str) -> str:
    if scenario.cost is None or not scenario.feasible:
        return ""
    value = float(getattr(scenario.cost, part))
    if not scenario.complete:
        return f">={figures.dollars(value)}" if value else ""
    return figures.dollars(value)


def shown_days(spread: Spread | None) -> str:
    """P50, with enough digits for a pool that ends within hours."""
    if spread is None:
        return ""
    return f"{spread.p50:.2f}" if spread.p50 < 9.995 else figures.days(spread.p50)


def size_answer(found: PoolSearch) -> str:
    """Which size, in a sentence."""
    best = found.best
    if best is None or best.scenario.cost is None or best.scenario.days is None:
        return "No size meets the limits."
    one = best.scenario
    what = "cheapest" if found.minimize == "cost" else "fastest"
    said = (
        f"Recommended: pool.max={best.nodes} with {one.id}, the {what} that meets the limits: about "
        f"{figures.usd(best.scenario.cost.p50)}, and the last job ends after {hours(best.scenario.days.p50 * 24)}."
    )
    other = found.beside
    if other is None or other.scenario.cost is None or other.scenario.days is None:
        return said
    return (
        f"{said} pool.max={other.nodes} with {other.scenario.id}, a price list, would cost "
        f"{figures.usd(other.scenario.cost.p50)} and take {hours(other.scenario.days.p50 * 24)}; it is beside the "
        "recommendation, because no stack can be of it."
    )


def size_columns(found: PoolSearch) -> list[Column]:
    """A row for each size."""
    rows = [(at.nodes, at.scenario) for at in found.sizes]
    return [
        Column(title="Nodes", values=[f"{nodes:,}" for nodes, _ in rows]),
        Column(title="Best choice", values=[s.id.removeprefix("workers/") for _, s in rows], text=True),
        Column(title="Days", values=[shown_days(s.days) for _, s in rows]),
        *(Column(title=f"{part.upper()} $", values=[_usd(s, part) for _, s in rows]) for part in ("p10", "p50", "p90")),
        Column(title="Wait h", values=[f"{s.wait_hours.p50:.1f}" if s.wait_hours else "" for _, s in rows]),
        Column(title="Limits", values=["met" if s.eligible else "not met" for _, s in rows], text=True),
    ]


def notes(found: PoolComparison) -> list[str]:
    """Below the table: why choices are not eligible, what interrupts nodes, what the figures leave out."""
    lines = [
        f"{s.id.removeprefix('workers/')}: {'; '.join(why)}"
        for s in found.scenarios
        if found.best is not None and (why := reasons(s))
    ]
    by_law: dict[str, list[str]] = {}
    for scenario in found.scenarios:
        if scenario.feasible:
            by_law.setdefault(scenario.choice.interruptions_said, []).append(scenario.id.removeprefix("workers/"))
    lines += [f"{', '.join(names)}: {said}" for said, names in by_law.items()]
    return [*lines, *found.notes]


def usd_each(value: float) -> str:
    """USD of a small thing, to three digits: $0.292, $0.000208."""
    if not math.isfinite(value):
        return figures.NEVER
    return f"${figures.plain(value, 3)}" if abs(value) < 0.995 else f"${figures.dollars(value)}"


def hours(value: float) -> str:
    """`42 minutes`, `5.4 hours`, `2.8 days`."""
    if not math.isfinite(value):
        return figures.NEVER
    if value < 1.5:
        return minutes(value * 60)
    if value < 71.95:
        return f"{value:.3g} hours"
    return f"{value / 24:.3g} days"


def minutes(value: float) -> str:
    """`30 seconds`, `3.1 minutes`, `2.2 hours`."""
    if value < 1.5:
        return f"{value * 60:.0f} seconds"
    return f"{value:.2g} minutes" if value < 89.5 else f"{value / 60:.2g} hours"
