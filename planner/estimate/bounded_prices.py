"""Bounded prices on a bill: whether they are small enough for a total, and which part of it they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.models.bill import Line, Unpriced
from planner.models.number import median

MOST_BOUNDED = 0.02  # of the total, at the upper bounds; beyond it, the total is only a lower bound


def are_small(lines: Sequence[Line]) -> bool:
    """Whether the bounded lines at their upper bounds stay under 2 % of the total."""
    bounded = sum(median(line.highest_cost) for line in lines if line.bounded)
    return not bounded or bounded < MOST_BOUNDED * sum(median(line.highest_cost) for line in lines)


def without_bounded(
    lines: Sequence[Line], unpriced: Sequence[Unpriced], missing: Sequence[Unpriced]
) -> tuple[tuple[Line, ...], tuple[Unpriced, ...]]:
    """Lines and unpriced lines of a bill whose bounded prices count as missing."""
    return tuple(line for line in lines if not line.bounded), (
        *unpriced,
        *(replace(entry, elsewhere=True) for entry in missing),
    )


def bounded_fraction(lines: Sequence[Line]) -> float:
    """The part of the planned cost that has a bounded price."""
    total = sum(median(line.effective_cost) for line in lines)
    bounded = sum(median(line.effective_cost) for line in lines if line.bounded)
    return bounded / total if total else 0.0
