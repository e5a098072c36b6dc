"""S, s3-stream: only the bucket and the gateway endpoint. Every epoch is read from S3."""

from __future__ import annotations

from planner.layouts.base import NO_SLOWDOWN, Demand, Service
from planner.layouts.shared.s3 import DURABILITY, s3_read_rate, s3_write_rate
from planner.models.values import Values

NOT_CACHED = (0.0, "rule:nothing is cached: every epoch is read from S3 again")


def service_of(demand: Demand, values: Values) -> Service:
    """Rates of the training nodes with S3, GB/s; no capacity of its own."""
    sheet, instance = values.sheet(), demand.instance
    clients = (demand.training_nodes, "run:training_nodes")
    rate = s3_read_rate(demand, values, instance, clients, sheet)
    write = s3_write_rate(demand, values, instance, clients, sheet)
    for name in ("warm", "cold_read", "read"):
        sheet.taken(f"storage.{name}_gb_per_s", "GB/s", from_s3=(rate, "run:storage.s3_read_gb_per_s"))
    sheet.taken("storage.write_gb_per_s", "GB/s", to_s3=(write, "run:storage.s3_write_streams_gb_per_s"))
    return Service(
        raw_tb=None,
        usable_tb=None,
        warm_gb_per_s=rate,
        cold_gb_per_s=rate,
        steady_gb_per_s=rate,
        hit_fraction=sheet.taken("storage.hit_fraction", "fraction", hits=NOT_CACHED),
        write_gb_per_s=write,
        slowdown_fraction=sheet.taken("storage.slowdown_fraction", "fraction", slowdown=NO_SLOWDOWN),
        durability=f"{DURABILITY}; there is no other tier",
        lost_node="no data is lost with a node; the job loses its work since the last checkpoint",
        derived=sheet.derived,
    )
