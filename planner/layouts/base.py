"""What a run asks of storage, what a layout gives, and the shape that every layout has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from planner.layouts.deployment import Deployment, NotDeployable
from planner.models.derived import Derived
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.catalog import InstanceType

NO_SLOWDOWN = (0.0, "rule:nothing runs beside training on the GPU nodes")


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What the run asks of storage.

    nodes: paid GPU nodes, spares included; training_nodes: those that train. Bytes are decimal counts.
    beside_hot_class: S3 storage class of what is kept and not read.
    required_gb_per_s: the peak over the phases when training never waits.
    """

    instance: InstanceType
    nodes: int
    training_nodes: int
    gpus: int
    hot_bytes: float
    kept_bytes: float
    beside_hot_class: str = "STANDARD"
    checkpoint_bytes: Number
    object_bytes: Number
    required_gb_per_s: Number
    planned_gb_per_s: float
    start: date
    order: str
    s3_gateway_endpoint: bool
    derived: tuple[Derived, ...] = ()

    @property
    def hot_tb(self) -> float:
        return self.hot_bytes / 1e12

    @property
    def beside_hot_bytes(self) -> float:
        """Bytes kept in S3 that training does not read."""
        return max(0.0, self.kept_bytes - self.hot_bytes)

    @property
    def standard_bytes(self) -> float:
        """Bytes of the master copy in S3 Standard: the hot data, and the rest unless it has a class of its own."""
        return self.kept_bytes if self.beside_hot_class == "STANDARD" else self.hot_bytes


@dataclass(frozen=True, kw_only=True)
class Service:
    """What a layout gives this run.

    usable_tb: None where the layout has no capacity of its own. warm_gb_per_s: from the fast tier, cold:
    from S3 on first read, steady: after the first epoch, hits and misses mixed. write_gb_per_s: blocking
    checkpoint writes of the whole gang. slowdown_fraction: what it takes from the training step.
    derived: how these numbers came about, under the names storage.*.
    """

    raw_tb: float | None
    usable_tb: float | None
    warm_gb_per_s: Number
    cold_gb_per_s: Number
    steady_gb_per_s: Number
    hit_fraction: Number
    write_gb_per_s: Number
    slowdown_fraction: Number
    durability: str
    lost_node: str
    reserved: str = ""
    reserved_vcpu_fraction: float = 0.0
    warnings: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long things stand and how much moves.

    standing_hours: from the first to the last paid GPU-hour. s3_read_bytes: everything read from S3
    (first epoch and misses); read_bytes: everything that training reads. s3_through_vpc: whether the fleet
    itself reads and writes S3, so that its bytes pass the NAT gateway where there is no gateway endpoint.
    """

    standing_hours: Number
    retention_hours: float
    s3_read_bytes: Number
    read_bytes: Number
    s3_through_vpc: bool
    checkpoints_written: Number
    checkpoints_stored: float


@dataclass(frozen=True, kw_only=True)
class Layout(ABC):
    """One storage layout, sized for one demand. `name` and `variant` make the first part of a scenario id."""

    name: ClassVar[str]
    s3_through_vpc: ClassVar[bool] = True
    emptied_by_interruption: ClassVar[bool] = False  # whether a reclaim of the whole fleet empties the fast tier
    demand: Demand
    variant: str = ""

    @abstractmethod
    def refusals(self) -> tuple[str, ...]:
        """Why AWS or the engine cannot do this at all; empty when it can."""

    @property
    def filled_first(self) -> bool:
        """Whether the hot data must be copied in before training can read them."""
        return False

    @abstractmethod
    def service(self, values: Values) -> Service:
        """What this layout gives the demand."""

    @abstractmethod
    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        """Add the lines that only this layout has; what all layouts share is added elsewhere."""

    @abstractmethod
    def spec(self, plan: Plan, values: Values) -> Deployment:
        """What a stack file says of this layout, at these sizes. Raises NotDeployable."""

    def deployment(self, plan: Plan, values: Values) -> Deployment:
        """The same; settings that cannot be deployed give the reason instead of sections."""
        try:
            return self.spec(plan, values)
        except NotDeployable as error:
            return Deployment(sections={}, why_not=str(error))
