"""What a Lustre file system provides, in any layout."""

from __future__ import annotations

from planner.layouts.base import NO_SLOWDOWN, Demand, Service
from planner.layouts.shared.lustre_rates import HOLDS_ALL, rates_of
from planner.layouts.shared.lustre_size import FileSystem, quota_warnings, usable_tb
from planner.layouts.shared.many_files import file_warnings, files_of, scan_hours
from planner.models.values import Values


def lustre_service(
    file_system: FileSystem,
    demand: Demand,
    values: Values,
    *,
    durability: str,
    lost_node: str,
    warnings: tuple[str, ...] = (),
) -> Service:
    """Capacity in decimal TB, rates in GB/s. warnings: of the layout; warnings about quotas and files are added."""
    sheet = values.sheet()
    rates = rates_of(file_system, demand, values, sheet)
    size = (demand.object_bytes, "run:data.object_bytes")
    iops = (file_system.metadata_iops, "run:storage.metadata_iops")
    scan = scan_hours(files_of(demand, size, sheet), sheet, metadata_iops=iops)
    files = file_warnings(demand, demand.object_bytes, rates.opens, scan, "buy metadata IOPS")
    return Service(
        raw_tb=None,
        usable_tb=usable_tb(file_system, demand, values.given_central("lustre.fill_fraction"), sheet),
        warm_gb_per_s=rates.warm,
        cold_gb_per_s=rates.cold,
        steady_gb_per_s=rates.warm,
        hit_fraction=sheet.taken("storage.hit_fraction", "fraction", hits=HOLDS_ALL),
        write_gb_per_s=rates.write,
        slowdown_fraction=sheet.taken("storage.slowdown_fraction", "fraction", slowdown=NO_SLOWDOWN),
        durability=durability,
        lost_node=lost_node,
        warnings=(*warnings, *quota_warnings(file_system), *files),
        derived=sheet.derived,
    )
