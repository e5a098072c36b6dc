"""What the figures are based on: grades of prices, lines without a price, assumptions, provenance."""

from __future__ import annotations

from collections.abc import Sequence

from planner import __version__
from planner.decide.comparison import Comparison
from planner.models.bill import Unpriced
from planner.plan.assumptions import Assumption

PLAN = "Plan"
NOT_FEASIBLE = "Not feasible"
UNPRICED = "Lines without a price"
ASSUMPTIONS = "Assumptions"
ASSUMED_RANGE = "Low and high are the 5th and 95th percentile."
SOURCES = "Sources of prices"
STALE = "Out-of-date prices"
PROVENANCE = "How to reproduce this"
GRADES = (
    "A: a price of an AWS price list or AWS page, as read by the named source, which may be a third party's copy; B: a "
    "third party's own data; C: secondary, derived or undated."
)
BASES = (
    "Observed: read on or near the day of the price book. Carried: read on another day, with no known change in "
    "between; carried back: read after the day that it is used for. Bounded: not known in this Region, so halfway "
    "between the lowest and the highest price of other Regions. Own: brought by the plan."
)


def no_price(entry: Unpriced) -> str:
    return f"no price for {entry.what}"


def missing_in(scenarios: Sequence[str]) -> str:
    return f"Missing in: {', '.join(scenarios)}."


def nearest(texts: Sequence[str]) -> str:
    """Prices similar to a missing one; "" if there are none."""
    return f"nearest: {'; '.join(texts)}" if texts else ""


def sourced(entry: Assumption) -> str:
    """The source of an assumption, with its year."""
    return f"{entry.source} ({entry.year})" if entry.year else entry.source


def reproduction(comparison: Comparison, model_sha256: str) -> list[tuple[str, str, str, str]]:
    """(name, text, name of the hash, hash) of everything needed to reproduce the report byte for byte."""
    prices = comparison.prices
    edited = "" if prices.intact else ", edited after it was built"
    return [
        (PLAN, comparison.plan_name, "sha256", comparison.plan_sha256),
        ("Prices", f"{prices.as_of}{edited}", "sha256", prices.sha256),
        ("Draws", f"{comparison.draws:,}, seed {comparison.seed}", "", ""),
        ("Program", f"planner {__version__}", "model sha256", model_sha256),
    ]
