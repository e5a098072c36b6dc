"""The KEY=VALUE inputs of `planner calc`: numbers, days, tables and prices from the book."""

from __future__ import annotations

import math
import shlex
from datetime import date
from typing import TYPE_CHECKING, Any

from planner.cli.options import book_for
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.models.equation import Equation, Parameter


def read_inputs(entry: Equation, inputs: tuple[str, ...], prices: str | None) -> tuple[dict[str, Any], list[str]]:
    """(values by input name, notes about prices). Raises UsageProblem that names every fault."""
    from planner.plan.wording import did_you_mean

    parameters = {p.name: p for p in entry.parameters}
    values: dict[str, Any] = {p.name: p.default for p in entry.parameters if p.default is not None}
    faults, notes, seen = [], [], set()
    for text in inputs:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals:
            faults.append(f"{text!r}: write KEY=VALUE")
        elif key not in parameters:
            hint = did_you_mean(key, parameters) or f"it takes {', '.join(parameters)}"
            faults.append(f"{entry.name} has no input {key!r}: {hint}")
        elif key in seen:
            faults.append(f"{key} is given twice")
        else:
            seen.add(key)
            try:
                values[key], note = _value(parameters[key], value.strip(), prices)
                notes += [note] if note else []
            except ValueError as error:
                faults.append(f"{key}={value}: {error}")
    missing = [p for p in entry.parameters if p.name not in values and p.name not in seen]
    faults += [f"{p.name} [{p.unit}] is missing" for p in missing]
    if faults:
        example = _example(entry, inputs) if missing and len(faults) == len(missing) else ""
        raise UsageProblem("; ".join(faults) + example)
    return values, notes


def _example(entry: Equation, inputs: tuple[str, ...]) -> str:
    """The command as typed, completed with a sample value for each missing input."""
    given = {text.partition("=")[0].strip() for text in inputs}
    rest = [f"{p.name}={sample(p)}" for p in entry.parameters if p.default is None and p.name not in given]
    words = " ".join([*(shlex.quote(text) for text in inputs), *rest])
    return f"\n    like this: planner calc {entry.number} {words}\n    `planner calc {entry.number}` explains each"


def sample(parameter: Parameter) -> str:
    if parameter.unit == "YYYY-MM-DD":
        return "2026-10-05"
    if ":" in parameter.unit:
        return "0:inf:0.023" if parameter.unit.split(",")[0].count(":") == 2 else "8:128.2,16:254.0"
    return {"fraction": "0.9", "days": "14"}.get(parameter.unit, "100")


def _value(parameter: Parameter, text: str, prices: str | None) -> tuple[Any, str]:
    if text.startswith("price:"):
        return _price(text.removeprefix("price:"), prices)
    if parameter.unit == "YYYY-MM-DD":
        return _day(text), ""
    if ":" in parameter.unit:
        return _table(text, parameter.unit), ""
    text = text.replace(",", "").replace("_", "")
    percent = text.endswith("%")
    number = _number(text.rstrip("%")) / (100 if percent else 1)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    if not 1e-300 < abs(number) < 1e300 and number != 0:
        raise ValueError("too large or too small to compute with")
    if number < 0:
        raise ValueError("cannot be negative")
    if parameter.unit == "fraction" and not 0 <= number <= 1:
        raise ValueError("a fraction lies between 0 and 1")
    return (int(number) if number == int(number) and abs(number) < 1e15 else number), ""


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
    rows = []
    for part in text.replace(";", ",").split(","):
        cells = tuple(_number(cell) for cell in part.strip().split(":"))
        if len(cells) != unit.split(",")[0].count(":") + 1:
            raise ValueError(f"write {unit}")
        rows.append((int(cells[0]), *cells[1:]) if len(cells) == 2 else cells)
    return rows


def _price(text: str, prices: str | None) -> tuple[float, str]:
    from planner.plan.wording import did_you_mean
    from pricing.book import PriceNotFound
    from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption

    book = book_for(prices)
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
