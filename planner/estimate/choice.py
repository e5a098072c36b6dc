"""Which combinations a plan asks for: instance types, node counts, layouts, purchase options."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.types import Fleet, Plan
from pricing.catalog import InstanceType
from pricing.offers import DEFAULT_PURCHASE_OPTIONS, PurchaseOption


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One combination to price. label_nodes: the node count stands in the id only when several are compared."""

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


def fleet_sizes(fleet: Fleet, instance: InstanceType) -> list[FleetSize]:
    """Every node count of the plan on one type: `nodes` are paid and include spares, `gpus` train."""
    if fleet.nodes is not None:
        return [FleetSize(instance=instance, nodes=n, spares=fleet.spares) for n in fleet.nodes]
    wanted = [entry.count for entry in fleet.gpus or () if entry.gpu == instance.gpu_name.upper()]
    return [
        FleetSize(instance=instance, nodes=-(-count // instance.gpu_count) + fleet.spares, spares=fleet.spares)
        for count in wanted
    ]


def purchase_options(plan: Plan) -> tuple[PurchaseOption, ...]:
    """The plan's options, or the nine asked for when it names none."""
    return tuple(PurchaseOption.parse(text) for text in plan.purchase.options or DEFAULT_PURCHASE_OPTIONS)
