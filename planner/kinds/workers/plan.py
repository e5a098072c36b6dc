"""The plan file of a worker pool: its root, its checks, and what a loaded one is."""

from planner.plan.check_worker_pool import check_worker_pool as check
from planner.plan.load import LoadedPool as LOADED
from planner.plan.worker_pool_types import WorkerPoolPlan as ROOT

__all__ = ["LOADED", "ROOT", "check"]
