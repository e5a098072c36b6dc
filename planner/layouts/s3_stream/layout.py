"""The sized layout `s3-stream`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.deployment import Deployment
from planner.layouts.s3_stream.service import service_of
from planner.models.ledger import Ledger
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class S3Stream(Layout):
    """Only the bucket."""

    name: ClassVar[str] = "s3-stream"

    def refusals(self) -> tuple[str, ...]:
        return ()

    def service(self, values: Values) -> Service:
        return service_of(self.demand, values)

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        """No lines of its own: reads are GET requests on the S3 bill that all layouts have."""

    def spec(self, plan: Plan, values: Values) -> Deployment:
        """No section of its own: every stack has the bucket."""
        return Deployment(sections={})


def variants(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """The only variant."""
    return [S3Stream(demand=demand)]
