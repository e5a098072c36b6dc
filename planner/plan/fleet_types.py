"""The types of a fleet plan: groups of nodes that many projects share over months, in the format of other plans.

planner.plan.types has the root of training plans and says how values and keys are named.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from planner.plan.deploy_types import Deployed
from planner.plan.forms import (
    COUNTS_SCHEMA,
    Bytes,
    Day,
    Fraction,
    Hours,
    ImageId,
    InstanceName,
    Name,
    Positive,
    ProjectName,
    PurchaseName,
    Section,
    UserName,
    left_out,
)
from planner.plan.quantities import parse_counts
from planner.plan.simulated_types import SimulatedPlan
from planner.plan.slurm_types import Limits
from planner.plan.types import Decision, Override

MOST_MONTHS, MOST_GROUPS, MOST_PROJECTS = 36, 8, 200
MIX = "mix"
_Usd = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
_Month = Annotated[int, Field(ge=1, le=MOST_MONTHS)]


def _counts_or_mix(text: object) -> object:
    return () if text == MIX else parse_counts(text)


_Nodes = Annotated[
    tuple[int, ...],
    BeforeValidator(_counts_or_mix),
    WithJsonSchema({"anyOf": [{"const": MIX}, *COUNTS_SCHEMA["anyOf"]]}),
]


class FleetRun(Section):
    """What the plan is of, and over how long."""

    kind: Literal["fleet"] = Field(description="fleet: many projects on nodes that an organisation holds")
    months: _Month = Field(12, description="months of 730 hours that are planned")


class Group(Section):
    """Nodes of one instance type. Projects wait for them in one queue."""

    instance_type: InstanceName = Field(description="EC2 instance type")
    nodes: _Nodes = Field(
        description="a count, a list, a range such as 16..64 (five counts of it are compared), or mix: as many as all "
        "jobs need without waiting"
    )
    ami: ImageId | None = Field(None, description="machine image of these nodes; default: that of deploy")

    @property
    def unlimited(self) -> bool:
        """Whether it has as many nodes as its jobs ask for."""
        return not self.nodes


class Stream(Section):
    """Jobs that are alike. Give one of count, per_day and gpu_hours_per_month."""

    count: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        None, description="jobs that are all submitted when the project begins"
    )
    per_day: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] | None = Field(
        None, description="jobs submitted a day, at random times"
    )
    gpu_hours_per_month: Positive | None = Field(
        None,
        description="GPU-hours on the type of speed 1 that its jobs use in a month, those of jobs that do not complete "
        "included",
    )
    nodes: Annotated[int, Field(ge=1, le=10_000)] = Field(1, description="nodes that a job needs at once")
    hours: Hours = Field(description="mean duration of a job on a type of speed 1")
    spread: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] = Field(
        1.0, description="of the durations, standard deviation over mean (lognormal); 0: all alike"
    )
    limit: Annotated[float, Field(ge=1, le=100, allow_inf_nan=False)] = Field(
        1.5, description="time limit that a job asks for, as a multiple of what it takes"
    )


class Project(Section):
    """Who submits jobs, with what right to the nodes."""

    name: ProjectName = Field(description="account in Slurm, and name in show-back")
    jobs: tuple[Stream, ...] = Field(
        (),
        strict=False,
        max_length=16,
        description="its streams of jobs; default: those of its account in demand.file",
    )
    types: dict[InstanceName, Positive] | None = Field(
        None,
        min_length=1,
        description="types that it can use with their relative speed, in the order in which it tries them; "
        "default: all alike",
    )
    queue: Literal["high", "normal", "low"] = Field(
        "normal", description="high goes first; high and normal may take nodes of low, whose jobs then wait again"
    )
    users: tuple[UserName, ...] = Field(
        (), strict=False, max_length=1000, description="who may submit jobs for it on its cluster, besides planner-job"
    )
    share: Positive = Field(1.0, description="of the fleet, relative to other projects' shares")
    growth: Fraction = Field(0.0, description="of the jobs submitted, from month to month")
    from_month: _Month = Field(1, description="first month in which it submits jobs")
    to_month: _Month | None = Field(None, description="last one; default: the plan's")
    deadline_hours: Hours | None = Field(
        None, alias="deadline", description="a job is late that ends later after its submission; default: none is"
    )
    checkpoint_hours: Hours | None = Field(
        1.0, alias="checkpoint", description="time between checkpoints of a job; null: it saves none and starts again"
    )
    unfinished: Fraction | None = Field(
        None, description="share of its GPU-hours in jobs that are cancelled or fail; default: by assumption"
    )
    data_bytes: Bytes | None = Field(None, alias="data", description="what it keeps in S3 at the start")
    hot_bytes: Bytes | None = Field(None, alias="hot", description="of that, what its jobs read again and again")
    data_growth: Fraction = Field(0.0, description="of its data, from month to month")


class Demand(Section):
    """Jobs as they were, from Slurm's accounting, drawn by whole weeks. Its accounts are projects; `projects` may give
    some of them rights, growth and data, and add projects that are new."""

    file: Name = Field(description="what sacct printed, beside the plan file: docs/fleet.md has the command")
    zone: Name | None = Field(
        None, description="time zone of its times, such as Europe/Berlin or UTC; default: each time names its offset"
    )
    first: Day | None = Field(None, alias="from", description="first day that counts; default: the file's")
    last: Day | None = Field(None, alias="to", description="last day that counts; default: the file's")
    ran_on: dict[str, InstanceName] = Field(
        default_factory=dict,
        description="the instance type that a GPU's name or a partition of the file stands for, as in {h100: "
        "p5.48xlarge}; its jobs run only there, unless `types` says how fast others are",
    )
    types: dict[InstanceName, Positive] | None = Field(
        None, min_length=1, description="as in a project, for the accounts that give none"
    )
    growth: Fraction = Field(0.0, description="as in a project, for the accounts that give none")
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = Field(
        None, description="of the file; another file is refused. Filled in where it is left out"
    )


class Queue(Section):
    """How jobs are chosen."""

    policy: Literal["slurm", "easy", "fcfs"] = Field(
        "slurm",
        description="slurm: backfill that delays no expected start of higher priority; easy: only not the first one's; "
        "fcfs: no backfill",
    )
    fair_share: bool = Field(True, description="projects with less use for their share go first; else by age alone")
    preempt: bool = Field(True, description="whether high and normal may take nodes of low")


class Waiting(Section):
    """What waiting costs you. It is on no bill; choices rank by the bill and this together."""

    usd_per_gpu_hour: _Usd = Field(0.0, description="worth of one hour less of waiting, for each GPU of the job")


class FleetPurchase(Section):
    """Ways to buy the nodes that are compared, each for the whole fleet, and the mix of them."""

    options: tuple[PurchaseName, ...] = Field(
        ("on-demand", "ri-1y-standard-no-upfront", "sp-1y-compute-no-upfront", "capacity-block"),
        strict=False,
        description="each for all nodes",
    )
    mix: bool = Field(True, description="also the cheapest mix of commitments and On-Demand")
    years: Literal[1, 3] = Field(1, description="term of the commitments in the mix")
    upfront: Literal["no", "all"] = Field("no", description="how the commitments in the mix are paid")
    blocks: bool = Field(False, description="Capacity Blocks in the mix too; nobody promises the next one")
    owned: tuple[str, ...] = Field((), strict=False, description="what you own, as in ri:p5.48xlarge=3")
    idle: Literal["release", "hold"] = Field(
        "release", description="release: On-Demand nodes bill while a job runs; hold: every node bills every hour"
    )


class FleetStorage(Section):
    """Where the projects' data is read from; S3 keeps all of it."""

    layout: Literal["converged", "fsx-lustre", "s3-stream"] = Field(
        "converged", description="cache on the nodes' drives, a Lustre file system for the hot data, or S3 alone"
    )
    overlap: Fraction = Field(0.0, description="of each further project's hot data, the share that others have too")


