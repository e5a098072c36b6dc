"""The parts of a scenario: instance type, node count, layout, purchase option."""

from __future__ import annotations

from dataclasses import dataclass

from planner.models.compute import block_sizes
from pricing.catalog import InstanceType
from pricing.offers import PurchaseOption

NOT_CARRIED_OUT = "no stack carries out the rule that moves the run to On-Demand yet"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One combination to price. label_nodes: whether the id has the node count, because several are compared."""

    layout: str
    variant: str
    instance: InstanceType
    nodes: int
    spares: int
    option: PurchaseOption
    label_nodes: bool

    @property
    def gpus(self) -> int:
        return (self.nodes - self.spares) * self.instance.gpu_count

    @property
    def not_deployed(self) -> str:
        """Why a stack cannot have the nodes as they are bought; empty if it can."""
        if self.option.family == "spot-fallback":
            return NOT_CARRIED_OUT
        if self.option.family != "capacity-block" or len(block_sizes(self.nodes)) == 1:
            return ""
        return f"{self.nodes} nodes are several Capacity Blocks, and a stack has one"

    @property
    def id(self) -> str:
        layout = f"{self.layout}+{self.variant}" if self.variant else self.layout
        count = f"x{self.nodes}" if self.label_nodes else ""
        return f"{layout}/{self.instance.name}{count}/{self.option.id}"


@dataclass(frozen=True, kw_only=True)
class FleetSize:
    """An instance type and a paid node count, spares included."""

    instance: InstanceType
    nodes: int
    spares: int

    @property
    def training_nodes(self) -> int:
        return self.nodes - self.spares

    @property
    def gpus(self) -> int:
        return self.training_nodes * self.instance.gpu_count
