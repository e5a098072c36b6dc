"""One number explained as plain data; and the lists to choose a scenario and a number from."""

from __future__ import annotations

from typing import Any

from planner.decide.comparison import Comparison
from planner.decide.explain import Explanation, Mover, reached
from planner.decide.leaders import rank_of
from planner.decide.spot_runs import SpotRuns
from planner.estimate.bounds import bounded, reason
from planner.estimate.derivations import known_of
from planner.estimate.result import Scenario
from planner.models.bill import Unpriced
from planner.models.derived import Derived, Input, steps_of
from planner.report.data.compared_json import given, number
from planner.report.data.provenance import made_by
from planner.report.wording.break_evens import end_meaning
from planner.report.wording.origins import OriginIndex, command, describe, how
from planner.report.wording.spot_runs import spread_of

SCHEMA_VERSION = "1"


def scenarios(comparison: Comparison) -> dict[str, Any]:
    """The scenarios by rank."""
    listed = [
        {"rank": rank, "id": entry.id, "feasible": entry.feasible, "complete": entry.complete}
        for rank, entry in enumerate(comparison.scenarios, 1)
    ]
    return {**_head(comparison), "scenarios": listed}


def numbers(comparison: Comparison, scenario: Scenario) -> dict[str, Any]:
    """The numbers of a scenario."""
    return {
        **_place(comparison, scenario),
        "numbers": [
            {
                "id": entry.id,
                "value": given(entry.value),
                "unit": entry.unit,
                "lower_bound": bounded(scenario, entry.id),
            }
            for entry in known_of(scenario).values()
        ],
        "unpriced": [entry.line for entry in scenario.unpriced],
    }


def explanation(
    comparison: Comparison, found: Explanation, index: OriginIndex, simulated: SpotRuns | None = None
) -> dict[str, Any]:
    """A number; `behind` has every number that it rests on, each once. simulated: runs beside it."""
    derived, spread = found.derived, found.draws
    behind = list(reached(found.known, derived))[1:]
    return {
        **_place(comparison, found.scenario),
        **_derived(derived, index),
        "lower_bound": reason(found.scenario) if bounded(found.scenario, derived.id) else None,
        "behind": [_derived(entry, index) for entry in behind],
        "draws": None
        if spread is None
        else {key: number(getattr(spread, key)) for key in ("plan", "p10", "p50", "p90")},
        "moved": found.moved.id,
        "movers": [_mover(entry) for entry in found.movers],
        "simulated": None if simulated is None else _simulated(simulated, derived.id),
    }


def _simulated(simulated: SpotRuns, id: str) -> dict[str, Any]:
    closed, rule = simulated.closed, simulated.of_closed
    return {
        "runs": len(simulated.run.starts),
        "closed_form": closed and {key: number(value) for key, value in spread_of(closed, id).items()},
        "rule": rule and {key: number(value) for key, value in spread_of(rule, id).items()},
    }


def _mover(entry: Mover) -> dict[str, Any]:
    parameter = entry.parameter
    return {
        "key": parameter.key,
        "unit": parameter.unit,
        "low": parameter.low,
        "value": parameter.value,
        "high": parameter.high,
        "low_means": end_meaning(parameter, 0) or None,
        "high_means": end_meaning(parameter, 1) or None,
        "set": parameter.path or None,
        "at_low": number(entry.at_low),
        "at_high": number(entry.at_high),
    }


def unpriced(comparison: Comparison, scenario: Scenario, entry: Unpriced) -> dict[str, Any]:
    """A line that has no price."""
    missing = {"what": entry.what, "nearest": list(entry.nearest)}
    return {**_place(comparison, scenario), "id": entry.line, "value": None, "unit": "USD", "unpriced": missing}


def _head(comparison: Comparison) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "planner": made_by(), "plan": comparison.plan_name}


def _place(comparison: Comparison, scenario: Scenario) -> dict[str, Any]:
    return {
        **_head(comparison),
        "scenario": scenario.id,
        "rank": rank_of(comparison, scenario),
        "feasible": scenario.feasible,
        "why_not": list(scenario.why_not),
    }


def _derived(entry: Derived, index: OriginIndex) -> dict[str, Any]:
    return {
        "id": entry.id,
        "value": given(entry.value),
        "unit": entry.unit,
        "equation": entry.equation or None,
        "how": how(entry) or None,
        "steps": steps_of(entry),
        "calc": command(entry) or None,
        "inputs": [_input(part, index) for part in entry.inputs],
    }


def _input(part: Input, index: OriginIndex) -> dict[str, Any]:
    return {
        "name": part.name,
        "value": given(part.value),
        "unit": part.unit,
        "origin": part.origin,
        "words": describe(part, index),
    }
