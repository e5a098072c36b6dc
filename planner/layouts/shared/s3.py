"""What every layout shares: S3 as the durable tier. Its rates, its storage cost, its requests."""

from __future__ import annotations

from functools import partial

import numpy as np

from planner.layouts.base import Demand, Timing
from planner.layouts.shared.s3_classes import START, STORED_HOURS, STORED_MONTHS, bill_beside_hot
from planner.models.datapath import clients_rate, request_bound_rate
from planner.models.derived import PRICE, Sourced, SourcedQuantity
from planner.models.ledger import Ledger
from planner.models.metered import billed_gb, key_requests, months_of, requests_thousands, resource_months
from planner.models.number import Number, median, scalar
from planner.models.quote import Quote, stored_unit_usd
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Values
from planner.plan.training_types import Ingest
from pricing.catalog import InstanceType

DURABILITY = "every object in S3 Standard, 11 nines over several zones"


NAT_GATEWAY_GB_PER_S = 12.5  # VPC User Guide: a NAT gateway scales up to 100 Gbps


def get_request_rate(demand: Demand, values: Values, sheet: Sheet = UNRECORDED) -> Number:
    """Read rate of S3 in GB/s, limited by GET requests per second and prefix, one per object."""
    each, prefixes = values.given("s3.get_requests_per_second_per_prefix"), values.given("s3.prefixes")
    requests = sheet.arithmetic(
        "storage.s3_get_requests_per_second",
        each[0] * prefixes[0],
        "requests/s",
        "per_prefix * prefixes",
        per_prefix=(*each, "requests/s"),
        prefixes=(*prefixes, "prefixes"),
    )
    return sheet.equation(
        "storage.s3_get_gb_per_s",
        request_bound_rate,
        requests_per_second=(requests, "run:storage.s3_get_requests_per_second"),
        object_bytes=(demand.object_bytes, "run:data.object_bytes"),
    )


def s3_read_rate(
    demand: Demand, values: Values, instance: InstanceType, nodes: Sourced | int, sheet: Sheet = UNRECORDED
) -> Number:
    """Combined read rate of `nodes` clients from S3, GB/s: streams and link of each node, and GET requests per
    prefix."""
    streams = _through_vpc(demand, instance, nodes, "read", values, sheet)
    gets = get_request_rate(demand, values, sheet)
    return sheet.arithmetic(
        "storage.s3_read_gb_per_s",
        np.minimum(streams, gets),
        "GB/s",
        "min(streams, gets)",
        "what the clients' streams carry or S3 answers, whichever is less",
        streams=(streams, "run:storage.s3_read_streams_gb_per_s", "GB/s"),
        gets=(gets, "run:storage.s3_get_gb_per_s", "GB/s"),
    )


def s3_write_rate(
    demand: Demand, values: Values, instance: InstanceType, nodes: Sourced | int, sheet: Sheet = UNRECORDED
) -> Number:
    """Combined write rate of `nodes` clients to S3, GB/s."""
    return _through_vpc(demand, instance, nodes, "write", values, sheet)


def _through_vpc(
    demand: Demand, instance: InstanceType, nodes: Sourced | int, way: str, values: Values, sheet: Sheet
) -> Number:
    """way: read or write. Without a gateway endpoint, the NAT gateway limits the rate too."""
    streams = f"storage.s3_{way}_streams_gb_per_s"
    through_nat = not demand.s3_gateway_endpoint
    name = f"storage.s3_{way}_clients_gb_per_s" if through_nat else streams
    rate = sheet.equation(
        name,
        clients_rate,
        nodes=nodes if isinstance(nodes, tuple) else (nodes, "run:training_nodes"),
        gb_per_s_per_node=values.given(f"s3.{way}_gb_per_s_per_node"),
        network_mbps=(instance.network_mbps, f"catalogue:{instance.name}.network_mbps"),
    )
    if not through_nat:
        return rate
    return sheet.arithmetic(
        streams,
        np.minimum(rate, NAT_GATEWAY_GB_PER_S),
        "GB/s",
        "min(clients, nat_gateway)",
        clients=(rate, f"run:{name}", "GB/s"),
        nat_gateway=(NAT_GATEWAY_GB_PER_S, "rule:VPC User Guide: a NAT gateway scales up to 100 Gbps", "GB/s"),
    )


