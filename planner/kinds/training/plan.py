"""The plan file of a training run: its root, its checks, and what a loaded one is."""

from planner.plan.check import check_plan as check
from planner.plan.load import LoadedPlan as LOADED
from planner.plan.types import Plan as ROOT

__all__ = ["LOADED", "ROOT", "check"]
