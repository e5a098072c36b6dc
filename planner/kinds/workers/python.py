"""A worker pool in the Python interface."""

from __future__ import annotations

from planner.api.plans import PoolPlan as Plan
from planner.api.pools import PoolComparison, compare, explain, optimize, to_frame
from planner.report.blocks import html
from planner.report.wording.worker_pool_page import SKIP, page

__all__ = ["Plan", "compare", "explain", "optimize", "render_html", "to_frame"]


def render_html(comparison: PoolComparison, *, architecture: bool, reconciled: object) -> str:
    """What `planner.render_html` gives for a worker pool. architecture, reconciled: of training."""
    return html.text(page(comparison), SKIP)
