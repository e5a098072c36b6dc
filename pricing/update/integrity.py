"""Checks of a book that was just written, before its folder gets its name."""

from __future__ import annotations

from collections.abc import Iterator

from pricing import parse
from pricing.book import PriceBook
from pricing.listing import Change, lines
from pricing.offers import Price

LARGEST_FACTOR = 4.0  # no list price of AWS has moved by more in one step; a wrong unit moves it by 1,000


def faults_of(book: PriceBook) -> list[str]:
    """What is wrong with the book: files that differ from its manifest, rows that are no prices, tiers with gaps.

    Raises BrokenBook for a table that cannot be read at all.
    """
    faults = [f"{name} differs from the manifest" for name in book.changed]
    keys: set[tuple[str, ...]] = set()
    for line in lines(book):  # parses every price
        key = (line.what, line.region, str(line.price.observed) if " spot " in line.what else "")
        if key in keys and " spot " not in line.what:
            faults.append(f"{line.what} in {line.region} stands in it twice")
        keys.add(key)
    ladders: dict[tuple[str, ...], list[Price]] = {}
    for row in book.rows("metered"):
        key = (row["service"], row["item"], row["region"], row["offering"])
        ladders.setdefault(key, []).append(book.price(row))
    faults += [
        f"{' '.join(key)}: its tiers leave a gap" for key, tiers in ladders.items() if not parse.tiers_abut(tiers)
    ]
    for row in book.rows("interruptions"):
        parse.interruption(row, "")
    return faults


def jumps(changes: list[Change]) -> Iterator[Change]:
    """Prices that moved by more than `LARGEST_FACTOR`: more likely a wrong unit or row than a new price. Spot may."""
    for change in changes:
        if change.old and change.new and " spot " not in change.what:
            factor = change.new / change.old
            if not 1 / LARGEST_FACTOR <= factor <= LARGEST_FACTOR:
                yield change
