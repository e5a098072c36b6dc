"""The words of `simulate PLAN`: what a run on spot comes to by each rule, beside the closed form of `compare`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

import numpy as np

from planner.decide.spot_runs import RuleRuns, SpotRuns, rule_of
from planner.report.wording import figures
from planner.report.wording.table import Column
from planner.spot.trace import SECONDS_PER_HOUR

OF_STACK = " (the stack's)"
RULES = {
    "own": "own (patient progress)",
    "uniform_progress_next_spot_oracle": "next-spot oracle",
}
OTHER_RULES = "Other rules, and one run as a picture:"
LEGEND = (
    "Only the market differs from run to run, everything else is as planned, so the range is narrower than that of "
    "compare. Dollars are the whole bill. `planner spot watch` and `planner leave` carry fallback out; the login node "
    "of a Slurm cluster (deploy.scheduler) carries own out. docs/spot-policies.md explains them."
)
PLANNED_PRICE = "Spot at its planned price, in the same hours in which each recording had capacity."


def title(found: SpotRuns) -> str:
    """What was simulated."""
    job = found.run.job
    work, limit = (figures.days(seconds / SECONDS_PER_HOUR / 24) for seconds in (job.work, job.deadline))
    return (
        f"{found.scenario.id} on {found.run.series}: {figures.many(len(found.run.starts), 'run')}, {work} days "
        f"On-Demand alone, limit {limit} days, ticks of {job.gap / 60:g} minutes"
    )


def columns(found: SpotRuns) -> list[Column]:
    """The closed form, then the rules by mean cost."""
    rules = sorted(found.rules, key=lambda rule: float(rule.cost_usd.mean()))
    rows = [*([found.closed] if found.closed else []), *rules]

    def column(title: str, value: Callable[[RuleRuns], str], keep: int = 0) -> Column:
        return Column(title=title, values=[value(row) for row in rows], keep=keep)

    def usd(share: float) -> Callable[[RuleRuns], str]:
        return lambda row: figures.dollars(quantile(row.cost_usd, share))

    def days(share: float) -> Callable[[RuleRuns], str]:
        return lambda row: figures.days(quantile(row.days, share))

    return [
        Column(
            title="Rule",
            values=[_named(row, found) for row in rows],
            text=True,
        ),
        column("Mean $", lambda row: figures.dollars(float(row.cost_usd.mean()))),
        column("P10 $", usd(0.1), keep=1),
        column("P50 $", usd(0.5)),
        column("P90 $", usd(0.9)),
        column("Days P50", days(0.5)),
        column("P90", days(0.9)),
        column("On-Demand", lambda row: figures.percent(float(row.moved.mean())), keep=2),
        column("Late", lambda row: figures.percent(float(np.isinf(row.days).mean()))),
    ]


def _named(row: RuleRuns, found: SpotRuns) -> str:
    if row is found.closed:
        return f"closed form of {row.policy}"
    return RULES.get(row.policy, row.policy) + (OF_STACK if row.policy == rule_of(found.scenario) else "")


def quantile(values: np.ndarray, share: float) -> float:
    """One of the runs, so that a late one, whose days are infinite, is never averaged with another."""
    return float(np.quantile(values, share, method="higher"))


def agreement(found: SpotRuns) -> str:
    """How far the closed form is from the simulated rule; "" without one of them."""
    simulated = found.of_closed
    if found.closed is None or simulated is None:
        return ""
    off = float(found.closed.cost_usd.mean() / simulated.cost_usd.mean() - 1)
    return f"The closed form, which compare uses, is {off:+.1%} off the mean cost of the simulated rule."


def beside_title(found: SpotRuns) -> str:
    """What stands beside an explained number."""
    runs = figures.many(len(found.run.starts), "simulated run")
    return f"The closed form beside {runs} of the rule, in the same markets, everything else as planned:"


def beside(found: SpotRuns, id: str) -> list[Column]:
    """The closed form and the simulated rule: mean and percentiles of the number's total, in USD or days."""
    rows = {"closed form": found.closed, "simulated": found.of_closed}
    spreads = {name: spread_of(rule, id) for name, rule in rows.items() if rule is not None}
    shown = figures.days if _in_days(id) else figures.dollars
    unit = "days" if _in_days(id) else "$"
    titles = {"mean": "Mean", "p10": "P10", "p50": "P50", "p90": "P90"}
    return [
        Column(title="", values=list(spreads), text=True),
        *(
            Column(title=f"{title} {unit}", values=[shown(spread[key]) for spread in spreads.values()])
            for key, title in titles.items()
        ),
    ]


def spread_of(rule: RuleRuns, id: str) -> dict[str, float]:
    """Mean and percentiles of the total of an explained number, in USD or days; infinite where runs are late."""
    values = rule.days if _in_days(id) else rule.cost_usd
    return {"mean": float(values.mean()), **{f"p{share}": quantile(values, share / 100) for share in (10, 50, 90)}}


def _in_days(id: str) -> bool:
    return id.split(".")[0] == "days"


def every_rule(found: SpotRuns, again: Sequence[str]) -> str:
    """The command that shows the other rules. again: the plan, then pairs of an option and its value, of which
    `simulate` has some."""
    plan, *pairs = again
    kept = [pair for pair in zip(pairs[::2], pairs[1::2], strict=True) if pair[0] in ("--set", "--prices", "--seed")]
    told = [part for pair in kept for part in pair]
    return shlex.join(["planner", "simulate", plan, *told, "--scenario", found.scenario.id])


def saving(found: SpotRuns) -> str:
    """What the planner's own rule would save or cost beside the stack's."""
    by_name = {rule.policy: float(rule.cost_usd.mean()) for rule in found.rules}
    if not {"own", "fallback"} <= by_name.keys():
        return ""
    less = by_name["fallback"] - by_name["own"]
    what = "less" if less > 0 else "more"
    return (
        f"Going back to spot when it returns (own) would cost {figures.usd(abs(less))} {what} than fallback on average."
    )
