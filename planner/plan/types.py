"""The types of a plan file, and the source of its JSON Schema.

Values are plain numbers after loading, with the unit in the name: sizes in bytes (`*_bytes`), durations
in hours (`*_hours`), shares as fractions. In the file they carry their unit (`2.2PB`, `12h`, `93%`);
the alias of each field is the key in the file.
"""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Discriminator, Field, Tag, create_model

from planner.layouts.registry import DEFAULTS, WITH_SETTINGS, answer_of
from planner.plan.deploy_types import Deployed
from planner.plan.forms import (
    Count,
    Counts,
    Day,
    Finite,
    Fraction,
    GpuCounts,
    Hours,
    InstanceName,
    LayoutName,
    Name,
    Positive,
    PurchaseName,
    Region,
    RunHours,
    Section,
    ZoneId,
    left_out,
)
from planner.plan.own_prices import DAY_TAG, PRICES_TAG, DayOrPrices, OwnPrice, Prices, plain
from planner.plan.slurm_types import Slurm
from planner.plan.training_types import Data, Run

S = TypeVar("S", bound=Section)
BLOCK_MAX_DAYS = 182
BLOCK_ANY_DAYS = 62  # planner.models.block_sizes: up to here any number of days is a block, or two parts of one
# keys that were added to the format later and are empty by default; see `Plan.canonical`
_LATER_KEYS = ("recipe", "relative_speed", "mfu_by_gpu", "mfu_basis", "access", "days", "months")
_LATER_KEYS_OF_PHASES = ("read_per_gpu", "hot_dataset", "speedup", "skip")


class Fleet(Section):
    """Instance types and how many: `nodes` (paid, spares included) or `gpus` (training)."""

    instance_types: tuple[InstanceName, ...] = Field(
        strict=False, min_length=1, max_length=16, description="GPU instance types to compare"
    )
    nodes: Counts | None = Field(None, description="paid nodes, spares included: 400, [16, 32] or 16..64")
    gpus: GpuCounts | None = Field(None, description="total training GPUs by kind: A100:256")
    own_spares: Count | None = Field(
        None, alias="spares", description="paid nodes that replace a failed one; default: as many as cost least"
    )

    @property
    def spares(self) -> int:
        """Those of the plan; 0 until `planner.decide.spares` has chosen."""
        return self.own_spares or 0


class CapacityBlock(Section):
    """The Capacity Block to buy, and what follows where a run outlasts it."""

    days: Annotated[int, Field(ge=1, le=BLOCK_MAX_DAYS)] | None = Field(
        None, description="length to buy: 1 to 62 days, then whole weeks; default: what costs least with its tail"
    )
    extension: bool = Field(False, description="an extension is certain, at the same price")
    tail: Literal["extend", "on-demand", "none"] | None = Field(
        None,
        description="extend (the default): an extension, else On-Demand nodes, else a later block; on-demand: without "
        "asking for an extension; none: the run does not finish",
    )


class Purchase(Section):
    """How the GPU nodes are bought."""

    options: tuple[PurchaseName, ...] = Field(
        (), strict=False, max_length=100, description="purchase options to compare; default: nine common ones"
    )
    zone_id: ZoneId | None = Field(None, description="zone ID for spot, like use1-az4; default: the region's median")
    spot_usd_per_hour: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = Field(
        None, description="spot price that you see for one GPU node, USD/h; default: from the price book"
    )
    capacity_block: CapacityBlock = left_out(CapacityBlock)
    private_discount: Fraction = Field(0.0, description="discount on the On-Demand list price of the GPU nodes")
    reuse_value: Fraction = Field(0.0, description="share of an unused commitment that other work in the company uses")


class _Storage(Section):
    """Layouts to compare and their settings."""

    layouts: tuple[LayoutName, ...] = Field(
        DEFAULTS,
        strict=False,
        min_length=1,
        max_length=16,
        description="storage layouts to compare; default: all that can be deployed",
    )
    retention_hours: RunHours | None = Field(
        None, alias="retention", description="how long data stays in S3 after the run"
    )
    s3_gateway_endpoint: bool = Field(True, description="false: S3 traffic goes through the NAT gateway and is billed")

    def settings_of(self, kind: type[S]) -> S:
        """The settings of the layout whose settings are of this type."""
        return next(value for value in vars(self).values() if isinstance(value, kind))


if TYPE_CHECKING:
    Storage = _Storage
