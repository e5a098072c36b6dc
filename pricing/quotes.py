"""The book of prices that a person brought: quotes, private offers and discounts by service, each with its validity.

A CSV file with a line for each (COLUMNS); lines are only added, and the last one for the same price counts.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Protocol

from pricing.offers import ALL_PURCHASE_OPTIONS, Basis, Price, PurchaseOption
from pricing.own import OwnPrice
from pricing.snapshot import BrokenBook, Row
from pricing.user_books import data_folder

FILE = "own-prices.csv"
GRADES = ("A", "B", "C")
TABLES = {"on-demand": "on_demand", "spot": "spot", "capacity-block": "capacity_blocks"}


class _Book(Protocol):
    def rows(self, table: str) -> tuple[Row, ...]: ...
    def price(self, row: Row) -> Price: ...


@dataclass(frozen=True, kw_only=True)
class Quote:
    """One line. Either purchase and instance_type, or service and item, or service and percent off its list prices.

    usd: per unit. region: "" for every Region, only with percent. source: where it comes from, with its number.
    """

    purchase: str = ""
    instance_type: str = ""
    service: str = ""
    item: str = ""
    offering: str = ""
    region: str = ""
    usd: float | None = None
    unit: str = ""
    percent: float | None = None
    valid_from: date
    valid_to: date
    grade: str
    source: str
    added: date

    @property
    def key(self) -> tuple[str, ...]:
        """What it is the price of: two lines with the same key are one price at two times."""
        return (self.purchase, self.instance_type, self.service, self.item, self.offering, self.region)

    def is_valid_on(self, day: date) -> bool:
        return self.valid_from <= day <= self.valid_to


COLUMNS = tuple(field.name for field in fields(Quote))


def own_prices_file() -> Path:
    """Where `planner prices add` writes."""
    return data_folder() / FILE


def read(path: Path) -> list[Quote]:
    """All lines, the oldest first; none where there is no file. Raises BrokenBook with file and line."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BrokenBook(f"{path} cannot be read: {error}") from None
    if not lines or tuple(lines[0]) != COLUMNS:
        raise BrokenBook(f"{path}:1: the columns are not {','.join(COLUMNS)}")
    found: list[Quote] = []
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(COLUMNS):
            raise BrokenBook(f"{path}:{number}: {len(line)} values for {len(COLUMNS)} columns")
        try:
            found.append(_quote(dict(zip(COLUMNS, line, strict=True))))
        except ValueError as error:
            raise BrokenBook(f"{path}:{number}: {error}") from None
    return found


def _quote(row: dict[str, str]) -> Quote:
    made = Quote(
        purchase=row["purchase"],
        instance_type=row["instance_type"],
        service=row["service"],
        item=row["item"],
        offering=row["offering"],
        region=row["region"],
        usd=float(row["usd"]) if row["usd"] else None,
        unit=row["unit"],
        percent=float(row["percent"]) if row["percent"] else None,
        valid_from=date.fromisoformat(row["valid_from"]),
        valid_to=date.fromisoformat(row["valid_to"]),
        grade=row["grade"],
        source=row["source"],
        added=date.fromisoformat(row["added"]),
    )
    if problem := problem_of(made):
        raise ValueError(problem)
    return made


def problem_of(quote: Quote) -> str:
    """What is wrong with a line by itself, or ""."""
    if (quote.usd is None) == (quote.percent is None):
        return "it has not one of usd and percent"
    if quote.usd is not None and not 0 < quote.usd < math.inf:
        return f"{quote.usd} USD is no price"
    if quote.percent is not None and not 0 < quote.percent < 100:
        return f"a discount of {quote.percent} % is not between 0 and 100"
    if quote.purchase and quote.purchase not in ALL_PURCHASE_OPTIONS:
        return f"{quote.purchase!r} is not a purchase option"
    if quote.purchase == "spot-fallback":
        return "spot-fallback is bought as spot and On-Demand, which have prices of their own"
    if bool(quote.purchase) != bool(quote.instance_type) or bool(quote.purchase) == bool(quote.service):
        return "it is not of one thing: an instance type and its purchase, or a service"
    if quote.usd is not None and (not quote.region or not quote.unit or bool(quote.service) != bool(quote.item)):
        return "a price needs a Region, a unit and, of a service, an item"
    if quote.percent is not None and (quote.purchase or quote.item):
        return "a discount is of a whole service"
    if quote.grade not in GRADES:
        return f"the grade {quote.grade!r} is not A, B or C"
    if quote.valid_to < quote.valid_from:
        return f"it ends on {quote.valid_to}, before it begins on {quote.valid_from}"
    return "" if quote.source.strip() else "it has no source"


