"""Reads the source CSV files into observations; rows that cannot be used are skipped and counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from pricing.build.days import Observation, parse_day
from pricing.build.sources import FIRST_EDITION, Corrections, SourceFiles, SourceRow, rows_of

# AWS has one price for every Region, whatever Region the copy names
EVERY_REGION = {("AmazonVPC", "Public IPv4 address, in use")}
SPOT_ITEMS = {
    "Linux spot": "zone",
    "Linux spot, lowest zone": "low",
    "Linux spot, highest zone": "high",
    "Linux spot, mean over zones": "mean",
}
_KINDS = {"EC2 Instance Savings Plan": "instance", "Compute Savings Plan": "compute"}
_UPFRONT = {"No Upfront": "no-upfront", "Partial Upfront": "partial-upfront", "All Upfront": "all-upfront"}


def option_of(row: dict[str, str]) -> str:
    """`ri-1y-standard-no-upfront` of a source row; "" if the payment option or plan family is missing."""
    qualifier = ""
    text = row["offering"]
    if text.endswith(")"):
        text, _, qualifier = text[:-1].partition(" (")
    kind, _, upfront = text.partition(", ")
    years = {"1yr": "1y", "3yr": "3y"}[row["term"]]
    if upfront not in _UPFRONT or "not stated" in qualifier:
        return ""
    if kind in ("Standard", "Convertible"):
        return f"ri-{years}-{kind.lower()}-{_UPFRONT[upfront]}"
    if kind in _KINDS:
        return f"sp-{years}-{_KINDS[kind]}-{_UPFRONT[upfront]}"
    return ""


# what did not exist before a month: (table, service, begin of the item). storagenews.top: announced in May 2025
LAUNCHED = {("metered", "AmazonFSx", "INTELLIGENT_TIERING"): date(2025, 5, 1)}


def _skip_reason(row: dict[str, str]) -> str:
    if row["price_usd"] == "":
        return "price not stated"
    if row["region"] in ("", "unknown"):
        return "region not named"
    return ""


def _metered_key(row: dict[str, str]) -> tuple[str, ...]:
    service, item, region, offering = row["service"], row["item"], row["region"], row["offering"]
    if service == "AmazonFSx (Lustre)":
        # the deployment type is in the SKU column and is part of the name of the offering
        service, item = "AmazonFSx", f"{row['sku_or_instance_type']} {item}"
    else:
        offering = ""  # a usage type that only some copies have, so it cannot distinguish rows
    if (service, item) in EVERY_REGION:
        region = "all"
    return ("metered", service, item, region, offering)


def _observation(row: dict[str, str], key: tuple[str, ...], grade: str, note: str) -> Observation:
    day = parse_day(row["date"])
    for (table, service, item), launched in LAUNCHED.items():
        if key[:2] == (table, service) and key[2].startswith(item):
            day = replace(day, not_before=max(day.not_before, launched))
    if day.vagueness:
        note = "; ".join(part for part in (f"source dated {row['date']!r}", note) if part)
    return Observation(
        key=key,
        usd=row["price_usd"],
        unit=row["unit"],
        day=day,
        grade=grade,
        source=row["source"],
        note=note,
        tier=(row.get("tier_from") or "0", row.get("tier_to") or "Inf"),
    )


class Reader:
    """Reads the given files of one source folder. `skipped` counts unusable rows by (table, reason)."""

    def __init__(self, folder: Path, files: SourceFiles = FIRST_EDITION) -> None:
        self.folder = folder
        self.files = files
        self._corrections = Corrections(rows_of(folder, files.corrections) if files.corrections else ())
        self.skipped: Counter[tuple[str, str]] = Counter()

    def on_demand(self) -> Iterator[Observation]:
        """Linux on-demand, shared tenancy."""
        for row in self._rows(self.files.on_demand + self.files.full_lists):
            key = ("on_demand", row["sku_or_instance_type"], row["region"])
            # the full lists have no grade column; they are the same price list that
            # ec2_ondemand.csv grades A
            yield from self._checked(row, key, row.get("confidence", "A"), row.get("notes", ""))

    def commitments(self) -> Iterator[Observation]:
        """Reserved Instances and Savings Plans; a rate whose payment option is not stated is skipped."""
        for row in self._rows(self.files.commitments):
            option = option_of(row)
            if not option:
                plan = "Savings Plan" in row["item"]
                reason = "plan family or payment not stated" if plan else "payment option not stated"
                self.skipped["commitments", reason] += 1
                continue
            note = row["notes"]
            if row["offering"].endswith(")"):
                note = row["offering"].rpartition(" (")[2].rstrip(")") + (f"; {note}" if note else "")
            key = ("commitments", row["sku_or_instance_type"], row["region"], option)
            yield from self._checked(row, key, row["confidence"], note)

    def capacity_blocks(self) -> Iterator[Observation]:
        """Reservation fees of Capacity Blocks per instance-hour."""
        for row in self._rows(self.files.capacity_blocks):
            key = ("capacity_blocks", row["instance_type"], row["region"])
            yield from self._checked({**row, "unit": "Hrs"}, key, row["confidence"], row["notes"])

    def spot(self) -> Iterator[Observation]:
        """Spot prices by zone ID, and figures over a whole Region."""
        for row in self._rows(self.files.spot):
            item = SPOT_ITEMS[row["item"]]
            key = ("spot", row["sku_or_instance_type"], row["region"], row["availability_zone"], item)
            yield from self._checked(row, key, row["confidence"], row["notes"])

    def metered(self) -> Iterator[Observation]:
        """Prices that are billed by use."""
        for row in self._rows(self.files.metered):
            yield from self._checked(row, _metered_key(row), row["confidence"], row["notes"])

    def _rows(self, names: tuple[str, ...]) -> Iterator[SourceRow]:
        for name in names:
            for row in rows_of(self.folder, name):
                yield self._corrections.applied(name, row)

    def _checked(self, row: dict[str, str], key: tuple[str, ...], grade: str, note: str) -> Iterator[Observation]:
        if reason := _skip_reason(row):
            self.skipped[key[0], reason] += 1
        else:
            yield _observation(row, key, grade, note)
