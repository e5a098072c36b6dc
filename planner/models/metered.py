"""T: what bills by use. Storage tiers by calendar month, requests, bytes, volumes, endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise

import numpy as np

from planner.models.equation import equation
from planner.models.values import Number
from pricing.offers import HOURS_PER_MONTH

_HORIZON_MONTHS = 60  # beyond five years a month costs what the last ones did

Tiers = Sequence[tuple[float, float, float]]  # (from GB, to GB, USD per GB), abutting from 0


def tiered_usd(quantity_gb: Number, tiers: Tiers) -> Number:
    """USD of one month's quantity under monthly tiers that abut from 0. Quantity beyond the last tier costs
    nothing here: callers ask `beyond_tiers` first."""
    return sum(np.maximum(0.0, np.minimum(quantity_gb, upper) - lower) * usd for lower, upper, usd in tiers)


def beyond_tiers(quantity_gb: float, tiers: Tiers) -> bool:
    """Whether a month's quantity lies above the last tier that the book knows."""
    return quantity_gb > tiers[-1][1]


def _show_tiers(*, stored_gb: float, tiers: Tiers) -> list[str]:
    lines = []
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
    """One month of storage under tiers that start again each calendar month."""
    return tiered_usd(stored_gb, tiers)


def _month_starts(start: date, months: int) -> list[datetime]:
    first = datetime(start.year, start.month, start.day)
    starts, year, month = [first], start.year, start.month
    for _ in range(months):
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        starts.append(datetime(year, month, 1))
    return starts


def storage_cost_curve(*, stored_gb: float, tiers: Tiers, start: date) -> tuple[np.ndarray, np.ndarray]:
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
            usd.append(base_usd + tiered_usd(stored_gb * h / HOURS_PER_MONTH, tiers))
    return np.array(hours), np.array(usd)


def cost_at(curve: tuple[np.ndarray, np.ndarray], hours: Number) -> Number:
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
    """Thousands of requests that move some bytes, one request an object."""
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
    """Cost of resources that bill for every hour they stand."""
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
    """Gigabytes of AWS's transfer and processing bill."""
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
    """Months of resources that bill by the month and are prorated."""
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
    """Days to bring a data set into S3, before the run starts."""
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
    """Hours that a storage class bills: never less than its minimum duration."""
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
    """Hours that an object nobody reads spends in one access tier of Intelligent-Tiering."""
    return np.maximum(0.0, np.minimum(hours, to_days * 24) - from_days * 24)
