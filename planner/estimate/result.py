"""One scenario: plain values for every report, no arrays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from planner.answer.ranges import Range
from planner.answer.row import Row
from planner.estimate.block_length import Nearly
from planner.estimate.node_purchase import Cash
from planner.estimate.returning import Returns
from planner.layouts.deployment import Deployment
from planner.models.bill_lines import COMPUTE_FALLBACK
from planner.models.block_sizes import block_sizes
from planner.models.derived import Derived
from pricing.offers import PurchaseOption


@dataclass(frozen=True, kw_only=True)
class StorageFacts:
    """Storage of one scenario; None if a layout does not have the figure."""

    raw_tb: float | None
    usable_tb: float | None
    margin_tb: float | None
    usd_per_usable_tb_month: float | None
    read_gb_per_s: float
    cold_read_gb_per_s: float
    required_read_gb_per_s: float
    hit_fraction: float
    durability: str
    lost_node: str
    reserved: str
    reserved_usd_per_hour: float | None


@dataclass(frozen=True, kw_only=True)
class Goodput:
    """useful_fraction is the product of the other three. The hours describe the interruptions behind the availability:
    mean time between them, blocking write, restart and wait; with fallback, those on spot."""

    scaling_efficiency: float
    input_fraction: float
    availability_fraction: float
    useful_fraction: float
    checkpoint_interval_hours: float
    mtbf_hours: float
    write_hours: float
    restart_hours: float
    wait_hours: float


@dataclass(frozen=True, kw_only=True)
class FirstAlone:
    """The draws in which AWS sells no second part of a block: their share, and what the whole run then costs, on
    average and at P90."""

    fraction: float
    mean_usd: float
    p90_usd: float


@dataclass(frozen=True, kw_only=True)
class BlockPlan:
    """A block of so many days that costs usd, sold from a day on. tail: the rule, "extend", "on-demand" or "none".
    extension_is_certain: the plan counts on an extension; extension_granted: its assumed chance otherwise;
    on_demand_found, later_wait_days: of a whole fleet of On-Demand nodes, and until a later block starts. parts: the
    days of each part, where AWS sells no such block. ask_from: the first day on which AWS extends it. nearly: a length
    that costs less and is on time too seldom. first_alone: where AWS has no second part; the other numbers are of
    both.

    outlast_fraction: share of the draws in which the run outlasts it, None without draws; outlast_mean_usd: mean cost
    of these. decide_day: the day of the block on which to decide, 0 for its last hours, decide_on its date;
    done_fraction: of the run that is done by then if the block suffices. left_days: median of what is left in those
    draws; extension_days, extension_usd: the shortest extension for it, at today's price; on_demand_usd: On-Demand
    nodes for it. All None where no draw outlasts the block, the last one where On-Demand has no price.
    """

    days: float
    usd: float
    sold_from: date
    tail: str
    outlast_fraction: float | None
    decide_day: int
    decide_on: date
    done_fraction: float
    parts: tuple[int, ...]
    ask_from: date
    nearly: Nearly | None = None
    first_alone: FirstAlone | None = None
    extension_is_certain: bool = False
    extension_granted: float = 0.0
    on_demand_found: float = 0.0
    later_wait_days: float = 0.0
    is_given: bool = False
    left_days: float | None = None
    extension_days: float | None = None
    extension_usd: float | None = None
    extension_p90_days: float | None = None
    extension_p90_usd: float | None = None
    on_demand_usd: float | None = None
    outlast_mean_usd: float | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario(Row):
    """One row of a training plan's comparison.

    spares: of its nodes. billed_usd: the part of the cost that AWS bills for the stack. delivered_fraction: planned
    share of the node-hours of a fleet that is held for a given time, whose useful GPU-hours are the delivered ones;
    availability: the share that the plan requires. Both None for a run with an end. block_stretch: the time for which
    its Capacity Block is bought, as a multiple of the planned hours; block_days: its length; block_plan: what to do
    about it. unfinished: a warning if it may not finish, else ""; warnings: the others.
    rule: the sentence of spot with fallback that says when the run moves to On-Demand, else ""; threshold_hours: the
    limit in it; returns: what the rule of a Slurm cluster knows instead; fallback_fraction: share of the draws in which
    it moves; all None without that rule.
    deployment: the sizes that were priced, as a stack file has them.
    derived: the derivation of its numbers, except the lines of the bill, which have inputs of their own.
    """

    layout: str
    variant: str
    instance_type: str
    nodes: int
    gpus: int
    option: PurchaseOption
    extrapolated: bool
    spares: int = 0
    days_at_full_speed: float | None = None
    bounded_fraction: float = 0.0
    cost_plan_percentile: float | None = None
    usd_per_useful_gpu_hour: Range | None = None
    useful_gpu_hours: float | None = None
    goodput: Goodput | None = None
    storage: StorageFacts | None = None
    ingest_days: float | None = None
    billed_usd: Range | None = None
    unfinished_fraction: float = 0.0
    block_stretch: float | None = None
    block_days: float | None = None
    block_plan: BlockPlan | None = None
    delivered_fraction: float | None = None
    availability: float | None = None
    rule: str = ""
    threshold_hours: float | None = None
    returns: Returns | None = None
    fallback_fraction: float | None = None
    cash: tuple[Cash, ...] = ()
    warnings: tuple[str, ...] = ()
    unfinished: str = ""
    derived: tuple[Derived, ...] = ()
    deployment: Deployment | None = None

    @property
    def is_held(self) -> bool:
        """Whether the fleet is held for a given time."""
        return self.delivered_fraction is not None

    @property
    def unit(self) -> float:
        """1, or the delivered GPU-hours of a fleet that is held for a given time."""
        return self.useful_gpu_hours or 1.0 if self.is_held else 1.0

    @property
    def outlast_fraction(self) -> float | None:
        return None if self.block_plan is None else self.block_plan.outlast_fraction

    @property
    def after_commitment(self) -> bool:
        """Whether its nodes are On-Demand at the end, because its commitment ends before the run."""
        return bool(self.option.years) and any(line.line == COMPUTE_FALLBACK and line.quantity for line in self.bill)

    @property
    def blocks(self) -> int:
        return len(block_sizes(self.nodes)) if self.option.family == "capacity-block" else 0

    @property
    def way(self) -> tuple[str, str, str]:
        """How it stores and how it is bought, whatever its nodes."""
        return self.layout, self.variant, self.option.id

    @property
    def purchase(self) -> str:
        """The purchase option as in the scenario's id."""
        return self.option.id

    @property
    def all_warnings(self) -> tuple[str, ...]:
        return (*self.warnings, self.unfinished) if self.unfinished else self.warnings
