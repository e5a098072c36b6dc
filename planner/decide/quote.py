"""Your way today against the choice of a plan: the same work, the same prices, the same draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planner.answer.quote import NO_DRAWS, ON_DEMAND, Quote, Side, saving_of
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate
from planner.decide.leaders import first_on_demand
from planner.decide.search import Each
from planner.errors import UsageProblem
from planner.estimate.outcomes import RunOutcomes, outcomes_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.training_types import AMOUNTS
from planner.plan.types import Plan
from pricing.offers import PurchaseOption


def on_demand(request: Request, comparison: Comparison, each: Each = map) -> tuple[Request, Side[Scenario]]:
    """The first On-Demand choice of a plan: an eligible one where there is any. A plan that does not ask for On-Demand
    is priced with it. Raises UsageProblem where none has a price."""
    found = first_on_demand(comparison)
    if found is None:
        purchase = request.plan.purchase.model_copy(update={"options": (PurchaseOption.parse(ON_DEMAND).id,)})
        request = replace(request, plan=request.plan.model_copy(update={"purchase": purchase}))
        comparison = compare(request, each)
        found = first_on_demand(comparison)
    if found is None:
        raise UsageProblem("--vs on-demand: no On-Demand choice of this plan has a price; `planner compare` says why")
    return request, Side(scenario=found, comparison=comparison)


def quote(old: tuple[Request, Side[Scenario]], new: tuple[Request, Side[Scenario]]) -> Quote[Scenario]:
    """Both have the same draws and seed. Raises UsageProblem where a range cannot be had."""
    (theirs, before), (ours, after) = old, new
    if not ours.draws:
        raise UsageProblem(NO_DRAWS)
    for side in (before, after):
        if not (side.scenario.feasible and side.scenario.complete):
            raise UsageProblem(f"{side.scenario.id} lacks a price or cannot be built: `planner compare` says why")
    _check_held(before.scenario, after.scenario)
    saving = saving_of(_outcomes(theirs, before.scenario.id), _outcomes(ours, after.scenario.id))
    return Quote(old=before, new=after, saving=saving)


def _outcomes(request: Request, id: str) -> RunOutcomes:
    central = request.central(recording=False)
    drawn = request.drawn(central)
    (entry,) = (e for e in evaluate(request, central, drawn, [id]) if e.choice.id == id)
    return outcomes_of(entry, request.draws)


def _check_held(old: Scenario, new: Scenario) -> None:
    if new.is_held and old.gpus != new.gpus:
        raise UsageProblem(
            f"not comparable: {old.gpus:,} GPUs are held today and {new.gpus:,} by this plan; hold the same number"
        )


def check_comparable(old: Request, new: Request) -> None:
    """Raises UsageProblem with every reason why two plans are not of the same work."""
    found = list(_other_work(old, new))
    if found:
        raise UsageProblem(
            "not comparable: " + "; ".join(found) + "\n    a saving can be stated only for the same work"
        )


def _other_work(old: Request, new: Request) -> Iterator[str]:
    before, after = _work(old.plan), _work(new.plan)
    if before != after:
        yield f"the work is {_words(before)} today and {_words(after)} in this plan"
    elif any("gpu_hours" in part for part in after):
        kinds = [request.book.instance(request.plan.fleet.instance_types[0]).gpu_name for request in (old, new)]
        if kinds[0] != kinds[1]:
            yield f"a GPU-hour of {kinds[0]} is not one of {kinds[1]} (give the work of both in samples or FLOP)"
    read = [request.plan.data.hot_dataset_bytes / 1e12 for request in (old, new)]
    if read[0] != read[1]:
        yield f"training reads {read[0]:,.6g} TB today and {read[1]:,.6g} TB in this plan"


def _work(plan: Plan) -> list[dict[str, float]]:
    """The amount of every phase that is not left out."""
    parts = [phase for phase in plan.run.phases if not phase.skip] or [plan.run.work]
    return [
        {name: value for name in AMOUNTS if (value := getattr(part, name, None)) is not None} for part in parts if part
    ]


def _words(work: list[dict[str, float]]) -> str:
    named = [f"{value:,.6g} {name.replace('gpu_hours', 'GPU-hours')}" for part in work for name, value in part.items()]
    return " + ".join(named).replace("flop", "FLOP")
