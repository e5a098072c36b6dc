"""Complete listings: sources that list everything sold, so that absence means "not offered".

Which source is complete is a judgment, recorded here with its reason. The builder turns it into explicit rows of
not_offered.csv: readers of a book never infer absence from a missing row, so a deleted row becomes "not known", not
"not sold".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pricing.build.days import Observation

# AWS's page of all Capacity Blocks, read in full on these days. The copies of 2024-12 and 2026-05-25
# have only a part of it.
BLOCK_PAGES = (date(2026, 1, 31), date(2026, 2, 1), date(2026, 3, 1), date(2026, 7, 22))
# every Linux type of us-east-1 in the price list
ON_DEMAND_LISTS = (date(2023, 12, 11), date(2025, 4, 28), date(2026, 7, 20))


def _options(kinds: Sequence[str], upfronts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"ri-{y}y-{k}-{u}" for y in (1, 3) for k in kinds for u in upfronts)


_ALL = ("no-upfront", "partial-upfront", "all-upfront")
# Feeds of Reserved Instances, one for each Region: a type that has any row has one for every option
# that is sold. The feeds cover a selection of types, so a type without any row proves nothing.
RESERVED_FEEDS: tuple[tuple[date, tuple[str, ...]], ...] = (
    (date(2024, 3, 8), _options(("standard",), ("no-upfront",))),
    (date(2024, 3, 8), _options(("convertible",), ("no-upfront",))),
    (date(2025, 4, 5), _options(("standard",), ("no-upfront",))),
    (date(2025, 4, 5), _options(("convertible",), ("no-upfront",))),
    (date(2025, 11, 30), _options(("standard", "convertible"), _ALL)),
    (date(2026, 5, 12), _options(("standard",), ("all-upfront",))),
)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """One complete listing: its keys, and what it covers.

    instance_types: the types whose absence it proves. regions: likewise. options: likewise, ("",) if there are none.
    """

    table: str
    when: date
    source: str
    instance_types: frozenset[str]
    regions: frozenset[str]
    options: tuple[str, ...]
    keys: frozenset[tuple[str, ...]]

    def misses(self, key: tuple[str, ...], *, any_type: bool = False) -> bool:
        """Whether the listing covers the key and does not have it.

        any_type: also for types outside `instance_types`, if the listing is not a selection.
        """
        selection = self.table == "commitments"
        return (
            key[0] == self.table
            and (key[1] in self.instance_types or (any_type and not selection))
            and key[2] in self.regions
            and (key[3] if len(key) > 3 else "") in self.options
            and key not in self.keys
        )


def listings(
    seen: Iterable[Observation],
    as_of: date,
    instance_types: frozenset[str],
    regions: frozenset[str],
    *,
    regional_feeds: bool = False,
) -> tuple[Listing, ...]:
    """The complete listings up to the day, newest first.

    regional_feeds: the feeds of Reserved Instances were read for every Region, not for us-east-1 alone.
    """
    rows = [one for one in seen if one.day.when <= as_of and one.day.vagueness == 0]
    found: list[Listing] = []

    def add(table: str, when: date, types: frozenset[str], where: frozenset[str], options: tuple[str, ...]) -> None:
        on_it = [one for one in rows if one.key[0] == table and one.day.when == when]
        on_it = [one for one in on_it if one.key[2] in where and (options == ("",) or one.key[3] in options)]
        if on_it:
            types = types or frozenset(one.key[1] for one in on_it)
            keys = frozenset(one.key for one in on_it)
            source = min(one.source for one in on_it)
            found.append(
                Listing(
                    table=table,
                    when=when,
                    source=source,
                    instance_types=types,
                    regions=where,
                    options=options,
                    keys=keys,
                )
            )

    us_east_1 = frozenset({"us-east-1"})
    for when in ON_DEMAND_LISTS:
        add("on_demand", when, instance_types, us_east_1, ("",))
    for when in BLOCK_PAGES:
        # the page of 2026-03-01 lost the names of its Local Zones, so it covers only Regions
        add("capacity_blocks", when, instance_types, frozenset(r for r in regions if r.count("-") == 2), ("",))
    for region in sorted(regions) if regional_feeds else us_east_1:
        for when, options in RESERVED_FEEDS:
            add("commitments", when, frozenset(), frozenset({region}), options)
    return tuple(sorted(found, key=lambda one: (one.when, one.options), reverse=True))
