"""The plan file of a fleet: its root, its checks, and what a loaded one is."""

from planner.fleet.with_demand import loaded_fleet as LOADED
from planner.plan.check_fleet import check_fleet as check
from planner.plan.fleet_types import FleetPlan as ROOT

__all__ = ["LOADED", "ROOT", "check"]
