"""A training plan in the Python interface."""

from planner.api.comparisons import compare_training as compare
from planner.api.explanations import explain_training as explain
from planner.api.frames import training_frame as to_frame
from planner.api.optima import optimize_training as optimize
from planner.api.page import page_of_training as render_html
from planner.api.plans import Plan

__all__ = ["Plan", "compare", "explain", "optimize", "render_html", "to_frame"]
