"""What a run needs from storage, what a layout provides, and the interface of every layout."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import date
from typing import ClassVar

from planner.layouts.deployment import Deployment, NotDeployable
from planner.layouts.registry import ROOMS
from planner.models.derived import Derived
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.catalog import InstanceType

NO_SLOWDOWN = (0.0, "rule:storage uses nothing of the GPU nodes")


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What the run needs from storage.

    nodes: paid GPU nodes, spares included; training_nodes: those that train. Bytes are decimal counts. hot_bytes: the
    largest data set that training reads, read_sets_bytes: all of them. copied_in_bytes: what is written into the layout
    before training can read it; file_bytes: of one file of these, where objects are its blocks.
    beside_hot_class: S3 storage class of the data that training does not read. checkpoints_kept: the newest ones; 1 if
    all are kept, since older ones are evicted first. required_gb_per_s: the highest rate of
    any phase when training never waits.
    """

    instance: InstanceType
    nodes: int
    training_nodes: int
    gpus: int
    hot_bytes: float
    read_sets_bytes: float
    kept_bytes: float
    copied_in_bytes: float = 0.0
    file_bytes: Number = 0.0
    beside_hot_class: str = "STANDARD"
    checkpoint_bytes: Number
    checkpoints_kept: int = 1
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
        """Bytes of the master copy in S3 Standard: the hot data, and the other data unless the plan gives them a
        class."""
        return self.kept_bytes if self.beside_hot_class == "STANDARD" else self.hot_bytes


@dataclass(frozen=True, kw_only=True)
class Service:
    """What a layout provides for this run.

    usable_tb: None if the layout has no capacity of its own. warm_gb_per_s: reads from the fast tier; cold: first reads
    from S3; steady: after the first epoch, a mix of hits and misses. write_gb_per_s: blocking checkpoint writes of the
    whole job. copy_in_gb_per_s: at which the data is written into the layout before training can read it; None where
    nothing has to be. slowdown_fraction: how much it slows the training step. derived: the derivation of these numbers,
    named storage.*.
    """

    raw_tb: float | None
    usable_tb: float | None
    warm_gb_per_s: Number
    cold_gb_per_s: Number
    steady_gb_per_s: Number
    hit_fraction: Number
    write_gb_per_s: Number
    copy_in_gb_per_s: Number | None = None
    slowdown_fraction: Number
    durability: str
    lost_node: str
    reserved: str = ""
    reserved_vcpu_fraction: float = 0.0
    warnings: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long resources exist, and how much data moves.

    standing_hours: from the first to the last paid GPU-hour; months: the same time, each part divided by the hours of
    its calendar month, as AWS bills it. s3_read_bytes: everything read from S3 (first epoch and
    misses); read_bytes: everything that training reads. s3_through_vpc: whether the fleet itself reads and writes S3,
    so that without a gateway endpoint its bytes go through the NAT gateway.
    """

    standing_hours: Number
    months: Number
    retention_hours: float
    s3_read_bytes: Number
    read_bytes: Number
    s3_through_vpc: bool
    checkpoints_written: Number
    checkpoints_stored: float


@dataclass(frozen=True, kw_only=True)
class Layout(ABC):
    """One storage layout, sized for one demand. `name` and `variant` are the first part of a scenario id."""

    name: ClassVar[str]
    s3_through_vpc: ClassVar[bool] = True
    emptied_by_interruption: ClassVar[bool] = False  # whether an interruption of the whole fleet empties the fast tier
    demand: Demand
    variant: str = ""

    @abstractmethod
    def refusals(self) -> tuple[str, ...]:
        """Why AWS or the engine cannot do this at all; empty if they can."""

    @property
    def is_posix(self) -> bool:
        """Whether jobs have a POSIX file system on it; objects only if not."""
        return ROOMS[self.name].is_posix

    def stored(self, demand: Demand) -> Demand:
        """The demand with the objects that this layout stores, where they are not those of the plan."""
        return demand

    @property
    def filled_first(self) -> bool:
        """Whether the hot data must be copied in before training can read it."""
        return False

    @abstractmethod
    def service(self, values: Values) -> Service:
        """What this layout provides for the demand."""

    @abstractmethod
    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        """Add the lines that only this layout has; lines that all layouts share are added elsewhere."""

    @abstractmethod
    def spec(self, plan: Plan, values: Values) -> Deployment:
        """The layout's part of a stack file, at these sizes. Raises NotDeployable."""

    def deployment(self, plan: Plan, values: Values) -> Deployment:
        """The same, with the reason instead of sections for settings that cannot be deployed."""
        try:
            made = self.spec(plan, values)
        except NotDeployable as error:
            return Deployment(sections={}, why_not=str(error), previews=False)
        instance = self.demand.instance
        if instance.has_gpus:
            return made
        why_not = f"{instance.name} has {instance.gpu_name}; what watches idle nodes and starts jobs is for NVIDIA GPUs"
        return replace(made, why_not=made.why_not or why_not)
