"""Where an input comes from, in words: the plan and its line, an assumption with its range, a price with its date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.models.bill import Line
from planner.models.derived import Derived, Input
from planner.models.equation import numbered
from planner.models.formula import format_number, written
from planner.plan.assumptions import Assumption
from planner.report.wording.figures import visible

# what the equation of a calculation gives
GIVES_NUMBER, GIVES_COST, GIVES_QUANTITY = "gives it", "gives its cost", "gives its quantity"


@dataclass(frozen=True, kw_only=True)
class OriginIndex:
    """What the origins of one scenario's inputs are looked up in. place: where the plan sets a key, else ""."""

    assumptions: Mapping[str, Assumption]
    lines: Mapping[str, Line]
    known: Mapping[str, Derived]
    book: str
    place: Callable[[str], str] = field(default=lambda key: "")


def origin_index(
    comparison: Comparison, scenario: Scenario, known: Mapping[str, Derived], place: Callable[[str], str] | None = None
) -> OriginIndex:
    return OriginIndex(
        assumptions={entry.key: entry for entry in comparison.assumptions},
        lines={line.line: line for line in scenario.bill},
        known=known,
        book=comparison.prices.as_of.isoformat(),
        place=place or (lambda key: ""),
    )


def describe(entry: Input, index: OriginIndex, sourced: bool = True) -> str:
    """Where an input comes from, as one line of text. `sourced` is False where tables beside it have the sources."""
    where = entry.where
    if entry.kind == "plan":
        found = index.place(where)
        return visible(f"plan, {where}" + (f" ({found})" if found else ""))
    if entry.kind == "assumption":
        return _assumption(where, index.assumptions.get(where), sourced)
    if entry.kind == "price":
        return _price(where, index, sourced)
    if entry.kind == "catalogue":
        name, _, fact = where.rpartition(".")
        return f"catalogue, {name}: {fact}"
    if entry.kind == "run":
        derived = index.known.get(where)
        number = derived.equation if derived else ""
        return f"{where}" + (f", {number} {numbered(number).name}" if number else "")
    return visible(f"rule: {where}")


def _assumption(key: str, entry: Assumption | None, sourced: bool) -> str:
    if entry is None:
        return f"assumption {key}"
    year = f", {entry.year}" if entry.year else ""
    says = ["set by the plan"] if entry.origin == "plan" else []
    says += [f"{entry.source}{year}"] if sourced else []
    return visible(f"assumption {key}, {entry.low:g} to {entry.high:g}" + (f" ({'; '.join(says)})" if says else ""))


def _price(name: str, index: OriginIndex, sourced: bool) -> str:
    line = index.lines.get(name)
    if line is None:
        return f"price of {name}"
    if line.basis == "assumption":
        return visible(f"assumed: {line.price_source}")
    if line.basis == "own":
        return visible(f"price of {line.price_date}; {line.price_source}")
    grade = f", grade {line.price_grade}" if line.price_grade else ""
    basis = f"{line.basis} back in time" if line.carried_back else line.basis
    text = f"price of {line.price_date}{grade}, {basis}, in the book of {index.book}"
    return visible(f"{text}; {line.price_source}" if sourced else text)


def amount(value: object, unit: str) -> str:
    """A number with its unit; tables and days as `planner calc` takes them."""
    text = format_number(float(value)) if isinstance(value, float | int) else written(value)
    return f"{text} {unit}".rstrip() if unit != "YYYY-MM-DD" else text


def how(derived: Derived) -> str:
    """What gave a number, in one line; "" for a numbered equation, which has a name of its own."""
    if derived.expression:
        return f"{derived.label}: {derived.expression}" if derived.label else derived.expression
    if derived.source is None:
        return ""
    kind, where = derived.source.kind, derived.source.where
    return {
        "plan": "as the plan says",
        "assumption": "as assumed",
        "catalogue": "from the catalogue of instance types",
        "price": "the unit price",
        "run": f"the same as {where}",
    }.get(kind, where)


def command(derived: Derived) -> str:
    """The command that calculates this number, "" where it has no equation."""
    if not derived.equation:
        return ""
    entry = numbered(derived.equation)
    defaults = {p.name: p.default for p in entry.parameters}
    given = [
        f"{part.name}={written(part.value)}"
        for part in derived.inputs
        if defaults.get(part.name) is None or part.value != defaults[part.name]
    ]
    return " ".join(["planner calc", entry.name, *given])
