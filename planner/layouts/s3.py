"""What every layout shares: S3 below as the durable tier. Its rates, its storage bill, its requests."""

from __future__ import annotations

import numpy as np

from planner.layouts.base import Demand, Timing
from planner.layouts.s3_classes import bill_beside_hot
from planner.models.bill import Ledger, as_tiers, blend, used_tiers, worst
from planner.models.datapath import request_bound_rate
from planner.models.metered import billed_gb, cost_at, requests_thousands, resource_months, storage_cost_curve
from planner.models.values import Number, Values
from planner.plan.types import Ingest
from pricing.catalog import InstanceType
from pricing.offers import HOURS_PER_MONTH

DURABILITY = "every object in S3 Standard, 11 nines over several zones"


NAT_GATEWAY_GB_PER_S = 12.5  # VPC User Guide: a NAT gateway scales up to 100 Gbps


def get_request_rate(demand: Demand, values: Values) -> Number:
    """GB/s that S3 gives to anyone: GET requests a second and prefix, one an object."""
    requests = values["s3.get_requests_per_second_per_prefix"] * values["s3.prefixes"]
    return request_bound_rate(requests_per_second=requests, object_bytes=demand.object_bytes)


def s3_read_rate(demand: Demand, values: Values, instance: InstanceType, nodes: int) -> Number:
    """GB/s that `nodes` clients read from S3 together: streams a node, its link, and GET requests a prefix."""
    streams = _through_vpc(demand, instance, nodes, values["s3.read_gb_per_s_per_node"])
    return np.minimum(streams, get_request_rate(demand, values))


def s3_write_rate(demand: Demand, values: Values, instance: InstanceType, nodes: int) -> Number:
    """GB/s that `nodes` clients write to S3 together."""
    return _through_vpc(demand, instance, nodes, values["s3.write_gb_per_s_per_node"])


def _through_vpc(demand: Demand, instance: InstanceType, nodes: int, gb_per_s_per_node: Number) -> Number:
    rate = nodes * np.minimum(gb_per_s_per_node, 0.95 * instance.network_mbps / 8000)
    return rate if demand.s3_gateway_endpoint else np.minimum(rate, NAT_GATEWAY_GB_PER_S)


def bill_s3(ledger: Ledger, demand: Demand, timing: Timing, values: Values, ingest: Ingest) -> None:
    """The durable tier: master copy, checkpoints, requests, keys. The same for every layout but for reads."""
    hours = timing.standing_hours + timing.retention_hours
    stored = ledger.look_up(
        "storage.s3.standard", lambda: ledger.book.metered("AmazonS3", "S3 Standard storage", ledger.region)
    )
    if stored is not None:
        master_gb = demand.standard_bytes / 2**30
        checkpoint_bytes = float(np.median(demand.checkpoint_bytes))
        with_checkpoints_gb = master_gb + timing.checkpoints_stored * checkpoint_bytes / 2**30
        if not ledger.refused_beyond("storage.s3.standard", stored, with_checkpoints_gb):
            _storage_lines(ledger, stored, demand, hours, master_gb, with_checkpoints_gb)
    thousands = requests_thousands(bytes_moved=timing.s3_read_bytes, object_bytes=demand.object_bytes)
    ledger.metered(
        "storage.s3.get-requests",
        ("AmazonS3", "S3 Standard GET and all other"),
        equation="T2",
        quantity=thousands,
    )
    checkpoints = timing.checkpoints_written * demand.checkpoint_bytes
    uploaded = ingest.source != "in-s3"
    bill_beside_hot(ledger, demand, hours, uploaded)
    ingested = demand.standard_bytes if uploaded else 0.0
    put_thousands = requests_thousands(bytes_moved=checkpoints + ingested, object_bytes=demand.object_bytes)
    ledger.metered(
        "storage.s3.put-requests",
        ("AmazonS3", "S3 Standard PUT/COPY/POST/LIST"),
        equation="T2",
        quantity=put_thousands,
    )
    ledger.metered(
        "storage.kms.key",
        ("awskms", "Customer managed key"),
        equation="T6",
        quantity=resource_months(count=1, hours=hours),
        standing=1,
    )
    ledger.metered(
        "storage.kms.requests",
        ("awskms", "Symmetric requests"),
        equation="T2",
        quantity=(thousands + put_thousands) / 10 * values["s3.kms_request_fraction"],
    )
    if not demand.s3_gateway_endpoint and timing.s3_through_vpc:
        # what comes in from outside before the run never passes the fleet's own gateway
        ledger.metered(
            "network.nat-s3-data",
            ("AmazonVPC", "NAT gateway data processed"),
            equation="T4",
            quantity=billed_gb(bytes_moved=timing.s3_read_bytes + checkpoints),
        )
    if ingest.from_region is not None:
        _bill_ingest(ledger, demand, ingest.from_region)


def _bill_ingest(ledger: Ledger, demand: Demand, from_region: str) -> None:
    """Bytes that come from another Region are billed there, on their way out; uploads from outside are free."""
    item = "Data transfer out to other AWS regions"
    if {from_region, ledger.region} == {"us-east-1", "us-east-2"}:
        item = "Data transfer between us-east-1 and us-east-2"
    ledger.metered(
        "transfer.ingest",
        ("AWSDataTransfer", item),
        equation="T4",
        quantity=billed_gb(bytes_moved=demand.kept_bytes),
        region=from_region,
    )


def _storage_lines(ledger, stored, demand, hours, master_gb, with_checkpoints_gb) -> None:
    tiers, price = as_tiers(stored), worst(used_tiers(stored, with_checkpoints_gb))
    master = storage_cost_curve(stored_gb=master_gb, tiers=tiers, start=demand.start)
    quantity = master_gb * hours / HOURS_PER_MONTH
    cost = cost_at(master, hours)
    ledger.add(
        "storage.s3.standard",
        service="AmazonS3",
        equation="T1",
        quantity=quantity,
        price=price,
        usd=blend(cost, quantity, price.usd),
        note="monthly tiers blended",
    )
    if with_checkpoints_gb > master_gb:
        both = storage_cost_curve(stored_gb=with_checkpoints_gb, tiers=tiers, start=demand.start)
        extra = (with_checkpoints_gb - master_gb) * hours / HOURS_PER_MONTH
        ledger.add(
            "storage.s3.checkpoints",
            service="AmazonS3",
            equation="T1",
            quantity=extra,
            price=price,
            usd=blend(cost_at(both, hours) - cost, extra, price.usd),
            note="on top of the master copy's tiers",
        )
