"""Similar prices for one that is missing: same type elsewhere, other terms, similar names."""

from __future__ import annotations

from collections.abc import Iterable

from pricing.snapshot import Row

_MOST = 4


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))[:_MOST]


def names(wanted: str, known: Iterable[str]) -> tuple[str, ...]:
    """Known names that resemble the given one, best first; case is ignored."""
    import difflib  # takes 3 ms and is needed only for a message

    by_lower = {one.lower(): one for one in known}
    # 0.75 accepts one typing error in "p4d.24xlarge" and excludes other families
    found = difflib.get_close_matches(wanted.lower(), by_lower, n=_MOST, cutoff=0.75)
    begun = [one for one in sorted(by_lower) if one.startswith(wanted.lower())] if wanted else []
    return _unique(by_lower[one] for one in [*begun, *found])


def compute(
    rows: Iterable[Row], instance_type: str, region: str, option: str = "", *, known: bool = False
) -> tuple[str, ...]:
    """Similar rows of a table with instance_type and region: other options here, then other Regions, then names.

    known: the type exists, so a similar name would be another instance type, not a typing error.
    """
    here: list[str] = []
    elsewhere: list[str] = []
    types: set[str] = set()
    for row in rows:
        types.add(row["instance_type"])
        if row["instance_type"] != instance_type:
            continue
        if row["region"] == region:
            here.append(" ".join(part for part in (instance_type, row.get("option", ""), "in", region) if part))
        elif row.get("option", "") == option:
            elsewhere.append(f"{instance_type} in {row['region']}")
    if here or elsewhere:
        here.sort(key=lambda words: -_shared(option, words))
        return _unique([*here, *sorted(elsewhere, key=lambda words: _distance(region, words))])
    return () if known else _unique(names(instance_type, types))


def _shared(option: str, words: str) -> int:
    """The number of parts that an option shares with `ri-3y-standard-no-upfront`."""
    parts = words.split()[1].split("-")
    return sum(mine == its for mine, its in zip(option.split("-"), parts, strict=False))


def _distance(region: str, words: str) -> tuple[bool, str]:
    """Regions of the same continent first."""
    return (not words.rpartition(" ")[2].startswith(region.split("-")[0]), words)


def metered(rows: Iterable[Row], service: str, item: str, region: str, offering: str) -> tuple[str, ...]:
    """Similar rows of the metered table: other offerings here, other Regions, then items with a similar name."""
    rows = [row for row in rows if row["service"] == service]
    here = [row for row in rows if row["region"] == region]
    offerings = [f"{item} ({row['offering']})" for row in here if row["item"] == item]
    elsewhere = [f"{item} in {row['region']}" for row in rows if row["item"] == item and row["offering"] == offering]
    similar = names(item, {row["item"] for row in here})
    # the only price of its kind: other prices of the service here at least show that the book covers it
    return _unique([*offerings, *elsewhere, *similar]) or _unique(sorted({row["item"] for row in here}))
