"""S, converged: the GPU nodes' own NVMe pooled by AIStore targets, S3 below as the durable tier.

A PUT is acknowledged after S3 has it, so the pool is a cache: a lost node is a cache miss. One XFS a drive,
one copy, three small on-demand control nodes with fixed addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fleet_pool.settings import RESERVED_MEMORY_GIB, RESERVED_VCPU_ABOVE_96, RESERVED_VCPU_UP_TO_96, reserved_vcpu

from planner.layouts.base import Layout, Service, Timing
from planner.layouts.instances import bill_on_demand_nodes, bill_volumes
from planner.layouts.pool import pool_of, pool_warnings
from planner.layouts.s3 import DURABILITY
from planner.models.bill import Ledger
from planner.models.derived import Given
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import ConvergedSettings

CONTROL_INSTANCE_TYPE = "m7i.xlarge"  # 4 vCPU serve redirects only; 20,000 small answers a second over three


def _slowdown(values: Values, sheet: Sheet) -> Number:
    """What the targets take from the training step."""
    assumed, origin = values.given("converged.training_slowdown_fraction")
    return sheet.words(
        "storage.slowdown_fraction", assumed, "fraction", "as assumed", slowdown=(assumed, origin, "fraction")
    )


def control_nodes(settings: ConvergedSettings, values: Values) -> Given:
    """How many control nodes, and who says so."""
    if settings.control_nodes:
        return settings.control_nodes, "plan:storage.converged.control_nodes"
    return values.given("pool.control_nodes")


@dataclass(frozen=True, kw_only=True)
class Converged(Layout):
    """The pool on the GPU nodes themselves, spares included."""

    settings: ConvergedSettings
    name: ClassVar[str] = "converged"
    lost_with_the_gang: ClassVar[bool] = True

    def refusals(self) -> tuple[str, ...]:
        if self.demand.instance.raw_nvme_tb == 0:
            return (f"{self.demand.instance.name} has no instance-store drives to pool",)
        return ()

    def service(self, values: Values) -> Service:
        instance, cores = self.demand.instance, reserved_vcpu(self.demand.instance.vcpu)
        sheet = values.sheet()
        up_to, above = RESERVED_VCPU_UP_TO_96, RESERVED_VCPU_ABOVE_96
        reserved: Given = (
            cores,
            f"rule:{up_to} vCPU kept for the target up to 96 of them, {above} above, half at most",
        )
        pool = pool_of(instance, (self.demand.nodes, "run:nodes"), reserved, self.demand, values, sheet)
        return Service(
            raw_tb=pool.raw_tb,
            usable_tb=pool.usable_tb,
            warm_gb_per_s=pool.warm_gb_per_s,
            cold_gb_per_s=pool.cold_gb_per_s,
            steady_gb_per_s=pool.steady_gb_per_s,
            hit_fraction=pool.hit_fraction,
            write_gb_per_s=pool.write_gb_per_s,
            slowdown_fraction=_slowdown(values, sheet),
            durability=f"{DURABILITY}, before a write is acknowledged; the NVMe pool holds copies only",
            lost_node="a lost node is a cache miss: its share is read from S3 again; nothing acknowledged is lost",
            reserved=f"{cores} of {instance.vcpu} vCPU and {RESERVED_MEMORY_GIB} GiB on each GPU node",
            reserved_vcpu_fraction=cores / instance.vcpu,
            warnings=pool_warnings(pool, self.demand, instance),
            derived=sheet.derived,
        )

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        count = control_nodes(self.settings, values)
        bill_on_demand_nodes(
            ledger,
            "pool.control-nodes",
            self.settings.control_instance_type or CONTROL_INSTANCE_TYPE,
            count,
            timing.standing_hours,
        )
        bill_volumes(ledger, "pool.control-ebs", count, values.given("pool.control_volume_gib"), timing.standing_hours)
