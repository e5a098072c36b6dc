"""Fleet plans for tests."""

from __future__ import annotations

from typing import Any

from planner.api.books import book_for
from planner.fleet.compare import compare_fleet
from planner.fleet.result import FleetComparison
from planner.plan.load import LoadedFleet, load_any_text

BOOK = "2026-10-10"
PLAN = """
apiVersion: planner/v1
name: two projects
start: 2026-11-02
run: {kind: fleet, months: 3}
groups: [{instance_type: p4d.24xlarge, nodes: [24, 40]}]
projects:
  - name: vision
    data: 200TB
    hot: 60TB
    deadline: 3d
    jobs: [{per_day: 2, nodes: 4, hours: 20h}, {per_day: 10, nodes: 1, hours: 4h}]
  - {name: speech, share: 2, data: 50TB, hot: 20TB, jobs: [{gpu_hours_per_month: 20000, nodes: 2, hours: 12h}]}
waiting: {usd_per_gpu_hour: 0.5}
assumptions:
  fleet.demand_factor: {value: 1}
  fleet.project_factor: {value: 1}
"""


def loaded(*overrides: str, text: str = PLAN) -> LoadedFleet:
    """The plan with `path=value` overrides."""
    found: Any = load_any_text(text, overrides=overrides)
    return found


def compared(*overrides: str, runs: int = 4, text: str = PLAN) -> FleetComparison:
    """Every choice of it."""
    return compare_fleet(loaded(*overrides, text=text), book_for(BOOK), runs=runs)
