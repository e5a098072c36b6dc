"""One number of one scenario: its inputs, its range, and the assumptions that change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.answer.ranges import Range, range_of
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate, sizes_of
from planner.decide.parameters import Parameter, parameters_of, with_parameter
from planner.estimate.bounds import bounded
from planner.estimate.derivations import find, id_of, is_percentile, known_of
from planner.estimate.evaluate import Evaluated
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.scenario import Outcome
from planner.models.bill import Line, Unpriced
from planner.models.derived import Derived, Input
from planner.models.line_numbers import derived_of_line
from planner.models.values import Values

_STILL = 1e-9  # relative; a smaller change does not count


@dataclass(frozen=True, kw_only=True)
class Mover:
    """One assumption that changes the number: the number at its low and its high end, the others as planned.

    None if the scenario cannot be evaluated there, or does not have the number.
    """

    parameter: Parameter
    at_low: float | None
    at_high: float | None

    def swing(self, planned: float) -> float:
        """The distance between the ends, including the planned value; infinite if there is no number at an end."""
        ends = [self.at_low, self.at_high]
        known = [planned, *(end for end in ends if end is not None)]
        return float("inf") if None in ends else max(known) - min(known)


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """An explained number.

    known: every number of the scenario by id. draws: P10, P50, P90 of this number, None if it has no draws or is a
    lower bound. moved: the number that the movers change: the planned figure of a percentile, or the planned cost for
    an assumption (assumed), which is then the only mover.
    """

    scenario: Scenario
    derived: Derived
    line: Line | None
    known: Mapping[str, Derived]
    draws: Range | None
    moved: Derived
    movers: tuple[Mover, ...]
    assumed: bool = False


def missing_line(scenario: Scenario, id: str) -> Unpriced | None:
    """The line without a price that an id, or the id of one of its numbers, refers to."""
    return next((entry for entry in scenario.unpriced if id == entry.line or id.startswith(f"{entry.line}.")), None)


def explain(request: Request, scenario: Scenario, id: str) -> Explanation:
    """Explain a number of a scenario that was evaluated, or one of its assumptions. Raises KeyError for an unknown
    id."""
    known = known_of(scenario)
    alone = request_of_one(request, scenario)
    try:
        derived = find(known, id_of(scenario, id))
    except KeyError:
        return _assumption(alone, scenario, known, id)
    moved = known.get(derived.id.rpartition(".")[0], derived) if is_percentile(derived.id) else derived
    line = next((entry for entry in scenario.bill if derived.id in (entry.line, *_fields(entry))), None)
    return Explanation(
        scenario=scenario,
        derived=derived,
        line=line,
        known=known,
        draws=None if bounded(scenario, derived.id) else range_in(drawn(alone, scenario), derived, alone.draws),
        moved=moved,
        movers=movers_in(at_both_ends(alone, scenario), moved),
    )


def _assumption(alone: Request, scenario: Scenario, known: Mapping[str, Derived], id: str) -> Explanation:
    """An assumption or a stream of draws that the scenario depends on, and its effect on the planned cost."""
    central = compare(replace(alone, draws=0))
    entry = next((entry for entry in central.assumptions if entry.key == id), None)
    parameter = next(
        (parameter for parameter in parameters_of(alone, central.assumptions) if parameter.key == id), None
    )
    if entry is not None:
        source = Input(name="value", value=entry.value, unit=entry.unit, origin=f"assumption:{id}")
        derived = Derived(id=id, value=entry.value, unit=entry.unit, equation="", inputs=(source,))
    elif parameter is not None:
        origin = f"rule:a stream of draws: {parameter.source}; 0.5 is the median"
        source = Input(name="value", value=parameter.value, unit="percentile", origin=origin)
        derived = Derived(id=id, value=parameter.value, unit="percentile", equation="", inputs=(source,))
    else:
        raise KeyError(id)
    moved = known["cost_usd"]
    return Explanation(
        scenario=scenario,
        derived=derived,
        line=None,
        known=known,
        draws=None,
        moved=moved,
        movers=movers_in(at_both_ends(alone, scenario, only=id), moved),
        assumed=True,
    )


def request_of_one(request: Request, scenario: Scenario) -> Request:
    """The same request for the layout, fleet and purchase option of one scenario only."""
    plan = request.plan
    changed = {
        "fleet": plan.fleet.model_copy(update={"instance_types": (scenario.instance_type,)}),
        "purchase": plan.purchase.model_copy(update={"options": (scenario.purchase,)}),
        "storage": plan.storage.model_copy(update={"layouts": (scenario.layout,)}),
    }
    sizes = [size for size in sizes_of(request) if size.instance.name == scenario.instance_type]
    if len(sizes) > 1:
        request = replace(request, fleets=tuple(size for size in sizes if size.nodes == scenario.nodes))
    stretch = {scenario.id: scenario.block_stretch} if scenario.block_stretch else {}
    return replace(request, plan=plan.model_copy(update=changed), block_stretch=stretch)


def reached(known: Mapping[str, Derived], derived: Derived) -> Iterator[Derived]:
    """Every number of the run that this one depends on, starting with itself, each once."""
    seen, waiting = {derived.id}, [derived]
    while waiting:
        entry = waiting.pop(0)
        yield entry
        for part in entry.inputs:
            if part.kind == "run" and part.where not in seen and part.where in known:
                seen.add(part.where)
                waiting.append(known[part.where])


def _fields(line: Line) -> list[str]:
    return [entry.id for entry in derived_of_line(line)]


def drawn(request: Request, scenario: Scenario) -> Mapping[str, Any]:
    """Every number of the run and the bill by id, each with one entry per draw; empty without draws."""
    if not request.draws:
        return {}
    central = request.central()
    spread = evaluated_again(request, scenario, central, request.drawn(central, recording=True)).spread
    return numbers_in(spread) if spread else {}


def evaluated_again(request: Request, scenario: Scenario, central: Values, drawn: Values | None) -> Evaluated:
    """One scenario, evaluated once more. Raises KeyError if the request does not have it."""
    found = next((e for e in evaluate(request, central, drawn, [scenario.id]) if e.choice.id == scenario.id), None)
    if found is None:
        raise KeyError(scenario.id)
    return found


def numbers_in(outcome: Outcome) -> dict[str, Any]:
    """Every number of a run and its bill by id."""
    found: dict[str, Any] = {entry.id: entry.value for entry in outcome.derived}
    for line in outcome.lines:
        found |= {entry.id: entry.value for entry in derived_of_line(line)}
    return found


def range_in(numbers: Mapping[str, Any], derived: Derived, draws: int) -> Range | None:
    """The range of a number in the draws; None without draws, or if the number is a statistic of the draws."""
    if not isinstance(derived.value, float) or derived.id not in numbers:
        return None
    return range_of(derived.value, numbers[derived.id], draws)


@dataclass(frozen=True, kw_only=True)
class Turned:
    """A scenario's numbers by id, as planned and with each parameter at its low and at its high end."""

    planned: Mapping[str, float]
    ends: tuple[tuple[Parameter, Mapping[str, float], Mapping[str, float]], ...]


