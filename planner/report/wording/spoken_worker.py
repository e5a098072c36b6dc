"""A choice of a worker pool as a sentence names it: `g5.xlarge on spot`, where a table has its id."""

from __future__ import annotations

from planner.plan.worker_pool_types import DIVERSIFIED

WAYS = {
    "list": "by its price list",
    "on-demand": "On-Demand",
    "spot": "on spot",
    "spot-fallback": "on spot with On-Demand fallback",
}


def spoken_worker(scenario_id: str) -> str:
    """By its id, such as `workers/g5.xlarge/spot`."""
    _, worker, purchase = scenario_id.split("/")
    return f"{'a diversified pool' if worker == DIVERSIFIED else worker} {WAYS[purchase]}"
