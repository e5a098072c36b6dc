"""How far a fitted throughput may be off: few rows, no scatter, linear scaling that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.student_t import student_t_95
from planner.models.workload import throughput_spread


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 6.3138), (2, 2.9200), (5, 2.0150), (10, 1.8125), (11, 1.7959), (20, 1.7247), (30, 1.6973), (10**6, 1.6449)],
)
def test_student_as_in_the_tables(freedom, quantile):
    assert student_t_95(freedom) == pytest.approx(quantile, abs=2e-4)


def test_student_by_simulation():
    random = np.random.default_rng(4)
    drawn = random.standard_normal(400_000) / np.sqrt(random.chisquare(4, 400_000) / 4)
    assert student_t_95(4) == pytest.approx(float(np.quantile(drawn, 0.95)), rel=0.01)


@given(
    st.lists(st.floats(0.7, 1.0), min_size=2, max_size=6),
    st.floats(1, 512),
)
@settings(max_examples=60, deadline=None)
def test_it_is_never_zero(efficiencies, gpus):
    rows = [(8 * 2**k, 10.0 * 8 * 2**k * share) for k, share in enumerate(efficiencies)]
    assert throughput_spread(rows=rows, gpus=gpus, error_per_doubling_fraction=0.0) > 0.005


def test_rows_on_a_line_are_as_uncertain_as_rows_may_be():
    on_a_line = [(8, 80.0), (16, 160.0), (32, 320.0)]
    scattered = [(8, 80.0), (16, 165.0), (32, 312.0)]
    narrow, wide = (throughput_spread(rows=rows, gpus=32) for rows in (on_a_line, scattered))
    assert 0 < narrow < wide


def test_more_rows_with_the_same_scatter_say_more():
    def rows(count: int) -> list[tuple[int, float]]:
        return [(8 * k, 80.0 * k * (1.01 if k % 2 else 0.99)) for k in range(1, count + 1)]

    assert throughput_spread(rows=rows(3), gpus=24) > throughput_spread(rows=rows(6), gpus=24)
