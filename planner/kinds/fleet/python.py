"""A fleet in the Python interface."""

from __future__ import annotations

from planner.api.fleets import FleetComparison, compare, explain, optimize, to_frame
from planner.api.plans import FleetPlan as Plan
from planner.report.blocks import html
from planner.report.wording.fleet_page import SKIP, page

__all__ = ["Plan", "compare", "explain", "optimize", "render_html", "to_frame"]


def render_html(comparison: FleetComparison, *, architecture: bool, reconciled: object) -> str:
    """What `planner.render_html` gives for a fleet. architecture, reconciled: of training."""
    return html.text(page(comparison), SKIP)
