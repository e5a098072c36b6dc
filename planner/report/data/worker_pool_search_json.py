"""The result of `optimize` of a worker pool as a JSON document: the answer, every size, and those that none beats."""

from __future__ import annotations

from typing import Any

from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.data.worker_pool_json import ranged, rounded
from planner.report.wording import worker_pool as words
from planner.worker_pool.search import PoolSearch, Sized


def document(found: PoolSearch) -> dict[str, Any]:
    """The whole result as plain data."""
    best = found.best
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "kind": "worker-pool",
        "plan": {"name": found.loaded.plan.name, "sha256": found.loaded.sha256},
        "prices": {"as_of": found.comparison.prices.as_of.isoformat()},
        "seed": found.seed,
        "runs": found.runs,
        "minimize": found.minimize,
        "answer": {
            "recommended": best.scenario.id if best else None,
            "reason": f"{words.size_answer(found)} {words.tried(found)}",
            "best": _point(best) if best else None,
            "price_list": _point(found.beside) if found.beside else None,
            "set": [f"pool.max={best.nodes}"] if best else [],
        },
        "frontier": [_point(one) for one in found.sizes if one.scenario.eligible and not _beaten(one, found.sizes)],
        "sizes": [
            {**_point(one), "eligible": one.scenario.eligible, "why_not_eligible": list(words.reasons(one.scenario))}
            for one in found.sizes
        ],
        "evaluated": found.evaluated,
    }


def _point(one: Sized) -> dict[str, Any]:
    scenario = one.scenario
    return {
        "id": scenario.id,
        "nodes": one.nodes,
        "days": ranged(scenario.days, scenario.days and scenario.days.plan),
        "cost_usd": ranged(scenario.cost_usd, scenario.mean_cost_usd),
        "effort_usd": rounded(scenario.effort_usd) if scenario.cost_usd else None,
        "deployable": scenario.option is not None,
    }


def _beaten(one: Sized, others: tuple[Sized, ...]) -> bool:
    """Whether another size that meets the limits is cheaper and ends earlier, by P50."""

    def at(sized: Sized) -> tuple[float, float]:
        cost, days = sized.scenario.cost_usd, sized.scenario.days
        assert cost is not None  # it is eligible
        assert days is not None
        return cost.p50, days.p50

    mine = at(one)
    rivals = [at(other) for other in others if other is not one and other.scenario.eligible]
    return any(cost <= mine[0] and days <= mine[1] and (cost, days) != mine for cost, days in rivals)


def render(found: PoolSearch) -> str:
    return json_text(document(found))
