"""A stack as one value: everything that `pulumi up` needs without looking anything up.

The chosen scenario and the plan's `deploy` section become a ClusterSpec; the stack file contains it; the program reads
it back. It has the cost per hour of every hourly line of the bill, so that the program needs no price book.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import ClassVar

from fleet_pool import settings
from pydantic import ConfigDict

from planner.layouts.registry import DEPLOYED, ROOMS
from planner.models.block_sizes import block_parts
from planner.stack.scalars import Flag, Number, Text, Whole

BUYING = ("on-demand", "spot", "reservation", "capacity-block")
WORKERS = "workers"  # no layout of training data: a pool of workers for independent jobs
FLEET = "fleet"  # first part of the ids of a fleet plan's choices
# layout -> sections of the stack file that only it has
SECTIONS: Mapping[str, tuple[str, ...]] = {**{name: room.sections for name, room in ROOMS.items()}, WORKERS: (WORKERS,)}
LAYOUTS = (*DEPLOYED, WORKERS)
# guards that AWS may refuse to an account: an organization may forbid IAM groups, and only its management account can
# have a monitor of costs by tag (AWS Cost Management User Guide, "Getting started with AWS Cost Anomaly Detection")
BUDGET_ACTION, COST_ANOMALIES = "budget-action", "cost-anomalies"
GUARDS = (BUDGET_ACTION, COST_ANOMALIES)
GIVE_UP_HOURS = 12.0
NIC_PROFILES = ("ip-saving", "bandwidth", "efa-every-card")
ENGINE = "aistore"  # built by `make bundle` for the nodes, in the release that the settings pin
BEFORE_END = timedelta(minutes=45)  # AWS terminates the nodes from 30 minutes before the end of a block
PLACEHOLDER = (
    "PLACEHOLDER"  # first characters of ids that only an account has; a preview accepts them, `pulumi up` does not
)


class _Section:
    """A section of the stack file: pydantic, which reads it, accepts no other keys."""

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}


@dataclass(frozen=True, kw_only=True)
class Fleet(_Section):
    """The GPU nodes.

    nodes: paid ones, spares included. ami: image id. root_volume_gib: of each node. gpus, drives, vcpu, network_cards
    and efa_interfaces are from the catalogue. reserved_vcpu: reserved for the pool's target. root_device: the image's
    own name of it, /dev/sda1 on Ubuntu, /dev/xvda on Amazon Linux.
    """

    instance_type: Text
    nodes: Whole
    nic_profile: Text
    ami: Text
    root_volume_gib: Whole
    gpus: Whole
    drives: Whole
    vcpu: Whole
    network_cards: Whole
    efa_interfaces: Whole
    reserved_vcpu: Whole = 0
    root_device: Text = "/dev/sda1"

    @property
    def neuron(self) -> bool:
        """Whether its accelerators are AWS's own, Trainium or Inferentia, and not GPUs of NVIDIA."""
        return self.instance_type.startswith(("trn", "inf"))


@dataclass(frozen=True, kw_only=True)
class Block(_Section):
    """A Capacity Block with its nodes. starts, ends: as ISO 8601 in UTC; starts empty: it has begun, or its start is
    unknown."""

    nodes: Whole
    reservation_id: Text = ""
    starts: Text = ""
    ends: Text = ""


def is_known(id: str) -> bool:
    """Whether an id from the account is there."""
    return bool(id) and PLACEHOLDER not in id


def type_name(fleet: Fleet) -> str:
    """p5-48xlarge: where names take no dot."""
    return fleet.instance_type.replace(".", "-")


def suffixes(blocks: Sequence[Block]) -> list[str]:
    """What the names of the nodes' groups end in: nothing for the first, -2 for that of the second block."""
    return ["", *(f"-{number}" for number in range(2, len(blocks) + 1))]


