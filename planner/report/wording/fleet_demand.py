"""The file that a fleet's demand comes from, in words: what is in it, how it fills a year, and what it leaves out."""

from __future__ import annotations

import math

from planner.fleet.result import FleetComparison, FromFile
from planner.fleet.with_demand import OTHERS
from planner.fleet.workload import MONTH_HOURS
from planner.plan.fleet_types import MOST_PROJECTS
from planner.report.wording import demand, figures, rounding
from planner.report.wording.spoken import hours
from planner.report.wording.table import Column

FEW_WEEKS = 4
WEEK_HOURS = 168


def heading(one: FromFile) -> str:
    """Which file it is."""
    return (
        f"jobs of {one.file} (SHA-256 {one.sha256[:12]}...), {figures.many(one.weeks.count, 'week')} from "
        f"{one.weeks.first_day}"
    )


def warnings(found: FleetComparison) -> list[str]:
    """What may change the answer."""
    one = found.from_file
    if one is None:
        return []
    said = []
    if one.weeks.count < FEW_WEEKS:
        said.append(f"Demand of {figures.many(one.weeks.count, 'whole week')}: one busy week decides the averages.")
    if one.shown.censored:
        said.append(demand.limits(one.shown)[0])
    if one.unmapped:
        hardware = [name for name in one.shown.ran_on if name not in _mapped(found)]
        where = f" ({', '.join(hardware[:4])}{', ...' if len(hardware) > 4 else ''})" if hardware else ""
        said.append(
            f"{figures.many(one.unmapped, 'job')}{where} are taken to run as fast on the plan's types as in the file; "
            "demand.ran_on says what they ran on."
        )
    return said


def notes(found: FleetComparison) -> list[str]:
    """What else bounds it."""
    one = found.from_file
    if one is None:
        return []
    weeks = math.ceil(found.plan.run.months * MONTH_HOURS / WEEK_HOURS)
    count = figures.many(one.weeks.count, "whole week")
    said = [
        f"Demand: {one.file} has {count} from {one.weeks.first_day}, and the plan's {weeks} weeks are drawn from them: "
        "days, weekends and bursts stay as they were; seasons and new projects are not in it."
        + ("" if one.shown.waits_h is None else f" In the file a job waited {hours(one.shown.waits_h[0])} on average.")
    ]
    if one.shown.empty_weeks:
        said.append(demand.empty_weeks(one.shown.empty_weeks, one.weeks.count))
    if one.parts:
        said.append(
            "Jobs smaller than a node share nodes: any free GPUs do, wherever they are, so gaps are not counted."
        )
    return said


def _mapped(found: FleetComparison) -> set[str]:
    return set() if found.plan.demand is None else {name.lower() for name in found.plan.demand.ran_on}


def details(one: FromFile) -> list[str]:
    """What is in the file, what is left out of it, and how far it can be trusted."""
    jobs = figures.many(len(one.weeks.jobs), "job")
    total = math.fsum(work for _, work in one.work)
    weeks = figures.many(one.weeks.count, "whole week")
    said = [f"{jobs} in {weeks} from {one.weeks.first_day}: {total:,.0f} {_unit(one)}."]
    for left in one.weeks.left:
        hours = f" ({left.node_hours:,.0f} node-hours)" if left.node_hours else ""
        said.append(f"Left out: {figures.many(left.jobs, 'job')}{hours} that {left.why}.")
    if OTHERS in dict(one.work):
        said.append(f"The accounts with the least work are one project, {OTHERS}: a plan holds {MOST_PROJECTS}.")
    return [*said, *demand.trust(one.shown), f"SHA-256 of {one.file}: {one.sha256}."]


def columns(one: FromFile) -> list[Column]:
    """What each project used in the file's weeks, as it was."""
    rows = sorted(one.work, key=lambda row: -row[1])
    work = [value for _, value in rows]
    return [
        Column(title="Project", values=[*(name for name, _ in rows), "all"], text=True),
        Column(title=_unit(one), values=rounding.whole(work)),
        Column(title="Share", values=[*rounding.percents(work), "100%"]),
    ]


def _unit(one: FromFile) -> str:
    return "GPU-hours" if one.weeks.found.counts_gpus else "node-hours"