def bill_key(ledger: Ledger, months: Number) -> None:
    """The key of the bucket, as long as anything is stored."""
    ledger.metered(
        "storage.kms.key",
        ("awskms", "Customer managed key"),
        equation="T6",
        quantity=resource_months(count=1, months=months),
        inputs={"count": (1, "rule:one key encrypts the bucket"), "months": (months, STORED_MONTHS)},
        standing=1,
    )


def bill_s3(ledger: Ledger, demand: Demand, timing: Timing, values: Values, ingest: Ingest) -> None:
    """The durable tier: master copy, checkpoints, requests, keys. The same for every layout except for reads."""
    sheet = ledger.sheet
    hours = sheet.arithmetic(
        "storage.s3.hours",
        timing.standing_hours + timing.retention_hours,
        "h",
        "run_hours + retention",
        run_hours=(timing.standing_hours, "run:run.hours", "h"),
        retention=(timing.retention_hours, "plan:storage.retention", "h"),
    )
    months = sheet.equation("storage.s3.months", months_of, start=(demand.start, START), hours=(hours, STORED_HOURS))
    master_gb = scalar(
        sheet.equation(
            "storage.s3.standard.stored_gb",
            billed_gb,
            bytes_moved=(demand.standard_bytes, "run:data.standard_bytes"),
        )
    )
    checkpoint_bytes = median(demand.checkpoint_bytes)
    checkpoints_gb = sheet.arithmetic(
        "storage.s3.checkpoints.stored_gb",
        timing.checkpoints_stored * checkpoint_bytes / 2**30,
        "GB of 2^30 bytes",
        "checkpoints * checkpoint_bytes / 2**30",
        checkpoints=(timing.checkpoints_stored, "run:run.checkpoints_stored", "checkpoints"),
        checkpoint_bytes=(checkpoint_bytes, "run:data.checkpoint_bytes", "bytes"),
    )
    stored = ledger.quote("storage.s3.standard", ("AmazonS3", "S3 Standard storage"), master_gb + checkpoints_gb)
    if stored is not None:
        _storage_lines(ledger, stored, demand, hours, months, master_gb, checkpoints_gb)
    object_bytes: Sourced = (demand.object_bytes, "run:data.object_bytes")
    read_bytes: Sourced = (timing.s3_read_bytes, "run:storage.s3_read_bytes")
    thousands = requests_thousands(bytes_moved=timing.s3_read_bytes, object_bytes=demand.object_bytes)
    ledger.metered(
        "storage.s3.get-requests",
        ("AmazonS3", "S3 Standard GET and all other"),
        equation="T2",
        quantity=thousands,
        inputs={"bytes_moved": read_bytes, "object_bytes": object_bytes},
    )
    checkpoints = timing.checkpoints_written * demand.checkpoint_bytes
    uploaded = ingest.source != "in-s3"
    bill_beside_hot(ledger, demand, hours, months, uploaded)
    written_bytes = _written(ledger.sheet, demand, timing, checkpoints, uploaded)
    put_thousands = requests_thousands(bytes_moved=written_bytes[0], object_bytes=demand.object_bytes)
    ledger.metered(
        "storage.s3.put-requests",
        ("AmazonS3", "S3 Standard PUT/COPY/POST/LIST"),
        equation="T2",
        quantity=put_thousands,
        inputs={"bytes_moved": written_bytes, "object_bytes": object_bytes},
    )
    bill_key(ledger, months)
    asking = values.given("s3.kms_request_fraction")
    ledger.metered(
        "storage.kms.requests",
        ("awskms", "Symmetric requests"),
        equation="T13",
        quantity=key_requests(
            read_bytes=read_bytes[0],
            written_bytes=written_bytes[0],
            object_bytes=object_bytes[0],
            kms_request_fraction=asking[0],
        ),
        inputs={
            "read_bytes": read_bytes,
            "written_bytes": written_bytes,
            "object_bytes": object_bytes,
            "kms_request_fraction": asking,
        },
    )
    if not demand.s3_gateway_endpoint and timing.s3_through_vpc:
        # data that comes from outside before the run does not use the fleet's gateway
        written = _written(UNRECORDED, demand, timing, checkpoints, uploaded=False)[0]
        copied: dict[str, SourcedQuantity] = {}
        if demand.copied_in_bytes:
            copied["copied_in"] = (demand.copied_in_bytes, "run:storage.copied_in_bytes", "bytes")
        through_nat = sheet.arithmetic(
            "network.nat_s3_bytes",
            timing.s3_read_bytes + written,
            "bytes",
            "read + checkpoints * checkpoint_bytes" + (" + copied_in" if copied else ""),
            read=(*read_bytes, "bytes"),
            **_checkpoints(demand, timing),
            **copied,
        )
        ledger.metered(
            "network.nat-s3-data",
            ("AmazonVPC", "NAT gateway data processed"),
            equation="T4",
            quantity=billed_gb(bytes_moved=through_nat),
            inputs={"bytes_moved": (through_nat, "run:network.nat_s3_bytes")},
        )
    if ingest.from_region is not None:
        _bill_ingest(ledger, demand, ingest.from_region)


