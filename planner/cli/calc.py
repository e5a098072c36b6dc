"""`planner calc`: one numbered equation, with its steps, so that anyone can check a figure by hand."""

from __future__ import annotations

import difflib
import json
import math
from typing import TYPE_CHECKING, Any

import click

from planner.cli.calc_inputs import read_inputs
from planner.cli.options import common, prices_option
from planner.cli.output import columns, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.models.equation import Equation


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

    Write tables as 8:128.2,16:254.0, an open bound as inf and days as 2026-10-05. To take a price from the book, write
    price:p4d.24xlarge, price:p4d.24xlarge/ri-1y-standard-no-upfront or price:p5.48xlarge/capacity-block@us-west-2.
    Without inputs, NAME is explained.
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
    values, notes = read_inputs(entry, inputs, prices)
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


def _plain(value: Any) -> Any:
    """An input as JSON can hold it: days as text, and a bound that never ends too."""
    from planner.models.formula import written

    if isinstance(value, list | tuple):
        return [_plain(cell) for cell in value]
    return value if isinstance(value, int | float) and math.isfinite(value) else written(value)


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