else:
    # a section for each layout that has settings; the layout's `settings.py` defines its keys
    Storage = create_model(
        "Storage",
        __base__=_Storage,
        __doc__=_Storage.__doc__,
        **{
            name.replace("-", "_"): (kind, left_out(kind, alias=name))
            for name, kind in ((name, answer_of(name, "settings").SETTINGS) for name in WITH_SETTINGS)
        },
    )


class ObservedFailures(Section):
    """Failures that you counted, instead of the default rate. Few failures give a wide range."""

    failures: Annotated[int, Field(ge=0, le=100_000, description="how often a failure stopped the job")]
    node_days: Positive = Field(description="nodes x days in which they were counted")


class ObservedSpot(Section):
    """Spot interruptions that you counted. Few of them, and short counts, give a wide range."""

    interruptions: Annotated[int, Field(ge=0, le=100_000, description="how often AWS took a spot node away")]
    node_days: Positive = Field(description="nodes x days on spot in which they were counted")
    nodes: Annotated[
        int, Field(ge=1, le=100_000, description="largest gang among them; larger ones stay without proof")
    ]
    wait_hours: Hours | None = Field(
        None,
        alias="wait",
        description="mean time from an interruption until all nodes are back; then whole gangs are counted",
    )


class Reliability(Section):
    """Failures and checkpoints. Failure rates are assumptions; these are choices."""

    checkpoint_interval_hours: Hours | None = Field(None, alias="checkpoint_interval", description="default: optimal")
    checkpoint_blocking_hours: Hours | None = Field(
        None,
        alias="checkpoint_blocking",
        description="pause of training for a checkpoint that is saved in the background; default: until saved",
    )
    spot_reclaims_per_node_day: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = Field(
        None,
        description="spot interruptions that you see, per node and day; default: from AWS Spot Advisor",
    )
    spot_observed: ObservedSpot | None = Field(
        None, description="spot interruptions that you counted, instead of a rate"
    )
    observed: ObservedFailures | None = Field(
        None, description="failures that you counted; an entry of assumptions takes precedence"
    )


class Preprocessing(Section):
    """Work done once before training."""

    gpu_hours: Positive = Field(description="total GPU-hours of preprocessing")
    instance_type: InstanceName | None = Field(None, description="default: the fleet's instance type")


class People(Section):
    """Costs of a run other than AWS resources. Only what is written here appears on the bill."""

    engineers: Positive | None = Field(None, description="full-time people during the run")
    months_before: Annotated[float, Field(ge=0, le=120, allow_inf_nan=False)] = Field(
        0.0, description="months that they work before the run"
    )
    preprocessing: Preprocessing | None = Field(None, description="work done once before training")
    experiments: bool = Field(False, description="add failed runs and experiments by a published factor")


class Constraints(Section):
    """Limits. A scenario that may exceed a cost or a time is not recommended; without the capacity it is infeasible."""

    max_cost_usd: Positive | None = Field(None, description="budget for the finished run; see decision.confidence")
    max_days: Positive | None = Field(None, description="days from the first to the last GPU-hour; like run.deadline")
    min_usable_tb: Positive | None = Field(None, description="minimum usable capacity of the layout, decimal TB")
    min_hot_fit: bool = Field(False, description="the hot data set must fit the layout's usable capacity")


class Decision(Section):
    """When a scenario may be recommended, and which one is."""

    confidence: Fraction = Field(
        0.9, description="share of the outcomes that have to finish within the deadline and the budget"
    )
    slack: Annotated[float, Field(ge=1, le=100, allow_inf_nan=False)] = Field(
        1.5, description="without a deadline: how much longer than the shortest P90 a run may take"
    )
    rank_by: Literal["p50", "p90", "mean", "planned"] = Field("p50", description="the cost by which scenarios rank")
    availability: Fraction = Field(
        0.99, description="share of the node-hours that has to be delivered if the fleet is held for days or months"
    )


class Assumption(Section):
    """An override of an assumption, with its own range."""

    value: Finite = Field(description="the central value, in the assumption's unit")
    low: Finite | None = Field(None, description="5th percentile; default: value")
    high: Finite | None = Field(None, description="95th percentile; default: value")
    source: Annotated[str, Field(max_length=1000)] = Field("plan", description="where the number comes from")


def _kind_of_override(value: object) -> str:
    return MAPPING_TAG if isinstance(value, dict | Assumption) else NUMBER_TAG


