"""The Slurm settings of a stack's cluster: what AWS PCS is sent, each with the version of Slurm that it came with.

AWS PCS takes a list of its own (User Guide, "Custom Slurm settings" for clusters, compute node groups and queues, read
2026-11-28); PriorityType, TopologyPlugin and KillWait are not on it. Accounts and QOS are no settings of it: the login
node makes them (fleet_pool.slurm.accounting).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from fleet_pool.slurm import HEALTH_PROGRAM, REQUEUE_CODE

from planner.stack.spec import ClusterSpec, Fleet, Scheduler, suffixes, type_name

HEALTH_S = 300
DEFAULT_TIME_H = 1.0  # of a job that names none: backfill needs an end
HALF_LIFE_DAYS = 14  # after which past use counts half for the shares
STEPS = 2016
MOST_OF_A_NAME = 21  # of 25 characters (AWS PCS API reference, CreateComputeNodeGroup), for the number of a block
MOST_OF_A_QUEUE = 25  # AWS PCS User Guide, "Creating a queue"
AS_JOBS_NEED = "-on-demand"  # suffix of the group that has nodes only while a job needs them
AGE_DAYS = 7  # after which a job that waits gains no more


@dataclass(frozen=True, kw_only=True)
class Setting:
    """since: the first Slurm that has the setting with this value. why: for whoever reads the stack."""

    name: str
    value: str
    since: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A queue by priority. tier: of its partition; a job of a higher one is looked at first."""

    name: str
    tier: int
    is_default: bool = False


QUEUES = (Queue(name="high", tier=30), Queue(name="normal", tier=20, is_default=True), Queue(name="low", tier=10))


