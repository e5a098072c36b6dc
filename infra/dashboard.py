"""The stack's CloudWatch dashboard: dollars of idle GPUs, missing and failing nodes, alarms, pool, space, budget."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.node import gpu_use, watch
from fleet_pool.slurm import NODES_OUT

from infra.alarms import AUTO_SCALING, FSX, MINUTES_5
from infra.naming import Component
from planner.stack.component import node_usd_per_hour
from planner.stack.slurm_settings import node_groups
from planner.stack.spec import ClusterSpec

WIDTH, HEIGHT = 12, 6  # of 24 columns
PERIOD = gpu_use.EVERY_MIN * 60


def dashboard(
    guards: Component,
    spec: ClusterSpec,
    *,
    groups: Sequence[pulumi.Input[str]],
    storage_groups: Sequence[pulumi.Input[str]],
    file_system: pulumi.Input[str] | None,
    alarms: Sequence[aws.cloudwatch.MetricAlarm],
) -> None:
    """groups, storage_groups: names of the Auto Scaling groups. file_system: id of FSx for Lustre."""
    given = pulumi.Output.all(
        groups=pulumi.Output.all(*groups),
        storage_groups=pulumi.Output.all(*storage_groups),
        file_system=file_system or "",
        alarms=pulumi.Output.all(*(alarm.arn for alarm in alarms)),
    )
    aws.cloudwatch.Dashboard(
        guards.named("dashboard"),
        dashboard_name=guards.physical("dashboard"),
        dashboard_body=given.apply(lambda found: json.dumps(body(spec, found))),
        opts=guards.child(),
    )


def body(spec: ClusterSpec, found: Mapping[str, Any]) -> dict[str, Any]:
    """As CloudWatch reads it (CloudWatch User Guide, "Dashboard body structure and syntax")."""
    groups: list[str] = found["groups"]
    every = [*groups, *found["storage_groups"]]
    scaling = found["storage_groups"] if spec.scheduler else every
    plots = [
        *([_missing(scaling)] if scaling else []),
        *([_out(spec.stack)] if spec.scheduler else []),
        _problems(every, groups, spec),
    ]
    if spec.fleet.gpus:
        plots = [*_idle(spec, groups), *plots]
    if spec.pool:
        plots += _pool(spec.stack)
    if spec.lustre and spec.lustre.capacity_gib:
        plots.append(_free_space(found["file_system"], spec.lustre.capacity_gib * 2**30))
    plots = [{**plot, "view": "timeSeries", "region": spec.region} for plot in plots]
    widgets: list[dict[str, Any]] = [{"type": "text", "properties": {"markdown": _plan(spec)}}]
    if found["alarms"]:
        widgets.append({"type": "alarm", "properties": {"title": "Alarms", "alarms": found["alarms"]}})
    widgets += [{"type": "metric", "properties": plot} for plot in plots]
    return {
        "widgets": [
            {**widget, "x": WIDTH * (n % 2), "y": HEIGHT * (n // 2), "width": WIDTH, "height": HEIGHT}
            for n, widget in enumerate(widgets)
        ]
    }


def _plan(spec: ClusterSpec) -> str:
    return (
        f"# {spec.stack}\n{spec.scenario}\n\n"
        f"Budget **${spec.guard.budget_usd:,.0f}** for {spec.guard.max_days:,.1f} days. AWS's figures lag by hours: "
        "[Budgets](https://console.aws.amazon.com/billing/home#/budgets). What is billed by the hour: "
        "`pulumi stack output usd_per_hour`."
    )


def _idle(spec: ClusterSpec, groups: Sequence[str]) -> list[dict[str, Any]]:
    """GPU use; and its idle share of what the nodes in service cost. No dollars without a price, nor of nodes that are
    launched for jobs."""
    use, idle = [], []
    for n, group in enumerate(groups):
        busy = [gpu_use.NAMESPACE, gpu_use.METRIC, _dimension(spec), group]
        use.append([*busy, {"label": group}])
        # of a node: the same after a resize
        usd = round(node_usd_per_hour(spec.by_type[0 if spec.blocks else n]) or 0.0, 4)
        # in no Auto Scaling group AWS PCS keeps as many
        nodes = str(node_groups(spec)[n].least) if spec.scheduler else f"nodes{n}"
        if not usd or nodes == "0":
            continue
        idle.append([*busy, {"id": f"use{n}", "visible": False}])
        if not spec.scheduler:
            idle.append(_of_group("GroupInServiceInstances", group, id=nodes, stat="Average"))
        idle.append([{"id": f"idle{n}", "expression": f"{nodes} * {usd} * (1 - use{n} / 100)", "label": group}])
    plots = [{"title": "GPU use, percent", "metrics": use, "stat": "Average", "period": PERIOD}]
    if idle:
        title = "Idle GPUs, USD an hour"
        plots.insert(0, {"title": title, "metrics": idle, "stat": "Average", "period": PERIOD})
    return plots


def _dimension(spec: ClusterSpec) -> str:
    return gpu_use.OF_SLURM if spec.scheduler else gpu_use.DIMENSION


def _missing(groups: Sequence[str]) -> dict[str, Any]:
    metrics: list[list[Any]] = []
    for n, group in enumerate(groups):
        metrics.append(_of_group("GroupDesiredCapacity", group, id=f"wanted{n}", stat="Maximum"))
        metrics.append(_of_group("GroupInServiceInstances", group, id=f"there{n}", stat="Minimum"))
        metrics.append([{"id": f"missing{n}", "expression": f"wanted{n} - there{n}", "label": group}])
    return {"title": "Nodes missing", "metrics": metrics, "period": MINUTES_5}


def _out(stack: str) -> dict[str, Any]:
    metrics = [[gpu_use.NAMESPACE, NODES_OUT, watch.STACK, stack, {"label": "nodes"}]]
    title = "Nodes that take no jobs in Slurm"
    return {"title": title, "metrics": metrics, "stat": "Maximum", "period": watch.EVERY_MIN * 60}


def _problems(every: Sequence[str], of_fleet: Sequence[str], spec: ClusterSpec) -> dict[str, Any]:
    """Published only while there are any: a gap is good news."""
    metrics = [
        [
            *(gpu_use.NAMESPACE, watch.NODE_PROBLEMS, _dimension(spec) if group in of_fleet else gpu_use.DIMENSION),
            *(group, {"label": group}),
        ]
        for group in every
    ]
    title = "Failing checks of the worst node (none: no line)"
    return {"title": title, "metrics": metrics, "stat": "Maximum", "period": watch.EVERY_MIN * 60}


def _pool(stack: str) -> list[dict[str, Any]]:
    """Each control node tells what it sees; where they differ, the worst counts."""
    plots = (
        ("Pool targets", watch.POOL_TARGETS, "Minimum"),
        ("Pool problems", watch.POOL_PROBLEMS, "Maximum"),
        ("Used space of the pool, percent", watch.POOL_USED, "Maximum"),
    )
    return [
        {
            "title": title,
            "metrics": [[gpu_use.NAMESPACE, metric, watch.STACK, stack, {"label": title}]],
            "stat": stat,
            "period": watch.EVERY_MIN * 60,
        }
        for title, metric, stat in plots
    ]


def _free_space(file_system: str, capacity: int) -> dict[str, Any]:
    """Published each minute for each file server: their sum is right for a minute alone."""
    free = [FSX, "FreeDataStorageCapacity", "FileSystemId", file_system, {"id": "free", "visible": False}]
    share = [{"id": "share", "expression": f"100 * free / {capacity}", "label": "free, percent"}]
    return {"title": "Free space of the file system, percent", "metrics": [free, share], "stat": "Sum", "period": 60}


def _of_group(metric: str, group: str, **more: Any) -> list[Any]:
    return [AUTO_SCALING, metric, "AutoScalingGroupName", group, {**more, "visible": False}]
