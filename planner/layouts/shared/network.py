"""Bill lines of every layout besides the GPU nodes: volumes, network, alarms."""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.layouts.shared.instances import MONTHS, RUN_HOURS, bill_volumes
from planner.models.derived import PRICE, Sourced
from planner.models.ledger import Ledger
from planner.models.metered import gb_per_node, gb_per_node_day, hourly_resource, resource_months
from planner.models.number import Number
from planner.models.values import Values
from pricing.offers import HOURS_PER_MONTH

ONE = (1, "rule:one, because everything is in one zone")


def bill_hours(ledger: Ledger, line: str, item: str, count: Sourced, hours: Number) -> None:
    """A VPC resource that is billed for every hour that it exists."""
    ledger.metered(
        line,
        ("AmazonVPC", item),
        equation="T3",
        quantity=hourly_resource(count=count[0], hours=hours, usd_per_hour=1.0),
        inputs={"count": count, "hours": (hours, RUN_HOURS), "usd_per_hour": (None, PRICE)},
        standing=count[0],
    )


def bill_network(ledger: Ledger, gpu_nodes: int, timing: Timing, values: Values) -> None:
    """One zone: a NAT gateway with its address, interface endpoints, flow logs; the S3 gateway endpoint is free.
    gpu_nodes: that stand, spares included."""
    hours = timing.standing_hours
    standing = (hours, RUN_HOURS)
    nodes = (gpu_nodes, "run:nodes")
    bill_volumes(ledger, "fleet.ebs", nodes, values.given("fleet.root_volume_gib"), timing)
    bill_hours(ledger, "network.nat-gateway", "NAT gateway hour", ONE, hours)
    bill_hours(ledger, "network.public-ipv4", "Public IPv4 address, in use", ONE, hours)
    endpoints = values.given("network.interface_endpoints")
    bill_hours(ledger, "network.interface-endpoints", "Interface endpoint, per availability zone", endpoints, hours)
    pulled = values.given("network.nat_gb_per_node")
    ledger.metered(
        "network.nat-data",
        ("AmazonVPC", "NAT gateway data processed"),
        equation="T11",
        quantity=gb_per_node(nodes=gpu_nodes, gb_per_node=pulled[0]),
        inputs={"nodes": nodes, "gb_per_node": pulled},
    )
    for line, item, key, spread in (
        ("network.endpoint-data", ("AmazonVPC", "Interface endpoint data processed"), "endpoint", hours),
        ("network.flow-logs", ("AmazonCloudWatch", "Logs ingestion"), "flow_log", None),
    ):
        daily = values.given(f"network.{key}_gb_per_node_day")
        ledger.metered(
            line,
            item,
            equation="T12",
            quantity=gb_per_node_day(nodes=gpu_nodes, hours=hours, gb_per_node_day=daily[0]),
            inputs={"nodes": nodes, "hours": standing, "gb_per_node_day": daily},
            hours=spread,
        )
    alarms = values.given("guard.alarms")
    ledger.metered(
        "guard.alarms",
        ("AmazonCloudWatch", "Standard resolution alarm"),
        equation="T6",
        quantity=resource_months(count=alarms[0], months=timing.months),
        inputs={"count": alarms, "months": (timing.months, MONTHS)},
        standing=alarms[0],
    )
    # not from the book: what an account's other stacks leave of its free metrics and dashboards decides
    monthly = values.given("guard.metrics_usd_month")
    about = values.table["guard.metrics_usd_month"]
    ledger.assumed(
        "guard.metrics",
        equation="T6",
        quantity=resource_months(count=1, months=timing.months),
        unit="month",
        usd=monthly[0],
        source=about.source,
        year=about.year,
        service="AmazonCloudWatch",
        usd_per_hour=monthly[0] / HOURS_PER_MONTH,
        inputs={"count": (1, "rule:one set"), "months": (timing.months, MONTHS)},
    )
