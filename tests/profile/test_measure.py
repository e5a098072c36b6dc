"""The mean of a log, its interval, and the table that it makes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.plan.load import load_text
from planner.plan.values_file import as_overrides
from planner.profile.logs import Step
from planner.profile.measure import Measured, measured
from planner.profile.table import efficiency, rows_of, values_of
from tests.builders import SMALL, compared


def steps(seconds, samples: float = 64.0) -> list[Step]:
    return [Step(seconds=float(each), samples=samples) for each in seconds]


def alike(seed: int, count: int = 400, memory: float = 0.6) -> np.ndarray:
    """Seconds a step around 1, each one like the one before."""
    noise, found = np.random.default_rng(seed).normal(size=count), [0.0]
    for each in noise:
        found.append(memory * found[-1] + 0.02 * each)
    return 1 + np.array(found[1:])


def test_the_mean_is_all_samples_over_all_seconds():
    """90 steps of 1 s and 10 of 11 s: 6,400 samples in 200 s are 32 a second, whatever the steps' own rates are."""
    found = measured(steps(([1.0] * 9 + [11.0]) * 10))
    assert found is not None
    assert found.samples_per_second == pytest.approx(32)
    assert (found.slow, found.slow_fraction) == (10, pytest.approx(0.5))


def test_nine_of_ten_intervals_hold_the_mean_though_steps_are_alike():
    held = 0
    for seed in range(200):
        found = measured(steps(alike(seed)))
        assert found is not None
        held += abs(found.samples_per_second / 64 - 1) <= found.within
    assert 0.80 <= held / 200 <= 0.97


def test_slow_first_steps_do_not_count():
    found = measured(steps(np.concatenate([np.full(30, 5.0), alike(1)])))
    assert found is not None
    assert found.warm_up == 30
    assert found.samples_per_second == pytest.approx(64, rel=0.01)


def test_nineteen_steps_are_too_few():
    assert measured(steps([1.0] * 19)) is None
    assert measured(steps([1.0] * 20)) is not None


def one(rate: float, within: float = 0.01) -> Measured:
    return Measured(samples_per_second=rate, within=within, warm_up=0, steps=400, slow=0, slow_fraction=0.0)


def test_a_single_log_has_the_usual_difference_between_runs_too():
    (row,) = rows_of({8: [one(100, within=0.04)]}, 0.03)
    assert row.within == pytest.approx(0.05)


def test_logs_of_one_size_show_how_far_runs_differ():
    """99, 100, 101: a scatter of 1 %, times Student's t of two degrees, 2.92, times the root of 4/3."""
    (row,) = rows_of({8: [one(99), one(100), one(101)]}, 0.03)
    assert row.samples_per_second == pytest.approx(100)
    assert row.within == pytest.approx(2.92 * 0.01 * (4 / 3) ** 0.5, rel=1e-3)


def test_two_sizes_scale_by_what_they_show_and_one_linearly():
    rows = rows_of({16: [one(190)], 8: [one(100)]}, 0.03)
    assert [row.gpus for row in rows] == [8, 16]
    assert efficiency(rows) == pytest.approx(0.95)
    assert values_of(rows, "logs")["run"]["scaling"] == "strong"
    assert values_of(rows[:1], "logs")["run"]["scaling"] == "linear"
    assert efficiency(rows[:1]) is None


def test_a_plan_takes_the_table_and_a_second_size_narrows_its_range():
    """On 32 GPUs: scaled from 8 alone the range is wider than fitted through 8 and 16."""

    def width(logs) -> float:
        values = values_of(rows_of(logs, 0.03), "logs")
        text = json.dumps({**SMALL, "run": {"work": {"samples": 4e7}, "deadline": "60d"}})
        best = compared(load_text(text, overrides=list(as_overrides(values))).plan, draws=2000).best
        return (best.days.p90 - best.days.p10) / best.days.p50

    assert width({8: [one(100)], 16: [one(198)]}) < 0.9 * width({8: [one(100)]})