def cluster_settings(scheduler: Scheduler) -> tuple[Setting, ...]:
    """Of the whole cluster."""
    window_min = math.ceil(scheduler.longest_job_hours * 60)
    # its memory and time grow with the steps of the window; 600 s for two weeks, as slurm.conf(5) has it for long ones
    step_s = min(600, max(60, window_min * 60 // STEPS))
    return (
        Setting(
            name="AccountingStorageEnforce",
            value="associations,limits,qos,safe",
            since="2.6",
            why="every job has an account, and limits hold before it starts",
        ),
        Setting(name="AccountingStorageTRES", value="gres/gpu", since="15.08", why="GPU-hours by project"),
        Setting(name="PreemptType", value="preempt/qos", since="2.2", why="high and normal may take nodes of low"),
        Setting(name="PreemptMode", value="REQUEUE", since="2.2", why="a job that gives way waits again"),
        Setting(name="JobRequeue", value="1", since="1.3", why="a lost node costs the work since the last COMMIT"),
        Setting(
            name="RequeueExit",
            value=str(REQUEUE_CODE),
            since="14.03",
            why="planner-launch saved and asks for another start",
        ),
        Setting(name="EnforcePartLimits", value="ALL", since="2.0", why="a job that can never start is refused"),
        Setting(
            name="SchedulerParameters",
            value=f"bf_window={window_min},bf_resolution={step_s},bf_continue",
            since="14.11",
            why="backfill looks as far ahead as the longest job",
        ),
        Setting(name="PriorityWeightQOS", value="100000", since="2.2", why="queues by priority"),
        Setting(name="PriorityWeightFairshare", value="10000", since="2.0", why="shares of projects"),
        Setting(name="PriorityWeightAge", value="1000", since="2.0", why="who waits gains"),
        Setting(name="PriorityMaxAge", value=f"{AGE_DAYS}-0", since="2.0", why="no more than that"),
        Setting(name="PriorityDecayHalfLife", value=f"{HALF_LIFE_DAYS}-0", since="2.0", why="old use is forgiven"),
        Setting(name="HealthCheckProgram", value=HEALTH_PROGRAM, since="1.0", why="a sick node takes no jobs"),
        Setting(name="HealthCheckInterval", value=str(HEALTH_S), since="1.3", why="planner-health fast takes seconds"),
        Setting(name="HealthCheckNodeState", value="ANY", since="2.5", why="also while a job runs"),
    )


def queue_settings(queue: Queue, scheduler: Scheduler) -> tuple[Setting, ...]:
    """Of one queue: a partition with every GPU node."""
    hours = scheduler.longest_job_hours
    found = (
        Setting(name="PriorityTier", value=str(queue.tier), since="2.0", why="order of the queues"),
        Setting(name="MaxTime", value=time_limit(hours), since="1.0", why="backfill needs an end"),
        Setting(
            name="DefaultTime", value=time_limit(min(DEFAULT_TIME_H, hours)), since="2.1", why="of jobs without one"
        ),
    )
    own = (Setting(name="Default", value="YES", since="1.0", why="of jobs without a queue"),)
    return (*found, *(own if queue.is_default else ()))


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """A compute node group of GPU nodes, NAME-1, NAME-2 ... suffix: of its resource. kind: how its nodes are bought.
    least: that are there without jobs. block: number of its Capacity Block, from 1; 0 for none. of: its place among the
    instance types (ClusterSpec.by_type)."""

    name: str
    suffix: str
    kind: str
    least: int
    most: int
    block: int = 0
    of: int = 0


def node_groups(spec: ClusterSpec) -> tuple[NodeGroup, ...]:
    """All of them, in the order of the blocks and of the instance types. Another type is another group, since AWS PCS
    changes the type of none."""
    name, kind = group_name(spec.fleet), spec.buying.kind
    if spec.blocks:
        return tuple(
            NodeGroup(
                name=name if number == 1 else f"{name}-b{number}",
                suffix=suffix,
                kind=kind,
                least=block.nodes,
                most=block.nodes,
                block=number,
            )
            for number, (suffix, block) in enumerate(zip(suffixes(spec.blocks), spec.blocks, strict=True), 1)
        )
    nodes = spec.fleet.nodes
    found = tuple(
        NodeGroup(
            name=group_name(one.fleet),
            suffix=suffix,
            kind=kind,
            least=0 if one.scheduler and one.scheduler.release and (at or not holds_pool(spec)) else one.fleet.nodes,
            most=one.fleet.nodes,
            of=at,
        )
        for at, (one, suffix) in enumerate(zip(spec.by_type, spec.group_suffixes, strict=True))
    )
    if spec.scheduler is None or spec.scheduler.markets is None:
        return found
    return (*found, NodeGroup(name=f"{name}-od", suffix=AS_JOBS_NEED, kind="on-demand", least=0, most=nodes))


def queues_of(spec: ClusterSpec) -> dict[Queue, tuple[NodeGroup, ...]]:
    """Each queue with its groups of nodes. A further instance type has queues of its own, so that no gang is on two
    types; a job that names queues of both gets the nodes of one."""
    groups = node_groups(spec)
    found = dict.fromkeys(QUEUES, tuple(group for group in groups if not group.of))
    for group in groups:
        if group.of:
            found |= {
                Queue(name=f"{one.name}-{group.name}"[:MOST_OF_A_QUEUE], tier=one.tier): (group,) for one in QUEUES
            }
    return found


def group_name(fleet: Fleet) -> str:
    """As long as AWS PCS takes it."""
    return type_name(fleet)[:MOST_OF_A_NAME]


def holds_pool(spec: ClusterSpec) -> bool:
    """Whether the drives of GPU nodes are a pool: those of the first instance type."""
    return spec.pool is not None and spec.nvme is None


def group_settings(spec: ClusterSpec, group: NodeGroup) -> tuple[Setting, ...]:
    """Of one group of GPU nodes."""
    spec = spec.by_type[group.of]
    features = [
        type_name(spec.fleet),
        group.kind,
        *([f"block-{group.block}"] if group.block else []),
    ]
    found = (Setting(name="Features", value=",".join(features), since="1.0", why="sbatch --constraint"),)
    resource = gres(spec)
    if not resource:
        return found
    return (*found, Setting(name="Gres", value=resource, since="2.0", why="what a job asks for, by type"))


def gres(spec: ClusterSpec) -> str:
    """Accelerators of a node as Slurm counts them, gpu:h100:8; "" for none."""
    if spec.scheduler is None or not spec.fleet.gpus:
        return ""
    name = "neuron" if spec.fleet.neuron else "gpu"
    return f"{name}:{spec.scheduler.gres}:{spec.fleet.gpus}"


def gres_records(spec: ClusterSpec) -> list[Mapping[str, str]]:
    """Lines of gres.conf: the devices behind `gres`, which AWS PCS compares with it."""
    resource = gres(spec)
    if not resource:
        return []
    name, kind, count = resource.split(":")
    device = "neuron" if spec.fleet.neuron else "nvidia"
    last = int(count) - 1
    return [{"Name": name, "Type": kind, "File": f"/dev/{device}[0-{last}]" if last else f"/dev/{device}0"}]


def time_limit(hours: float) -> str:
    """As Slurm writes it: 14-00:00:00."""
    minutes = math.ceil(hours * 60)
    days, rest = divmod(minutes, 24 * 60)
    return f"{days}-{rest // 60:02}:{rest % 60:02}:00"


def plain(settings: tuple[Setting, ...]) -> list[dict[str, str]]:
    """As AWS PCS reads them (SlurmCustomSetting)."""
    return [{"ParameterName": one.name, "ParameterValue": one.value} for one in settings]
