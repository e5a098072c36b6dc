"""Electricity and CO2 of the GPU nodes of the recommended scenario, in a large cloud's building."""

from __future__ import annotations

from dataclasses import replace

from planner.answer.ranges import range_of
from planner.decide.comparison import Comparison, Electricity
from planner.decide.enumerate import evaluate
from planner.estimate.owned import energy_of, has_price
from planner.estimate.request import Request
from planner.models.number import scalar


def with_energy(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with the electricity of the recommended scenario, else of the cheapest; without it where the power
    of its servers is not published."""
    chosen = comparison.best or comparison.cheapest
    if chosen is None or not has_price(request.book.instance(chosen.instance_type)):
        return comparison
    asked = replace(request, derivations=False)
    central = asked.central(recording=False)
    drawn = asked.drawn(central) if asked.draws else None
    for entry in evaluate(asked, central, drawn, [chosen.id]):
        if entry.planned is None or entry.spread is None:
            break
        planned, spread = (
            energy_of(
                entry.choice.instance,
                chosen.nodes,
                outcome.run.hours - outcome.run.unallocated_node_hours,
                values,
                own=False,
            )
            for outcome, values in ((entry.planned, central), (entry.spread, drawn or central))
        )
        return replace(
            comparison,
            electricity=Electricity(
                scenario=chosen,
                kwh=range_of(scalar(planned.kwh), spread.kwh, asked.draws),
                kg_co2=range_of(scalar(planned.kg_co2), spread.kg_co2, asked.draws),
            ),
        )
    return comparison
