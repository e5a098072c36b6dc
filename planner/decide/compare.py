"""The comparison of a plan: every scenario priced at central values and in draws, and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from planner.answer.compared import Prices
from planner.answer.eligible import with_fractions
from planner.answer.measure import order
from planner.answer.price_age import stale_prices
from planner.answer.recommend import Answer, answer_of
from planner.answer.row import Outcomes
from planner.decide.comparison import Comparison
from planner.decide.eligibility import judged
from planner.decide.enumerate import evaluate
from planner.decide.narrow import has_many_counts, narrowed
from planner.decide.notices import notes_of
from planner.decide.search import Each
from planner.estimate.derivations import derived_of
from planner.estimate.evaluate import Evaluated
from planner.estimate.outcomes import outcomes_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.summary import scenario_of
from planner.models.sheet import Sheet
from planner.models.values import Values

__all__ = ["Request", "compare"]


def compare(request: Request, each: Each = map) -> Comparison:
    """Price every choice of the plan and judge them. The same plan, book, draws and seed give the same result.

    Of a plan with many node counts, each of which is priced, only some are in the result. each: see `search`.
    """
    if not has_many_counts(request):
        return _compared(request)
    some, searched = narrowed(request, each)
    return replace(_compared(some), plan=request.plan.canonical(), searched=searched)


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """Every choice evaluated, in the order of sheets and scenarios; and the answer."""

    evaluated: list[Evaluated]
    sheets: list[Sheet]
    outcomes: Mapping[str, Outcomes]
    scenarios: tuple[Scenario, ...]
    answer: Answer


def _judged(request: Request, central: Values) -> _Judged:
    evaluated = list(evaluate(request, central, request.drawn(central) if request.draws else None))
    sheets = [Sheet(recording=request.derivations) for _ in evaluated]
    outcomes = {e.choice.id: outcomes_of(e, request.draws) for e in evaluated if e.spread and not e.why_not}
    scenarios = judged(
        request.plan,
        [
            scenario_of(request, entry, outcomes.get(entry.choice.id), sheet)
            for entry, sheet in zip(evaluated, sheets, strict=True)
        ],
        outcomes,
    )
    answer = answer_of(request.plan.decision, scenarios, outcomes)
    return _Judged(evaluated=evaluated, sheets=sheets, outcomes=outcomes, scenarios=tuple(scenarios), answer=answer)


def _compared(request: Request) -> Comparison:
    plan, book, rank_by = request.plan, request.book, request.plan.decision.rank_by
    central = request.central(recording=request.derivations)
    found = _judged(request, central)
    answer, scenarios = found.answer, found.scenarios
    first = min(scenarios, key=lambda s: order(s, rank_by, answer.recommended), default=None)
    if request.draws and first is not None:
        scenarios = with_fractions(scenarios, found.outcomes, first.id)
    complete = [
        replace(scenario, derived=derived_of(scenario, entry.planned, sheet, request.draws))
        if request.derivations and scenario.cost_usd and entry.planned
        else scenario
        for scenario, entry, sheet in zip(scenarios, found.evaluated, found.sheets, strict=True)
    ]
    as_of = request.as_of or plan.start
    return Comparison(
        plan_name=plan.name,
        plan_sha256=request.plan_sha256,
        region=plan.region,
        prices=Prices.of(book, as_of),
        seed=request.seed,
        draws=request.draws,
        scenarios=tuple(sorted(complete, key=lambda s: order(s, rank_by, answer.recommended))),
        answer=answer,
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
        notes=notes_of(
            plan,
            book,
            {key: central.table[key] for key in central.used},
            {line.price_source for scenario in scenarios for line in scenario.bill},
        ),
        stale=stale_prices(scenarios, book.as_of, as_of, request.max_price_age_days),
        plan=plan.canonical(),
    )
