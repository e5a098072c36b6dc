"""CloudWatch alarms as one table, the most valuable first, because a plan may pay for fewer. guard.py creates them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from fleet_pool import settings
from fleet_pool.node import gpu_use, watch
from fleet_pool.slurm import NODES_OUT

from infra.files import CONNECTIONS
from planner.stack.spec import ClusterSpec

HOUR, MINUTES_5 = 3600, 300
DAYS_7 = 168  # hours: CloudWatch evaluates periods of an hour over seven days at most (PutMetricAlarm)
S3_THROUGH_NAT_BYTES_PER_HOUR = 200 * 10**9  # images and packages need less, so more is S3 traffic
LEAST_FREE = 0.1  # of a file system
EXPORT_S = HOUR  # a checkpoint that is in the file system alone for longer
# eviction begins at the high watermark and has an hour's worth of space above it; the middle says that it loses
POOL_FULL_PERCENT = (settings.HIGH_WATERMARK_PERCENT + settings.OUT_OF_SPACE_PERCENT) / 2
ABOVE, BELOW = "GreaterThanThreshold", "LessThanThreshold"
IGNORED, ALARMING = "notBreaching", "breaching"  # how CloudWatch treats missing data
SLOW_WRITE_S = 0.02  # Guesstimate: single-digit milliseconds are usual of gp3
AUTO_SCALING, EC2, FSX, NAT, RDS = "AWS/AutoScaling", "AWS/EC2", "AWS/FSx", "AWS/NATGateway", "AWS/RDS"


def _always(_: ClusterSpec) -> bool:
    return True


def _starts_later(spec: ClusterSpec) -> bool:
    """Whether nodes of the fleet are missing until their Capacity Block begins."""
    return any(block.starts for block in spec.blocks)


def _on_trial(spec: ClusterSpec) -> bool:
    """Whether the nodes are on spot by a rule whose limit an alarm can see."""
    return spec.fallback is not None and spec.buying.kind == "spot" and spec.fallback.threshold_hours <= DAYS_7


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """One alarm.

    target: the component it watches; the nodes of the second Capacity Block: fleet-2; of
    a further instance type: fleet-p5-48xlarge. more: dimensions besides the
    target's. minus: metric that is subtracted from the first one; AWS bills it as a second alarm. threshold_of,
    periods_of: threshold and periods if they depend on the spec. periods: how many must breach, out of the last
    `within`; in a row where that is 0. needs: whether a spec has anything to watch. why: the text of the notice.
    """

    name: str
    target: str
    namespace: str
    metric: str
    statistic: str
    comparison: str
    why: str
    threshold: float = 0
    threshold_of: Callable[[ClusterSpec], float] | None = None
    periods_of: Callable[[ClusterSpec], int] | None = None
    period: int = MINUTES_5
    periods: int = 3
    within: int = 0
    missing: str = IGNORED
    minus: str = ""
    more: tuple[tuple[str, str], ...] = ()
    needs: Callable[[ClusterSpec], bool] = _always

    @property
    def metrics(self) -> int:
        """How many alarms AWS bills for it: one for each metric."""
        return 2 if self.minus else 1


ALARMS = (
    Alarm(
        name="fleet-count",
        target="fleet",
        namespace=AUTO_SCALING,
        metric="GroupInServiceInstances",
        statistic="Minimum",
        comparison=BELOW,
        threshold_of=lambda spec: spec.fleet.nodes,
        missing=ALARMING,
        why="The fleet has fewer nodes in service than planned.",
        needs=lambda spec: not _starts_later(spec),
    ),
    # Compared with the group's own size, which is 0 before the block begins and after it ends. The size jumps, so nodes
    # get twice the time to start.
    Alarm(
        name="fleet-count",
        target="fleet",
        namespace=AUTO_SCALING,
        metric="GroupDesiredCapacity",
        minus="GroupInServiceInstances",
        statistic="Minimum",
        comparison=ABOVE,
        periods=6,
        why="The fleet has fewer nodes in service than its Capacity Block holds.",
        needs=_starts_later,
    ),
    # What the rule of spot with fallback costs so far, as far as an alarm can see: hours without the whole gang.
    Alarm(
        name="spot-loss",
        target="fleet",
        namespace=AUTO_SCALING,
        metric="GroupInServiceInstances",
        statistic="Minimum",
        comparison=BELOW,
        threshold_of=lambda spec: spec.fallback.nodes if spec.fallback else 0,
        period=HOUR,
        periods_of=lambda spec: max(math.ceil(spec.fallback.threshold_hours), 1) if spec.fallback else 1,
        within=DAYS_7,
        why="Spot has cost most of what the plan allows. Run `planner spot watch`.",
        needs=_on_trial,
    ),
    Alarm(
        name="fleet-idle",
        target="fleet",
        namespace=gpu_use.NAMESPACE,
        metric=gpu_use.METRIC,
        statistic="Average",
        comparison=BELOW,
        threshold=2,
        period=HOUR,
        periods=2,
        why="The GPU nodes are billed but their GPUs are idle.",
        needs=lambda spec: spec.fleet.gpus > 0,
    ),
    Alarm(
        name="fleet-idle",
        target="fleet",
        namespace=EC2,
        metric="CPUUtilization",
        statistic="Average",
        comparison=BELOW,
        threshold=2,
        period=HOUR,
        periods=2,
        why="The nodes are billed but idle.",
        needs=lambda spec: not spec.fleet.gpus,
    ),
    Alarm(
        name="fleet-count",
        target="scheduler",
        namespace=gpu_use.NAMESPACE,
        metric=NODES_OUT,
        statistic="Maximum",
        comparison=ABOVE,
        # a node that starts has half an hour
        periods=6,
        missing=ALARMING,
        why="Slurm has nodes that take no jobs, or the login node does not tell: `sinfo -R` there says why.",
    ),
    Alarm(
        name="storage-count",
        target="nvme",
        namespace=AUTO_SCALING,
        metric="GroupInServiceInstances",
        statistic="Minimum",
        comparison=BELOW,
        threshold_of=lambda spec: spec.nvme.nodes if spec.nvme else 0,
        missing=ALARMING,
        why="The storage cluster has fewer nodes in service than planned.",
    ),
    Alarm(
        name="lustre-space",
        target="lustre",
        namespace=FSX,
        metric="FreeDataStorageCapacity",
        statistic="Sum",
        comparison=BELOW,
        # published each minute for each file server: their sum over more than a minute would count them several times
        period=60,
        periods=5,
        threshold_of=lambda spec: LEAST_FREE * spec.lustre.capacity_gib * 2**30 if spec.lustre else 0,
        why="Less than a tenth of the file system is free; writes will fail when it is full.",
        # Intelligent-Tiering grows by itself
        needs=lambda spec: spec.lustre is not None and spec.lustre.capacity_gib > 0,
    ),
    Alarm(
        name="pool-problems",
        target="pool",
        namespace=gpu_use.NAMESPACE,
        metric=watch.POOL_PROBLEMS,
        statistic="Maximum",
        comparison=ABOVE,
        missing=ALARMING,
        why="The pool or a control node has a problem, or no control node tells. Run `planner pool status`.",
    ),
    # the thresholds are a person's time to act, not limits of RDS
    Alarm(
        name="files-space",
        target="files",
        namespace=RDS,
        metric="FreeStorageSpace",
        statistic="Minimum",
        comparison=BELOW,
        threshold_of=lambda spec: LEAST_FREE * spec.files.storage_gib * 2**30 if spec.files else 0,
        why="Less than a tenth of the files' database is free. Full, it stops every mount: give it more storage_gib.",
    ),
    Alarm(
        name="files-connections",
        target="files",
        namespace=RDS,
        metric="DatabaseConnections",
        statistic="Maximum",
        comparison=ABOVE,
        threshold=CONNECTIONS,
        why="Mounts hold nearly all connections of the files' database; new ones will be refused.",
    ),
    Alarm(
        name="files-latency",
        target="files",
        namespace=RDS,
        metric="WriteLatency",
        statistic="Average",
        comparison=ABOVE,
        threshold=SLOW_WRITE_S,
        why="The files' database writes slowly, and with it every file that is made: a larger class, or fewer files.",
    ),
    Alarm(
        name="fleet-problems",
        target="fleet",
        namespace=gpu_use.NAMESPACE,
        metric=watch.NODE_PROBLEMS,
        statistic="Maximum",
        comparison=ABOVE,
        periods=2,
        within=3,
        why="A node that was ready fails a check. The newest folders of boot-logs/ in the data bucket say which one.",
    ),
    Alarm(
        name="storage-problems",
        target="nvme",
        namespace=gpu_use.NAMESPACE,
        metric=watch.NODE_PROBLEMS,
        statistic="Maximum",
        comparison=ABOVE,
        periods=2,
        within=3,
        why="A storage node that was ready fails a check. The newest folders of boot-logs/ in the data bucket say it.",
    ),
    Alarm(
        name="pool-space",
        target="pool",
        namespace=gpu_use.NAMESPACE,
        metric=watch.POOL_USED,
        statistic="Maximum",
        comparison=ABOVE,
        threshold=POOL_FULL_PERCENT,
        why="The pool fills faster than it evicts; at 95 % it refuses data. Run `planner pool capacity`.",
    ),
    Alarm(
        name="lustre-export",
        target="lustre",
        namespace=FSX,
        metric="AgeOfOldestQueuedMessage",
        more=(("Publisher", "AutoExport"),),
        statistic="Maximum",
        comparison=ABOVE,
        threshold=EXPORT_S,
        why="Files wait for over an hour for their export to S3. Until then the file system alone has them.",
        # the others are linked to no bucket (lustre.py)
        needs=lambda spec: spec.lustre is not None and spec.lustre.deployment == "PERSISTENT_2",
    ),
    Alarm(
        name="fleet-status",
        target="fleet",
        namespace=EC2,
        metric="StatusCheckFailed",
        statistic="Maximum",
        comparison=ABOVE,
        periods=2,
        why="A GPU node fails its status checks.",
    ),
    Alarm(
        name="storage-status",
        target="nvme",
        namespace=EC2,
        metric="StatusCheckFailed",
        statistic="Maximum",
        comparison=ABOVE,
        periods=2,
        why="A storage node fails its status checks.",
    ),
    Alarm(
        name="nat-bytes",
        target="network",
        namespace=NAT,
        metric="BytesInFromDestination",
        statistic="Sum",
        comparison=ABOVE,
        threshold=S3_THROUGH_NAT_BYTES_PER_HOUR,
        period=HOUR,
        periods=1,
        why="Bulk data passes the NAT gateway, which bills every GB. S3 should be reached through its endpoint.",
        needs=lambda spec: spec.gateway_endpoint,
    ),
    Alarm(
        name="nat-ports",
        target="network",
        namespace=NAT,
        metric="ErrorPortAllocation",
        statistic="Sum",
        comparison=ABOVE,
        why="The NAT gateway has no free ports; connections to the internet fail.",
    ),
    Alarm(
        name="fleet-pending",
        target="fleet",
        namespace=AUTO_SCALING,
        metric="GroupPendingInstances",
        statistic="Minimum",
        comparison=ABOVE,
        period=HOUR,
        periods=1,
        why="Nodes have been starting for an hour. They are billed but not in service.",
    ),
    Alarm(
        name="nat-drops",
        target="network",
        namespace=NAT,
        metric="PacketsDropCount",
        statistic="Sum",
        comparison=ABOVE,
        threshold=1000,
        why="The NAT gateway drops packets.",
    ),
)


def alarms_of(spec: ClusterSpec, components: Collection[str]) -> list[Alarm]:
    """Every alarm of a stack, the most valuable first. components: those that its layout adds to every stack."""
    # AWS Batch names the groups of its nodes itself, and a pool without jobs has none
    own = ("network", *(() if spec.workers else ("fleet",)), *(("scheduler",) if spec.scheduler else ()))
    return [
        alarm
        for row in ALARMS
        if row.target in (*own, *components) and row.needs(spec)
        # nodes of a Slurm cluster are in no Auto Scaling group, by which AWS counts
        if not (spec.scheduler and row.target == "fleet" and row.namespace in (AUTO_SCALING, EC2))
        for alarm in _for_each_target(row, spec)
    ]


def paid_for(alarms: Sequence[Alarm], paid: int) -> list[Alarm]:
    """The first ones, as many as the plan pays for."""
    taken: list[Alarm] = []
    for alarm in alarms:
        if sum(one.metrics for one in (*taken, alarm)) <= paid:
            taken.append(alarm)
    return taken


def _for_each_target(row: Alarm, spec: ClusterSpec) -> Iterable[Alarm]:
    parts = _by_group(spec)
    if row.target == "fleet" and len(parts) > 1:
        return [
            replace(_of_spec(row, part), name=f"{row.name}{suffix}", target=f"fleet{suffix}")
            for suffix, part in zip(spec.group_suffixes, parts, strict=True)
        ]
    return [_of_spec(row, spec)]


def _by_group(spec: ClusterSpec) -> Sequence[ClusterSpec]:
    """The spec once for each Capacity Block, or each instance type, with the nodes of that group."""
    if spec.blocks:
        return [replace(spec, fleet=replace(spec.fleet, nodes=block.nodes)) for block in spec.blocks]
    return spec.by_type


def _of_spec(row: Alarm, spec: ClusterSpec) -> Alarm:
    alarm = row if row.threshold_of is None else replace(row, threshold=row.threshold_of(spec))
    return alarm if row.periods_of is None else replace(alarm, periods=row.periods_of(spec))