@dataclass(frozen=True, kw_only=True)
class Buying(_Section):
    """How the nodes are bought at AWS: Reserved Instances and Savings Plans only concern billing; their nodes are
    On-Demand.

    reservation_id: of a Capacity Block or a Capacity Reservation. placement_group: name or ARN of the cluster placement
    group in which the reservation was created; empty: in none, and then its nodes cannot be in one. starts, ends: of a
    block, as ISO 8601 in UTC; starts empty: it has begun, or its start is unknown. further_blocks: those that a fleet
    needs beside that block, which then has the nodes that they leave. left_blocks: ids of Capacity Blocks that ended
    before the run, whose nodes are On-Demand since then. block_days: length that was priced, which `planner reserve`
    asks for; 0 if none was.
    """

    kind: Text
    reservation_id: Text = ""
    placement_group: Text = ""
    starts: Text = ""
    ends: Text = ""
    further_blocks: tuple[Block, ...] = ()
    left_blocks: tuple[Text, ...] = ()
    block_days: Whole = 0

    @property
    def block_parts(self) -> tuple[int, ...]:
        """The days to buy on the same day, where AWS sells no block of block_days: a block, and its extension."""
        return block_parts(self.block_days)

    @property
    def placement_group_name(self) -> str:
        """The group's name, for a launch template."""
        return self.placement_group.rpartition("placement-group/")[2]


@dataclass(frozen=True, kw_only=True)
class Fallback(_Section):
    """The rule of spot with fallback; `buying.kind` says on which market the nodes are bought now.

    threshold_hours: that spot may cost in all until the run moves to On-Demand. nodes: that the job needs, without
    spares. restart_hours, checkpoint_interval_hours: as planned, for what AWS has no record of.
    """

    threshold_hours: Number
    nodes: Whole
    restart_hours: Number
    checkpoint_interval_hours: Number


@dataclass(frozen=True, kw_only=True)
class Lustre(_Section):
    """A file system in a size that AWS sells.

    mbps_per_tib: of its tier, 0 for Intelligent-Tiering, which has throughput_mbps for the whole file system. efa needs
    PERSISTENT_2; metadata_iops 0: what the capacity includes.
    """

    deployment: Text
    capacity_gib: Whole
    mbps_per_tib: Whole
    throughput_mbps: Whole = 0
    metadata_iops: Whole = 0
    efa: Flag = False


@dataclass(frozen=True, kw_only=True)
class NvmeCluster(_Section):
    """A separate storage cluster: nodes of one type, spares among them."""

    instance_type: Text
    nodes: Whole
    spares: Whole
    drives: Whole
    root_volume_gib: Whole


@dataclass(frozen=True, kw_only=True)
class Workers(_Section):
    """A pool of workers for independent jobs, one of which has a whole node; `fleet.nodes` is its largest size.

    image: of the jobs' container, with Python 3.9 or newer. least_nodes: that stay without jobs. memory_mib: of a job.
    limit_hours: of one try of a job, after which the service ends it for good; a guard against a worker that hangs.
    more_types, more_zones: of a pool that takes its nodes from several markets, beside `fleet.instance_type` and
    `zone_id`; the types have as many vCPUs and GPUs. tail_type: of the On-Demand nodes with which a run on spot ends;
    empty if it stays on spot.
    """

    image: Text
    memory_mib: Whole
    limit_hours: Number
    least_nodes: Whole = 0
    more_types: tuple[Text, ...] = ()
    more_zones: tuple[Text, ...] = ()
    tail_type: Text = ""


