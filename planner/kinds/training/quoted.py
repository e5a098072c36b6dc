"""A training plan against the way of today."""

from __future__ import annotations

from planner.answer.compared import Compared
from planner.answer.quote import Side, today
from planner.decide.compare import compare
from planner.decide.quote import check_comparable, on_demand, quote
from planner.estimate.result import Scenario
from planner.kinds.asking import PRICING, Ask, Watch
from planner.kinds.training.answers import named, request_of
from planner.report.wording.answer import bought
from planner.report.wording.quote import Card, card_of


def quoted(ask: Ask, scenario: str, other: Ask | None, watch: Watch) -> tuple[Card, Compared[Scenario]]:
    """(the card, the comparison of the plan). other: the plan of today, None for On-Demand. Raises UsageProblem."""
    request = request_of(ask, derivations=False)
    theirs = request_of(other, derivations=False) if other else None
    if theirs is not None:
        check_comparable(theirs, request)
    with watch.each(PRICING) as each:
        comparison = compare(request, each)
        new = Side(scenario=named(comparison, scenario), comparison=comparison)
        if theirs is None:
            theirs, old = on_demand(request, comparison, each)
        else:
            old = today(compare(theirs, each))
    return card_of(quote((theirs, old), (request, new)), bought), comparison
