"""What is watched: the alarms of a layout in the order of their worth. Data only; guard.py makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HOUR, MINUTES_5 = 3600, 300
S3_BY_NAT_BYTES_PER_HOUR = 200 * 10**9  # images and packages are less; more is S3 traffic on the dear way


@dataclass(frozen=True, kw_only=True)
class Watch:
    """One alarm. target: what it watches: group, nvme, nat, lustre, or pool-N. less: metric that is taken off the first
    one, which AWS bills as a second alarm; empty: none."""

    name: str
    target: str
    namespace: str
    metric: str
    statistic: str
    comparison: str
    threshold: float
    period: int
    periods: int
    missing: str
    why: str
    less: str = ""


def _below(name: str, target: str, nodes: int) -> Watch:
    return Watch(
        name=name,
        target=target,
        namespace="AWS/AutoScaling",
        metric="GroupInServiceInstances",
        statistic="Minimum",
        comparison="LessThanThreshold",
        threshold=nodes,
        period=MINUTES_5,
        periods=3,
        missing="breaching",
        why="fewer nodes than the plan has",
    )


def _lacking(name: str, target: str) -> Watch:
    """Against what the group is set to, which is 0 until its block begins and after it ends. Nodes that start are
    given twice the time, since the group's size is a jump."""
    return Watch(
        name=name,
        target=target,
        namespace="AWS/AutoScaling",
        metric="GroupDesiredCapacity",
        less="GroupInServiceInstances",
        statistic="Minimum",
        comparison="GreaterThanThreshold",
        threshold=0,
        period=MINUTES_5,
        periods=6,
        missing="notBreaching",
        why="fewer nodes than the block has while it lasts",
    )


def _sick(name: str, target: str, why: str) -> Watch:
    return Watch(
        name=name,
        target=target,
        namespace="AWS/EC2",
        metric="StatusCheckFailed",
        statistic="Maximum",
        comparison="GreaterThanThreshold",
        threshold=0,
        period=MINUTES_5,
        periods=2,
        missing="notBreaching" if target in ("group", "nvme") else "breaching",
        why=why,
    )


def paid_for(found: Sequence[Watch], alarms: int) -> list[Watch]:
    """The first ones, as many as the bill has alarms for: AWS bills each metric of an alarm."""
    taken: list[Watch] = []
    for watch in found:
        if _metrics(*taken, watch) <= alarms:
            taken.append(watch)
    return taken


def _metrics(*found: Watch) -> int:
    return sum(2 if watch.less else 1 for watch in found)


def watches(
    *, nodes: int, control: int, storage_nodes: int, lustre: bool, gateway_endpoint: bool, waits: bool = False
) -> list[Watch]:
    """All that can be watched, the first ones first. waits: the fleet's size is set when its block begins."""
    found = [
        _lacking("fleet-count", "group") if waits else _below("fleet-count", "group", nodes),
        Watch(
            name="fleet-idle",
            target="group",
            namespace="AWS/EC2",
            metric="CPUUtilization",
            statistic="Average",
            comparison="LessThanThreshold",
            threshold=2,
            period=HOUR,
            periods=2,
            missing="notBreaching",
            why="paid nodes that do nothing: dollars go without work",
        ),
    ]
    if storage_nodes:
        found.append(_below("storage-count", "nvme", storage_nodes))
    if lustre:
        found.append(
            Watch(
                name="lustre-space",
                target="lustre",
                namespace="AWS/FSx",
                metric="FreeDataStorageCapacity",
                statistic="Sum",
                comparison="LessThanThreshold",
                threshold=2.0**40,
                period=MINUTES_5,
                periods=3,
                missing="notBreaching",
                why="less than a TiB free: writes will fail",
            )
        )
    found += [
        _sick(f"pool-{number}", f"pool-{number}", "a control node is sick: two must stand for the pool to have a map")
        for number in range(control)
    ]
    found.append(_sick("fleet-status", "group", "a node of the fleet fails its status checks"))
    if storage_nodes:
        found.append(_sick("storage-status", "nvme", "a storage node fails its status checks"))
    if gateway_endpoint:
        found.append(
            Watch(
                name="nat-bytes",
                target="nat",
                namespace="AWS/NATGateway",
                metric="BytesInFromDestination",
                statistic="Sum",
                comparison="GreaterThanThreshold",
                threshold=S3_BY_NAT_BYTES_PER_HOUR,
                period=HOUR,
                periods=1,
                missing="notBreaching",
                why="bulk data comes through the NAT gateway, which bills each GB",
            )
        )
    found += [
        Watch(
            name="nat-ports",
            target="nat",
            namespace="AWS/NATGateway",
            metric="ErrorPortAllocation",
            statistic="Sum",
            comparison="GreaterThanThreshold",
            threshold=0,
            period=MINUTES_5,
            periods=3,
            missing="notBreaching",
            why="connections to the outside fail",
        ),
        Watch(
            name="fleet-pending",
            target="group",
            namespace="AWS/AutoScaling",
            metric="GroupPendingInstances",
            statistic="Minimum",
            comparison="GreaterThanThreshold",
            threshold=0,
            period=HOUR,
            periods=1,
            missing="notBreaching",
            why="nodes hang while they start, and bill",
        ),
        Watch(
            name="nat-drops",
            target="nat",
            namespace="AWS/NATGateway",
            metric="PacketsDropCount",
            statistic="Sum",
            comparison="GreaterThanThreshold",
            threshold=1000,
            period=MINUTES_5,
            periods=3,
            missing="notBreaching",
            why="the NAT gateway drops packets",
        ),
    ]
    return found
