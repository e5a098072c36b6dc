"""Middles and quantiles of draws against numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from planner.models.number import median, quantiles

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
