"""The parts of a scenario: instance type, node count, layout, purchase option."""

from __future__ import annotations

from dataclasses import dataclass

from planner.models.block_sizes import block_sizes
from pricing.catalog import InstanceType
from pricing.offers import PurchaseOption

MOST_BLOCKS = 2  # each is a purchase of its own, which AWS may not offer on the same days
# types of which a gang on spot was recorded in public: github skypilot-org/spot-traces 221da1a and uclasystem/bamboo
RECORDED_GANGS = ("p3", "p3dn", "g4dn")
LARGEST_OBSERVED_GANG = 16  # nodes; github skypilot-org/spot-traces 221da1a: 16 x p3.2xlarge, August 2023


def in_few_blocks(nodes: int) -> bool:
    """Whether so many nodes are few enough Capacity Blocks to be counted on."""
    return len(block_sizes(nodes)) <= MOST_BLOCKS


LEAST_GANG_DAYS = 3.0  # of the whole gang; the public recordings of gangs are five days long


def no_record_of(instance: InstanceType, nodes: int, seen_to: float = 0) -> str:
    """Why nothing shows how a gang of these nodes does on spot; empty if something does, or for one node.

    seen_to: nodes of the largest gang whose interruptions the plan's owner counted for long enough; 0 if the plan has
    none.
    """
    if nodes <= max(seen_to, 1):
        return ""
    if seen_to:
        return f"the plan's own count of spot interruptions is of gangs to {seen_to:g} nodes"
    if instance.name.split(".")[0] not in RECORDED_GANGS:
        return f"no public record has a gang of {instance.name} on spot"
    return "" if nodes <= LARGEST_OBSERVED_GANG else f"public records of spot end at {LARGEST_OBSERVED_GANG} nodes"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One combination to price. label_nodes: whether the id has the node count, because several are compared.
    spot_seen_to: nodes of the largest gang whose spot interruptions the plan's owner counted; 0 if none."""

    layout: str
    variant: str
    instance: InstanceType
    nodes: int
    spares: int
    option: PurchaseOption
    label_nodes: bool
    spot_seen_to: float = 0

    @property
    def gpus(self) -> int:
        return (self.nodes - self.spares) * self.instance.gpu_count

    @property
    def unproven(self) -> str:
        """Why nobody can count on having the nodes like this; empty if one can."""
        family = self.option.family
        if family == "capacity-block" and not in_few_blocks(self.nodes):
            many = f"{self.nodes} nodes are more than {MOST_BLOCKS} Capacity Blocks"
            return f"{many}, which AWS may not sell for the same days"
        if self.option.starts_on_spot:
            return no_record_of(self.instance, self.nodes, self.spot_seen_to)
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
