"""One number explained, as text for a terminal; and the lists to choose a scenario and a number from."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide.comparison import Comparison
from planner.decide.explain import Explanation, Mover
from planner.estimate.bounds import bounded, reason
from planner.estimate.derivations import known_of
from planner.estimate.result import Scenario
from planner.models.bill import Unpriced
from planner.models.derived import Derived, steps_of
from planner.models.equation import numbered
from planner.report.data.encoding import utf8
from planner.report.terminal.columns import Column, whole, wrap
from planner.report.wording import figures
from planner.report.wording.break_evens import compared, end_of, unit_of
from planner.report.wording.commands import by_hand
from planner.report.wording.origins import Grounds, amount, describe, how
from planner.report.wording.recommendation import rank_of, without_nodes

NARROWEST = 40


def scenarios(comparison: Comparison, width: int) -> str:
    """Every scenario by rank, to choose one from."""
    lines = wrap(figures.visible(comparison.plan_name), width)
    digits = len(str(len(comparison.scenarios)))
    for rank, scenario in enumerate(comparison.scenarios, 1):
        cost = (
            f"${figures.dollars(scenario.cost_usd.plan)}" if scenario.feasible and scenario.cost_usd else "not feasible"
        )
        floor = ">= " if scenario.feasible and not scenario.complete else ""
        if scenario.feasible and without_nodes(scenario):
            cost, floor = "no price", ""
        lines += wrap(f"#{rank:<{digits}}  {scenario.id}  {floor}{cost}", width, indent="  ")
    lines += ["", *wrap("planner explain PLAN '#1' lists the numbers of one; `best` is the first", width)]
    return _text(lines)


def numbers(comparison: Comparison, scenario: Scenario, width: int) -> str:
    """Every number of one scenario with its unit, to choose one from."""
    lines = _heading(comparison, scenario, width)
    if not scenario.derived:
        return _text(lines)
    known = known_of(scenario)
    bill = {line.line for line in scenario.bill}
    lines += ["", "Lines of the bill"]
    lines += _list(scenario, [known[line.line] for line in scenario.bill], width)
    for entry in scenario.unpriced:
        lines += wrap(f"  {entry.line}  no price for {figures.visible(entry.what)}", width, indent="      ")
    lines += ["", "Other numbers"]
    lines += _list(scenario, [entry for entry in scenario.derived if entry.id not in bill], width)
    lines += [
        "",
        *wrap("Of a line also LINE.pricing_quantity, LINE.effective_unit_price and so on, as in -f json.", width),
    ]
    return _text(lines)


def _list(scenario: Scenario, entries: list[Derived], width: int) -> list[str]:
    found = []
    for entry in entries:
        floor = ">= " if bounded(scenario, entry.id) else ""
        found += wrap(f"  {entry.id}  {floor}{amount(entry.value, entry.unit)}", width, indent="      ")
    return found


def render(
    comparison: Comparison,
    found: Explanation,
    grounds: Grounds,
    *,
    width: int,
    depth: int | None,
    again: Sequence[str] = ("PLAN",),
) -> str:
    """Lines of at most `width` cells (at least 40). depth: levels of inputs that are opened, None for all.

    again: the plan and the options that a next command must repeat.
    """
    width = max(width, NARROWEST)
    derived = found.derived
    floor = bounded(found.scenario, derived.id)
    sign = ">=" if floor else "="
    lines = _heading(comparison, found.scenario, width)
    lines += ["", *wrap(f"{derived.id} {sign} {amount(derived.value, derived.unit)}", width, indent="  ")]
    if floor:
        missing = figures.visible(reason(found.scenario))
        lines += wrap(f"  a lower bound without a range: {missing}", width, indent="    ")
    lines += _formula(derived, width, "  ")
    if found.line is not None and found.line.note:
        lines += wrap(f"  note: {figures.visible(found.line.note)}", width, indent="    ")
    commands = by_hand(comparison, found, width, again)
    lines += ["", *commands] if commands else []
    lines += ["", *_ends(comparison, found, width)]
    if derived.inputs:
        lines += ["", "Inputs"]
        lines += _tree(derived, grounds, width, depth)
    return _text(lines)


def _text(lines: list[str]) -> str:
    return utf8("\n".join(line.rstrip() for line in lines) + "\n")


def _heading(comparison: Comparison, scenario: Scenario, width: int) -> list[str]:
    name = figures.visible(comparison.plan_name)
    lines = [*wrap(name, width), *wrap(f"#{rank_of(comparison, scenario)} {scenario.id}", width)]
    if not scenario.feasible:
        lines += wrap(f"Not feasible: {'; '.join(map(figures.visible, scenario.why_not))}", width, indent="  ")
    return lines


def _formula(derived: Derived, width: int, indent: str) -> list[str]:
    if not derived.equation:
        label = derived.label if derived.expression else how(derived)
        found = wrap(f"{indent}{figures.visible(label)}", width, indent=indent + "  ") if label else []
        for step in steps_of(derived) or ([derived.expression] if derived.expression else []):
            found += wrap(f"{indent}{step}", width, indent=indent + "  ")
        return found
    entry = numbered(derived.equation)
    found = wrap(f"{indent}{entry.number} {entry.name}: {entry.summary}", width, indent=indent + "  ")
    for step in steps_of(derived):
        found += wrap(f"{indent}  {step}", width, indent=indent + "    ")
    return [*found, *wrap(f"{indent}source: {entry.source}", width, indent=indent + "  ")]


def _tree(derived: Derived, grounds: Grounds, width: int, depth: int | None) -> list[str]:
    """Inputs, and what they are made of, down to what nothing stands behind; no number is opened twice."""
    lines: list[str] = []
    closed: set[str] = set()
    opened = {derived.id}

    def grow(entry: Derived, level: int) -> None:
        indent = "  " * min(level, 12)
        for part in entry.inputs:
            text = f"{indent}{part.name} = {amount(part.value, part.unit)}: {describe(part, grounds)}"
            behind = grounds.known.get(part.where) if part.kind == "run" else None
            again = behind is not None and behind.id in opened and bool(behind.inputs)
            lines.extend(wrap(text + (" (as above)" if again else ""), width, indent=indent + "    "))
            if behind is None or again:
                continue
            if depth is not None and level >= depth:
                closed.update([behind.id] if behind.inputs else [])
                continue
            opened.add(behind.id)
            if how(behind) and behind.source is None:
                lines.extend(wrap(f"{indent}    {figures.visible(how(behind))}", width, indent=indent + "      "))
            grow(behind, level + 1)

    grow(derived, 1)
    left = closed - opened
    if left:
        some = "1 of these numbers has" if len(left) == 1 else f"{len(left)} of these numbers have"
        lines += [
            "",
            *wrap(f"{some} inputs of their own: explain them by their ids, or open all with --depth 0", width),
        ]
    return lines


def _ends(comparison: Comparison, found: Explanation, width: int) -> list[str]:
    derived, lines = found.derived, []
    if found.draws is not None:
        spread = found.draws
        drawn = f"of {comparison.draws:,} draws, seed {comparison.seed}"
        if spread.p10 == spread.p90:
            lines += wrap(f"P10, P50 and P90 are the same {drawn}.", width)
        else:
            ends = f"P10 {compared(spread.p10)}, P50 {compared(spread.p50)}, P90 {compared(spread.p90)}"
            lines += wrap(f"{ends} {derived.unit}, {drawn}", width, indent="  ")
    if not found.movers:
        still = f"It does not move {found.moved.id}." if found.assumed else "No assumption moves it."
        return [*lines, *wrap(still, width)]
    if found.assumed:
        said = f"What it moves: {found.moved.id}, planned again at its low and its high end"
    else:
        what = "it" if found.moved.id == derived.id else f"the planned figure, {found.moved.id}"
        said = f"What moves {what}, planned again at the low and the high end of each assumption"
    lines += wrap(f"{said}:", width)
    lines += _table(found.movers, width)
    if any(None in (entry.at_low, entry.at_high) for entry in found.movers):
        lines += wrap("-: it has no such number there", width)
    return lines


def _table(movers: tuple[Mover, ...], width: int) -> list[str]:
    def at(value: float | None) -> str:
        return "-" if value is None else compared(value)

    columns = [
        Column(title="Assumption", values=[entry.parameter.key for entry in movers], text=True),
        Column(title="Low", values=[end_of(entry.parameter, 0) for entry in movers], keep=2),
        Column(title="High", values=[end_of(entry.parameter, 1) for entry in movers], keep=2),
        Column(title="Unit", values=[unit_of(entry.parameter) for entry in movers], text=True, keep=3),
        Column(title="At low", values=[at(entry.at_low) for entry in movers]),
        Column(title="At high", values=[at(entry.at_high) for entry in movers]),
    ]
    return whole(columns, width, rule="-")


def unpriced(comparison: Comparison, scenario: Scenario, entry: Unpriced, width: int) -> str:
    """A line that has no price: what is missing, what is near."""
    near = [figures.visible(text) for text in entry.nearest]
    lines = [
        *_heading(comparison, scenario, width),
        "",
        *wrap(f"{entry.line} has no value: no price for {figures.visible(entry.what)}", width, indent="  "),
        *wrap(f"The book of {comparison.prices.as_of} does not know it; the total is a lower bound.", width),
        *wrap(f"Near it: {'; '.join(near)}" if near else "Nothing is near it.", width, indent="  "),
    ]
    return _text(lines)
