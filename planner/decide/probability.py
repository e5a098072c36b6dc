"""How often one scenario costs less than another, over the same seeded draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.decide.enumerate import evaluate
from planner.estimate.outcomes import outcomes_of
from planner.estimate.request import Request
from planner.models.number import quantiles, share_of


@dataclass(frozen=True, kw_only=True)
class LowerCostProbability:
    """Shares of the draws in which `a` costs less than `b`, the same, and more; and how much `a` saves in percentiles
    of the draws (negative: it costs more)."""

    a: str
    b: str
    below_fraction: float
    same_fraction: float
    above_fraction: float
    saves_usd_p10: float
    saves_usd_p50: float
    saves_usd_p90: float


def lower_cost_probability(request: Request, a: str, b: str) -> LowerCostProbability | None:
    """None if one of the two has no complete price or there are no draws. Raises KeyError for an unknown id."""
    central = request.central()
    found = {e.choice.id: e for e in evaluate(request, central, request.drawn(central) if request.draws else None)}
    first, second = found[a], found[b]
    if not request.draws or any(e.spread is None or e.why_not or e.unpriced for e in (first, second)):
        return None
    left, right = (outcomes_of(entry, request.draws).cost_usd for entry in (first, second))
    ends = np.isfinite(left) | np.isfinite(right)  # where neither finishes, neither saves anything
    saved = np.subtract(right, left, out=np.zeros_like(right), where=ends)
    p10, p50, p90 = quantiles(saved, (0.1, 0.5, 0.9))
    return LowerCostProbability(
        a=a,
        b=b,
        below_fraction=share_of(left < right),
        same_fraction=share_of(left == right),
        above_fraction=share_of(left > right),
        saves_usd_p10=p10,
        saves_usd_p50=p50,
        saves_usd_p90=p90,
    )
