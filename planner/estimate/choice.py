"""The parts of a scenario: instance type, node count, layout, purchase option."""

from __future__ import annotations

from dataclasses import dataclass

from planner.models.block_sizes import block_sizes
from pricing.catalog import InstanceType
from pricing.offers import PurchaseOption

LARGEST_OBSERVED_GANG = 16  # nodes; github skypilot-org/spot-traces 221da1a: 16 x p3.2xlarge, August 2023


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
        if self.option.family != "capacity-block" or len(block_sizes(self.nodes)) == 1:
            return ""
        return f"{self.nodes} nodes are several Capacity Blocks, and a stack has one"

    @property
    def unproven(self) -> str:
        """Why nothing public shows that the figures of spot nodes hold for so many; empty if it does."""
        if self.option.family != "spot-fallback" or self.nodes <= LARGEST_OBSERVED_GANG:
            return ""
        return f"public records of spot end at {LARGEST_OBSERVED_GANG} nodes"

    @property
    def held_back(self) -> bool:
        """Whether it is never recommended."""
        return bool(self.not_deployed or self.unproven)

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