def at_both_ends(request: Request, scenario: Scenario, only: str | None = None) -> Turned:
    """Recalculate with every assumption at both of its ends. only: the key of a single assumption."""
    still = replace(request, draws=0)
    central = compare(still)
    ends = []
    for parameter in parameters_of(still, central.assumptions):
        if only not in (None, parameter.key):
            continue
        low, high = (
            _numbers(compare(with_parameter(still, parameter, end)), scenario)
            for end in (parameter.low, parameter.high)
        )
        ends.append((parameter, low, high))
    return Turned(planned=_numbers(central, scenario), ends=tuple(ends))


def movers_in(found: Turned, derived: Derived) -> tuple[Mover, ...]:
    """The assumptions that change a number, the largest effect first."""
    base, movers = found.planned.get(derived.id), []
    if not isinstance(derived.value, float) or base is None:
        return ()
    for parameter, low, high in found.ends:
        mover = Mover(parameter=parameter, at_low=low.get(derived.id), at_high=high.get(derived.id))
        if mover.swing(base) > _STILL * max(abs(base), 1e-300):
            movers.append(mover)
    planned = derived.value
    return tuple(sorted(movers, key=lambda mover: (-mover.swing(planned), mover.parameter.key)))


def _numbers(comparison: Comparison, scenario: Scenario) -> Mapping[str, float]:
    """The numbers of a scenario, also if it exceeds a limit of the plan."""
    here = next((entry for entry in comparison.scenarios if entry.id == scenario.id), None)
    known = known_of(here) if here else {}
    return {id: entry.value for id, entry in known.items() if isinstance(entry.value, float)}
