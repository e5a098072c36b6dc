"""S3 storage classes for what is kept beside the hot data: raw sources, old versions, results.

Training reads the hot data, so those stay in S3 Standard. The rest is never read by the run; a class with a
minimum duration bills it whole, and Intelligent-Tiering moves it down as it lies unread.
"""

from __future__ import annotations

import numpy as np

from planner.layouts.base import Demand
from planner.models.bill import Ledger, as_tiers, blend, used_tiers, worst
from planner.models.metered import (
    billed_hours,
    cost_at,
    requests_thousands,
    resource_months,
    storage_cost_curve,
    tiered_age_hours,
)
from planner.models.values import Number
from pricing.offers import HOURS_PER_MONTH

# class -> (words of the price book, minimum billed days)
CLASSES = {
    "STANDARD_IA": ("S3 Standard-IA", 30),
    "GLACIER_IR": ("S3 Glacier Instant Retrieval", 90),
    "INTELLIGENT_TIERING": ("S3 Intelligent-Tiering", 0),
}
# Intelligent-Tiering without opting in to archive: (access tier, from day, to day) of an object nobody reads
AGES = (("Frequent Access", 0, 30), ("Infrequent Access", 30, 90), ("Archive Instant Access", 90, np.inf))


def bill_beside_hot(ledger: Ledger, demand: Demand, hours: Number, uploaded: bool) -> None:
    """Storage of what is kept beside the hot data, where the plan names a class for it."""
    stored_gb = demand.beside_hot_bytes / 2**30
    if demand.beside_hot_class == "STANDARD" or stored_gb <= 0:
        return
    words, minimum_days = CLASSES[demand.beside_hot_class]
    name = demand.beside_hot_class.lower().replace("_", "-")
    objects = demand.beside_hot_bytes / demand.object_bytes
    if demand.beside_hot_class == "INTELLIGENT_TIERING":
        for tier, first, last in AGES:
            line = f"storage.s3.{name}.{tier.split()[0].lower()}"
            age = tiered_age_hours(hours=hours, from_days=first, to_days=last)
            _stored(ledger, demand, line, f"{words} {tier} storage", stored_gb, age)
        ledger.metered(
            f"storage.s3.{name}.monitoring",
            ("AmazonS3", f"{words} monitoring and automation"),
            equation="T6",
            quantity=resource_months(count=objects / 1000, hours=hours),
        )
    else:
        billed = billed_hours(hours=hours, minimum_days=minimum_days)
        _stored(ledger, demand, f"storage.s3.{name}", f"{words} storage", stored_gb, billed)
    if uploaded:
        ledger.metered(
            f"storage.s3.{name}.put-requests",
            ("AmazonS3", f"{words} PUT/COPY/POST/LIST"),
            equation="T2",
            quantity=requests_thousands(bytes_moved=demand.beside_hot_bytes, object_bytes=demand.object_bytes),
        )


def _stored(ledger: Ledger, demand: Demand, line: str, item: str, stored_gb: float, hours: Number) -> None:
    """GB-months of one class or access tier, with its own monthly tiers; no line where it never comes to that."""
    if not np.any(np.asarray(hours) > 0):
        return
    found = ledger.look_up(line, lambda: ledger.book.metered("AmazonS3", item, ledger.region))
    if found is None or ledger.refused_beyond(line, found, stored_gb):
        return
    price = worst(used_tiers(found, stored_gb))
    quantity = stored_gb * hours / HOURS_PER_MONTH
    curve = storage_cost_curve(stored_gb=stored_gb, tiers=as_tiers(found), start=demand.start)
    ledger.add(
        line,
        service="AmazonS3",
        equation="T1",
        quantity=quantity,
        price=price,
        usd=blend(cost_at(curve, hours), quantity, price.usd),
        note="kept beside the hot data",
    )