def add(path: Path, quote: Quote) -> None:
    """Add a line. Raises BrokenBook where the file has something else in it."""
    read(path)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    _begin(path)
    writer.writerow(["" if (value := getattr(quote, name)) is None else value for name in COLUMNS])
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(text.getvalue())  # one write: two at once give two lines


def _begin(path: Path) -> None:
    """Make the file with its header, whole or not at all: another process may do the same now."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    import tempfile  # takes 3 ms and is needed only to write

    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".own-", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(COLUMNS)
        file.flush()
        with suppress(FileExistsError):
            os.link(file.name, path)
            path.chmod(0o644)


def valid(quotes: Iterable[Quote], day: date) -> list[Quote]:
    """The last line of each key that is valid on a day."""
    return list({quote.key: quote for quote in quotes if quote.is_valid_on(day)}.values())


def not_over(quotes: Iterable[Quote], day: date) -> list[Quote]:
    """The last line of each key that is valid on the day or later."""
    return list({quote.key: quote for quote in quotes if quote.valid_to >= day}.values())


def own_prices(quotes: Sequence[Quote], book: _Book, regions: Collection[str]) -> tuple[OwnPrice, ...]:
    """What the quotes give in some Regions, for `PriceBook.with_standing`.

    A discount of AmazonEC2 is taken off On-Demand prices, that of another service off everything that it bills by use.
    Commitments, spot and Capacity Blocks have quotes of their own. A price goes before a discount, and the discount of
    one Region before that of all.
    """
    made: dict[tuple[str, ...], list[OwnPrice]] = {}
    for quote in sorted(quotes, key=lambda one: (one.percent is None, bool(one.region))):
        if quote.percent is not None:
            for own in _discounted(quote, book, regions):
                if own.price.tier_from == 0:
                    made[own.key] = []
                made[own.key].append(own)
        elif quote.region in regions:
            key = _key(quote)
            made[key] = [OwnPrice(key=key, price=_price(quote, quote.usd or 0.0, quote.unit))]
    return tuple(own for prices in made.values() for own in prices)


def _key(quote: Quote) -> tuple[str, ...]:
    if quote.service:
        return ("metered", quote.service, quote.item, quote.region, quote.offering)
    option = PurchaseOption.parse(quote.purchase)
    key = (TABLES.get(option.id, "commitments"), quote.instance_type, quote.region)
    return (*key, option.id) if option.years else key


def _price(quote: Quote, usd: float, unit: str, tier_from: float = 0.0, tier_to: float = math.inf) -> Price:
    return Price(
        usd=usd,
        unit=unit,
        observed=quote.added,
        grade=quote.grade,
        source=f"own price book: {quote.source} (valid {quote.valid_from} to {quote.valid_to})",
        basis=Basis.OWN,
        tier_from=tier_from,
        tier_to=tier_to,
    )


def _discounted(quote: Quote, book: _Book, regions: Collection[str]) -> Iterable[OwnPrice]:
    factor = 1 - (quote.percent or 0.0) / 100
    wanted = [region for region in regions if quote.region in ("", region)]
    if quote.service == "AmazonEC2":
        for row in book.rows("on_demand"):
            if row["region"] in wanted:
                price = book.price(row)
                key = ("on_demand", row["instance_type"], row["region"])
                yield OwnPrice(key=key, price=_price(quote, round(price.usd * factor, 9), price.unit))
        return
    rows = [row for row in book.rows("metered") if row["service"] == quote.service and row["region"] in wanted]
    for row in sorted(rows, key=lambda row: float(row["tier_from"])):
        price = book.price(row)
        key = ("metered", row["service"], row["item"], row["region"], row["offering"])
        usd = round(price.usd * factor, 12)
        yield OwnPrice(key=key, price=_price(quote, usd, price.unit, price.tier_from, price.tier_to))
