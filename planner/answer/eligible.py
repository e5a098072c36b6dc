"""Which choices may be recommended: those that finish, in time and within the budget, in most outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.answer.futures import futures_of
from planner.answer.row import Outcomes, R, Shortfall
from planner.models.number import share_of, share_within


def judged(
    row: R,
    outcomes: Outcomes,
    *,
    confidence: float,
    limit_days: float,
    limit_is_assumed: bool,
    budget_usd: float | None,
    unfinished: Shortfall | None = None,
    others: Iterable[Shortfall] = (),
) -> R:
    """The row with what the decision rule says of it. limit_days: infinite for none. unfinished: what is said where too
    few draws finish, if that is not all there is to say; others: shortfalls that only this kind of plan has."""
    finish = share_of(outcomes.finished)
    on_time = share_of(outcomes.finished & (outcomes.days <= limit_days))
    in_budget = None if budget_usd is None else share_of(outcomes.cost_usd <= budget_usd)
    found = []
    if finish < confidence:
        found.append(unfinished or Shortfall(kind="finish", fraction=finish))
    elif on_time < confidence:
        kind = "assumed limit" if limit_is_assumed else "deadline"
        needed = share_within(outcomes.days, confidence)
        found.append(Shortfall(kind=kind, fraction=on_time, limit=limit_days, needed=needed))
    found += others
    if in_budget is not None and in_budget < confidence:
        needed = share_within(outcomes.cost_usd, confidence)
        found.append(Shortfall(kind="budget", fraction=in_budget, limit=budget_usd, needed=needed))
    return replace(
        row,
        limit_days=limit_days if math.isfinite(limit_days) else None,
        limit_is_assumed=limit_is_assumed,
        on_time_fraction=on_time if math.isfinite(limit_days) else None,
        budget_usd=budget_usd,
        in_budget_fraction=in_budget,
        eligible=row.complete and not found,
        shortfalls=tuple(found),
    )


def with_fractions(rows: Sequence[R], outcomes: Mapping[str, Outcomes], first: str) -> list[R]:
    """Each complete row with the share of draws in which it is the cheapest, in which it costs less, and more, than the
    first one, and its futures.

    All rows share the draws, so the shares are of the same outcomes. A draw that does not finish is never the cheapest.
    """
    costs = {row.id: outcomes[row.id].cost_usd / row.unit for row in rows if row.feasible and row.complete}
    if not costs:
        return list(rows)
    lowest = np.min(list(costs.values()), axis=0)
    # rows that tie for the lowest cost of a draw share it, so that the shares add up to one
    ties = sum((cost <= lowest).astype(float) for cost in costs.values())
    return [
        replace(
            row,
            cheapest_fraction=float(np.mean((costs[row.id] <= lowest) * np.isfinite(lowest) / ties)),
            **({} if row.id == first or first not in costs else _beside(costs[row.id], costs[first])),
            futures=futures_of(outcomes[row.id].cost_usd),
        )
        if row.id in costs
        else row
        for row in rows
    ]


def _beside(cost: NDArray[np.float64], best: NDArray[np.float64]) -> dict[str, float]:
    return {"below_best_fraction": share_of(cost < best), "above_best_fraction": share_of(cost > best)}
