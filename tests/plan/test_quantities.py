"""Quantities: every unit with its arithmetic written out, round trips, and refusals that say what to write."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan import quantities as q

SIZES = [
    ("1B", 1),
    ("40KB", 40 * 1000),
    ("100MB", 100 * 1000**2),
    ("14GB", 14 * 1000**3),
    ("4TB", 4 * 1000**4),
    ("2.2PB", 2200 * 1000**4),
    ("0.1EB", 100 * 1000**5),
    ("1KiB", 1024),
    ("1.5MiB", 1.5 * 1024**2),
    ("600GiB", 600 * 1024**3),
    ("2400TiB", 2400 * 1024**4),
    ("2PiB", 2 * 1024**5),
    ("1EiB", 1024**6),
    ("4 tb", 4 * 1000**4),
    ("1_200GB", 1200 * 1000**3),
    ("1e3GB", 1000 * 1000**3),
]
HOURS = [("90s", 90 / 3600), ("90m", 1.5), ("12h", 12), ("21d", 21 * 24), ("8w", 8 * 7 * 24), ("1.5 d", 36)]
FRACTIONS = [("93%", 0.93), ("0%", 0), ("100%", 1), ("12.5 %", 0.125), (0.93, 0.93), (0, 0), (1, 1)]
COUNTS = [
    (400, (400,)),
    ([32, 16, 32], (32, 16)),
    ("16..20", (16, 17, 18, 19, 20)),
    ("1..256", tuple(range(1, 257))),
    ("99990..100000", tuple(range(99_990, 100_001))),
    ("7..7", (7,)),
    ("1..2", (1, 2)),
]


@pytest.mark.parametrize(("text", "expected"), SIZES)
def test_sizes(text, expected):
    assert q.parse_bytes(text) == expected


@pytest.mark.parametrize(("text", "expected"), [(text, size) for text, size in SIZES if text.endswith("B")])
def test_a_rate_is_a_size_per_second(text, expected):
    assert q.parse_bytes_per_second(f"{text}/s") == expected


@pytest.mark.parametrize(("text", "expected"), HOURS)
def test_durations(text, expected):
    assert q.parse_hours(text) == expected


@pytest.mark.parametrize(("text", "expected"), FRACTIONS)
def test_fractions(text, expected):
    assert q.parse_fraction(text) == expected


@pytest.mark.parametrize(("text", "expected"), COUNTS)
def test_counts(text, expected):
    assert q.parse_counts(text) == expected


def test_gpu_counts_are_totals_and_upper_case():
    assert q.parse_accelerators("a100:256") == q.Accelerators("A100", 256)
    assert q.parse_accelerator_list(["A100:8", "a100:8", "H100:16"]) == (
        q.Accelerators("A100", 8),
        q.Accelerators("H100", 16),
    )


def test_days_and_kept_checkpoints():
    assert q.parse_day("2028-02-29") == date(2028, 2, 29)
    assert q.parse_kept("all") == "all"
    assert q.parse_kept(3) == 3


@given(st.integers(1, 10**6))
def test_the_same_size_in_another_unit_is_the_same_number(terabytes):
    digits = f"{terabytes:07d}"
    assert q.parse_bytes(f"{digits[:-3].lstrip('0') or 0}.{digits[-3:]}PB") == q.parse_bytes(f"{terabytes}TB")


@pytest.mark.parametrize("power", range(1, 7))
def test_decimal_and_binary_units_are_never_the_same(power):
    letter = "KMGTPE"[power - 1]
    assert q.parse_bytes(f"1{letter}B") == 1000**power
    assert q.parse_bytes(f"1{letter}iB") == 1024**power


@given(st.integers(1, 10**6), st.sampled_from(["B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"]))
def test_every_way_of_writing_a_unit_means_the_same(number, unit):
    value = q.parse_bytes(f"{number}{unit}")
    assert value == q.parse_bytes(f"{number} {unit.lower()}") == q.parse_bytes(f"{number}.0{unit.upper()}")
    base = 1024 if "i" in unit else 1000
    assert value == number * base ** " KMGT".index(unit[0] if unit != "B" else " ")


@given(st.floats(1e-3, 1e5), st.sampled_from([("s", 3600), ("m", 60), ("h", 1), ("d", 1 / 24)]))
def test_durations_round_trip(hours, unit):
    letter, per_hour = unit
    text = f"{hours * per_hour!r}{letter}"
    if hours <= q.MAX_HOURS:
        assert math.isclose(q.parse_hours(text), hours, rel_tol=1e-12)


@given(st.integers(1, 5000), st.integers(0, q.MOST_IN_RANGE - 1))
def test_a_range_is_every_count_from_low_to_high(low, more):
    assert q.parse_counts(f"{low}..{low + more}") == tuple(range(low, low + more + 1))


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (q.parse_bytes, 5, "needs a unit"),
        (q.parse_bytes, "5", "not a size"),
        (q.parse_bytes, "5XB", "not a size"),
        (q.parse_bytes, "-5GB", "not a size"),
        (q.parse_bytes, "0GB", "greater than zero"),
        (q.parse_bytes, "1e400GB", "check the unit"),
        (q.parse_bytes, "1e-400GB", "greater than zero"),
        (q.parse_bytes, "1e99999GB", "not a size"),
        (q.parse_bytes, "9000EB", "check the unit"),
        (q.parse_bytes, "1,5GB", "without commas"),
        (q.parse_bytes, "1,500GB", "without commas"),
        (q.parse_bytes, "1_5GB", "not a size"),
        (q.parse_bytes, "5GB/s", "not a size"),
        (q.parse_bytes, "5Gb ps", "not a size"),
        (q.parse_bytes, True, "not a size"),
        (q.parse_bytes, None, "not a size"),
        (q.parse_bytes, "1\u212aB", "not a size"),  # the Kelvin sign
        (q.parse_bytes, "\u0661GB", "not a size"),  # an Arabic one
        (q.parse_bytes_per_second, "5GB", "not a rate"),
        (q.parse_bytes_per_second, 5, "needs a unit"),
        (q.parse_hours, 12, "needs a unit"),
        (q.parse_hours, "12", "not a duration"),
        (q.parse_hours, "12M", "not a duration"),
        (q.parse_hours, "1e9w", "check the unit"),
        (q.parse_fraction, 1.5, "between 0 and 1"),
        (q.parse_fraction, "150%", "between 0 and 1"),
        (q.parse_fraction, -0.1, "between 0 and 1"),
        (q.parse_fraction, float("nan"), "between 0 and 1"),
        (q.parse_fraction, "0.5", "write 93%"),
        (q.parse_fraction, True, "not a fraction"),
        (q.parse_accelerators, "A100", "not a GPU count"),
        (q.parse_accelerators, "A100:0", "not a GPU count"),
        (q.parse_accelerators, "A100:" + "9" * 5000, "not a GPU count"),
        (q.parse_accelerator_list, [], "between 1 and 16"),
        (q.parse_counts, "64..16", "from low to high"),
        (q.parse_counts, "1.." + "9" * 5000, "not a node count"),
        (q.parse_counts, 0, "between 1 and 100,000"),
        (q.parse_counts, 10**6, "between 1 and 100,000"),
        (q.parse_counts, 10**300, "between 1 and 100,000"),
        (q.parse_counts, list(range(1, 18)), "at most 16"),
        (q.parse_counts, "32..500", "at most 256 node counts: write 32..287"),
        (q.parse_counts, "99990..100001", "between 1 and 100,000"),
        (q.parse_counts, [True], "not a node count"),
        (q.parse_counts, True, "not a node count"),
        (q.parse_counts, [], "not a node count"),
        (q.parse_day, "2027-02-29", "no such day"),
        (q.parse_day, "05.10.2026", "not a day"),
        (q.parse_day, "2026-10-05T00:00:00", "not a day"),
        (q.parse_day, 1700000000, "not a day"),
        (q.parse_kept, 0, "not a number of checkpoints"),
        (q.parse_kept, "three", "not a number of checkpoints"),
        (q.parse_kept, True, "not a number of checkpoints"),
    ],
)
def test_refused_values_say_why(parse, text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


@given(st.text(max_size=30) | st.floats() | st.integers() | st.none() | st.booleans() | st.lists(st.integers()))
def test_any_value_is_parsed_or_refused_with_a_message(value):
    for parse in (
        q.parse_bytes,
        q.parse_bytes_per_second,
        q.parse_hours,
        q.parse_fraction,
        q.parse_accelerator_list,
        q.parse_counts,
        q.parse_day,
        q.parse_kept,
    ):
        with suppress(ValueError):
            parse(value)


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        (14, "write the unit, as in 14GB (decimal) or 14GiB (binary)"),
        (0.5, "write the unit, as in 0.5GB (decimal) or 0.5GiB (binary)"),
        ("14Gb", "write 14GB (decimal) or 14GiB (binary)"),
        ("3 T", "write 3TB (decimal) or 3TiB (binary)"),
        ("7", "write the unit, as in 7GB (decimal) or 7GiB (binary)"),
        (1e9, "write 2.2PB (decimal) or 600GiB (binary)"),
        ("1,500GB", "write 2.2PB (decimal) or 600GiB (binary)"),
        ("14 Giraffes", "write 2.2PB (decimal) or 600GiB (binary)"),
    ],
)
def test_the_remedy_for_a_wrong_size_keeps_its_number(given, remedy):
    with pytest.raises(ValueError, match="a size") as caught:
        q.parse_bytes(given)
    assert str(caught.value).endswith(remedy)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("20 days", "write 20d"),
        ("3 weeks", "write 3w"),
        ("12 Hours", "write 12h"),
        ("1.5hrs", "write 1.5h"),
        ("90 min", "write 90m"),
        ("20 months", "a month is no fixed time; write 600d"),
        ("1mo", "a month is no fixed time; write 30d"),
    ],
)
def test_a_duration_in_words_is_answered_with_its_short_form(text, remedy):
    with pytest.raises(q.BadValue) as refused:
        q.parse_hours(text)
    assert refused.value.remedy == remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("60MBps", "write 60MB/s"),
        ("2 GiB/sec", "write 2GiB/s"),
        ("60Mbps", "write 60MB/s if bytes are meant, 7.5MB/s if bits are"),
        ("120mb/s", "write 120MB/s if bytes are meant, 15MB/s if bits are"),
    ],
)
def test_a_rate_in_other_words_is_answered_with_its_short_form(text, remedy):
    with pytest.raises(q.BadValue) as refused:
        q.parse_bytes_per_second(text)
    assert refused.value.remedy == remedy


@pytest.mark.parametrize(("text", "remedy"), [("1m", "write 30d if months are meant"), ("90s", "write 12h, 21d or 8w")])
def test_a_run_lasts_no_minutes(text, remedy):
    """`deadline: 1m` was a minute, and answered "within 0.0 days"."""
    with pytest.raises(q.BadValue) as refused:
        q.parse_run_hours(text)
    assert refused.value.remedy == remedy
    assert q.parse_run_hours("21d") == 21 * 24