# These tags name the branch in pydantic's error locations; no key of a plan looks like them.
NUMBER_TAG, MAPPING_TAG = "<number>", "<mapping>"
TAGS = (NUMBER_TAG, MAPPING_TAG, DAY_TAG, PRICES_TAG)
Override = Annotated[
    Annotated[Finite, Tag(NUMBER_TAG)] | Annotated[Assumption, Tag(MAPPING_TAG)], Discriminator(_kind_of_override)
]


class Deploy(Deployed):
    """What `pulumi up` needs; of it, the scheduler is priced."""

    give_up: Literal["never"] | Hours = Field(
        12.0,
        description="how long nodes wait for the rest of a fleet that was never complete before they stop",
    )
    scheduler: Literal["none", "slurm"] = Field(
        "none", description="slurm: a managed Slurm cluster (AWS PCS) instead of planner-launch; priced"
    )
    slurm: Slurm = left_out(Slurm)


class Plan(Section):
    """One plan file."""

    api_version: Literal["planner/v1"] = Field(alias="apiVersion", description="version of this file format")
    name: Name = Field(description="name of the run, shown in every output")
    region: Region = Field("us-east-1", description="AWS region")
    start: Day | None = Field(None, description="first day of the run; the age of prices is counted from it")
    prices: DayOrPrices | None = Field(
        None, description="date of the price book, or book and own prices; default: the book of the run's start"
    )
    run: Run = Field(description=Run.__doc__)
    data: Data = Field(description=Data.__doc__)
    fleet: Fleet = Field(description=Fleet.__doc__)
    purchase: Purchase = left_out(Purchase)
    storage: Storage = left_out(Storage)
    reliability: Reliability = left_out(Reliability)
    people: People | None = Field(None, description=People.__doc__)
    constraints: Constraints = left_out(Constraints)
    decision: Decision = left_out(Decision)
    assumptions: dict[str, Override] = Field(
        default_factory=dict, description="overrides by key: a number, or value with low, high and source"
    )
    deploy: Deploy = left_out(Deploy)

    @property
    def price_date(self) -> date | None:
        """The date of the price book; None for the newest."""
        return self.prices.book if isinstance(self.prices, Prices) else self.prices

    @property
    def own_prices(self) -> tuple[OwnPrice, ...]:
        """Prices that the plan brings itself."""
        return self.prices.own if isinstance(self.prices, Prices) else ()

    def canonical(self) -> dict[str, Any]:
        """The resolved plan as plain data, from which its hash is computed; formatting does not change it.

        A key that was added to the format later is left out at its default, so that older plans keep their hash.
        """
        found = self.model_dump(mode="json", by_alias=True)
        found["prices"] = plain(found["prices"])
        for section, key, default in (
            ("deploy", "pool_tls", True),
            ("deploy", "egress", []),
            ("deploy", "extra_buckets", []),
            ("deploy", "guards", ["budget-action"]),
            ("deploy", "give_up", 12.0),
            ("deploy", "permissions_boundary", None),
            ("deploy", "scheduler", "none"),
            ("purchase", "spot_usd_per_hour", None),
            ("reliability", "observed", None),
            ("data", "profile", None),
        ):
            if found[section][key] == default:
                del found[section][key]
        for part in (found["run"], found["run"]["work"], found["data"], *found["run"]["phases"]):
            for key in _LATER_KEYS if part else ():
                if not part.get(key, True):
                    del part[key]
        for phase in found["run"]["phases"]:
            for key in _LATER_KEYS_OF_PHASES:
                if not phase[key]:
                    del phase[key]
        # a plan that leaves spares open had 0 of them once and keeps its hash; one that says 0 has another
        found["fleet"]["spares"] = {None: 0, 0: "none"}.get(self.fleet.own_spares, self.fleet.own_spares)
        if vars(self.deploy.slurm) == vars(Slurm.model_construct()):
            del found["deploy"]["slurm"]
        if self.purchase.capacity_block.tail is None:
            del found["purchase"]["capacity_block"]["tail"]
        if vars(self.purchase.capacity_block) == vars(CapacityBlock.model_construct()):
            del found["purchase"]["capacity_block"]
        if vars(self.decision) == vars(Decision.model_construct()):
            del found["decision"]
        for name in set(WITH_SETTINGS) - set(DEFAULTS):
            section = getattr(self.storage, name.replace("-", "_"))
            if vars(section) == vars(type(section).model_construct()):
                del found["storage"][name]
        return found
