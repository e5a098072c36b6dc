"""What the stack stands up around the GPU nodes whatever the layout: volumes, network, alarms."""

from __future__ import annotations

from planner.layouts.base import Demand, Timing
from planner.layouts.instances import bill_volumes
from planner.models.bill import Ledger
from planner.models.capacity import flow_log_gb
from planner.models.metered import hourly_resource, resource_months
from planner.models.values import Number, Values


def bill_hours(ledger: Ledger, line: str, item: str, count: Number, hours: Number) -> None:
    """A VPC resource that bills for every hour it stands."""
    ledger.metered(
        line,
        ("AmazonVPC", item),
        equation="T3",
        quantity=hourly_resource(count=count, hours=hours, usd_per_hour=1.0),
        standing=count,
    )


def bill_network(ledger: Ledger, demand: Demand, timing: Timing, values: Values) -> None:
    """One zone: a NAT gateway with its address, interface endpoints, flow logs; the S3 gateway endpoint is free."""
    hours = timing.standing_hours
    node_days = demand.nodes * hours / 24
    bill_volumes(ledger, "fleet.ebs", demand.nodes, values["fleet.root_volume_gib"], hours)
    bill_hours(ledger, "network.nat-gateway", "NAT gateway hour", 1, hours)
    bill_hours(ledger, "network.public-ipv4", "Public IPv4 address, in use", 1, hours)
    endpoints = values["network.interface_endpoints"]
    bill_hours(ledger, "network.interface-endpoints", "Interface endpoint, per availability zone", endpoints, hours)
    ledger.metered(
        "network.nat-data",
        ("AmazonVPC", "NAT gateway data processed"),
        equation="T4",
        quantity=demand.nodes * values["network.nat_gb_per_node"],
    )
    ledger.metered(
        "network.endpoint-data",
        ("AmazonVPC", "Interface endpoint data processed"),
        equation="T4",
        quantity=node_days * values["network.endpoint_gb_per_node_day"],
        hours=hours,
    )
    ledger.metered(
        "network.flow-logs",
        ("AmazonCloudWatch", "Logs ingestion"),
        equation="S12",
        quantity=flow_log_gb(
            node_hours=demand.nodes * hours, gb_per_node_day=values["network.flow_log_gb_per_node_day"]
        ),
    )
    alarms = values["guard.alarms"]
    ledger.metered(
        "guard.alarms",
        ("AmazonCloudWatch", "Standard resolution alarm"),
        equation="T6",
        quantity=resource_months(count=alarms, hours=hours),
        standing=alarms,
    )
