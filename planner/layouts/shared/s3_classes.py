"""S3 storage classes for data that training does not read: raw sources, old versions, results.

Training reads the hot data, so it stays in S3 Standard. The run never reads the other data; a class with a minimum
duration bills all of it, and Intelligent-Tiering moves unread objects to cheaper tiers.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from planner.layouts.base import Demand
from planner.models.calendar_months import calendar_months
from planner.models.derived import PRICE
from planner.models.ledger import Ledger
from planner.models.metered import billed_gb, billed_hours, requests_thousands, resource_months, tiered_age_hours
from planner.models.number import Number, scalar
from planner.models.quote import stored_unit_usd

# class -> (words of the price book, minimum billed days)
CLASSES = {
    "STANDARD_IA": ("S3 Standard-IA", 30),
    "GLACIER_IR": ("S3 Glacier Instant Retrieval", 90),
    "INTELLIGENT_TIERING": ("S3 Intelligent-Tiering", 0),
}
# Intelligent-Tiering without opting in to archive: (access tier, from day, to day) of an unread object
AGE_RULE = "rule:Amazon S3 Intelligent-Tiering: days without a read until an object moves to a cheaper tier"
STORED_HOURS, STORED_MONTHS = "run:storage.s3.hours", "run:storage.s3.months"
START = "run:run.start"
AGES = (("Frequent Access", 0, 30), ("Infrequent Access", 30, 90), ("Archive Instant Access", 90, np.inf))


def bill_beside_hot(ledger: Ledger, demand: Demand, hours: Number, months: Number, uploaded: bool) -> None:
    """Storage of the data that training does not read, if the plan sets a class for it."""
    if demand.beside_hot_class == "STANDARD" or demand.beside_hot_bytes <= 0:
        return
    sheet, beside = ledger.sheet, (demand.beside_hot_bytes, "run:data.beside_hot_bytes")
    stored_gb = scalar(sheet.equation("data.beside_hot_gb", billed_gb, bytes_moved=beside))
    words, minimum_days = CLASSES[demand.beside_hot_class]
    name = demand.beside_hot_class.lower().replace("_", "-")
    if demand.beside_hot_class == "INTELLIGENT_TIERING":
        for tier, first, last in AGES:
            line = f"storage.s3.{name}.{tier.split()[0].lower()}"
            age = sheet.equation(
                f"{line}.hours",
                tiered_age_hours,
                hours=(hours, STORED_HOURS),
                from_days=(first, AGE_RULE),
                to_days=(last, AGE_RULE),
            )
            _stored(ledger, demand, line, f"{words} {tier} storage", stored_gb, age)
        thousands = sheet.arithmetic(
            "data.beside_hot_thousands",
            demand.beside_hot_bytes / demand.object_bytes / 1000,
            "1k objects",
            "stored / object_bytes / 1000",
            stored=(*beside, "bytes"),
            object_bytes=(demand.object_bytes, "run:data.object_bytes", "bytes"),
        )
        ledger.metered(
            f"storage.s3.{name}.monitoring",
            ("AmazonS3", f"{words} monitoring and automation"),
            equation="T6",
            quantity=resource_months(count=thousands, months=months),
            inputs={"count": (thousands, "run:data.beside_hot_thousands"), "months": (months, STORED_MONTHS)},
        )
    else:
        billed = sheet.equation(
            f"storage.s3.{name}.hours",
            billed_hours,
            hours=(hours, STORED_HOURS),
            minimum_days=(minimum_days, "rule:Amazon S3 pricing: minimum storage duration of the class"),
        )
        _stored(ledger, demand, f"storage.s3.{name}", f"{words} storage", stored_gb, billed)
    if uploaded:
        ledger.metered(
            f"storage.s3.{name}.put-requests",
            ("AmazonS3", f"{words} PUT/COPY/POST/LIST"),
            equation="T2",
            quantity=requests_thousands(bytes_moved=demand.beside_hot_bytes, object_bytes=demand.object_bytes),
            inputs={
                "bytes_moved": beside,
                "object_bytes": (demand.object_bytes, "run:data.object_bytes"),
            },
        )


def _stored(ledger: Ledger, demand: Demand, line: str, item: str, stored_gb: float, hours: Number) -> None:
    """GB-months of one class or access tier, with its own monthly price tiers; no line if nothing gets there."""
    if not np.any(np.asarray(hours) > 0):
        return
    quote = ledger.quote(line, ("AmazonS3", item), stored_gb)
    if quote is None:
        return
    quantity = stored_gb * calendar_months(demand.start, hours)

    ledger.quoted(
        line,
        quote,
        equation="T10",
        quantity=quantity,
        inputs={
            "stored_gb": (stored_gb, "run:data.beside_hot_gb"),
            "tiers": (quote.tiers, PRICE),
            "start": (demand.start, START),
            "hours": (hours, f"run:{line}.hours"),
            "below_gb": (0.0, "rule:it has price tiers of its own"),
        },
        cost=partial(stored_unit_usd, stored_gb, demand.start, hours, quantity, 0.0),
        monthly=stored_gb,
        note="data that training does not read",
    )
