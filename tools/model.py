"""docs/model.md: every equation of the planner by number, typeset, with a worked example.

The content comes from the registry of equations and from running `planner calc`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from click.testing import CliRunner

from planner.cli.calc import command as calc
from planner.models.catalogue import all_equations
from planner.models.equation import Equation
from planner.models.formula import format_number
from tools.markdown import anchor, cell, prose
from tools.model_checks import checked
from tools.model_examples import EXAMPLES, LOOPS
from tools.model_uses import bill_lines, users
from tools.typeset import typeset

_EXAMPLE_FILE = "tools/model_examples.py"

FAMILIES = {
    "W": (
        "work",
        "Amount of training: converts samples, FLOP or GPU-hours to days at full speed, also for GPU counts that were "
        "not measured. Without failures or waiting.",
    ),
    "I": (
        "the data path",
        "The read rate that training needs, and the rate that storage delivers: cache fit, the cold first epoch, and "
        "the share of the time left for computing.",
    ),
    "G": (
        "goodput",
        "Failures, spot interruptions, checkpoints, restarts and spares: the share of the time whose work is kept.",
    ),
    "C": (
        "compute",
        "Cost of the GPU nodes with each purchase option, over the dates of the run, including the unused part of a "
        "commitment.",
    ),
    "S": (
        "storage",
        "Capacity and throughput of a layout, and how much of it to buy in the sizes that AWS sells.",
    ),
    "T": (
        "metered services",
        "Everything except the GPU nodes that is billed by use or by the hour: storage tiers, requests, bytes, "
        "volumes, addresses.",
    ),
    "P": (
        "people and other runs",
        "Costs other than AWS resources. A bill has these lines only if the plan asks for them.",
    ),
    "O": (
        "owned hardware",
        "What the same run costs on hardware that is owned, and its energy and emissions: `planner owned`. No bill has "
        "them.",
    ),
    "R": (
        "ratios and prices of parts",
        "The forms in which savings and speed-ups are published, and prices that are sold by parts. For checking "
        "published figures; no bill has them.",
    ),
}

HEAD = """\
# The model: every equation by number

<!-- written by `make docs` from the registered equations; a test fails when it is out of date -->

Each line of a bill names the equation of its quantity or price: `C1`, `T4`. This page lists every equation with its
source and one example that you can repeat. A name means the same in the formula, in the table of inputs and in
`planner calc NAME KEY=VALUE ...`; `planner calc NAME` prints the same page in a terminal. The formula is generated
from the text that `planner calc` evaluates, and a test compares that text with the function that the planner runs.
Examples leave out the first line of the output (the name) and the last (the source). "Checked" says against which
published figures, or by which simulation, an equation was checked beyond its example. The tables have the units; GB
and TB are decimal, GiB binary, a month is 730 hours unless a day is given, a year 8,760.
"""


def page(
    equations: Sequence[Equation],
    lines: Mapping[str, Sequence[str]],
    modules: Mapping[str, Sequence[str]],
    examples: Mapping[str, str] = EXAMPLES,
) -> str:
    """The whole page. Raises LookupError for an equation that lacks its example, its formula or its family."""
    groups = [(letter, list(group)) for letter, group in groupby(equations, key=lambda entry: entry.number[0])]
    unknown = sorted({letter for letter, _ in groups} - set(FAMILIES))
    if unknown:
        raise LookupError(f"add a sentence on the equations {', '.join(unknown)} to FAMILIES in tools/model.py")
    groups.sort(key=lambda group: list(FAMILIES).index(group[0]))
    contents, body = [], []
    for letter, group in groups:
        title, sentence = FAMILIES[letter]
        heading = f"{letter}: {title}"
        contents.append(f"- [{heading}](#{anchor(heading)})")
        contents += [f"  - [{entry.number} {entry.name}](#{anchor(_heading(entry))})" for entry in group]
        body += [f"## {heading}\n", f"{sentence}\n"]
        for entry in group:
            body.append(_section(entry, lines.get(entry.number, ()), modules.get(entry.name, ()), examples))
    return "\n".join([HEAD, *contents, "", *body]).rstrip("\n") + "\n"


def _heading(entry: Equation) -> str:
    return f"{entry.number} {entry.name}"


def _section(entry: Equation, lines: Sequence[str], modules: Sequence[str], examples: Mapping[str, str]) -> str:
    parts = [f"### {_heading(entry)}", prose(entry.text), f"```math\n{formula_of(entry)}\n```"]
    rows = ["| input | unit | default |", "|---|---|---|"]
    for parameter in entry.parameters:
        default = "" if parameter.default is None else format_number(parameter.default)
        rows.append(f"| `{parameter.name}` | {cell(parameter.unit)} | {default} |")
    parts.append("\n".join(rows))
    facts = [f"Result: {prose(entry.result_unit)}.", f"Source: {prose(entry.source)}."]
    parts.append("  \n".join([*facts, _used(lines, modules), checked(entry.name)]))
    parts.append(_example(entry, examples))
    return "\n\n".join(parts) + "\n"


def formula_of(entry: Equation) -> str:
    """The LaTeX of one equation: from its steps, or from LOOPS if it is a loop."""
    if not entry.steps:
        if entry.name not in LOOPS:
            raise LookupError(f"{entry.number} {entry.name} has no steps: add its formula to LOOPS in {_EXAMPLE_FILE}")
        return LOOPS[entry.name].strip()
    names = {word for step in entry.steps for word in re.findall(r"[a-z_][a-z_0-9]*", step)}
    name = entry.name.replace("-", "_")
    return typeset(entry.steps, "result" if name in names else name)


def _used(lines: Sequence[str], modules: Sequence[str]) -> str:
    used = []
    if lines:
        used.append("on the bill lines " + ", ".join(f"`{line}`" for line in lines))
    if modules:
        used.append("in " + ", ".join(f"[{Path(name).name}](../{name})" for name in modules))
    return f"Used {'; '.join(used)}." if used else "Not used for bills; for checking a figure with `planner calc`."


def _example(entry: Equation, examples: Mapping[str, str]) -> str:
    if entry.name not in examples:
        raise LookupError(f"add an example of {entry.name} ({entry.number}) to EXAMPLES in {_EXAMPLE_FILE}")
    words = f"{entry.name} {examples[entry.name]}"
    done = CliRunner(env={"COLUMNS": "80"}).invoke(calc, shlex.split(words))
    if done.exit_code:
        raise LookupError(f"the example of {entry.name} in {_EXAMPLE_FILE} does not run: {done.exception}")
    shown = "\n".join(done.output.splitlines()[1:-1])
    return f"```console\n$ planner calc {words}\n{shown}\n```"


def text() -> str:
    """The current content of docs/model.md."""
    return page(all_equations(), bill_lines(), users())
