"""S, s3-stream: nothing but the bucket and the gateway endpoint. Every epoch is read from S3 again."""

from __future__ import annotations

from planner.layouts.base import Demand, Service
from planner.layouts.shared.s3 import DURABILITY, s3_read_rate, s3_write_rate
from planner.models.values import Values


def service_of(demand: Demand, values: Values) -> Service:
    """Rates in GB/s of the training nodes against S3; no capacity of its own."""
    sheet, instance = values.sheet(), demand.instance
    clients = (demand.training_nodes, "run:training_nodes")
    rate = s3_read_rate(demand, values, instance, clients, sheet)
    read = (rate, "run:storage.s3_read_gb_per_s", "GB/s")
    write = s3_write_rate(demand, values, instance, clients, sheet)
    how = "every epoch is read from S3 again"
    for name in ("warm", "cold_read", "read"):
        sheet.words(f"storage.{name}_gb_per_s", rate, "GB/s", how, from_s3=read)
    written = (write, "run:storage.s3_write_streams_gb_per_s", "GB/s")
    sheet.words("storage.write_gb_per_s", write, "GB/s", "straight to S3", to_s3=written)
    sheet.words("storage.hit_fraction", 0.0, "fraction", "nothing is cached")
    sheet.words("storage.slowdown_fraction", 0.0, "fraction", "nothing runs beside training")
    return Service(
        raw_tb=None,
        usable_tb=None,
        warm_gb_per_s=rate,
        cold_gb_per_s=rate,
        steady_gb_per_s=rate,
        hit_fraction=0.0,
        write_gb_per_s=write,
        slowdown_fraction=0.0,
        durability=f"{DURABILITY}; there is no other tier",
        lost_node="a lost node holds no data; the job loses its work since the last checkpoint",
        derived=sheet.derived,
    )
