"""Which source files a book is built from.

The folder of sources grows, and a committed book must still be what `python -m pricing.build` gives, byte for byte.
So a book reads the files that existed when its edition was made, and a newer edition reads all of them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

SourceRow = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class SourceFiles:
    """File names by what they hold. corrections: a list of rows whose date is wrong, "" if none is applied.

    regional_feeds: whether the feeds of Reserved Instances cover Regions other than us-east-1.
    """

    on_demand: tuple[str, ...]
    full_lists: tuple[str, ...]
    commitments: tuple[str, ...]
    capacity_blocks: tuple[str, ...]
    spot: tuple[str, ...]
    interruptions: tuple[str, ...]
    metered: tuple[str, ...]
    events: tuple[str, ...]
    corrections: str = ""
    regional_feeds: bool = False


FIRST_EDITION = SourceFiles(
    on_demand=("ec2_ondemand.csv", "ec2_price_list_versions.csv"),
    full_lists=(
        "ec2_ondemand_us_east_1_full_2023-12-11.csv",
        "ec2_ondemand_us_east_1_full_2025-04-28.csv",
        "ec2_ondemand_us_east_1_full_2026-07-20.csv",
    ),
    commitments=("ec2_reserved_and_savings_plans.csv",),
    capacity_blocks=("capacity_blocks.csv",),
    spot=("spot_prices.csv",),
    interruptions=("spot_advisor.csv",),
    metered=("s3_prices.csv", "fsx_lustre_prices.csv", "ebs_efs_prices.csv", "network_and_other_prices.csv"),
    events=("price_events.csv",),
)
REGIONAL_EDITION = SourceFiles(
    on_demand=(*FIRST_EDITION.on_demand, "regional_compute.csv"),
    full_lists=FIRST_EDITION.full_lists,
    commitments=(*FIRST_EDITION.commitments, "regional_commitments.csv"),
    capacity_blocks=FIRST_EDITION.capacity_blocks,
    spot=(*FIRST_EDITION.spot, "spot_history.csv"),
    interruptions=(*FIRST_EDITION.interruptions, "spot_advisor_newer.csv"),
    metered=(*FIRST_EDITION.metered, "regional_metered.csv"),
    events=(*FIRST_EDITION.events, "price_events_newer.csv"),
    corrections="corrections.csv",
    regional_feeds=True,
)
# The last book of the first edition. Its spot rows of "2026-08" are wrong (corrections.csv) and stay as committed.
FIRST_EDITION_UNTIL = date(2026, 9, 1)


def files_of(as_of: date) -> SourceFiles:
    """The files that a book of the day is built from."""
    return FIRST_EDITION if as_of <= FIRST_EDITION_UNTIL else REGIONAL_EDITION


def rows_of(folder: Path, *names: str) -> list[SourceRow]:
    """All rows of the source files, one file after the other."""
    found: list[SourceRow] = []
    for name in names:
        with (folder / name).open(newline="", encoding="utf-8") as file:
            found += csv.DictReader(file)
    return found


class Corrections:
    """Known errors in the sources: a row of a listed file whose source and value match gets the right value."""

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        self._rows = rows

    def applied(self, name: str, row: SourceRow) -> SourceRow:
        """The row of the file, corrected; its notes say what was corrected. The row itself if nothing is wrong."""
        for one in self._rows:
            column, was, now = one["column"], one["was"], one["now"]
            if (
                name in one["files"].split(";")
                and one["source_contains"] in row.get("source", "")
                and row[column] == was
            ):
                note = f"{column} corrected from {was}, {one['date_kind']}"
                row = {**row, column: now, "notes": "; ".join(part for part in (row["notes"], note) if part)}
        return row
