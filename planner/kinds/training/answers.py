"""A training plan priced: every layout, purchase option and instance type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.api.arguments import named
from planner.api.comparisons import Comparison, comparison_of
from planner.api.parallel import in_processes
from planner.decide import comparison as comparisons
from planner.decide.compare import compare
from planner.decide.enumerate import ids_of
from planner.decide.spares import with_spares
from planner.estimate.defaults import DEFAULT_DRAWS
from planner.estimate.request import Request
from planner.kinds.asking import PRICING, Ask, Watch
from planner.plan.load import LoadedPlan

__all__ = ["compared", "document", "draws_for", "ids", "named", "plan_of", "priced", "request_of", "settings"]


def plan_of(ask: Ask) -> LoadedPlan:
    """The plan that is asked about."""
    assert isinstance(ask.loaded, LoadedPlan)  # its kind has this room
    return ask.loaded


def draws_for(ask: Ask) -> int:
    """Simulated outcomes: those that are asked for, else 5,000."""
    return DEFAULT_DRAWS if ask.draws is None else ask.draws


def request_of(ask: Ask, *, derivations: bool = True, spares: bool = True) -> Request:
    """Everything that the models need. derivations: whether the result shows how numbers come about. spares: whether
    their number is chosen where the plan leaves it open."""
    loaded = plan_of(ask)
    request = Request(
        plan=loaded.plan,
        plan_sha256=loaded.sha256,
        book=ask.book,
        draws=draws_for(ask),
        seed=ask.seed,
        as_of=ask.as_of,
        max_price_age_days=ask.max_price_age_days,
        derivations=derivations,
    )
    return with_spares(request, in_processes) if spares else request


def compared(ask: Ask, watch: Watch, *, derivations: bool = True) -> Comparison:
    """Every scenario, ranked, with what is worth proposing."""
    request = request_of(ask, derivations=derivations)
    with watch.each(PRICING) as each:
        return comparison_of(plan_of(ask), request, each)


def priced(ask: Ask, watch: Watch, *, derivations: bool = True) -> comparisons.Comparison:
    """The same without proposals."""
    request = request_of(ask, derivations=derivations)
    with watch.each(PRICING) as each:
        return compare(request, each)


def ids(ask: Ask) -> list[str]:
    """The ids of the scenarios, without pricing any."""
    return ids_of(request_of(ask, derivations=False))


def document(found: comparisons.Comparison) -> dict[str, Any]:
    """What differences are taken of: the document of `compare -f json`."""
    from planner.report.data.comparison_json import document as document_of

    return document_of(found)


def settings(found: comparisons.Comparison, ask: Ask) -> Mapping[str, object]:
    """The plan beside it."""
    return found.plan
