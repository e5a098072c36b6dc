"""The types of a worker-pool plan: independent jobs on interruptible nodes, in the same file format as training plans.

planner.plan.types has the root of training plans and says how values and keys are named.
"""

from typing import Annotated, Literal

from pydantic import Field

from planner.plan.forms import (
    Bytes,
    BytesPerSecond,
    Count,
    Day,
    Fraction,
    Hours,
    InstanceName,
    Positive,
    Region,
    Section,
    ZoneId,
    left_out,
)
from planner.plan.simulated_types import SimulatedPlan
from planner.plan.types import Decision, Override

MOST_JOBS, MOST_NODES = 100_000, 10_000
DIVERSIFIED = "diversified"  # name of the pool of all spot markets, which no worker may have
_STEPS = Annotated[int, Field(ge=1, le=1_000_000_000)]
_Rate = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]
_Usd = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class PoolRun(Section):
    """What the plan is of, and by when all jobs have to end."""

    kind: Literal["worker-pool"] = Field(description="worker-pool: independent jobs on interruptible nodes")
    deadline_hours: Hours | None = Field(
        None, alias="deadline", description="all jobs have to end by then; default: no limit"
    )


class Jobs(Section):
    """Equal, independent jobs, all submitted at once. Each runs on one node at a time, with all its GPUs."""

    count: Annotated[int, Field(ge=1, le=MOST_JOBS, description="how many jobs")]
    steps: _STEPS = Field(description="steps of one job")
    seconds_per_step: dict[Annotated[str, Field(min_length=1, max_length=100)], Positive] = Field(
        min_length=1, max_length=32, description="seconds of one step by kind of GPU or by worker: {RTX4090: 2.3}"
    )
    checkpoint_steps: _STEPS = Field(description="steps between two checkpoints; there is one at the end too")
    checkpoint_bytes: Bytes | None = Field(
        None, alias="checkpoint", description="size of a checkpoint, which work waits for; default: takes no time"
    )
    model_bytes: Bytes | None = Field(
        None, alias="model", description="what a node downloads before its first job; default: nothing"
    )
    image_bytes: Bytes | None = Field(
        None, alias="image", description="container image, downloaded while a node boots; default: in the boot time"
    )
    broken: Fraction = Field(0.0, description="share of the jobs that fail on every node")


class Interruptions(Section):
    """How long a node of a price list lives."""

    mean_life_hours: Hours = Field(alias="mean_life", description="mean time from a node's start to its interruption")
    shape: Annotated[float, Field(ge=0.3, le=3, allow_inf_nan=False)] = Field(
        1.0, description="of the Weibull distribution: 1 is a constant rate, 0.6 one that falls with the node's age"
    )