class FleetConstraints(Section):
    """Limits. A choice that may exceed one is not recommended."""

    max_cost_usd: Positive | None = Field(None, description="budget for all months; see decision.confidence")
    max_mean_wait_hours: Hours | None = Field(None, alias="max_mean_wait", description="mean wait of all jobs")
    deadlines_met: Fraction = Field(0.9, description="share of the jobs with a deadline that have to meet it")
    max_backlog: Fraction = Field(0.02, description="of the submitted work, what may still wait at the end")


class FleetDeploy(Deployed):
    """What `pulumi up` needs of a fleet: one Slurm cluster with a group of nodes and queues for each instance type."""

    scheduler: Literal["slurm"] = Field("slurm", description="a managed Slurm cluster (AWS PCS)")
    slurm: Limits = left_out(Limits)


class FleetPlan(SimulatedPlan):
    """One plan file of a fleet."""

    run: FleetRun = Field(description=FleetRun.__doc__)
    groups: tuple[Group, ...] = Field(strict=False, min_length=1, max_length=MOST_GROUPS, description="nodes by type")
    projects: tuple[Project, ...] = Field(
        (),
        strict=False,
        max_length=MOST_PROJECTS,
        description="who uses them; accounts of demand.file may be left out",
    )
    demand: Demand | None = Field(None, description=Demand.__doc__)
    queue: Queue = left_out(Queue)
    waiting: Waiting = left_out(Waiting)
    purchase: FleetPurchase = left_out(FleetPurchase)
    storage: FleetStorage = left_out(FleetStorage)
    constraints: FleetConstraints = left_out(FleetConstraints)
    decision: Decision = left_out(Decision)
    assumptions: dict[str, Override] = Field(
        default_factory=dict, description="overrides by key: a number, or value with low, high and source"
    )
    deploy: FleetDeploy = left_out(FleetDeploy)

    def canonical(self) -> dict[str, Any]:
        """As of other plans. Keys that were added to the format later are left out at their default, so that older
        plans keep their hash."""
        found = super().canonical()
        for part, key in [(group, "ami") for group in found["groups"]] + [(one, "users") for one in found["projects"]]:
            if not part[key]:
                del part[key]
        if found["deploy"] == FleetDeploy.model_construct().model_dump(mode="json", by_alias=True):
            del found["deploy"]
        return found

    @property
    def limit_days(self) -> float | None:
        """A fleet has no deadline of its own; jobs have."""
        return None

    @property
    def types(self) -> tuple[str, ...]:
        """Instance types of the groups."""
        return tuple(group.instance_type for group in self.groups)

    def speeds(self, project: Project) -> dict[str, float]:
        """Relative speed of a project on each type of the fleet that it can use, in the order of its tries."""
        given = dict.fromkeys(self.types, 1.0) if project.types is None else project.types
        return {name: speed for name, speed in given.items() if name in self.types}
