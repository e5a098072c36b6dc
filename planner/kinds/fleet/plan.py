"""The plan file of a fleet: its root, its checks, and what a loaded one is."""

from planner.plan.check_fleet import check_fleet as check
from planner.plan.fleet_types import FleetPlan as ROOT
from planner.plan.load import LoadedFleet as LOADED

__all__ = ["LOADED", "ROOT", "check"]
