"""S, converged: the NVMe of the GPU nodes pooled by AIStore targets, with S3 as the durable tier.

A PUT is acknowledged after S3 has the object, so the pool is a cache: a lost node only causes cache misses. One XFS per
drive, one copy, three small On-Demand control nodes with fixed addresses.
"""

from __future__ import annotations

from fleet_pool.settings import RESERVED_MEMORY_GIB, RESERVED_VCPU_ABOVE_96, RESERVED_VCPU_UP_TO_96, reserved_vcpu

from planner.layouts.base import Demand, Service
from planner.layouts.shared.pool import pool_of, pool_warnings
from planner.layouts.shared.s3 import DURABILITY
from planner.models.derived import Sourced
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values


def service_of(demand: Demand, values: Values) -> Service:
    """The pool on all paid GPU nodes: capacity in decimal TB, rates in GB/s."""
    instance, cores = demand.instance, reserved_vcpu(demand.instance.vcpu)
    sheet = values.sheet()
    up_to, above = RESERVED_VCPU_UP_TO_96, RESERVED_VCPU_ABOVE_96
    reserved: Sourced = (
        cores,
        f"rule:{up_to} vCPU kept for the target up to 96 of them, {above} above, half at most",
    )
    pool = pool_of(instance, (demand.nodes, "run:nodes"), reserved, demand, values, sheet)
    return Service(
        raw_tb=pool.raw_tb,
        usable_tb=pool.usable_tb,
        warm_gb_per_s=pool.warm_gb_per_s,
        cold_gb_per_s=pool.cold_gb_per_s,
        steady_gb_per_s=pool.steady_gb_per_s,
        hit_fraction=pool.hit_fraction,
        write_gb_per_s=pool.write_gb_per_s,
        slowdown_fraction=_slowdown(values, sheet),
        durability=f"{DURABILITY}, before a write is acknowledged; the NVMe pool has only copies",
        lost_node="no data is lost: the share of the lost node is read from S3 again",
        reserved=f"{cores} of {instance.vcpu} vCPU and {RESERVED_MEMORY_GIB} GiB on each GPU node",
        reserved_vcpu_fraction=cores / instance.vcpu,
        warnings=pool_warnings(pool, demand, instance),
        derived=sheet.derived,
    )


def _slowdown(values: Values, sheet: Sheet) -> Number:
    """Share of the training step that the targets use."""
    assumed = values.given("converged.training_slowdown_fraction")
    return sheet.taken("storage.slowdown_fraction", "fraction", slowdown=assumed)