class Worker(Section):
    """A kind of node: an EC2 instance type, or one of a fixed price list."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$")] | None = Field(
        None, description="name in every output; default: the instance type"
    )
    instance_type: InstanceName | None = Field(None, description="EC2 instance type, at the prices of the book")
    purchase: tuple[Literal["spot", "on-demand"], ...] = Field(
        ("spot", "on-demand"), strict=False, min_length=1, description="how instances of that type are bought"
    )
    gpu: Annotated[str, Field(min_length=1, max_length=60)] | None = Field(
        None, description="kind of GPU, as in jobs.seconds_per_step; default: the instance type's"
    )
    usd_per_gpu_hour: _Usd | None = Field(None, description="price list: USD an hour of the GPU")
    vcpus: Annotated[float, Field(ge=0, le=1024)] = Field(
        0.0, description="vCPUs of a node: for a price list, and an instance type without them in the book"
    )
    usd_per_vcpu_hour: _Usd = Field(0.0, description="price list: USD an hour of a vCPU")
    memory_gb: Annotated[float, Field(ge=0, le=1e6)] = Field(0.0, description="memory of a node in GB: for the same")
    usd_per_gb_hour: _Usd = Field(0.0, description="price list: USD an hour of a GB of memory")
    spot_usd_per_hour: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = Field(
        None, description="spot price that you see for the instance type, USD/h; default: from the price book"
    )
    source: Annotated[str, Field(max_length=1000)] = Field("", description="where prices of this entry come from")
    observed: Day | None = Field(None, description="day of that source")
    zone_id: ZoneId | None = Field(None, description="zone ID for spot; default: the region's median")
    interruptions: Interruptions | None = Field(
        None, description="how long a node lives; default: never ends for a price list, AWS Spot Advisor for spot"
    )
    boot_hours: Hours | None = Field(
        None, alias="boot", description="median from the request of a node to its first job; default: by assumption"
    )
    boot_p90_hours: Hours | None = Field(
        None, alias="boot_p90", description="9 of 10 nodes boot within this time; default: all take the median"
    )
    boot_billed: bool | None = Field(
        None, description="whether the boot time is billed; default: of EC2 it is, of a price list it is not"
    )
    network_bytes_per_second: BytesPerSecond | None = Field(
        None, alias="network", description="rate of downloads and uploads of one node; default: by assumption"
    )

    @property
    def id(self) -> str:
        """The name, else the instance type."""
        return self.name or self.instance_type or ""


class Pool(Section):
    """Autoscaler, heartbeats, and what happens to jobs and nodes that fail."""

    min: Annotated[int, Field(ge=0, le=MOST_NODES)] = Field(0, description="nodes that stay, without jobs too")
    max: Annotated[int, Field(ge=1, le=MOST_NODES, description="nodes at most")]
    jobs_per_node: Positive = Field(1.0, description="queue target: unfinished jobs for each node that is started")
    interval_hours: Hours = Field(5 / 60, alias="interval", description="how often the autoscaler looks")
    cool_down_hours: Hours = Field(
        10 / 60, alias="cool_down", description="how long a node is not needed before it is removed"
    )
    heartbeat_hours: Hours = Field(30 / 3600, alias="heartbeat", description="interval between heartbeats of a job")
    stalled_after_hours: Hours = Field(
        60 / 3600, alias="stalled_after", description="age of the last heartbeat at which another node takes a job over"
    )
    max_failures: Annotated[int, Field(ge=1, le=100)] = Field(
        3, description="failures of a job, each on another node, after which it is a dead letter"
    )
    node_failures: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        5, description="jobs that fail on a node before it is replaced; null: it never is"
    )
    bad_nodes: Count = Field(0, description="how many of the first nodes fail every job")
    bad_fraction: Fraction = Field(0.0, description="share of later nodes that fail every job")
    fails_after_hours: Hours = Field(
        15 / 3600, alias="fails_after", description="how long a job runs on a bad node until it fails"
    )
    saves_on_notice: bool = Field(
        False, description="a job that is told of an interruption saves a checkpoint; EC2 tells two minutes before"
    )


class PoolConstraints(Section):
    """Limits. A choice that may exceed one is not recommended."""

    max_cost_usd: Positive | None = Field(None, description="budget for all jobs; see decision.confidence")
    max_days: Positive | None = Field(None, description="days until the last job ends; like run.deadline")
    max_dead_letters: Count = Field(0, description="jobs that may fail for good")


class WorkerPoolPlan(SimulatedPlan):
    """One plan file of a worker pool."""

    region: Region = Field("us-east-1", description="AWS region of instance types")
    run: PoolRun = Field(description=PoolRun.__doc__)
    jobs: Jobs = Field(description=Jobs.__doc__)
    workers: tuple[Worker, ...] = Field(strict=False, min_length=1, max_length=16, description="nodes to compare")
    pool: Pool = Field(description=Pool.__doc__)
    constraints: PoolConstraints = left_out(PoolConstraints)
    decision: Decision = left_out(Decision)
    assumptions: dict[str, Override] = Field(
        default_factory=dict, description="overrides by key: a number, or value with low, high and source"
    )

    @property
    def limit_days(self) -> float | None:
        """Days within which all jobs have to end; None: no limit."""
        given = [self.constraints.max_days, None if self.run.deadline_hours is None else self.run.deadline_hours / 24]
        return min((days for days in given if days is not None), default=None)
