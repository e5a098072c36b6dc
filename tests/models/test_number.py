"""Middles and quantiles of draws against numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from planner.models.number import median, quantiles, share_within

DRAWS = arrays(float, st.integers(1, 60), elements=st.floats(-1e12, 1e12))


@given(values=DRAWS, shares=st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_to_the_bit_as_numpy_has_them(values, shares):
    np.testing.assert_array_equal(quantiles(values, shares), np.quantile(values, shares))


@given(values=DRAWS)
def test_the_middle_is_the_median(values):
    assert median(values) == pytest.approx(np.median(values), rel=1e-15)
    assert median(float(values[0])) == values[0]


def test_the_middle_of_what_never_ends_is_no_number_less():
    assert median(np.array([1.0, 2.0, np.inf, np.inf, np.inf])) == np.inf
    assert median(np.array([1.0, np.inf, np.inf, np.inf])) == np.inf


@given(values=DRAWS, endless=st.integers(0, 60), shares=st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_beyond_the_draws_that_finish_every_quantile_is_infinite(values, endless, shares):
    """Between two finite draws as numpy has it; beside one that never finishes infinite, not "not a number"."""
    drawn = np.concatenate([values, np.full(endless, np.inf)])
    found = quantiles(np.random.default_rng(0).permutation(drawn), shares)
    for share, quantile in zip(shares, found, strict=True):
        above = share * (len(drawn) - 1)
        if above <= len(values) - 1:  # no infinite draw beside it
            below = np.floor(above)
            inner = np.sort(values)[int(below)]
            outer = np.sort(values)[min(int(below) + 1, len(values) - 1)]
            assert quantile == pytest.approx(inner + (outer - inner) * (above - below), rel=1e-12, abs=1e-3)
        else:
            assert quantile == np.inf


@given(values=DRAWS, endless=st.integers(0, 60), share=st.floats(0, 1, exclude_min=True))
def test_the_lowest_value_that_enough_do_not_exceed(values, endless, share):
    drawn = np.concatenate([values, np.full(endless, np.inf)])
    found = share_within(np.random.default_rng(0).permutation(drawn), share)
    assert found in drawn
    assert np.mean(drawn <= found) >= share
    assert np.mean(drawn < found) < share


def test_a_share_just_above_a_half_needs_both_of_two_draws():
    """Twice it is 1 in binary, but one of two draws is less."""
    assert share_within(np.array([1.0, 2.0]), 0.5000000000000001) == 2


def test_nine_of_ten_draws_are_ninety_percent():
    """0.9 x 10 is 9 draws although 0.9 is not exact in binary."""
    assert [share_within(np.arange(1.0, 11.0), share) for share in (0.1, 0.3, 0.9, 0.91)] == [1, 3, 9, 10]
    assert share_within(np.asarray(7.0), 0.9) == 7
