"""S, converged: the NVMe of the GPU nodes pooled by AIStore targets, with S3 as the durable tier.

A PUT is acknowledged after S3 has the object, so the pool is a cache: a lost node only causes cache misses. One XFS per
drive, one copy, three small On-Demand control nodes with fixed addresses.
"""

from __future__ import annotations

from fleet_pool.settings import RESERVED_MEMORY_GIB, RESERVED_VCPU_ABOVE_96, RESERVED_VCPU_UP_TO_96, reserved_vcpu

from planner.layouts.base import Demand, Service
from planner.layouts.converged.files import DATABASE, POOL_NAMES, files_over
from planner.layouts.shared.pool import pool_of, pool_warnings
from planner.layouts.shared.s3 import DURABILITY
from planner.models.derived import Sourced
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values


def service_of(demand: Demand, values: Values, *, files: bool = False) -> Service:
    """The pool on all paid GPU nodes: capacity in decimal TB, rates in GB/s. files: whether mounts use it."""
    instance, cores = demand.instance, reserved_vcpu(demand.instance.vcpu)
    sheet = values.sheet()
    up_to, above = RESERVED_VCPU_UP_TO_96, RESERVED_VCPU_ABOVE_96
    reserved: Sourced = (
        cores,
        f"rule:{up_to} vCPU kept for the target up to 96 of them, {above} above, half at most",
    )
    below = values.sheet() if files else sheet
    pool = pool_of(instance, (demand.nodes, "run:nodes"), reserved, demand, values, below)
    warnings = pool_warnings(pool, demand, instance)
    durability = f"{DURABILITY}, before a write is acknowledged; the NVMe pool has only copies"
    copy_in = None
    if files:
        sheet.include(below.derived, POOL_NAMES)
        over = files_over(pool, demand, values, sheet)
        pool, copy_in, warnings = over.pool, over.copy_in_gb_per_s, (*warnings, *over.warnings)
        durability = f"blocks of files: {durability}; names and sizes of files: {DATABASE}"
    return Service(
        raw_tb=pool.raw_tb,
        usable_tb=pool.usable_tb,
        warm_gb_per_s=pool.warm_gb_per_s,
        cold_gb_per_s=pool.cold_gb_per_s,
        steady_gb_per_s=pool.steady_gb_per_s,
        hit_fraction=pool.hit_fraction,
        write_gb_per_s=pool.write_gb_per_s,
        copy_in_gb_per_s=copy_in,
        slowdown_fraction=_slowdown(values, sheet),
        durability=durability,
        lost_node="no data is lost: the share of the lost node is read from S3 again",
        reserved=f"{cores} of {instance.vcpu} vCPU and {RESERVED_MEMORY_GIB} GiB on each GPU node",
        reserved_vcpu_fraction=cores / instance.vcpu,
        warnings=warnings,
        derived=sheet.derived,
    )


def _slowdown(values: Values, sheet: Sheet) -> Number:
    """Share of the training step that the targets use."""
    assumed = values.given("converged.training_slowdown_fraction")
    return sheet.taken("storage.slowdown_fraction", "fraction", slowdown=assumed)