@dataclass(frozen=True, kw_only=True)
class Project(_Section):
    """A project that shares a Slurm cluster: its account. max_nodes: at a time; 0: no limit of its own. users: who may
    submit jobs for it, besides the user of jobs that every node has."""

    name: Text
    share: Whole
    max_nodes: Whole = 0
    users: tuple[Text, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Markets(_Section):
    """Of spot with fallback in a Slurm cluster: as many On-Demand nodes, which are launched for gangs that the rule
    sends there. nodes: that the plan's gang needs. changeover_hours: from a start until it works, with the work that it
    repeats. on_demand_usd_per_node_hour: for the dollars of jobs; 0: no price."""

    nodes: Whole
    work_hours: Number
    deadline_hours: Number
    changeover_hours: Number
    on_demand_usd_per_node_hour: Number = 0.0


@dataclass(frozen=True, kw_only=True)
class OtherType(_Section):
    """GPU nodes of another instance type in the same Slurm cluster. gres, usd_per_node_hour: as the cluster's."""

    fleet: Fleet
    gres: Text
    usd_per_node_hour: Number


@dataclass(frozen=True, kw_only=True)
class Scheduler(_Section):
    """A Slurm cluster by AWS PCS, whose node groups take the place of the Auto Scaling groups of the GPU nodes.

    version: of Slurm. size: of the controller, SMALL, MEDIUM or LARGE. login_type: instance type of the one login node.
    gres: what a job asks for, like h100; of the type's accelerators. longest_job_hours: time limit of every queue.
    usd_per_node_hour: of a GPU node, for the dollars of jobs; 0: no price.
    health_check: AWS's diagnosis of a GPU node at its start, QUICK, MEDIUM or LONG; empty: none. markets: None where
    all nodes are bought in one way. others: GPU nodes of further types, beside `fleet`. release: whether nodes are
    launched for jobs and end without one, apart from those whose drives hold a pool.
    """

    version: Text
    size: Text
    login_type: Text
    login_volume_gib: Whole
    gres: Text
    longest_job_hours: Number
    usd_per_node_hour: Number
    projects: tuple[Project, ...]
    health_check: Text = ""
    markets: Markets | None = None
    others: tuple[OtherType, ...] = ()
    release: Flag = False


@dataclass(frozen=True, kw_only=True)
class Control(_Section):
    """The pool's proxies that can become primary.

    count 0: the layout has none. ami: a plain x86-64 image with the AWS CLI and the SSM agent (Amazon Linux 2023), also
    for the nodes of a separate cluster; empty: the fleet's own, which needs a larger root volume.
    """

    instance_type: Text = ""
    count: Whole = 0
    root_volume_gib: Whole = 0
    ami: Text = ""
    root_device: Text = "/dev/xvda"


@dataclass(frozen=True, kw_only=True)
class Pool(_Section):
    """The pool's engine, and its settings from the plan.

    engine_version: its tag, like v1.5.0. low_watermark_percent: of a drive; eviction stops there. tls: whether its
    daemons and clients use mutual TLS.
    """

    engine: Text = ENGINE
    engine_version: Text = settings.AISTORE_VERSION
    low_watermark_percent: Whole = settings.LOW_WATERMARK_PERCENT
    tls: Flag = True


@dataclass(frozen=True, kw_only=True)
class Files(_Section):
    """Files over the pool: the database of their metadata, PostgreSQL on RDS in two zones.

    instance_class: as RDS names it. storage_gib: of gp3. second_zone_id: the zone of its standby. backup_days: how far
    back it can be restored.
    """

    instance_class: Text
    storage_gib: Whole
    second_zone_id: Text
    backup_days: Whole = 7


@dataclass(frozen=True, kw_only=True)
class Data(_Section):
    """The prefixes of the data in the bucket, and the storage class of data that training does not read (below
    kept_prefix)."""

    dataset_prefix: Text = "dataset/"
    checkpoint_prefix: Text = "checkpoints/"
    kept_prefix: Text = "kept/"
    beside_hot_class: Text = "STANDARD"
    checkpoints_kept: Text = "3"


@dataclass(frozen=True, kw_only=True)
class Guard(_Section):
    """Notifications and the budget.

    alarms: the number on the bill. budget_usd: the plan's forecast of what this stack spends: the planned cost without
    people.* and without the unused part of a commitment, which is billed whether the stack exists or not. max_days: the
    plan's limit or deadline, else the planned days. roles: IAM roles, by name with path, that the budget's action stops
    from buying, in addition to the stack's group of operators. more: of GUARDS, those that this account may have.
    give_up_hours: that nodes wait for the rest of the fleet, which was never complete, before they stop; 0: for ever.
    """

    notify: Text
    budget_usd: Number
    alarms: Whole
    max_days: Number
    roles: tuple[Text, ...] = ()
    more: tuple[Text, ...] = (BUDGET_ACTION,)
    give_up_hours: Number = GIVE_UP_HOURS


@dataclass(frozen=True, kw_only=True)
class ClusterSpec(_Section):
    """One stack.

    zone_id: the zone of everything, like use1-az4. fallback: of a scenario that may leave spot; None for others.
    pool, lustre, nvme, workers: None if the layout has none. files: None where jobs read objects. scheduler: None
    where planner-launch starts jobs. egress: TCP ports that GPU nodes reach on the internet besides 443. extra_buckets:
    names of others that they read.
    permissions_boundary: ARN of the policy that limits every role of the stack; empty: none. usd_per_hour: bill line ->
    effective USD per hour, for every line that is billed while it is deployed. metered: lines that are billed by use or
    once, without an hourly figure. unpriced: lines without a price. None of the three has people.*, because no resource
    of a stack causes them.
    switched_from: what may be deployed when this file is (`converged/spot`), which needs a word (switching.py).
    canary: whether the first GPU node starts alone (canary.py).
    """

    stack: Text
    plan_name: Text
    plan_sha256: Text
    scenario: Text
    region: Text
    zone_id: Text
    layout: Text
    fleet: Fleet
    buying: Buying
    guard: Guard
    fallback: Fallback | None = None
    data: Data = Data()
    control: Control = Control()
    pool: Pool | None = None
    files: Files | None = None
    lustre: Lustre | None = None
    nvme: NvmeCluster | None = None
    workers: Workers | None = None
    scheduler: Scheduler | None = None
    gateway_endpoint: Flag = True
    interface_endpoints: Whole = 3
    egress: tuple[Whole, ...] = ()
    extra_buckets: tuple[Text, ...] = ()
    permissions_boundary: Text = ""
    usd_per_hour: Mapping[Text, Number] = field(default_factory=dict)
    metered: tuple[Text, ...] = ()
    unpriced: tuple[Text, ...] = ()
    switched_from: tuple[Text, ...] = ()
    canary: Flag = False

    def layout_has(self, section: str) -> bool:
        """Whether a spec of this layout has the section: lustre, nvme, control, pool or workers."""
        return section in SECTIONS.get(self.layout, ())

    @property
    def by_type(self) -> tuple[ClusterSpec, ...]:
        """The spec once for each instance type of its GPU nodes, with these nodes alone. A pool on GPU nodes is on
        those of the first."""
        cluster = self.scheduler
        if cluster is None or not cluster.others:
            return (self,)
        each = (OtherType(fleet=self.fleet, gres=cluster.gres, usd_per_node_hour=cluster.usd_per_node_hour),)
        return tuple(
            replace(
                self,
                fleet=one.fleet,
                scheduler=replace(cluster, gres=one.gres, usd_per_node_hour=one.usd_per_node_hour, others=()),
            )
            for one in (*each, *cluster.others)
        )

    @property
    def group_suffixes(self) -> list[str]:
        """What the names of the groups of GPU nodes end in: one for each Capacity Block, or each instance type."""
        further = [f"-{type_name(one.fleet)}" for one in self.by_type[1:]]
        return [*suffixes(self.blocks), *further]

    @property
    def most_nodes(self) -> int:
        """GPU nodes that may be there at a time: a gang moves to On-Demand nodes while spot nodes are asked for."""
        nodes = sum(one.fleet.nodes for one in self.by_type)
        return nodes * (2 if self.scheduler and self.scheduler.markets else 1)

    @property
    def may_leave_spot(self) -> bool:
        """Whether it begins on spot and has a rule by which it goes on On-Demand."""
        return self.fallback is not None or bool(self.workers and self.workers.tail_type)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The Capacity Blocks of the GPU nodes; none where they are bought otherwise."""
        if self.buying.kind != "capacity-block":
            return ()
        further = self.buying.further_blocks
        first = Block(
            nodes=self.fleet.nodes - sum(block.nodes for block in further),
            reservation_id=self.buying.reservation_id,
            starts=self.buying.starts,
            ends=self.buying.ends,
        )
        return (first, *further)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Values that only an account can provide and that are still missing."""
        held = {
            "fleet.ami": self.fleet.ami,
            **{f"scheduler.others[{number}].fleet.ami": one.fleet.ami for number, one in enumerate(self.by_type[1:])},
            "control.ami": self.control.ami,
            "buying.reservation_id": self.buying.reservation_id,
            "buying.ends": self.buying.ends,
            **{
                f"buying.further_blocks[{number}].{name}": getattr(block, name)
                for number, block in enumerate(self.buying.further_blocks)
                for name in ("reservation_id", "ends")
            },
            "zone_id": self.zone_id,
            "guard.notify": self.guard.notify,
            **({"files.second_zone_id": self.files.second_zone_id} if self.files else {}),
            **({"workers.image": self.workers.image} if self.workers else {}),
        }
        return tuple(name for name, value in held.items() if PLACEHOLDER in value)
