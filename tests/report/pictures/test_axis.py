"""Axes: round ticks, everything inside, logarithmic only where the ends are far apart."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from planner.report.pictures.axis import axis_of
from planner.report.wording.figures import tick_labels
from planner.report.wording.rounding import number

NUMBERS = st.floats(min_value=0.01, max_value=1e12)


@given(NUMBERS, NUMBERS)
@example(999999999955.0, 999999999955.0)  # a tick on the axis's end misses it by a rounding
def test_axes_hold_their_ends_and_have_ticks(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assume(high / low < 1e12)
    axis = axis_of(low, high, 0, 100)
    assert axis.low < axis.high
    assert axis.low <= low <= high <= axis.high
    assert 0 <= axis.at(low) <= axis.at(high) <= 100
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 24
    assert all(axis.low <= tick <= axis.high for tick in ticks)


@pytest.mark.parametrize(("high", "log"), [(100.0, False), (79.0, False), (800.0, True)])
def test_far_ends_are_logarithmic(high: float, log: bool) -> None:
    assert axis_of(10.0 if high != 100.0 else 50.0, high, 0, 100).log is log


def test_equal_steps_on_a_linear_axis() -> None:
    axis = axis_of(10.0, 20.0, 0, 100)
    assert axis.at(15.0) - axis.at(10.0) == pytest.approx(axis.at(20.0) - axis.at(15.0))


@pytest.mark.parametrize("values", [(1.795e6, 1.8e6, 1.805e6), (137_912.0, 137_915.0), (1e6, 2e6), (5.0, 10.0)])
def test_labels_of_one_axis_differ_and_say_their_value(values: tuple[float, ...]) -> None:
    labels = tick_labels(values)
    assert len(set(labels)) == len(values)
    assert [number(label) for label in labels] == pytest.approx(values, rel=5e-3)