def _checkpoints(demand: Demand, timing: Timing) -> dict[str, SourcedQuantity]:
    return {
        "checkpoints": (timing.checkpoints_written, "run:run.checkpoints_written", "checkpoints"),
        "checkpoint_bytes": (demand.checkpoint_bytes, "run:data.checkpoint_bytes", "bytes"),
    }


def _written(sheet: Sheet, demand: Demand, timing: Timing, checkpoints: Number, uploaded: bool) -> Sourced:
    """Bytes written to S3 Standard: every checkpoint, the data set if it is uploaded, and what is copied in."""
    inputs, expression, written = _checkpoints(demand, timing), "checkpoints * checkpoint_bytes", checkpoints
    if uploaded:
        inputs["uploaded"] = (demand.standard_bytes, "run:data.standard_bytes", "bytes")
        expression, written = f"{expression} + uploaded", written + demand.standard_bytes
    if demand.copied_in_bytes:
        inputs["copied_in"] = (demand.copied_in_bytes, "run:storage.copied_in_bytes", "bytes")
        expression, written = f"{expression} + copied_in", written + demand.copied_in_bytes
    sheet.arithmetic("storage.s3_written_bytes", written, "bytes", expression, **inputs)
    return written, "run:storage.s3_written_bytes"


def _bill_ingest(ledger: Ledger, demand: Demand, from_region: str) -> None:
    """Data from another Region is billed there as outbound transfer; uploads from outside AWS are free."""
    item = "Data transfer out to other AWS regions"
    if {from_region, ledger.region} == {"us-east-1", "us-east-2"}:
        item = "Data transfer between us-east-1 and us-east-2"
    ledger.metered(
        "transfer.ingest",
        ("AWSDataTransfer", item),
        equation="T4",
        quantity=billed_gb(bytes_moved=demand.kept_bytes),
        inputs={"bytes_moved": (demand.kept_bytes, "run:data.kept_bytes")},
        region=from_region,
    )


def _storage_lines(
    ledger: Ledger,
    stored: Quote,
    demand: Demand,
    hours: Number,
    months: Number,
    master_gb: float,
    checkpoints_gb: float,
) -> None:
    """The master copy, with price tiers by month, and the checkpoints above it in the same tiers."""
    for line, stored_gb, below_gb, note in (
        ("storage.s3.standard", master_gb, 0.0, "monthly tiers blended"),
        ("storage.s3.checkpoints", checkpoints_gb, master_gb, "on top of the master copy's tiers"),
    ):
        if below_gb and stored_gb <= 0:
            continue
        quantity = stored_gb * months
        ledger.quoted(
            line,
            stored,
            equation="T10",
            quantity=quantity,
            inputs={
                "stored_gb": (stored_gb, f"run:{line}.stored_gb"),
                "tiers": (stored.tiers, PRICE),
                "start": (demand.start, START),
                "hours": (hours, STORED_HOURS),
                "below_gb": (
                    below_gb,
                    "run:storage.s3.standard.stored_gb" if below_gb else "rule:the master copy fills the lowest tiers",
                ),
            },
            cost=partial(stored_unit_usd, stored_gb, demand.start, hours, quantity, below_gb),
            monthly=master_gb + checkpoints_gb,
            note=note,
        )
