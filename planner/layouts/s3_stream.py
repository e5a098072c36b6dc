"""S, s3-stream: nothing but the bucket and the gateway endpoint. Every epoch is read from S3 again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Layout, Service, Timing
from planner.layouts.s3 import DURABILITY, s3_read_rate, s3_write_rate
from planner.models.bill import Ledger
from planner.models.values import Values


@dataclass(frozen=True, kw_only=True)
class S3Stream(Layout):
    name: ClassVar[str] = "s3-stream"

    def refusals(self) -> tuple[str, ...]:
        return ()

    def service(self, values: Values) -> Service:
        sheet, instance = values.sheet(), self.demand.instance
        clients = (self.demand.training_nodes, "run:training_nodes")
        rate = s3_read_rate(self.demand, values, instance, clients, sheet)
        read = (rate, "run:storage.s3_read_gb_per_s", "GB/s")
        write = s3_write_rate(self.demand, values, instance, clients, sheet)
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

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        """No line of its own: reads are GET requests on the shared S3 bill."""
