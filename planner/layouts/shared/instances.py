"""Bill lines of other instances than the GPU nodes, and of root volumes."""

from __future__ import annotations

from planner.models.compute import node_hours
from planner.models.derived import PRICE, Sourced
from planner.models.ledger import Ledger
from planner.models.metered import volume_gb_months
from planner.models.number import Number

RUN_HOURS = "run:run.hours"


def bill_volumes(ledger: Ledger, line: str, count: Sourced, size_gib: Sourced, hours: Number) -> None:
    """gp3 root volumes of instances, within the IOPS and throughput that gp3 includes.

    count, size_gib: each with its origin.
    """
    ledger.metered(
        line,
        ("AmazonEBS", "gp3 storage"),
        equation="T5",
        quantity=volume_gb_months(volumes=count[0], size_gib=size_gib[0], hours=hours),
        inputs={"volumes": count, "size_gib": size_gib, "hours": (hours, RUN_HOURS)},
        standing=count[0] * size_gib[0],
    )


def bill_on_demand_nodes(ledger: Ledger, line: str, instance_type: str, count: Sourced, hours: Number) -> None:
    """Instances other than the GPU nodes: always On-Demand."""
    price = ledger.look_up(line, lambda: ledger.book.on_demand(instance_type, ledger.region))
    if price is not None:
        ledger.add(
            line,
            service="AmazonEC2",
            equation="C9",
            quantity=node_hours(nodes=count[0], hours=hours),
            price=price,
            inputs={"nodes": count, "hours": (hours, RUN_HOURS), "usd_per_hour": (None, PRICE)},
            usd_per_hour=count[0] * price.usd,
            note=instance_type,
        )
