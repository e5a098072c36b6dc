"""T: what bills by use. Storage tiers by calendar month, requests, bytes, volumes, endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number, scalar
from pricing.offers import HOURS_PER_MONTH

_HORIZON_MONTHS = 60  # beyond five years a month costs what the last ones did

Tiers = Sequence[tuple[float, float, float]]  # (from GB, to GB, USD per GB), abutting from 0
Curve = tuple[np.ndarray, np.ndarray]


def tiered_usd(quantity_gb: Number, tiers: Tiers) -> Number:
    """USD of one month's quantity under monthly tiers that abut from 0. Quantity beyond the last tier costs
    nothing here: callers ask `beyond_tiers` first."""
    return sum(np.maximum(0.0, np.minimum(quantity_gb, upper) - lower) * usd for lower, upper, usd in tiers)


def beyond_tiers(quantity_gb: float, tiers: Tiers) -> bool:
    """Whether a month's quantity lies above the last tier that the book knows."""
    return quantity_gb > tiers[-1][1]


def _show_tiers(*, stored_gb: float, tiers: Tiers) -> list[str]:
    lines: list[str] = []
    for lower, upper, usd in tiers:
        part = max(0.0, min(stored_gb, upper) - lower)
        lines.append(f"{part:,.1f} GB x {usd:g} = {part * usd:,.2f} USD")
    lines.append(f"result = {tiered_usd(stored_gb, tiers):,.2f}")
    return lines


@equation(
    "T1",
    "tiered-storage-month",
    units={"stored_gb": "GB of 2^30 bytes", "tiers": "from:to:USD, ..."},
    result_unit="USD/month",
    source="Amazon S3 pricing: 0.023 to 50 TB, 0.022 to 500 TB, 0.021 above, in us-east-1",
    show=_show_tiers,
)
def tiered_storage_month(*, stored_gb: float, tiers: Tiers) -> float:
    """Cost of one month of storage with price tiers that start again each calendar month."""
    return scalar(tiered_usd(stored_gb, tiers))


def _month_starts(start: date, months: int) -> list[datetime]:
    first = datetime(start.year, start.month, start.day)
    starts, year, month = [first], start.year, start.month
    for _ in range(months):
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        starts.append(datetime(year, month, 1))
    return starts


@lru_cache(maxsize=256)  # one curve serves every scenario that stores the same
def storage_cost_curve(*, stored_gb: float, tiers: tuple[tuple[float, float, float], ...], start: date) -> Curve:
    """Cumulative cost of keeping `stored_gb` from `start` on: (hours, USD) of a piecewise linear curve.

    The bill counts GB-months = GB-hours / 730 of a calendar month, and its tiers start again with the
    month, so inside a month the cost bends where a tier fills and at each month's end.
    """
    starts = _month_starts(start, _HORIZON_MONTHS)
    hours, usd = [0.0], [0.0]
    for begin, end in pairwise(starts):
        length = (end - begin) / timedelta(hours=1)
        base_h, base_usd = hours[-1], usd[-1]
        bends = [upper * HOURS_PER_MONTH / stored_gb for _, upper, _ in tiers if np.isfinite(upper)]
        for h in [*sorted(b for b in bends if 0 < b < length), length]:
            hours.append(base_h + h)
            usd.append(base_usd + scalar(tiered_usd(stored_gb * h / HOURS_PER_MONTH, tiers)))
    return np.array(hours), np.array(usd)


def cost_at(curve: Curve, hours: Number) -> Number:
    """Read a cumulative cost curve at some hours; beyond its end it goes on at its mean slope."""
    x, y = curve
    beyond = np.maximum(np.asarray(hours) - x[-1], 0.0) * y[-1] / x[-1]
    return (np.interp(hours, x, y) + beyond)[()]


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
    units={"volumes": "volumes", "size_gib": "GiB", "hours": "h"},
    result_unit="GB-Mo",
    source="Amazon EBS pricing: by the second, GB of 2^30 bytes and month of 730 h",
    steps=("result = volumes * size_gib * hours / 730",),
)
def volume_gb_months(*, volumes: Number, size_gib: Number, hours: Number) -> Number:
    """GB-months of EBS volumes."""
    return volumes * size_gib * hours / HOURS_PER_MONTH


@equation(
    "T6",
    "months",
    units={"count": "resources", "hours": "h"},
    result_unit="resource-months",
    source="AWS KMS and CloudWatch alarms: by the month, prorated by the hour",
    steps=("result = count * hours / 730",),
)
def resource_months(*, count: Number, hours: Number) -> Number:
    """Months of resources that are billed by the month, prorated."""
    return count * hours / HOURS_PER_MONTH


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


def _show_months(*, stored_gb: float, tiers: Tiers, start: date, hours: float, below_gb: float = 0.0) -> list[str]:
    lines: list[str] = []
    done = 0.0
    cost = partial(tiered_storage, stored_gb=stored_gb, tiers=tiers, start=start, below_gb=below_gb)
    for begin, end in pairwise(_month_starts(start, _HORIZON_MONTHS)):
        length = min((end - begin) / timedelta(hours=1), hours - done)
        if length <= 0:
            break
        usd = cost(hours=done + length) - cost(hours=done)
        months = length / HOURS_PER_MONTH
        lines.append(
            f"{begin:%Y-%m}: {stored_gb:,.3f} GB x {length:,.3f} h / 730 = {stored_gb * months:,.3f} GB-Mo"
            + (f" above {below_gb * months:,.3f}" if below_gb else "")
            + f": {usd:,.2f} USD"
        )
        done += length
    if hours > done:
        usd = cost(hours=hours) - cost(hours=done)
        lines.append(f"later: {hours - done:,.1f} h at the mean of the months above: {usd:,.2f} USD")
    lines.append(f"result = {cost(hours=hours):,.6f}")
    return lines


@equation(
    "T10",
    "tiered-storage",
    units={
        "stored_gb": "GB of 2^30 bytes",
        "tiers": "from:to:USD, ...",
        "start": "YYYY-MM-DD",
        "hours": "h",
        "below_gb": "GB of 2^30 bytes",
    },
    result_unit="USD",
    source="Amazon S3 pricing: GB-months of a calendar month; the tiers start again with the next month",
    show=_show_months,
)
def tiered_storage(*, stored_gb: float, tiers: Tiers, start: date, hours: Number, below_gb: float = 0.0) -> Number:
    """Cost of storage from a start day for a number of hours, with price tiers that start again each calendar month.

    A month is billed by GB x hours / 730, which fills its tiers from the lowest one. below_gb: other data in the same
    storage class, which fills the lower tiers first. Limits: after five years the mean of the first five is used.
    """
    ladder = tuple(tiers)
    both = cost_at(storage_cost_curve(stored_gb=below_gb + stored_gb, tiers=ladder, start=start), hours)
    if not below_gb:
        return both
    return both - cost_at(storage_cost_curve(stored_gb=below_gb, tiers=ladder, start=start), hours)


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
