"""What the others took, as the range of each: on numbers that one can follow, and on draws of a known distribution."""

from __future__ import annotations

import numpy as np
import pytest

from planner.evidence.unseen import by_the_others


def test_one_that_is_unlike_all_others_lies_outside() -> None:
    """The median of 0.8, 0.9, 1, 1.1 and 1.2 is 1, and exp(1.28 x sqrt((ln 1.1^2 + ln 1.2^2) / 2)) = 1.21 their P90,
    far below 4. Nor is 0.8 inside: the others' median is 1.1, and 0.1 and 0.2 below it give a P10 of 0.83."""
    assert by_the_others([0.8, 0.9, 1.0, 1.1, 1.2, 4.0]) == 4


def test_too_few_judge_nobody() -> None:
    assert by_the_others([1.0, 1.0, 1.0, 1.0]) == 0


@pytest.mark.parametrize("seed", range(3))
def test_four_of_five_lie_inside_where_runs_are_drawn_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(400)
    ratios = np.exp(np.where(z < 0, 0.25, 0.5) * z)
    assert by_the_others(ratios.tolist()) / 400 == pytest.approx(0.8, abs=0.05)
