"""The figures of a choice: of its queue, which are the same however its nodes are bought, and of what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from planner.answer.ranges import Range, range_of
from planner.answer.row import Outcomes
from planner.fleet.bill import data_by_month
from planner.fleet.bought import Paid
from planner.fleet.model import Floats
from planner.fleet.result import FleetScenario, Month, ShowBack, Waits
from planner.fleet.runs import Outcome
from planner.fleet.workload import MONTH_HOURS
from planner.models.number import quantiles, share_of
from planner.plan.fleet_types import FleetPlan


def of_queue(plan: FleetPlan, found: Sequence[Outcome], busy: Floats, standing: Sequence[int]) -> dict[str, Any]:
    """The keys of a row that its queue decides; months and projects without their dollars."""
    grows, days = _days(plan, found)
    means = np.array([one.mean_wait for one in found])
    met, due = np.array([one.deadlines for one in found]).sum(axis=0)
    wait, sizes = np.concatenate([one.wait for one in found]), np.concatenate([one.nodes for one in found])
    monthly = busy.mean(axis=0).reshape(len(standing), plan.run.months, MONTH_HOURS).mean(axis=2)
    hours = np.mean([one.node_hours for one in found], axis=0)
    useful = np.mean([one.useful for one in found], axis=0)
    return {
        "days": range_of(float(days[np.isfinite(days)].mean()) if (~grows).any() else math.inf, days, len(found)),
        "effort_usd": float(_effort(plan, found).mean()),
        "finish_fraction": share_of(~grows),
        "wait_hours": range_of(float(wait.mean()) if wait.size else 0.0, means, len(found)),
        "p90_wait_hours": quantiles(wait, (0.9,))[0] if wait.size else 0.0,
        "waits": tuple(_waits(wait, sizes, len(found))),
        "utilisation": tuple(
            float(busy[:, at].mean() / top) if (top := standing[at]) else 0.0 for at in range(len(standing))
        ),
        "deadlines_met": float(met / due) if due else None,
        "backlog": float(np.mean([one.backlog for one in found])),
        "useful_gpu_hours": float(_useful(found).mean()),
        "lost_node_hours": float(np.mean([one.lost_node_hours for one in found])),
        "failures": float(np.mean([one.failures for one in found])),
        "preempted": float(np.mean([one.preempted for one in found])),
        "months": tuple(
            Month(month=at + 1, accrued_usd=0.0, cash_usd=0.0, nodes_busy=tuple(float(n) for n in monthly[:, at]))
            for at in range(plan.run.months)
        ),
        "show_back": tuple(
            ShowBack(
                project=project.name,
                usd=0.0,
                node_hours=tuple(float(h) for h in hours[:, at]),
                useful_gpu_hours=float(useful[at]),
            )
            for at, project in enumerate(plan.projects)
        ),
    }


def with_cost(
    plan: FleetPlan, row: FleetScenario, paid: Paid, beside: Floats, found: Sequence[Outcome]
) -> tuple[FleetScenario, Outcomes]:
    """A row with its queue and its bill: what it costs, and its draws. A queue that only grows never finishes."""
    grows, days = _days(plan, found)
    usd = np.where(grows, np.inf, paid.draws + beside)
    planned = sum(line.effective_cost for line in row.bill)
    other = (planned - paid.accrued.sum()) / plan.run.months
    return replace(
        row,
        cost_usd=range_of(planned, usd, len(found)),
        mean_cost_usd=None if grows.any() else float(usd.mean()),
        usd_per_useful=_each(planned, usd, _useful(found)),
        months=tuple(
            replace(one, accrued_usd=float(accrued + other), cash_usd=float(cash + other))
            for one, accrued, cash in zip(row.months, paid.accrued, paid.cash, strict=True)
        ),
        show_back=tuple(_show_back(plan, row)),
        purchases=paid.purchases,
        unused_usd=paid.unused_usd,
        after_usd=paid.after_usd,
    ), Outcomes(cost_usd=usd, effort_usd=_effort(plan, found), days=days)


def _days(plan: FleetPlan, found: Sequence[Outcome]) -> tuple[Any, Floats]:
    """Of each outcome: whether its queue only grows, and its days."""
    grows = np.array([one.overloaded for one in found])
    return grows, np.where(grows, np.inf, plan.run.months * MONTH_HOURS / 24)


def _effort(plan: FleetPlan, found: Sequence[Outcome]) -> Floats:
    """USD that waiting is worth, of each outcome."""
    return np.array([one.waited_gpu_hours for one in found]) * plan.waiting.usd_per_gpu_hour


def _useful(found: Sequence[Outcome]) -> Floats:
    return np.array([one.useful.sum() for one in found])


def _each(planned: float, usd: Floats, useful: Floats) -> Range | None:
    if not useful.mean():
        return None
    return range_of(planned / float(useful.mean()), usd / np.maximum(useful, 1e-9), useful.size)


def _waits(wait: Floats, sizes: Floats, runs: int) -> Iterator[Waits]:
    for least, most in _classes(sizes):
        mine = wait[(sizes < 1) if not most else (sizes >= least) & (sizes < most + 1)]
        p90 = quantiles(mine, (0.9,))[0]
        yield Waits(least=least, most=most, jobs=mine.size / runs, mean_hours=float(mine.mean()), p90_hours=p90)


def _classes(nodes: Floats) -> list[tuple[int, int]]:
    """(least, most) of each size class of jobs: 1, 2 to 3, 4 to 7 ... nodes, those that have jobs; (0, 0) for parts of
    a node. A job of 1.5 nodes is with those of 1."""
    top = int(nodes.max(initial=1))
    edges = [1]
    while edges[-1] <= top:
        edges.append(edges[-1] * 2)
    small = [(0, 0)] if (nodes < 1).any() else []
    return small + [(low, high - 1) for low, high in pairwise(edges) if ((nodes >= low) & (nodes < high)).any()]


def _show_back(plan: FleetPlan, row: FleetScenario) -> Iterator[ShowBack]:
    """Nodes, volumes, network and Slurm by node-hours at On-Demand prices; storage by bytes, else by node-hours."""
    hours = np.array([one.node_hours for one in row.show_back]).T  # groups x projects
    listed = {line.line: line.list_unit_price for line in row.bill}
    weight = np.array(
        [next((price for name, price in listed.items() if name.endswith(f"-{of}")), 1.0) for of in plan.types]
    )
    by_use = _shares(weight @ hours)
    kept = _shares(np.array([data_by_month(plan, one)[0].sum() for one in plan.projects]), by_use)
    hot = _shares(np.array([data_by_month(plan, one)[1].sum() for one in plan.projects]), kept)
    usd = np.zeros(len(plan.projects))
    for line in row.bill:
        share = (
            kept
            if line.line.startswith(("storage.s3", "storage.kms"))
            else hot
            if line.line.startswith("storage.")
            else by_use
        )
        usd += share * line.effective_cost
    for one, part in zip(row.show_back, usd, strict=True):
        yield replace(one, usd=float(part))


def _shares(values: Floats, otherwise: Floats | None = None) -> Floats:
    total = values.sum()
    if total > 0:
        return values / total
    return np.full(values.size, 1 / values.size) if otherwise is None else otherwise
