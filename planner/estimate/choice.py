"""The parts of a scenario: instance type, node count, layout, purchase option."""

from __future__ import annotations

from dataclasses import dataclass

from planner.models.block_sizes import block_sizes
from pricing.catalog import InstanceType
from pricing.offers import PurchaseOption

MOST_BLOCKS = 2  # each is a purchase of its own, which AWS may not offer on the same days
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
    def unproven(self) -> str:
        """Why nobody can count on having the nodes like this; empty if one can."""
        family = self.option.family
        if family == "capacity-block" and len(block_sizes(self.nodes)) > MOST_BLOCKS:
            many = f"{self.nodes} nodes are more than {MOST_BLOCKS} Capacity Blocks"
            return f"{many}, which AWS may not sell for the same days"
        if family == "spot-fallback" and self.nodes > LARGEST_OBSERVED_GANG:
            return f"public records of spot end at {LARGEST_OBSERVED_GANG} nodes"
        return ""

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
