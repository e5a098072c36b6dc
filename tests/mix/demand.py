"""Three years of real hourly demand (../shared/demand, Apache-2.0), which is in no published package."""

from __future__ import annotations

import csv
import gzip
from datetime import datetime
from functools import cache

import numpy as np

from planner.mix.model import Array
from tests.typed import ROOT

FILE = ROOT.parent / "shared" / "demand" / "hourly_normalized.csv.gz"
HOURS = 26_280
FIRST = datetime(2021, 2, 1)


@cache
def by_type() -> dict[str, Array]:
    """Normalised virtual machines of each of the 12 types in each hour, over all regions."""
    found: dict[str, Array] = {}
    with gzip.open(FILE, "rt", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            hour = int((datetime.fromisoformat(row["USAGE_HOUR"]) - FIRST).total_seconds() // 3600)
            found.setdefault(row["INSTANCE_TYPE"], np.zeros(HOURS))[hour] += float(row["NORM_USAGE"])
    return dict(sorted(found.items()))


def total() -> Array:
    """All types together."""
    return np.sum(list(by_type().values()), axis=0)


def window(first: str, last: str) -> Array:
    """The hours of these days, scaled to a peak of 100, without the last hour: as the authors take them."""
    begin, end = ((datetime.fromisoformat(day) - FIRST).days * 24 for day in (first, last))
    hours = total()[begin : end + 24]
    return (hours * 100 / hours.max())[:-1]
