"""One number explained, as text for a terminal; and the lists to choose a scenario and a number from."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide.comparison import Comparison
from planner.decide.explain import Explanation, Mover
from planner.decide.spot_runs import SpotRuns
from planner.estimate.bounds import bounded
from planner.estimate.derivations import known_of
from planner.estimate.result import Scenario
from planner.models.bill import Unpriced
from planner.models.derived import Derived
from planner.report.data.encoding import utf8
from planner.report.terminal.columns import command, whole
from planner.report.wording import evidence, spot_runs
from planner.report.wording import explanation as words
from planner.report.wording.break_evens import compared, end_of, unit_of
from planner.report.wording.commands import calculation, largest_of
from planner.report.wording.figures import many, visible
from planner.report.wording.origins import OriginIndex, amount, describe, how
from planner.report.wording.table import Column
from planner.report.wording.wrapping import wrap

NARROWEST = 40
MOST_SCENARIOS, MOST_LINES, MOST_PARTS = 30, 12, 4  # of a list, unless all of it is asked for
DEEPEST = 12  # levels of inputs that are indented


def scenarios(comparison: Comparison, width: int, *, everything: bool = False) -> str:
    """The first scenarios by rank, to choose one from. everything: all of them."""
    lines = wrap(visible(comparison.plan_name), width)
    digits = len(str(len(comparison.scenarios)))
    shown = comparison.scenarios if everything else comparison.scenarios[:MOST_SCENARIOS]
    for rank, scenario in enumerate(shown, 1):
        lines += wrap(f"#{rank:<{digits}}  {scenario.id}  {words.scenario_entry(scenario)}", width, indent="  ")
    more = _more(len(comparison.scenarios) - len(shown), "more scenario")
    return _text([*lines, *more, "", *wrap(words.CHOOSE_A_SCENARIO, width)])


def numbers(comparison: Comparison, scenario: Scenario, width: int, *, everything: bool = False) -> str:
    """The largest lines of one scenario's bill and its main numbers with their units, to choose one from. everything:
    all of both."""
    lines = _heading(comparison, scenario, width)
    if not scenario.derived:
        return _text(lines)
    known = known_of(scenario)
    bill = [line.line for line in scenario.bill]
    largest = {line.line for line in sorted(scenario.bill, key=lambda line: -line.effective_cost)[:MOST_LINES]}
    others = [entry for entry in scenario.derived if entry.id not in bill]
    listed = bill if everything else [name for name in bill if name in largest]
    main = others if everything else [entry for entry in others if entry.id in words.MAIN]
    lines += ["", words.BILL_LINES]
    lines += _list(scenario, [known[name] for name in listed], width)
    for entry in scenario.unpriced:
        lines += wrap(f"  {entry.line}  {visible(evidence.no_price(entry))}", width, indent="      ")
    lines += _more(len(bill) - len(listed), "smaller line")
    lines += ["", words.OTHER_NUMBERS]
    lines += _list(scenario, main, width)
    lines += _more(len(others) - len(main), "more number")
    return _text([*lines, "", *wrap(words.CHOOSE_A_FIELD, width)])


def _more(count: int, what: str) -> list[str]:
    return [f"  {many(count, what)}: --all"] if count else []


def _list(scenario: Scenario, entries: list[Derived], width: int) -> list[str]:
    found = []
    for entry in entries:
        floor = ">= " if bounded(scenario, entry.id) else ""
        found += wrap(f"  {entry.id}  {floor}{amount(entry.value, entry.unit)}", width, indent="      ")
    return found


def render(
    comparison: Comparison,
    found: Explanation,
    index: OriginIndex,
    simulated: SpotRuns | None = None,
    *,
    width: int,
    depth: int | None,
    again: Sequence[str] = ("PLAN",),
    everything: bool = True,
) -> str:
    """Lines of at most `width` cells (at least 40). depth: levels of inputs that are shown, None for all. everything:
    not only the largest parts and effects.

    simulated: runs that are shown beside the number. again: the plan and the options that the next command must repeat.
    """
    width = max(width, NARROWEST)
    derived = found.derived
    floor = bounded(found.scenario, derived.id)
    sign = ">=" if floor else "="
    lines = _heading(comparison, found.scenario, width)
    lines += ["", *wrap(f"{derived.id} {sign} {amount(derived.value, derived.unit)}", width, indent="  ")]
    if floor:
        lines += wrap(f"  {words.lower_bound(found.scenario)}", width, indent="    ")
    lines += _formula(derived, width)
    if found.line is not None and found.line.note:
        lines += wrap(f"  note: {visible(found.line.note)}", width, indent="    ")
    most = None if everything else MOST_PARTS
    lines += _calculation(comparison, found, again, width, most)
    lines += ["", *_effects(comparison, found, width, most)]
    if simulated is not None:
        lines += ["", *_beside(simulated, derived.id, again, width)]
    if derived.inputs:
        lines += ["", words.INPUTS, *_tree(derived, index, width, depth, most)]
    return _text(lines)


def _text(lines: list[str]) -> str:
    return utf8("\n".join(line.rstrip() for line in lines) + "\n")


def _heading(comparison: Comparison, scenario: Scenario, width: int) -> list[str]:
    lines = [*wrap(visible(comparison.plan_name), width), *wrap(words.scenario_title(comparison, scenario), width)]
    why = words.not_recommended(scenario)
    return [*lines, *(part for text in why for part in wrap(text, width, indent="  "))]


def _formula(derived: Derived, width: int) -> list[str]:
    title, steps, source = words.formula(derived)
    lines = wrap(f"  {title}", width, indent="    ") if title else []
    indent = "    " if derived.equation else "  "
    for step in steps:
        lines += wrap(f"{indent}{step}", width, indent=f"{indent}  ")
    return [*lines, *wrap(f"  {source}", width, indent="    ")] if source else lines


def _calculation(
    comparison: Comparison, found: Explanation, again: Sequence[str], width: int, most: int | None
) -> list[str]:
    title, steps = calculation(comparison, found, again, most)
    lines = ["", title] if steps else []
    for step in steps:
        indent = "  " * step.level
        if step.command:
            lines += command(step.command, width, indent)
        else:
            lines += wrap(f"{indent}{step.text}", width, f"{indent}  ")
    return lines


def _tree(derived: Derived, index: OriginIndex, width: int, depth: int | None, most: int | None) -> list[str]:
    """Inputs and the inputs of these, down to what is given; no number is opened twice. most: of its own inputs."""
    lines: list[str] = []
    closed: set[str] = set()
    opened = {derived.id}

    def grow(entry: Derived, level: int) -> None:
        indent = "  " * min(level, DEEPEST)
        for part in largest_of(entry.inputs, most if level == 1 else None):
            text = f"{indent}{part.name} = {amount(part.value, part.unit)}: {describe(part, index)}"
            behind = index.known.get(part.where) if part.kind == "run" else None
            again = behind is not None and behind.id in opened and bool(behind.inputs)
            lines.extend(wrap(text + (words.AS_ABOVE if again else ""), width, indent=indent + "    "))
            if behind is None or again:
                continue
            if depth is not None and level >= depth:
                closed.update([behind.id] if behind.inputs else [])
                continue
            opened.add(behind.id)
            if how(behind) and behind.source is None:
                lines.extend(wrap(f"{indent}    {visible(how(behind))}", width, indent=indent + "      "))
            grow(behind, level + 1)

    grow(derived, 1)
    lines += _more(len(derived.inputs) - len(largest_of(derived.inputs, most)), "smaller input")
    left = closed - opened
    return [*lines, "", *wrap(words.more_inputs(len(left)), width)] if left else lines


def _effects(comparison: Comparison, found: Explanation, width: int, most: int | None) -> list[str]:
    drawn = words.draws(comparison, found)
    lines = wrap(drawn, width, indent="  ") if drawn else []
    lines += wrap(words.movers(found), width)
    if found.movers:
        lines += _table(found.movers[:most], width)
        lines += _more(len(found.movers[most:]) if most else 0, "smaller effect")
    if any(None in (entry.at_low, entry.at_high) for entry in found.movers):
        lines += wrap(words.NO_NUMBER_THERE, width)
    return lines


def _beside(simulated: SpotRuns, id: str, again: Sequence[str], width: int) -> list[str]:
    lines = wrap(spot_runs.beside_title(simulated), width)
    lines += whole(spot_runs.beside(simulated, id), width, rule="-")
    lines += wrap(spot_runs.agreement(simulated), width, indent="  ")
    lines += wrap(spot_runs.OTHER_RULES, width)
    return [*lines, *command(spot_runs.every_rule(simulated, again), width, "  ")]


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
    lines = [*_heading(comparison, scenario, width), ""]
    for text in words.no_value(comparison, entry):
        lines += wrap(text, width, indent="  ")
    return _text(lines)
