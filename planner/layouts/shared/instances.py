"""Bill lines of other instances than the GPU nodes, and of root volumes."""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.models.compute import node_hours
from planner.models.derived import PRICE, Sourced
from planner.models.ledger import Ledger
from planner.models.metered import hourly_resource, volume_gb_months
from planner.models.number import Number
from planner.plan.assumptions import Assumption

RUN_HOURS, MONTHS = "run:run.hours", "run:run.months"


def bill_volumes(ledger: Ledger, line: str, count: Sourced, size_gib: Sourced, timing: Timing) -> None:
    """gp3 root volumes of instances, within the IOPS and throughput that gp3 includes.

    count, size_gib: each with its origin.
    """
    ledger.metered(
        line,
        ("AmazonEBS", "gp3 storage"),
        equation="T5",
        quantity=volume_gb_months(volumes=count[0], size_gib=size_gib[0], months=timing.months),
        inputs={"volumes": count, "size_gib": size_gib, "months": (timing.months, MONTHS)},
        standing=count[0] * size_gib[0],
    )


def bill_on_demand_nodes(ledger: Ledger, line: str, instance_type: str, count: Sourced, hours: Number) -> None:
    """Instances other than the GPU nodes: always On-Demand."""
    quote = ledger.node_quote(line, instance_type)
    if quote is not None:
        ledger.quoted(
            line,
            quote,
            equation="C9",
            quantity=node_hours(nodes=count[0], hours=hours),
            inputs={"nodes": count, "hours": (hours, RUN_HOURS), "usd_per_hour": (None, PRICE)},
            cost=lambda tiers: tiers[0][2],
            standing=count[0],
            note=instance_type,
        )


def bill_assumed_hours(
    ledger: Ledger, line: str, count: Sourced, usd: Number, hours: Number, *, service: str, assumption: Assumption
) -> None:
    """What AWS bills by the hour at a price that no book has. assumption: says where the price comes from."""
    ledger.assumed(
        line,
        equation="T3",
        quantity=hourly_resource(count=count[0], hours=hours, usd_per_hour=1.0),
        unit="Hrs",
        usd=usd,
        source=assumption.source,
        year=assumption.year,
        service=service,
        usd_per_hour=count[0] * usd,
        inputs={"count": count, "hours": (hours, RUN_HOURS), "usd_per_hour": (None, PRICE)},
    )
