"""Cost per day of the contents of a bucket: S3's own count of bytes, at the tiers of the price list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from planner.stack.remaining_resources import Remaining

GIB = 2**30  # S3 bills this as a GB
DAYS = 730 / 24  # in a month
# storage type of CloudWatch -> what the price list calls it; other classes have more than one price each
ITEMS = {"StandardStorage": "S3 Standard storage"}
BUCKET = "s3:bucket"


def usd_per_day_of(stored: Mapping[str, float], rows: Iterable[Mapping[str, str]], region: str) -> float | None:
    """USD per day for the bytes of each storage type; None if one of them has no price."""
    tiers: dict[str, list[tuple[float, float, float]]] = {}
    for row in rows:
        if row["service"] == "AmazonS3" and row["region"] == region and row["item"] in ITEMS.values():
            tier = (float(row["tier_from"]), float(row["tier_to"]), float(row["usd"]))
            tiers.setdefault(row["item"], []).append(tier)
    usd = 0.0
    for type_, size in stored.items():
        if not size:
            continue
        found = tiers.get(ITEMS.get(type_, ""))
        if not found:
            return None
        gib = size / GIB
        usd += sum(max(0.0, min(gib, end) - start) * price for start, end, price in found)
    return usd / DAYS


def with_stored(
    row: Remaining, stored: Mapping[str, float] | None, rows: Iterable[Mapping[str, str]], region: str
) -> Remaining:
    """A bucket's row with the price of its contents; unchanged where size or price are unknown."""
    usd = usd_per_day_of(stored, rows, region) if stored else None
    if usd is None or not stored:
        return row
    size = sum(stored.values()) / GIB
    by_use = tuple(line for line in row.by_use if line.endswith("-requests"))
    return replace(row, usd_per_day=usd, by_use=by_use, note=f"{size:,.1f} GiB by S3's latest daily count")
