"""Makes the tables of one dated book from the observations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from pricing.build.catalog_rows import fsx_metadata_rows, fsx_performance_rows, instance_rows
from pricing.build.days import Change, Observation, carried, choose, parse_day, refusal
from pricing.build.events import Events
from pricing.build.listings import Listing, listings
from pricing.build.observations import Reader
from pricing.build.sources import files_of, rows_of
from pricing.build.tiers import fit_tiers
from pricing.snapshot import Row, source_id

_REGION = re.compile(r"[a-z]{2}(-gov)?-[a-z]+-\d")


class Assembly:
    """One book being built. Every method adds what it left out to `skipped`, by table and reason."""

    def __init__(self, source_folder: Path, as_of: date) -> None:
        self.as_of = as_of
        self._folder = source_folder
        self._files = files_of(as_of)
        self._reader = Reader(source_folder, self._files)
        self._events_rows = rows_of(source_folder, *self._files.events)
        self._events = Events(self._events_rows)
        self.skipped: Counter[tuple[str, str]] = self._reader.skipped
        self._texts: dict[str, str] = {}
        self._seen = {
            "on_demand": list(self._reader.on_demand()),
            "commitments": list(self._reader.commitments()),
            "capacity_blocks": list(self._reader.capacity_blocks()),
            "spot": list(self._reader.spot()),
            "metered": list(self._reader.metered()),
        }
        specs = rows_of(source_folder, "instance_specs.csv")
        ec2 = [one for name in ("on_demand", "capacity_blocks", "spot") for one in self._seen[name]]
        types = {row["instance_type"] for row in specs} | {one.key[1] for one in ec2 if one.key[0] == "capacity_blocks"}
        self.regions = frozenset(one.key[2] for one in ec2)
        self._listings = listings(
            self._seen["on_demand"] + self._seen["commitments"] + self._seen["capacity_blocks"],
            as_of,
            frozenset(types),
            self.regions,
            regional_feeds=self._files.regional_feeds,
        )

    def tables(self) -> dict[str, list[Row]]:
        """Every table of the book, rows in a fixed order."""
        made: dict[str, list[Row]] = {
            "instances": [self._with_sources(row) for row in instance_rows(self._folder)],
            "on_demand": list(self._single("on_demand", ("instance_type", "region"))),
            "commitments": list(self._single("commitments", ("instance_type", "region", "option"))),
            "capacity_blocks": list(self._single("capacity_blocks", ("instance_type", "region"))),
            "spot": list(self._spot()),
            "interruptions": list(self._interruptions()),
            "metered": list(self._metered()),
            "fsx_performance": [self._with_sources(row) for row in fsx_performance_rows(self._folder)],
            "fsx_metadata_iops": [self._with_sources(row) for row in fsx_metadata_rows(self._folder)],
            "events": [
                {**row, "grade": row["confidence"], "source": self._source(row["source"])} for row in self._events_rows
            ],
        }
        made["not_offered"] = list(self._not_offered(made))
        made["sources"] = [{"id": key, "text": self._texts[key]} for key in sorted(self._texts)]
        return made

    def facts(self) -> dict[str, Any]:
        """What the manifest says about the build: as_of, what was skipped, which listings are complete."""
        reasons: dict[str, dict[str, int]] = {}
        for (table, reason), count in sorted(self.skipped.items()):
            reasons.setdefault(table, {})[reason] = count
        return {
            "as_of": self.as_of.isoformat(),
            "skipped": reasons,
            "complete_listings": [
                {
                    "table": one.table,
                    "observed": one.when.isoformat(),
                    "regions": sorted(one.regions) if one.table != "capacity_blocks" else "all",
                    "options": [option for option in one.options if option],
                    "source": source_id(one.source),
                }
                for one in self._listings
            ],
        }

    def _source(self, text: str) -> str:
        key = source_id(text)
        if self._texts.setdefault(key, text) != text:
            raise ValueError(f"two sources share the id {key}")
        return key

    def _with_sources(self, row: Row) -> Row:
        ids = {name: self._source(row[name]) for name in ("source", "peak_source") if row.get(name)}
        return {**row, **ids}

    def _price_row(self, one: Observation, note: str = "") -> dict[str, str]:
        return {
            "usd": one.usd,
            "unit": one.unit,
            "observed": one.day.when.isoformat(),
            "grade": one.grade,
            "carried": carried(one.day.when, self.as_of),
            "source": self._source(one.source),
            "note": "; ".join(part for part in (one.note, note) if part),
        }

    def _count_refused(
        self, table: str, rows: Iterable[Observation], changes: tuple[Change, ...], *, carry_back: bool
    ) -> None:
        for one in rows:
            if reason := refusal(one, self.as_of, changes, carry_back=carry_back):
                self.skipped[table, reason] += 1

    def _gone(self, one: Observation) -> bool:
        """Whether a complete listing that is newer than the observation no longer has it."""
        return any(listing.when > one.day.when and listing.misses(one.key, any_type=True) for listing in self._listings)

    def _single(self, table: str, columns: tuple[str, ...]) -> Iterator[Row]:
        """One price per key; EC2 prices are never carried back."""
        for key, rows in _by_key(self._seen[table]):
            changes = self._events.of(key)
            self._count_refused(table, rows, changes, carry_back=False)
            best = choose(rows, self.as_of, changes)
            if best is not None and self._gone(best):
                self.skipped[table, "gone from a newer complete listing"] += 1
            elif best is not None:
                yield {**dict(zip(columns, key[1:], strict=True)), **self._price_row(best)}

    def _spot(self) -> Iterator[Row]:
        """Every observation up to the day: the range wants them all, old ones too."""
        rows = [one for one in self._seen["spot"] if one.day.when <= self.as_of]
        if later := len(self._seen["spot"]) - len(rows):
            self.skipped["spot", "later than the book"] += later
        for one in sorted(rows, key=lambda one: (one.key, one.day, one.source)):
            instance_type, region, zone_id, item = one.key[1:]
            place = {"instance_type": instance_type, "region": region, "zone_id": zone_id, "item": item}
            yield {**place, **self._price_row(one)}

    def _interruptions(self) -> Iterator[Row]:
        """The newest band up to the day."""
        newest: dict[tuple[str, str], dict[str, str]] = {}
        for row in rows_of(self._folder, *self._files.interruptions):
            if parse_day(row["date"]).when > self.as_of:
                self.skipped["interruptions", "later than the book"] += 1
                continue
            key = (row["instance_type"], row["region"])
            if key not in newest or newest[key]["date"] < row["date"]:
                newest[key] = row
        for (instance_type, region), row in sorted(newest.items()):
            yield {
                "instance_type": instance_type,
                "region": region,
                "label": row["interruption_range"],
                "observed": row["date"],
                "carried": carried(date.fromisoformat(row["date"]), self.as_of),
                "source": self._source(row["source"]),
            }

    def _metered(self) -> Iterator[Row]:
        for key, rows in _by_key(self._seen["metered"]):
            changes = self._events.of(key)
            self._count_refused("metered", rows, changes, carry_back=True)
            for one in fit_tiers(rows, self.as_of, changes, carry_back=True):
                _, service, item, region, offering = key
                place = {"service": service, "item": item, "region": region, "offering": offering}
                tier = {"tier_from": one.tier[0], "tier_to": one.tier[1]}
                yield {**place, **tier, **self._price_row(one, _bracket(one, rows, self.as_of))}

    def _not_offered(self, made: dict[str, list[Row]]) -> Iterator[Row]:
        """What a complete listing proves absent; the newest listing that covers a key is used."""
        priced = {
            (table, row["instance_type"], row["region"], row.get("option", ""))
            for table in ("on_demand", "commitments", "capacity_blocks")
            for row in made[table]
        }
        decided: dict[tuple[str, str, str, str], Listing] = {}
        for listing in self._listings:
            for instance_type in sorted(listing.instance_types):
                for region in sorted(region for region in listing.regions if _REGION.fullmatch(region)):
                    for option in listing.options:
                        place = (listing.table, instance_type, region, option)
                        key = place if option else place[:3]
                        if listing.misses(key) and place not in priced:
                            decided.setdefault(place, listing)
        everywhere = {
            (listing.table, instance_type)
            for listing in self._listings
            if listing.table == "capacity_blocks"
            for instance_type in listing.instance_types
            if not any(place[:2] == ("capacity_blocks", instance_type) for place in priced)
        }
        written: set[tuple[str, str]] = set()
        for (table, instance_type, region, option), listing in sorted(decided.items(), key=lambda item: item[0]):
            if (table, instance_type) in everywhere:
                # one row instead of one per Region for the many types without Capacity Blocks
                if (table, instance_type) in written:
                    continue
                written.add((table, instance_type))
                region = "*"
            because = f"the complete listing of {listing.when} does not have it"
            if option:
                because = f"the complete listing of {listing.when} has it with other options, not with this one"
            yield {
                "table": table,
                "instance_type": instance_type,
                "region": region,
                "option": option,
                "observed": listing.when.isoformat(),
                "source": self._source(listing.source),
                "because": because,
            }


def _by_key(seen: Iterable[Observation]) -> list[tuple[tuple[str, ...], list[Observation]]]:
    groups: dict[tuple[str, ...], list[Observation]] = defaultdict(list)
    for one in seen:
        groups[one.key].append(one)
    return sorted(groups.items())


def _bracket(chosen: Observation, rows: Iterable[Observation], as_of: date) -> str:
    """A note on a price that is carried back and was also seen before the book's date."""
    if chosen.day.when <= as_of:
        return ""
    same = [
        one.day.when
        for one in rows
        if one.day.when <= as_of and one.tier == chosen.tier and float(one.usd) == float(chosen.usd)
    ]
    return f"also seen on {max(same)}" if same else ""
