"""Instances beside the GPU nodes, and root volumes: lines that more than one layout has."""

from __future__ import annotations

from planner.models.bill import Ledger
from planner.models.compute import instance_cost
from planner.models.metered import volume_gb_months
from planner.models.values import Number


def bill_volumes(ledger: Ledger, line: str, count: Number, size_gib: Number, hours: Number) -> None:
    """gp3 root volumes of some instances, within the baseline IOPS and throughput that gp3 includes."""
    ledger.metered(
        line,
        ("AmazonEBS", "gp3 storage"),
        equation="T5",
        quantity=volume_gb_months(volumes=count, size_gib=size_gib, hours=hours),
        standing=count * size_gib,
    )


def bill_on_demand_nodes(ledger: Ledger, line: str, instance_type: str, count: Number, hours: Number) -> None:
    """Instances beside the GPU nodes: on-demand, whatever the GPU nodes are bought by."""
    price = ledger.look_up(line, lambda: ledger.book.on_demand(instance_type, ledger.region))
    if price is not None:
        ledger.add(
            line,
            service="AmazonEC2",
            equation="C1",
            quantity=instance_cost(node_hours=count * hours, usd_per_hour=1.0),
            price=price,
            usd_per_hour=count * price.usd,
            note=instance_type,
        )
