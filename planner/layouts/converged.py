"""S, converged: the GPU nodes' own NVMe pooled by AIStore targets, S3 below as the durable tier.

A PUT is acknowledged after S3 has it, so the pool is a cache: a lost node is a cache miss. One XFS a drive,
one copy, three small on-demand control nodes with fixed addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Layout, Service, Timing
from planner.layouts.instances import bill_on_demand_nodes, bill_volumes
from planner.layouts.pool import pool_of, pool_warnings
from planner.layouts.s3 import DURABILITY
from planner.models.bill import Ledger
from planner.models.values import Values
from planner.plan.types import ConvergedSettings
from pricing.catalog import InstanceType

CONTROL_INSTANCE_TYPE = "m7i.xlarge"  # 4 vCPU serve redirects only; 20,000 small answers a second over three
RESERVED_MEMORY_GIB = 32  # MemoryHigh of the target's unit


def reserved_vcpus(instance: InstanceType) -> int:
    """vCPUs kept for the target by cpuset: 8 up to 96 (p4d), 12 above (p5)."""
    return min(8 if instance.vcpu <= 96 else 12, max(1, instance.vcpu // 2))


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
        instance, cores = self.demand.instance, reserved_vcpus(self.demand.instance)
        pool = pool_of(instance, self.demand.nodes, cores, self.demand, values)
        return Service(
            raw_tb=pool.raw_tb,
            usable_tb=pool.usable_tb,
            warm_gb_per_s=pool.warm_gb_per_s,
            cold_gb_per_s=pool.cold_gb_per_s,
            steady_gb_per_s=pool.steady_gb_per_s,
            hit_fraction=pool.hit_fraction,
            write_gb_per_s=pool.write_gb_per_s,
            slowdown_fraction=values["converged.training_slowdown_fraction"],
            durability=f"{DURABILITY}, before a write is acknowledged; the NVMe pool holds copies only",
            lost_node="a lost node is a cache miss: its share is read from S3 again; nothing acknowledged is lost",
            reserved=f"{cores} of {instance.vcpu} vCPU and {RESERVED_MEMORY_GIB} GiB on each GPU node",
            reserved_vcpu_fraction=cores / instance.vcpu,
            warnings=pool_warnings(pool, self.demand, instance),
        )

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        count = self.settings.control_nodes or values["pool.control_nodes"]
        bill_on_demand_nodes(
            ledger,
            "pool.control-nodes",
            self.settings.control_instance_type or CONTROL_INSTANCE_TYPE,
            count,
            timing.standing_hours,
        )
        bill_volumes(ledger, "pool.control-ebs", count, values["pool.control_volume_gib"], timing.standing_hours)
