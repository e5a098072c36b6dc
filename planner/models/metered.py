"""T: what is billed by use: requests, bytes, volumes, endpoints and minimum storage durations."""

from __future__ import annotations

from datetime import date

import numpy as np

from planner.models.calendar_months import calendar_months, parts_of_months
from planner.models.equation import equation
from planner.models.number import Number


@equation(
    "T2",
    "requests",
    units={"bytes_moved": "bytes", "object_bytes": "bytes"},
    result_unit="1k requests",
    source="Amazon S3 pricing: GET and PUT by the thousand",
    steps=("result = bytes_moved / object_bytes / 1000",),
)
def requests_thousands(*, bytes_moved: Number, object_bytes: Number) -> Number:
    """Thousands of requests to move a number of bytes, one request per object."""
    return bytes_moved / object_bytes / 1000


@equation(
    "T3",
    "hourly-resource",
    units={"count": "resources", "hours": "h", "usd_per_hour": "USD/h"},
    result_unit="USD",
    source="AWS pricing of NAT gateways, addresses and endpoints: by the hour",
    steps=("result = count * hours * usd_per_hour",),
)
def hourly_resource(*, count: Number, hours: Number, usd_per_hour: Number) -> Number:
    """Cost of resources that are billed for every hour that they exist."""
    return count * hours * usd_per_hour


@equation(
    "T4",
    "billed-gb",
    units={"bytes_moved": "bytes"},
    result_unit="GB",
    source="AWS counts 2^30 bytes as a GB of transfer and processing",
    steps=("result = bytes_moved / 2**30",),
)
def billed_gb(*, bytes_moved: Number) -> Number:
    """Gigabytes as AWS bills them for storage and transfer: 2^30 bytes each."""
    return bytes_moved / 2**30


@equation(
    "T5",
    "volume-gb-months",
    units={"volumes": "volumes", "size_gib": "GiB", "months": "months"},
    result_unit="GB-Mo",
    source="AWS re:Post, EBS volume charges: 1 GB for 744 h is a GB-month of a month of 31 days",
    steps=("result = volumes * size_gib * months",),
)
def volume_gb_months(*, volumes: Number, size_gib: Number, months: Number) -> Number:
    """GB-months of EBS volumes."""
    return volumes * size_gib * months


@equation(
    "T6",
    "months",
    units={"count": "resources", "months": "months"},
    result_unit="resource-months",
    source="AWS KMS and CloudWatch alarms: by the month, prorated by the hour",
    steps=("result = count * months",),
)
def resource_months(*, count: Number, months: Number) -> Number:
    """Months of resources that are billed by the month, prorated."""
    return count * months


@equation(
    "T7",
    "ingest-days",
    units={"dataset_bytes": "bytes", "rate_bytes_per_second": "bytes/s"},
    result_unit="days",
    source="bytes over rate; LAION-5B took 7 days on 10 machines",
    steps=("result = dataset_bytes / rate_bytes_per_second / 86400",),
)
def ingest_days(*, dataset_bytes: Number, rate_bytes_per_second: Number) -> Number:
    """Days to copy a data set into S3 before the run starts."""
    return dataset_bytes / rate_bytes_per_second / 86_400


@equation(
    "T8",
    "billed-hours",
    units={"hours": "h", "minimum_days": "days"},
    result_unit="h",
    source="Amazon S3 pricing: minimum storage duration of 30 days in Standard-IA, 90 in Glacier Instant Retrieval",
    steps=("result = max(hours, minimum_days * 24)",),
)
def billed_hours(*, hours: Number, minimum_days: Number) -> Number:
    """Billed hours of a storage class: at least its minimum duration."""
    return np.maximum(hours, minimum_days * 24)


@equation(
    "T9",
    "tiered-age-hours",
    units={"hours": "h", "from_days": "days", "to_days": "days"},
    result_unit="h",
    source="Amazon S3 Intelligent-Tiering: Frequent for 30 days unread, Infrequent to 90, then Archive Instant Access",
    steps=("result = max(0, min(hours, to_days * 24) - from_days * 24)",),
)
def tiered_age_hours(*, hours: Number, from_days: Number, to_days: Number) -> Number:
    """Hours that an object that is never read spends in one access tier of Intelligent-Tiering."""
    return np.maximum(0.0, np.minimum(hours, to_days * 24) - from_days * 24)


@equation(
    "T11",
    "gb-per-node",
    units={"nodes": "nodes", "gb_per_node": "GB"},
    result_unit="GB",
    source="assumption: container images and packages, downloaded once per node",
    steps=("result = nodes * gb_per_node",),
)
def gb_per_node(*, nodes: Number, gb_per_node: Number) -> Number:
    """Gigabytes that nodes transfer once each."""
    return nodes * gb_per_node


@equation(
    "T12",
    "gb-per-node-day",
    units={"nodes": "nodes", "hours": "h", "gb_per_node_day": "GB"},
    result_unit="GB",
    source="assumption: agent traffic and logs as long as a node runs",
    steps=("result = nodes * hours / 24 * gb_per_node_day",),
)
def gb_per_node_day(*, nodes: Number, hours: Number, gb_per_node_day: Number) -> Number:
    """Gigabytes that nodes transfer or write per day."""
    return nodes * hours / 24 * gb_per_node_day


@equation(
    "T13",
    "key-requests",
    units={
        "read_bytes": "bytes",
        "written_bytes": "bytes",
        "object_bytes": "bytes",
        "kms_request_fraction": "fraction",
    },
    result_unit="10k requests",
    source="AWS KMS pricing: per 10,000 requests; with an S3 Bucket Key only a share of the objects needs one",
    steps=("result = (read_bytes + written_bytes) / object_bytes / 10000 * kms_request_fraction",),
)
def key_requests(
    *, read_bytes: Number, written_bytes: Number, object_bytes: Number, kms_request_fraction: Number
) -> Number:
    """KMS requests for reading and writing objects in S3."""
    return (read_bytes + written_bytes) / object_bytes / 10_000 * kms_request_fraction


def _show_months(*, start: date, hours: float) -> list[str]:
    parts = [f"{begin:%Y-%m}: {part:,.6g} h of {whole:,g}" for begin, part, whole in parts_of_months(start, hours)]
    return [*parts, f"result = {calendar_months(start, hours):.6g}"]


@equation(
    "T14",
    "calendar-months",
    units={"start": "YYYY-MM-DD", "hours": "h"},
    result_unit="months",
    source="AWS re:Post, EBS volume charges: 1 GB for 744 h is a GB-month of a month of 31 days; S3's FAQ likewise",
    show=_show_months,
)
def months_of(*, start: date, hours: Number) -> Number:
    """Months that AWS bills for a time: each part of it divided by the hours of its own calendar month."""
    return calendar_months(start, hours)
