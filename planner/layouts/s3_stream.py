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
        rate = s3_read_rate(self.demand, values, self.demand.instance, self.demand.training_nodes)
        return Service(
            raw_tb=None,
            usable_tb=None,
            warm_gb_per_s=rate,
            cold_gb_per_s=rate,
            steady_gb_per_s=rate,
            hit_fraction=0.0,
            write_gb_per_s=s3_write_rate(self.demand, values, self.demand.instance, self.demand.training_nodes),
            slowdown_fraction=0.0,
            durability=f"{DURABILITY}; there is no other tier",
            lost_node="a lost node costs nothing but its own work since the last checkpoint",
        )

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        """No line of its own: reads are GET requests on the shared S3 bill."""
