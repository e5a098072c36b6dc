"""Units in text: numbers with a unit become the unit of the equation, and nothing else becomes anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.models.inputs_in_text import number_in_text
from planner.models.units import DIMENSIONS, WrongUnit, converted, split_unit, unit_of


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("13min", "h", 13 / 60),
        ("13 min", "h", 13 / 60),
        ("2.5days", "h", 60),
        ("600GB", "GB", 600),
        ("600GB", "bytes", 600e9),
        ("2.3TB", "GB", 2300),
        ("1TiB", "GB", 1024**4 / 1e9),
        ("5PB", "GB of 2^30 bytes", 5e15 / 2**30),
        ("4.525GiB/s", "GB/s", 4.525 * 1.073741824),
        ("100Gbit/s", "GB/s", 12.5),
        ("50Gbps", "Gbit/s of IP", 50),
        ("93%", "fraction", 0.93),
        ("1,296", "h", 1296),
        ("4.3e23", "FLOP", 4.3e23),
        ("1e3s", "s", 1000),
    ],
)
def test_a_number_with_a_unit(text, unit, value):
    assert number_in_text(text, unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [
        ("13GB", "h", "GB is a size and h a time"),
        ("13furlongs", "h", "'furlongs' is no unit that is known: write it in h"),
        ("13min", "USD", "min is not a unit of USD"),
        ("200%", "fraction", "a fraction lies between 0 and 1"),
        ("-5min", "h", "cannot be negative"),
        ("min", "h", "not a number"),
        ("1e400h", "h", "not a finite number"),
    ],
)
def test_a_unit_that_does_not_fit_is_named(text, unit, said):
    with pytest.raises(ValueError, match=said):
        number_in_text(text, unit)


@given(st.floats(1e-6, 1e6), st.data())
def test_there_and_back(value, data):
    units = data.draw(st.sampled_from([list(one) for one in DIMENSIONS.values()]))
    one, other = data.draw(st.sampled_from(units)), data.draw(st.sampled_from(units))
    assert converted(converted(value, one, other), other, one) == pytest.approx(value, rel=1e-12)


def test_kinds_do_not_mix_and_unknown_units_pass():
    with pytest.raises(WrongUnit, match="h is a time and GB a size"):
        converted(1, "h", "GB")
    assert converted(3, "USD", "USD/month") == 3
    assert unit_of("samples/s") is None
    assert split_unit("8:128.2") == ("8:128.2", "")


def test_gigabytes_are_not_gibibytes_or_gigabits():
    assert converted(1, "GiB", "GB") == pytest.approx(1.073741824)
    assert converted(1, "GB/s", "Gbit/s") == pytest.approx(8)
    assert converted(12, "GB/s", "MBps") == pytest.approx(12_000)
