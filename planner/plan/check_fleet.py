"""Checks of a fleet plan that types cannot express. Needs no prices."""

from __future__ import annotations

from collections.abc import Iterator

from planner.plan.check import FIRST_DAY, LAST_DAY
from planner.plan.check_assumptions import assumption_findings
from planner.plan.finding import Finding, repeated
from planner.plan.fleet_types import FleetPlan, Project
from planner.plan.wording import did_you_mean, listed, shown
from pricing.offers import ALL_PURCHASE_OPTIONS

RATES = ("count", "per_day", "gpu_hours_per_month")
UNUSABLE = ("spot", "spot-fallback")


def check_fleet(plan: FleetPlan) -> list[Finding]:
    """Every finding that needs only the plan itself."""
    found = [*_days(plan), *repeated(("groups",), plan.types), *_demand(plan)]
    for index, project in enumerate(plan.projects):
        at = ("projects", index)
        found += [((*at, *path), message, remedy) for path, message, remedy in _project(plan, project)]
    names = repeated(("projects",), [project.name for project in plan.projects])
    return [*found, *names, *_purchase(plan), *_decision(plan), *assumption_findings(plan.assumptions)]


def _days(plan: FleetPlan) -> Iterator[Finding]:
    for key, day in (("start", plan.start), ("prices", plan.prices)):
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            yield (key,), f"{key}: {day} is outside {FIRST_DAY.year} to {LAST_DAY.year}", "check the year"


def _demand(plan: FleetPlan) -> Iterator[Finding]:
    demand = plan.demand
    if demand is None:
        if not plan.projects:
            remedy = "write projects, or demand: {file: sacct.txt, zone: UTC}, what sacct printed"
            yield ("projects",), "nobody uses the fleet: no projects and no demand", remedy
        for index, project in enumerate(plan.projects):
            if not project.jobs:
                remedy = "write jobs: [{per_day: 4, nodes: 2, hours: 12h}], or demand: {file: sacct.txt, zone: UTC}"
                yield ("projects", index), f"{project.name} has no jobs", remedy
        return
    if demand.first is not None and demand.last is not None and demand.first > demand.last:
        yield ("demand", "from"), f"from {demand.first} is after to {demand.last}", "check both days"
    if demand.types is not None and not set(demand.types) & set(plan.types):
        remedy = f"the groups have {listed(list(plan.types))}"
        yield ("demand", "types"), "these are none of the fleet's types", remedy


def _project(plan: FleetPlan, project: Project) -> Iterator[Finding]:
    for index, stream in enumerate(project.jobs):
        given = [name for name in RATES if getattr(stream, name) is not None]
        if len(given) != 1:
            message = "a stream of jobs needs one of " + ", ".join(RATES) + (f", not {listed(given)}" if given else "")
            yield ("jobs", index), message, "write per_day: 4"
    if project.types is not None and not set(project.types) & set(plan.types):
        message = f"{project.name} can use none of the fleet's types"
        yield ("types",), message, f"the groups have {listed(list(plan.types))}"
        return
    most = [
        None if group.unlimited else max(group.nodes)
        for group in plan.groups
        if group.instance_type in plan.speeds(project)
    ]
    for index, stream in enumerate(project.jobs):
        if most and None not in most and stream.nodes > max(filter(None, most)):
            message = f"a job of {stream.nodes} nodes never fits: no group that {project.name} can use has more than "
            message += f"{max(filter(None, most))}"
            yield ("jobs", index, "nodes"), message, "write fewer nodes, or a larger group"
    last = project.to_month or plan.run.months
    if not project.from_month <= last <= plan.run.months:
        message = f"months {project.from_month} to {last} are not all in the plan's {plan.run.months}"
        yield ("from_month" if project.from_month > last else "to_month",), message, "check both months"
    if (project.hot_bytes or 0) > (project.data_bytes or 0):
        yield ("hot",), "hot is more than data", "hot is a part of data: write data, all that is kept in S3"


def _purchase(plan: FleetPlan) -> Iterator[Finding]:
    purchase = plan.purchase
    for index, name in enumerate(purchase.options):
        at = ("purchase", "options", index)
        if name in UNUSABLE:
            yield at, f"{name} is not compared for a fleet, whose jobs are gangs", "remove it"
        elif name not in ALL_PURCHASE_OPTIONS:
            near = did_you_mean(name, list(ALL_PURCHASE_OPTIONS)) or "write on-demand or ri-1y-standard-no-upfront"
            yield at, f"{shown(name)} is no purchase option", near
    yield from repeated(("purchase", "options"), purchase.options)
    if not purchase.options and not purchase.mix:
        yield ("purchase", "options"), "nothing to compare: no option and no mix", "write mix: true"
    if any(group.unlimited for group in plan.groups) and purchase.idle == "hold":
        yield ("purchase", "idle"), "nodes: mix has no number of nodes to hold", "write idle: release, or a count"


def _decision(plan: FleetPlan) -> Iterator[Finding]:
    if not 0.5 <= plan.decision.confidence <= 0.999:
        message = f"decision.confidence is {plan.decision.confidence:.4g}: it has to be 50% to 99.9%"
        yield ("decision", "confidence"), message, "write 90%"
    for key in ("slack", "availability"):
        if key in plan.decision.model_fields_set:
            yield ("decision", key), f"{key} is used only by training plans", "remove it"
