"""The plan of a fleet beside what AWS billed for its stacks, by project: whose it was is in Slurm's accounting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from planner.bills.charges import UNUSED, BilledCharge, charges_in
from planner.bills.export_file import files_in, read_export
from planner.bills.reconcile import ReconciledLine, Reconciliation, effects
from planner.bills.stack_bill import StackBill, stack_bill
from planner.bills.usage_lines import line_of
from planner.demand.shares import jobs_of, node_hours_by, seconds
from planner.errors import UsageProblem
from planner.fleet.compare import gpus_of
from planner.fleet.model import Floats
from planner.fleet.result import FleetScenario
from planner.fleet.with_demand import OTHERS, ran_on
from planner.fleet.workload import MONTH_HOURS, growth_by_month, per_month
from planner.models.bill_lines import COMPUTE
from planner.plan.fleet_types import FleetPlan
from planner.plan.textfile import label_of
from planner.report.wording.reconciliation import check_held
from pricing.book import PriceBook

HOUR = timedelta(hours=1)


def fleet_reconciled(
    plan: FleetPlan,
    book: PriceBook,
    chosen: FleetScenario,
    bills: tuple[str, ...],
    *,
    stacks: str,
    sacct: str,
    zone: str | None,
    until: datetime | None,
    account: str | None,
    reading: Callable[[Path], None],
) -> Reconciliation:
    """A line a project. stacks: their names, separated by commas. Raises UsageProblem."""
    if chosen.way == "capacity-block" or any(one.offer.name.startswith("capacity-block") for one in chosen.purchases):
        raise UsageProblem("Capacity Blocks of a fleet cannot be found on its bill yet: name a choice without them")
    names = [name.strip() for name in stacks.split(",") if name.strip()]
    paths = files_in(list(bills))
    for path in paths:
        reading(path)
    bill = _together(
        stack_bill(
            charges_in([read_export(path, name) for path in paths]),
            name,
            block_node_hours=None,
            block_ends=None,
            until=until,
            account=account,
        )
        for name in names
    )
    first = plan.start or book.as_of
    start = datetime(first.year, first.month, first.day)
    begin, end = bill.first_use or start, min(bill.until, start + plan.run.months * MONTH_HOURS * HOUR)
    if end <= begin:
        raise UsageProblem(f"the bill has no use between the plan's start, {first}, and its end")
    billed_hours = _node_hours(plan, bill.used)
    held = _held(plan, book, sacct, zone, begin, end, billed_hours)
    weight = {name: book.on_demand(name, plan.region).usd for name in plan.types}
    used = {name: math.fsum(hours[of] * weight[of] for of in hours) for name, hours in held.items()}
    billed = math.fsum(charge.effective for charge in bill.used)
    planned_hours, planned_usd = _planned(plan, book, chosen, [(end - start) / HOUR, (begin - start) / HOUR])
    lines = []
    for name in dict.fromkeys((*(one.name for one in plan.projects), *held)):
        hours, usd = math.fsum(held.get(name, {}).values()), used.get(name, 0.0) / math.fsum(used.values()) * billed
        mine = planned_hours.get(name)
        by_quantity, by_price = effects(mine, planned_usd.get(name, 0.0), hours, usd)
        lines.append(
            ReconciledLine(
                line=name,
                unit="node-hours",
                planned_quantity=mine,
                billed_quantity=hours,
                planned_usd=planned_usd.get(name, 0.0),
                billed_usd=usd,
                quantity_effect_usd=by_quantity,
                price_effect_usd=by_price,
                in_plan=mine is not None,
            )
        )
    whole, jobs = math.fsum(billed_hours.values()), math.fsum(line.billed_quantity or 0.0 for line in lines)
    return Reconciliation(
        scenario=chosen.id,
        stack=", ".join(names),
        start=first,
        until=end,
        whole=bill.until >= start + plan.run.months * MONTH_HOURS * HOUR,
        lines=tuple(lines),
        bill=bill,
        left_out=(),
        notes=(
            f"the bill is divided by the node-hours of jobs in {label_of(sacct)}, at On-Demand prices of their types, "
            "as the plan's is; storage and idle nodes are in it",
            f"of {whole:,.0f} billed node-hours jobs held {jobs:,.0f} ({jobs / whole:.0%})",
            *bill.notes,
        ),
    )


def _together(bills: Iterable[StackBill]) -> StackBill:
    """Several stacks as one bill; what has no stack's tag is in each."""
    first, *others = bills
    for one in others:
        apart = {kind: first.apart.get(kind, 0.0) + one.apart.get(kind, 0.0) for kind in {**first.apart, **one.apart}}
        first = replace(
            first,
            used=first.used + one.used,
            apart=apart,
            notes=tuple(dict.fromkeys(first.notes + one.notes)),
            first_use=min((when for when in (first.first_use, one.first_use) if when), default=None),
            until=max(first.until, one.until),
        )
    return first


