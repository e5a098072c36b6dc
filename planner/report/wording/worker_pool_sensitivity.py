"""What is said of what a worker pool's cost depends on."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.report.pictures.tornado import SHOWN, Bar, End, Tornado
from planner.report.wording import figures
from planner.report.wording.sensitivity import left_out
from planner.report.wording.spoken_worker import spoken_worker
from planner.report.wording.table import Column
from planner.worker_pool.sensitivity import LIFE, PRICE, PoolEnd, PoolStudy, PoolSwing

NOTHING_CHANGES_IT = "Nothing that was varied changes it."
NOTHING_CHANGES_THE_CHOICE = "The recommendation is the same at every end: "
NAMES = {LIFE: "mean life of a node", PRICE: "price of a node"}


def title(study: PoolStudy) -> str:
    """Which choice is studied, its figures as planned, and what was simulated."""
    cost, days = study.scenario.cost_usd, study.scenario.days
    assert cost is not None  # a study has a priced choice
    assert days is not None
    return (
        f"{spoken_worker(study.scenario.id)}: {figures.usd(cost.plan)} for all jobs in {_days(days.plan)} days, means "
        f"of {figures.many(study.planned.draws, 'run')} with seed {study.planned.seed}"
    )


def method(study: PoolStudy) -> str:
    return (
        "What it depends on: all choices simulated again with one number at its low and at its high end, "
        f"{figures.many(study.simulated, 'time')} {figures.many(study.planned.draws, 'run')} with the same random "
        "numbers; $ and d are dollars and days of all jobs"
    )


def name(swing: PoolSwing) -> str:
    return NAMES.get(swing.parameter.key, swing.parameter.key)


def columns(study: PoolStudy, swings: Sequence[PoolSwing]) -> list[Column]:
    """A row for each number."""

    def values(title: str, texts: Sequence[str], keep: int = 0, *, text: bool = False) -> Column:
        return Column(title=title, values=list(texts), keep=keep, text=text)

    return [
        values("Varied", [name(one) for one in swings], text=True),
        values("Low", [figures.plain(one.low.at, 3) for one in swings], keep=1),
        values("High", [figures.plain(one.high.at, 3) for one in swings], keep=1),
        values("Unit", [one.parameter.unit for one in swings], keep=2, text=True),
        values("$ low", [figures.dollars(one.low.cost_usd) for one in swings]),
        values("$ high", [figures.dollars(one.high.cost_usd) for one in swings]),
        values("d low", [_days(one.low.days) for one in swings]),
        values("d high", [_days(one.high.days) for one in swings]),
        values("Recommendation", [changes(study, one) for one in swings], keep=3, text=True),
    ]


def tornado(study: PoolStudy) -> Tornado:
    """Its picture: the widest bars of the cost."""
    cost = study.scenario.cost_usd
    assert cost is not None  # a study has a priced choice

    def end(swing: PoolSwing, at: PoolEnd) -> End:
        return End(at=_at(swing, at), cost_usd=at.cost_usd if math.isfinite(at.cost_usd) else None)

    swings = [one for one in study.swings if one.spread("cost_usd")][:SHOWN]
    bars = [Bar(name=name(one), low=end(one, one.low), high=end(one, one.high)) for one in swings]
    return Tornado(what=spoken_worker(study.scenario.id), planned_usd=cost.plan, bars=bars)


def record(swing: PoolSwing) -> list[str]:
    """The same where there is no room for a table."""
    return [
        f"{which} {_at(swing, end)}: ${figures.dollars(end.cost_usd)}, {_days(end.days)} days"
        for which, end in (("low", swing.low), ("high", swing.high))
    ]


def changes(study: PoolStudy, swing: PoolSwing) -> str:
    """At which ends another choice is recommended."""
    found = [which for which, _ in _other(study, swing)]
    return "other at " + " and ".join(found) if found else "same"


def recommendation(study: PoolStudy) -> list[str]:
    """Whether it changes, and at which value to what."""
    best = study.planned.best
    found = [
        f"{name(one)} at {_at(one, end)}: {end.first or 'no choice meets the limits'}"
        for one in study.swings
        for _, end in _other(study, one)
    ]
    planned = spoken_worker(best.id) if best else "no choice meets the limits"
    if not found:
        return [f"{NOTHING_CHANGES_THE_CHOICE}{planned}."]
    return [f"The recommendation, as planned {planned}, changes:", *(f"  {text}" for text in found)]


def remarks(study: PoolStudy, smaller: int, unmoved: int) -> list[str]:
    """What the table does not show."""
    varied = {one.parameter.key: one.parameter.source for one in study.swings}
    ends = [f"{NAMES[key]}: {varied[key]}" for key in (LIFE, PRICE) if key in varied]
    return [*left_out(smaller, unmoved), *ends, *(f"{NAMES[LIFE]}: not varied, {text}" for text in study.fixed)]


def _other(study: PoolStudy, swing: PoolSwing) -> list[tuple[str, PoolEnd]]:
    best = study.planned.best.id if study.planned.best else None
    return [(which, end) for which, end in (("low", swing.low), ("high", swing.high)) if end.first != best]


def _at(swing: PoolSwing, end: PoolEnd) -> str:
    """`2.8 a day`, `20 nodes`, `20%`."""
    unit = swing.parameter.unit
    if unit == "fraction":
        return f"{figures.plain(end.at * 100, 3)}%"
    said = f"a {unit[2:].strip('()')}" if unit.startswith("1/") else unit
    return f"{figures.plain(end.at, 3)} {said}"


def _days(value: float) -> str:
    """With enough digits for a pool that ends within hours."""
    return f"{value:.2f}" if value < 9.995 else figures.days(value)
