"""Changes of the plan that are worth acting on, proposed without being asked: spare nodes, a node count that fits a
Capacity Block better, a longer block. Each one is compared again in draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from planner.answer.measure import cost_of
from planner.answer.recommend import SMALL
from planner.decide.compare import compare
from planner.decide.comparison import Comparison, Proposal
from planner.decide.enumerate import sizes_of
from planner.decide.fitting_counts import fitting_counts
from planner.decide.spares import enough_spares
from planner.decide.variants import ChangedPlan, is_right, same, size_of, with_value
from planner.estimate.request import Request
from planner.estimate.result import Scenario

WORTH = 0.05  # less at P50 or at P90 is not worth a change of the plan
MOST = 2
FEW_SPARES = (1, 2)


@dataclass(frozen=True, kw_only=True)
class _Try:
    """A changed plan and the scenario that it is for."""

    kind: str
    wanted: ChangedPlan
    scenario: Scenario


def with_proposals(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with at most two changes that make the recommended cost, at P50 or P90, clearly lower."""
    best = comparison.best
    if best is None or not request.draws:
        return comparison
    alone = _of_one_count(request, best)
    found: dict[str, list[Proposal]] = {}
    for attempt in _tries(alone, comparison, best):
        proposal = _confirmed(alone, attempt, best)
        if proposal:
            found.setdefault(attempt.kind, []).append(proposal)
    return replace(comparison, proposals=tuple(sorted(map(_preferred, found.values()), key=_cost)[:MOST]))


def _preferred(proposals: Sequence[Proposal]) -> Proposal:
    """Of those that cost hardly more than the cheapest: one that may be recommended, of the fewest Capacity Blocks, and
    the shortest run."""
    least = min(map(_cost, proposals)) * (1 + WORTH)
    near = [entry for entry in proposals if _cost(entry) <= least]
    return min(near, key=lambda entry: (entry.scenario.held_back, entry.scenario.blocks, _days(entry), _cost(entry)))


def _cost(proposal: Proposal) -> float:
    """P50 and P90 together, because a change may lower either."""
    return cost_of(proposal.scenario, "p50") + cost_of(proposal.scenario, "p90")


def _days(proposal: Proposal) -> float:
    return proposal.scenario.days.p50 if proposal.scenario.days else math.inf


def _of_one_count(request: Request, best: Scenario) -> Request:
    """The request with the recommended scenario's type and node count, if the plan has several."""
    fleet = request.plan.fleet
    changed: dict[str, object] = {"instance_types": (best.instance_type,)}
    if fleet.nodes is not None:
        changed["nodes"] = (best.nodes,)
    elif fleet.gpus is not None:
        gpus = [entry for entry in fleet.gpus if best.instance_type in _types_of(request, entry.gpu)]
        near = min(gpus, key=lambda entry: abs(entry.count - best.gpus))
        changed["gpus"] = (near,)
    return replace(request, plan=request.plan.model_copy(update={"fleet": fleet.model_copy(update=changed)}))


def _types_of(request: Request, gpu: str) -> list[str]:
    """The plan's instance types with this GPU."""
    names = request.plan.fleet.instance_types
    return [name for name in names if request.book.instance(name).gpu_name.upper() == gpu]


def _tries(request: Request, comparison: Comparison, best: Scenario) -> Iterator[_Try]:
    plan = request.plan
    base = same(plan)
    planned = plan.fleet.spares
    wanted_spares = {*(planned + more for more in FEW_SPARES), *enough_spares(request, best.nodes)}
    for spares in sorted(wanted_spares):
        if planned < spares < best.nodes:
            wanted = with_value(base, "fleet", "own_spares", spares, f"fleet.spares={spares}")
            yield _Try(kind="spares", wanted=wanted, scenario=best)
    blocks = [s for s in comparison.complete if s.option.family == "capacity-block" and _is_alike(s, best)]
    block = min(blocks, key=lambda s: (s.layout != best.layout, cost_of(s, "planned"), s.id), default=None)
    several = len({s.nodes for s in comparison.scenarios}) > 1
    size = size_of(plan, tuple(request.book.instances()))
    if block and size and not several and plan.run.held_hours is None:  # half of a fleet that is held costs half
        for count in fitting_counts(request, block, cost_of(best, "p50") * (1 + SMALL)):
            # GPUs are those that train, nodes are with spares
            wanted = size.at(base, count - plan.fleet.spares if size.gpu else count)
            yield _Try(kind="count", wanted=wanted, scenario=block)
    if plan.purchase.capacity_block.days is not None:
        for scenario in comparison.scenarios:
            if scenario.option.family == "capacity-block" and _is_alike(scenario, best) and _is_too_short(scenario):
                wanted = with_value(base, "purchase.capacity_block", "days", None, "purchase.capacity_block.days=null")
                yield _Try(kind="block", wanted=wanted, scenario=scenario)


def _is_too_short(scenario: Scenario) -> bool:
    """Whether the plan's Capacity Block is what rules a scenario out."""
    return not scenario.feasible or {entry.kind for entry in scenario.shortfalls} == {"block"}


def _is_alike(scenario: Scenario, best: Scenario) -> bool:
    return (scenario.instance_type, scenario.nodes) == (best.instance_type, best.nodes)


def _confirmed(request: Request, attempt: _Try, best: Scenario) -> Proposal | None:
    """The scenario of the changed plan, compared in draws; None if it is not clearly better than the recommended one,
    or may not be recommended."""
    plan, before = attempt.wanted.plan, attempt.scenario
    if not is_right(plan, tuple(request.book.instances())):
        return None
    places = ((before.layout, before.variant), (best.layout, best.variant))
    only = {
        "purchase": plan.purchase.model_copy(update={"options": (before.purchase,)}),
        "storage": plan.storage.model_copy(update={"layouts": tuple(dict.fromkeys(layout for layout, _ in places))}),
    }
    asked = replace(request, plan=plan.model_copy(update=only), derivations=False)
    if f"x{best.nodes}/" in best.id:  # among several counts, an id says which
        asked = replace(asked, fleets=tuple(sizes_of(asked)))
    changed = compare(asked)
    alike = [s for s in changed.scenarios if (s.layout, s.variant) in places and s.cost_usd]
    after = min(alike, key=lambda s: (not s.eligible, cost_of(s, "p50")), default=None)
    if after is None or not after.eligible or after.days is None or not _is_better(after, best):
        return None
    if after.held_back and (attempt.kind != "count" or (before.eligible and not _is_better(after, before))):
        return None  # more Capacity Blocks than one can count on, if the planned count is no better
    if best.limit_is_assumed and best.limit_days is not None and after.days.p90 > best.limit_days:
        return None  # its own fleet has another assumed limit
    return Proposal(
        kind=attempt.kind,
        # a length that compare chooses is proposed as a number
        setting=attempt.wanted.settings[0].replace("days=null", f"days={after.block_days or 0:g}"),
        scenario=after,
        instead_of=before,
    )


def _is_better(after: Scenario, best: Scenario) -> bool:
    """At least WORTH less at P50 or at P90, and not costlier at the other."""
    changes = [cost_of(after, measure) / cost_of(best, measure) - 1 for measure in ("p50", "p90")]
    return all(math.isfinite(change) for change in changes) and min(changes) <= -WORTH and max(changes) <= SMALL
