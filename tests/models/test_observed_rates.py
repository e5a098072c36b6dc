"""The interval of a counted rate: printed tables, its coverage by simulation, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.models.observed_rates import fewest_expected, most_expected, rate_from_mtbf

# exact limits of a Poisson mean: Ulm, American Journal of Epidemiology 131 (1990), 373-375, and any table of Garwood's
PRINTED = [
    (0, 0.95, 0.0, 3.6889),
    (1, 0.95, 0.0253, 5.5716),
    (4, 0.95, 1.0899, 10.2416),
    (10, 0.95, 4.7954, 18.3904),
    (4, 0.90, 1.3663, 9.1535),
    (100, 0.95, 81.3640, 121.6273),
]


@pytest.mark.parametrize(("events", "confidence", "low", "high"), PRINTED)
def test_the_ends_are_those_of_printed_tables(events, confidence, low, high):
    assert fewest_expected(events, confidence) == pytest.approx(low, abs=1e-3)
    assert most_expected(events, confidence) == pytest.approx(high, abs=1e-3)


@pytest.mark.parametrize("mean", [0.7, 3.0, 12.5, 80.0])
def test_at_least_nine_of_ten_intervals_hold_the_rate_that_was_drawn_from(mean):
    counts = np.random.default_rng(14).poisson(mean, 4000)
    ends = {int(k): (fewest_expected(int(k)), most_expected(int(k))) for k in np.unique(counts)}
    held = [low <= mean <= high for low, high in (ends[int(k)] for k in counts)]
    assert np.mean(held) >= 0.9 - 3 * np.sqrt(0.09 / 4000)


def test_with_many_events_the_interval_is_that_of_the_normal_distribution():
    count, half = 10_000, 1.6449 * 100
    assert fewest_expected(count) == pytest.approx(count - half, rel=2e-4)
    assert most_expected(count) == pytest.approx(count + half, rel=4e-4)


@given(st.integers(0, 2000), st.floats(0.5, 0.98))
def test_the_count_is_inside_and_more_confidence_is_wider(events, confidence):
    low, high = fewest_expected(events, confidence), most_expected(events, confidence)
    assert low <= events < high
    assert fewest_expected(events, confidence + 0.01) <= low
    assert most_expected(events, confidence + 0.01) > high


def test_the_job_level_rate_of_a_published_cluster():
    """arXiv 2410.21680: jobs of 1,024 GPUs (128 nodes) failed every 7.9 h, 8-GPU jobs every 47.7 days."""
    large, small = rate_from_mtbf(nodes=128, mtbf_hours=7.9), rate_from_mtbf(nodes=1, mtbf_hours=47.7 * 24)
    assert large == pytest.approx(23.7, rel=0.01)
    assert small == pytest.approx(21.0, rel=0.01)
