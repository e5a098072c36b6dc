"""`planner calc`: one numbered equation, with its steps, so that anyone can check a figure by hand."""

from __future__ import annotations

import difflib
import json
import math
import shlex
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from planner.cli.options import book_for, common, prices_option
from planner.cli.output import columns, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.models.equation import Equation, Parameter


@click.command()
@click.argument("name", required=False)
@click.argument("inputs", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--list", "list_all", is_flag=True, help="List every equation.")
@click.option("-f", "--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@prices_option("Price book for price: values. [default: the newest]")
@common
def command(
    name: str | None,
    inputs: tuple[str, ...],
    list_all: bool,
    style: str,
    prices: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Evaluate equation NAME (or its number) at KEY=VALUE inputs and print its steps.

    Tables are written 8:128.2,16:254.0, and inf is a bound that never ends; days are written 2026-10-05. Without
    inputs NAME is explained.
    A price comes from a book as price:p4d.24xlarge,
    price:p4d.24xlarge/ri-1y-standard-no-upfront or price:p5.48xlarge/capacity-block@us-west-2.
    """
    from planner.models.catalogue import all_equations, find

    if list_all or name is None:
        write_result(_listing(style), None)
        return
    entry = find(name)
    if entry is None:
        known = [e.name for e in all_equations()]
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else "`planner calc --list` names them all."
        raise UsageProblem(f"there is no equation {name!r}: {hint}")
    if not inputs and any(p.default is None for p in entry.parameters):
        write_result(_manual(entry), None)
        return
    values, notes = _read(entry, inputs, prices)
    write_result(_evaluate(entry, values, notes, style), None)


def _listing(style: str) -> str:
    from planner.models.catalogue import all_equations
    from planner.models.formula import format_number

    if style == "json":
        document = [
            {
                "name": entry.name,
                "equation": entry.number,
                "summary": entry.summary,
                "parameters": [{"name": p.name, "unit": p.unit, "default": p.default} for p in entry.parameters],
                "result_unit": entry.result_unit,
                "source": entry.source,
            }
            for entry in all_equations()
        ]
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    lines, width = [], columns()
    for entry in all_equations():
        words = [p.name if p.default is None else f"[{p.name}={format_number(p.default)}]" for p in entry.parameters]
        text = f"{entry.number:<4}{entry.name:<30}{entry.summary}"
        lines += [text if len(text) <= width else text[: width - 3].rstrip() + "..."]
        lines += _wrapped(words, width)
    return "\n".join(lines) + "\n"


def _wrapped(words: list[str], width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(" ".join(words), width - 4, initial_indent="    ", subsequent_indent="    ",
                         break_long_words=False)  # fmt: skip


def _manual(entry: Equation) -> str:
    """Everything about one equation: what `calc NAME` prints without inputs."""
    lines = [f"{entry.number} {entry.name}", "", entry.text, ""]
    for parameter in entry.parameters:
        default = "" if parameter.default is None else f" (default {parameter.default})"
        lines.append(f"  {parameter.name} [{parameter.unit}]{default}")
    lines += [
        "",
        *(f"  {step}" for step in entry.steps),
        f"  result in {entry.result_unit}",
        f"  source: {entry.source}",
    ]
    return "\n".join(lines) + "\n"


def _read(entry: Equation, inputs: tuple[str, ...], prices: str | None) -> tuple[dict[str, Any], list[str]]:
    """Inputs by name. Raises UsageProblem that names every fault at once."""
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
    """What was typed, made whole: a value of the right form for each input that is missing."""
    given = {text.partition("=")[0].strip() for text in inputs}
    rest = [f"{p.name}={_sample(p)}" for p in entry.parameters if p.default is None and p.name not in given]
    words = " ".join([*(shlex.quote(text) for text in inputs), *rest])
    return f"\n    like this: planner calc {entry.number} {words}\n    `planner calc {entry.number}` explains each"


def _sample(parameter: Parameter) -> str:
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
        raise ValueError("beyond anything that can be computed with")
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


def _plain(value: Any) -> Any:
    """An input as JSON can hold it: days as text, and a bound that never ends too."""
    from planner.models.formula import written

    if isinstance(value, list | tuple):
        return [_plain(cell) for cell in value]
    return value if isinstance(value, int | float) and math.isfinite(value) else written(value)


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
        elif option.family == "spot":
            price = book.spot(name, region).planned
        elif option.family == "capacity-block":
            price = book.capacity_block(name, region).price
        else:
            price = book.commitment(name, region, option).price
    except PriceNotFound as error:
        raise ValueError(str(error)) from error
    note = f"{text}: {price.usd} USD/{price.unit}, {region}, observed {price.observed}, grade {price.grade}"
    return price.usd, f"{note}, book of {book.as_of}"


def _evaluate(entry: Equation, values: dict[str, Any], notes: list[str], style: str) -> str:
    from planner.models.formula import evaluate_steps, format_number

    why_not = entry.refuse(**values) if entry.refuse else ""
    if why_not:
        raise UsageProblem(f"{entry.name}: {why_not}")
    try:
        result = float(entry.function(**values))
        steps = entry.show(**values) if entry.show else evaluate_steps(entry.steps, values)[0]
    except (ArithmeticError, ValueError, TypeError) as error:
        raise UsageProblem(f"{entry.name} cannot be evaluated there: {error}") from error
    if not math.isfinite(result):
        raise UsageProblem(f"{entry.name} has no finite value there")
    if style == "json":
        document = {
            "name": entry.name,
            "equation": entry.number,
            "result": result,
            "unit": entry.result_unit,
            "inputs": {name: _plain(value) for name, value in values.items()},
            "steps": [*notes, *steps],
        }
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    lines = [f"{entry.number} {entry.name}: {entry.summary}"]
    lines += [f"  {line}" for line in (*notes, *steps)]
    lines += [f"{format_number(result)} {entry.result_unit}", f"source: {entry.source}"]
    return "\n".join(lines) + "\n"
