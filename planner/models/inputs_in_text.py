"""Inputs of equations written as text: numbers with or without a unit, days, tables and prices of a book."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

from planner.models.equation import Equation, Parameter
from planner.models.units import WrongUnit, converted, split_unit, unit_of
from planner.plan.wording import did_you_mean
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption

Book = Callable[[], PriceBook]


def parameter_named(entry: Equation, key: str) -> Parameter | None:
    """The input of that name; or the only one of that name with its unit behind it: `write` is `write_hours`."""
    by_name = {p.name: p for p in entry.parameters}
    if key in by_name:
        return by_name[key]
    longer = [p for p in entry.parameters if key and p.name.startswith(f"{key}_")]
    return longer[0] if len(longer) == 1 else None


def value_in_text(parameter: Parameter, text: str, book: Book) -> tuple[Any, str]:
    """(value in the parameter's unit, note about a price). Raises ValueError."""
    if text.startswith("price:"):
        return price_in_text(text.removeprefix("price:"), book())
    if parameter.unit == "YYYY-MM-DD":
        return _day(text), ""
    if ":" in parameter.unit:
        return _table(text, parameter.unit), ""
    return number_in_text(text, parameter.unit), ""


def number_in_text(text: str, unit: str) -> float:
    """A number in a unit, from text that may carry another of the same kind: 13min is 0.2167 h. Raises ValueError."""
    digits, own = split_unit(text)
    number = _number(digits.replace(",", "").replace("_", ""))
    if own:
        number = _in_unit(number, own, unit)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    if not 1e-300 < abs(number) < 1e300 and number != 0:
        raise ValueError("too large or too small to compute with")
    if number < 0:
        raise ValueError("cannot be negative")
    if unit == "fraction" and not 0 <= number <= 1:
        raise ValueError("a fraction lies between 0 and 1")
    return int(number) if number == int(number) and abs(number) < 1e15 else number


def _in_unit(number: float, own: str, unit: str) -> float:
    if own == "%" and unit_of(unit) is None:
        return number / 100
    if unit_of(own) is None:
        raise ValueError(f"{own!r} is no unit that is known: write it in {unit}")
    if unit_of(unit) is None:
        # in a ratio, quantities cancel their unit, so that any is right in which both are written
        if unit.endswith("quantity"):
            kind, factor = unit_of(own) or ("", 1.0)
            return number * factor if kind else number
        raise ValueError(f"{own} is not a unit of {unit}")
    try:
        return converted(number, own, unit)
    except WrongUnit as error:
        raise ValueError(str(error)) from None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("not a day: write 2026-10-05") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("not a number") from None


def _table(text: str, unit: str) -> list[tuple[float, ...]]:
    rows: list[tuple[float, ...]] = []
    for part in text.replace(";", ",").split(","):
        cells = tuple(_number(cell) for cell in part.strip().split(":"))
        if len(cells) != unit.split(",")[0].count(":") + 1:
            raise ValueError(f"write {unit}")
        rows.append((int(cells[0]), *cells[1:]) if len(cells) == 2 else cells)
    return rows


def price_in_text(text: str, book: PriceBook) -> tuple[float, str]:
    """(USD, note) of `p4d.24xlarge`, `p4d.24xlarge/ri-1y-standard-no-upfront` or `p5.48xlarge/spot@us-west-2`.

    Raises ValueError for what the book does not have.
    """
    what, _, region = text.partition("@")
    name, _, purchase = what.partition("/")
    region = region or "us-east-1"
    if not name:
        raise ValueError("no instance type: write price:p4d.24xlarge, or price:p4d.24xlarge/spot")
    try:
        option = PurchaseOption.parse(purchase or "on-demand")
    except ValueError as error:
        near = did_you_mean(purchase, ALL_PURCHASE_OPTIONS)
        raise ValueError(f"{error}: {near or f'`planner offers {name}` lists what has a price'}") from None
    try:
        if option.family == "on-demand":
            price = book.on_demand(name, region)
        elif option.starts_on_spot:
            price = book.spot(name, region).planned
        elif option.family == "capacity-block":
            price = book.capacity_block(name, region).price
        else:
            price = book.commitment(name, region, option).price
    except PriceNotFound as error:
        raise ValueError(str(error)) from error
    note = f"{text}: {price.usd} USD/{price.unit}, {region}, observed {price.observed}, grade {price.grade}"
    return price.usd, f"{note}, book of {book.as_of}"


def read_assignments(
    entry: Equation, inputs: Sequence[str], value: Callable[[Parameter, str], Any]
) -> tuple[dict[str, Any], list[str], list[Parameter]]:
    """(values by input name, faults, inputs that are missing) of `KEY=VALUE` texts, defaults included.

    value: reads one; what it raises as ValueError becomes a fault.
    """
    names: Iterable[str] = [p.name for p in entry.parameters]
    values: dict[str, Any] = {p.name: p.default for p in entry.parameters if p.default is not None}
    faults: list[str] = []
    seen: set[str] = set()
    for text in inputs:
        key, equals, right = (part.strip() for part in text.partition("="))
        parameter = parameter_named(entry, key)
        if not equals:
            faults.append(f"{text!r}: write KEY=VALUE")
        elif parameter is None:
            hint = did_you_mean(key, names) or f"it takes {', '.join(names)}"
            faults.append(f"{entry.name} has no input {key!r}: {hint}")
        elif parameter.name in seen:
            faults.append(f"{parameter.name} is given twice")
        else:
            seen.add(parameter.name)
            try:
                if key != parameter.name and not split_unit(right.rpartition("..")[2])[1]:
                    raise ValueError(f"write the unit, or {parameter.name}={right}")
                values[parameter.name] = value(parameter, right)
            except ValueError as error:
                faults.append(f"{key}={right}: {error}")
    missing = [p for p in entry.parameters if p.name not in values and p.name not in seen]
    return values, faults, missing
