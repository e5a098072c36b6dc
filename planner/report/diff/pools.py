"""The result of a worker pool in the form of a comparison of training plans, of which differences are taken.

What is planned is the mean over the simulated runs: that of the cost is the sum of the bill.
"""

from __future__ import annotations

from typing import Any

from planner.report.data.worker_pool_json import document
from planner.worker_pool.result import PoolComparison


def as_comparison(found: PoolComparison) -> dict[str, Any]:
    """The document of a pool with the keys that `changes` needs."""
    return {**document(found), "draws": found.draws}