def _node_hours(plan: FleetPlan, used: Iterable[BilledCharge]) -> dict[str, float]:
    """Of each type on the bill, used ones."""
    found = dict.fromkeys(plan.types, 0.0)
    for charge in used:
        for name in plan.types if charge.status != UNUSED else ():
            own = charge.line.startswith(COMPUTE) and charge.line.endswith(f"-{name}")
            if own or (not charge.line and line_of(charge, gpu_type=name, family="on-demand") == COMPUTE):
                found[name] += charge.quantity
    return found


def _held(
    plan: FleetPlan,
    book: PriceBook,
    sacct: str,
    zone: str | None,
    begin: datetime,
    end: datetime,
    billed: Mapping[str, float],
) -> dict[str, dict[str, float]]:
    """Node-hours of each project by type. Raises UsageProblem where they are not of the bill's nodes."""
    gpus, only = gpus_of(plan, book), plan.types[0] if len(plan.types) == 1 else None
    known = {one.name for one in plan.projects}
    found = jobs_of(sacct, zone)
    types: dict[tuple[str, str], str] = {}
    for job in found.jobs:
        of = only or (ran_on(plan.demand, job.gpu, job.partition) if plan.demand else None)
        if of is None:
            raise UsageProblem(
                f"{label_of(sacct)}:{job.line}: nothing says on which type job {job.id} ran; demand.ran_on of the plan "
                "names the type of each GPU or partition"
            )
        types[job.gpu, job.partition] = of
    held: dict[str, dict[str, float]] = {}
    by = node_hours_by(found, seconds(begin), seconds(end), lambda job: types[job.gpu, job.partition], gpus)
    for (account, of), hours in by.items():
        name = account if account in known or OTHERS not in known else OTHERS
        mine = held.setdefault(name, dict.fromkeys(plan.types, 0.0))
        mine[of] += hours
    for of in plan.types:
        check_held(math.fsum(one[of] for one in held.values()), billed[of], label_of(sacct), of)
    if not held:
        raise UsageProblem(f"{label_of(sacct)}: no job ran between {begin:%Y-%m-%d} and {end:%Y-%m-%d}")
    return held


def _planned(
    plan: FleetPlan, book: PriceBook, chosen: FleetScenario, hours: list[float]
) -> tuple[dict[str, float], dict[str, float]]:
    """(node-hours, USD) of each project up to hours[0], without those up to hours[1]. Its year's node-hours lie in the
    months as the plan has its jobs; the cost of a month is divided as the year's is."""
    months = np.arange(plan.run.months)
    until, before = (np.clip(one / MONTH_HOURS - months, 0.0, 1.0) for one in hours)
    part: Floats = until - before
    gpus = gpus_of(plan, book)
    share = {}
    for project in plan.projects:
        jobs = np.array([np.array(per_month(plan, project, s, gpus)) * s.nodes * s.hours for s in project.jobs])
        work = jobs.sum(axis=0) if len(jobs) else np.array(growth_by_month(plan, project))
        share[project.name] = float(work @ part / work.sum()) if work.sum() else 0.0
    usd = {one.project: one.usd * share[one.project] for one in chosen.show_back}
    accrued = float(np.array([one.accrued_usd for one in chosen.months]) @ part)
    scale = accrued / total if (total := math.fsum(usd.values())) else 0.0
    return (
        {one.project: math.fsum(one.node_hours) * share[one.project] for one in chosen.show_back},
        {name: value * scale for name, value in usd.items()},
    )
