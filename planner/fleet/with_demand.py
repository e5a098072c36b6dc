"""A fleet plan with the jobs of its demand file: every account becomes a project of the plan."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.demand.sacct_file import jobs_in, zone_of
from planner.demand.weeks import Weeks, weeks_in
from planner.errors import PlanProblems, Problem, UsageProblem
from planner.mix.demand_file import text_of
from planner.plan.fleet_types import MOST_PROJECTS, Demand, FleetPlan, Project
from planner.plan.load import LoadedFleet, plan_sha256
from planner.plan.textfile import label_of
from planner.plan.wording import did_you_mean, listed

OTHERS = "other-accounts"
COMPLETED = "COMPLETED"


def loaded_fleet(**parts: Any) -> LoadedFleet:
    """What `LoadedFleet` is made of gives one, with the jobs of its file of demand, if it has one. Raises
    PlanProblems."""
    bare = LoadedFleet(**parts)
    demand = bare.plan.demand
    if demand is None:
        return bare
    path = _path(bare)
    where = label_of(path)
    text, sha256 = _text(bare, demand, path)
    try:
        zone = None if demand.zone is None else zone_of(demand.zone)
    except UsageProblem:
        message = f"{demand.zone}: no such time zone"
        raise PlanProblems((bare.problem_at(("demand", "zone"), message, "write Europe/Berlin or UTC"),)) from None
    weeks = weeks_in(jobs_in(text, where, zone), where, zone, demand.first, demand.last)
    weeks = _merged(weeks, {one.name for one in bare.plan.projects})
    if problems := [*_projects(bare, weeks), *_ran_on(bare, weeks)]:
        raise PlanProblems(tuple(problems))
    plan = bare.plan.model_copy(
        update={
            "projects": tuple(_with_accounts(bare.plan, demand, weeks)),
            "demand": demand.model_copy(update={"sha256": sha256}),
        }
    )
    return LoadedFleet(**parts | {"plan": plan, "sha256": plan_sha256(plan)}, weeks=weeks, demand_file=where)


def _path(bare: LoadedFleet) -> Path:
    """Of the demand file: from the folder of the plan, or from here for a plan of standard input."""
    assert bare.plan.demand is not None
    return Path("." if bare.where == "<stdin>" else bare.where).parent / bare.plan.demand.file


def _text(bare: LoadedFleet, demand: Demand, path: Path) -> tuple[str, str]:
    """(content, its hash). Raises PlanProblems."""
    if not path.is_file():
        remedy = "write its path from the plan file's folder"
        raise PlanProblems((bare.problem_at(("demand", "file"), f"{label_of(path)}: no such file", remedy),))
    with path.open("rb") as file:
        first = file.readline(100_000)
    if b"|" not in first:
        message = f"{demand.file} has no jobs: the first line of sacct --parsable2 has |"
        remedy = "hours by instance type show no queue, and `planner mix` buys for them; for jobs see docs/fleet.md"
        raise PlanProblems((bare.problem_at(("demand", "file"), message, remedy),))
    text = text_of(path, "")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    if demand.sha256 not in (None, sha256):
        message = f"{label_of(path)} is another file: its SHA-256 is {sha256}"
        remedy = "restore the file, or remove sha256 to plan with this one"
        raise PlanProblems((bare.problem_at(("demand", "sha256"), message, remedy),))
    return text, sha256


def _merged(weeks: Weeks, names: set[str]) -> Weeks:
    """The same weeks with no more projects than a plan holds. names: of the plan's own ones, which are kept, as are the
    accounts with the most work; the others are one project together."""
    work: defaultdict[str, float] = defaultdict(float)
    for one in weeks.jobs:
        work[one.project] += weeks.work([one])
    room = MOST_PROJECTS - len(names)
    mine = [name for name, _ in sorted(work.items(), key=lambda item: (-item[1], item[0])) if name not in names]
    if len(mine) <= room:
        return weeks
    small = set(mine[max(room - 1, 0) :])
    jobs = (replace(one, project=OTHERS) if one.project in small else one for one in weeks.jobs)
    return replace(weeks, jobs=tuple(jobs))


def _with_accounts(plan: FleetPlan, demand: Demand, weeks: Weeks) -> Iterator[Project]:
    """The projects of the plan, then the other accounts by name, with what the file and `demand` say of them."""
    total: defaultdict[str, float] = defaultdict(float)
    done: defaultdict[str, float] = defaultdict(float)
    for job in weeks.jobs:
        work = weeks.work([job])
        total[job.project] += work
        done[job.project] += work if job.state == COMPLETED else 0
    others = sorted(set(total) - {one.name for one in plan.projects})
    for one in (*plan.projects, *(Project.model_construct(name=name) for name in others)):
        if one.jobs:
            yield one
            continue
        given = one.model_fields_set
        yield one.model_copy(
            update={
                "growth": one.growth if "growth" in given else demand.growth,
                "types": demand.types if one.types is None else one.types,
                "unfinished": 1 - done[one.name] / total[one.name] if one.unfinished is None else one.unfinished,
            }
        )


def _projects(bare: LoadedFleet, weeks: Weeks) -> Iterator[Problem]:
    """Projects without jobs, and with jobs twice."""
    accounts, file = {one.project for one in weeks.jobs}, bare.plan.demand and bare.plan.demand.file
    for index, one in enumerate(bare.plan.projects):
        if one.jobs and one.name in accounts:
            message = f"{one.name} has jobs here, and {file} has jobs of that account"
            yield bare.problem_at(("projects", index, "jobs"), message, "remove jobs, or give new work another name")
        elif not one.jobs and one.name not in accounts:
            near = did_you_mean(one.name, accounts) or f"its accounts: {listed(sorted(accounts), 12)}"
            message = f"{file} has no job of the account {one.name} in its whole weeks"
            yield bare.problem_at(("projects", index, "name"), message, f"{near}; or write jobs")


def _ran_on(bare: LoadedFleet, weeks: Weeks) -> Iterator[Problem]:
    """Names that the file does not have, and types that a project has no speed for."""
    plan, demand = bare.plan, bare.plan.demand
    assert demand is not None  # its weeks were read
    names = {name for one in weeks.jobs for name in (one.gpu, one.partition) if name}
    for name in demand.ran_on:
        if name.lower() not in names:
            near = did_you_mean(name, names) or f"it has {listed(sorted(names), 12) or 'neither'}"
            message = f"no job of {demand.file} ran on a GPU or in a partition {name}"
            yield bare.problem_at(("demand", "ran_on", name), message, near)
    own = {one.name: one.types for one in plan.projects}
    seen: set[tuple[str, str]] = set()
    for one in weeks.jobs:
        ran = ran_on(demand, one.gpu, one.partition)
        types = own.get(one.project) or demand.types
        if ran is None or (ran in plan.types if types is None else ran in types) or (one.project, ran) in seen:
            continue
        seen.add((one.project, ran))
        message = f"job {one.id} of {one.project} ran on {ran}, " + (
            "which no group has" if types is None else "and its types do not say how fast that is"
        )
        remedy = f"write its speed beside the others', as in demand: {{types: {{{plan.types[0]}: 2, {ran}: 1}}}}"
        yield Problem(where=label_of(_path(bare)), line=one.line, column=1, message=message, remedy=remedy)


def ran_on(demand: Demand, gpu: str, partition: str) -> str | None:
    """The type that a job's GPU stands for, else its partition."""
    known = {name.lower(): of for name, of in demand.ran_on.items()}
    return known.get(gpu) or known.get(partition)
