"""Phases that speed up later ones, as with precomputed latents: what the step costs and what it saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from planner.decide.comparison import Comparison, Step
from planner.decide.enumerate import evaluate
from planner.estimate.outcomes import outcomes_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.summary import outlined
from planner.plan.training_types import Phase
from planner.plan.types import Plan


def with_steps(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with the cost and gain of every phase that has a speedup, for the recommended scenario, else the
    cheapest."""
    chosen = comparison.best or comparison.cheapest
    if chosen is None:
        return comparison
    return replace(comparison, steps=tuple(_steps(request, chosen)))


def _steps(request: Request, chosen: Scenario) -> Iterator[Step]:
    for index, phase in enumerate(request.plan.run.phases):
        if phase.speedup is None:
            continue
        done, left_out = (_priced(request, chosen, _with_skip(request.plan, index, skip)) for skip in (False, True))
        free = _priced(request, chosen, _without(request.plan, index))
        if done is not None and left_out is not None and free is not None:
            yield Step(
                number=index + 1, name=phase.name, speedup=phase.speedup, done=done, left_out=left_out, free=free
            )


def _with_skip(plan: Plan, index: int, skip: bool) -> Plan:
    return _changed(plan, lambda n, phase: phase.model_copy(update={"skip": skip}) if n == index else phase)


def _without(plan: Plan, index: int) -> Plan:
    """As if the step had been done before: it takes no time, and later phases are fast."""
    return _changed(plan, lambda n, phase: None if n == index else phase)


def _changed(plan: Plan, change: Callable[[int, Phase], Phase | None]) -> Plan:
    phases = tuple(kept for n, phase in enumerate(plan.run.phases) if (kept := change(n, phase)) is not None)
    return plan.model_copy(update={"run": plan.run.model_copy(update={"phases": phases})})


def _priced(request: Request, chosen: Scenario, plan: Plan) -> Scenario | None:
    """The same choice on another plan; None if it cannot be evaluated there or lacks a price."""
    asked = replace(request, plan=plan, derivations=False)
    central = asked.central(recording=False)
    drawn = asked.drawn(central) if asked.draws else None
    for entry in evaluate(asked, central, drawn, [chosen.id]):
        if entry.spread is None or entry.why_not:
            return None
        found = outlined(asked, entry, outcomes_of(entry, asked.draws), central)
        return found if found.complete and found.feasible else None
    return None
