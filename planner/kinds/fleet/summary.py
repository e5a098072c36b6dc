"""What `planner stack` prints of a fleet: groups and queues, the pool, what it costs, what is missing, what follows."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence

from planner.fleet.bill import group_tb
from planner.fleet.result import FleetScenario
from planner.fleet.workload import MONTH_HOURS
from planner.plan.fleet_types import FleetPlan
from planner.report.wording.figures import dollars, many, money, visible
from planner.report.wording.wrapping import wrap
from planner.stack.component import nodes_usd_per_hour, usd_per_hour_by_component
from planner.stack.placeholders import missing_ids
from planner.stack.run_dates import crosses_new_year
from planner.stack.slurm_settings import holds_pool, node_groups, queues_of
from planner.stack.spec import ClusterSpec
from pricing.book import PriceBook


def summary(
    spec: ClusterSpec,
    chosen: FleetScenario,
    plan: FleetPlan,
    book: PriceBook,
    plan_path: str,
    overrides: Sequence[str],
    *,
    width: int,
) -> str:
    """Lines of at most `width` cells, but for commands."""
    lines = [*_what(spec, book), *_dollars(spec, chosen, plan), "", *_missing(spec), *_next(spec, plan_path, overrides)]
    wrapped = [
        part for line in lines for part in (wrap(line, width, "  ") if line and not line.startswith("  ") else [line])
    ]
    return "\n".join(wrapped) + "\n"


def _what(spec: ClusterSpec, book: PriceBook) -> Iterator[str]:
    yield f"Stack {spec.stack}: {visible(spec.plan_name)}, {spec.scenario}"
    queues = queues_of(spec)
    for group, own in zip(node_groups(spec), spec.by_type, strict=True):
        fleet = own.fleet
        efa = f", {fleet.efa_interfaces} EFA a node ({fleet.nic_profile})" if fleet.efa_interfaces else ""
        count, needed = (f"{group.most:,}", "") if group.least else (f"0 to {group.most:,}", " as jobs need")
        names = ", ".join(queue.name for queue, groups in queues.items() if group in groups)
        yield f"{count} x {fleet.instance_type} On-Demand{needed}{efa}; queues {names}"
    if holds_pool(spec):
        yield _pool(spec, book)


def _pool(spec: ClusterSpec, book: PriceBook) -> str:
    """Where the pool is, and what the drives that are no part of it would hold."""
    first, *others = ((one.fleet, book.instance(one.fleet.instance_type)) for one in spec.by_type)
    nodes, instance = first[0].nodes, first[1]
    holds = f"The pool is on the drives of {nodes:,} x {instance.name}: {group_tb(instance, nodes):,.0f} TB"
    if not others:
        return f"{holds}."
    names = " and ".join(other.name for _, other in others)
    idle = sum(group_tb(other, fleet.nodes) for fleet, other in others)
    return (
        f"{holds}. Nodes of {names} read it over the network; jobs have their drives, {idle:,.0f} TB, as scratch space."
    )


def _dollars(spec: ClusterSpec, chosen: FleetScenario, plan: FleetPlan) -> Iterator[str]:
    standing = math.fsum(usd_per_hour_by_component(spec).values())
    running = nodes_usd_per_hour(spec)
    assert spec.scheduler is not None
    assert chosen.cost_usd is not None  # it is feasible
    if spec.scheduler.release:
        most = f"; with every node ${dollars(standing + running)}" if running else ""
        yield f"Without jobs: ${dollars(standing)} an hour (${money(standing * 24)} a day){most}"
    else:
        yield f"While it stands: ${dollars(standing)} an hour (${money(standing * 24)} a day)"
    months = many(plan.run.months, "month")
    yield f"Planned: ${money(chosen.cost_usd.plan)} in {months}; budget of the stack ${money(spec.guard.budget_usd)}"
    if plan.start is not None and crosses_new_year(plan.start, plan.run.months * MONTH_HOURS / 24):
        yield (
            "! The budget is per calendar year: on 1 January it starts again from zero. Then write this file again "
            "with the amount that is left: --budget USD."
        )
    if chosen.way != "on-demand":
        yield "! Buy the commitments separately; without them these nodes bill On-Demand."
    if spec.unpriced:
        yield f"! The stack costs more than this: no price for {', '.join(spec.unpriced)}."
    yield "! AWS PCS starts nodes that never become ready again, without end: try an image on one node first."


def _missing(spec: ClusterSpec) -> Iterator[str]:
    for entry in missing_ids(spec):
        yield f"- missing: {entry.what}: {entry.option} {entry.example}"
        if entry.command:
            yield f"    {entry.command}"


def _next(spec: ClusterSpec, plan_path: str, overrides: Sequence[str]) -> Iterator[str]:
    path = " ".join([shlex.quote(visible(plan_path)), *(f"--set {shlex.quote(visible(one))}" for one in overrides)])
    yield ""
    yield "Next:"
    yield f"  planner check {path} --scenario {spec.scenario} --stack {spec.stack}"
    yield f"  planner preview {path} --scenario {spec.scenario}"
    yield f"  pulumi up --stack {spec.stack}"
