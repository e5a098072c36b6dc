"""Many jobs by several rules: the same numbers as one replay, the zones, and generated capacity."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from planner.spot.generator import SpellLaw
from planner.spot.job import Job
from planner.spot.replay import replay, windows
from planner.spot.simulate import NAMES, OPTIMUM, POLICIES, simulate
from planner.spot.trace import Trace
from tests.spot.recordings import alternating

LAW = SpellLaw(shape=0.6, scale_ticks=8)
JOBS = [partial(Job.of_hours, work=8.0, deadline=12.0, changeover=0.2, price_ratio=3.0)]


def zone(seed: int, name: str, nodes: int = 1, gap_seconds: int = 600) -> Trace:
    up = alternating(LAW, LAW, 200, seed)[:2000]
    return Trace(name=name, gap_seconds=gap_seconds, nodes=nodes * up.astype(np.int64))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_given_starts_cost_what_one_replay_says():
    trace = zone(1, "a", nodes=4)
    (run,) = simulate([trace], JOBS, NAMES, [5, 90, 400], rng())
    assert (run.series, run.starts, [result.policy for result in run.results]) == ("a", (5, 90, 400), list(NAMES))
    up = windows(trace.up(4), run.starts, run.job.ticks)
    for result in run.results[:-1]:
        assert result.cost_fraction.tolist() == replay(up, run.job, POLICIES[result.policy]).cost_fraction.tolist()
        assert (result.cost_fraction >= run.results[-1].cost_fraction - 1e-9).all()
        assert result.late == 0


def test_recordings_with_one_tick_are_zones_too():
    runs = simulate([zone(1, "a"), zone(2, "b")], JOBS, ["own", "greedy", OPTIMUM], 40, rng())
    assert [run.series for run in runs] == ["a", "b", "any of 2 zones"]
    assert runs[0].starts == runs[1].starts == runs[2].starts
    assert [result.policy for result in runs[2].results] == [
        "own_multi_zone",
        "greedy_multi_zone",
        "omniscient_multi_zone",
    ]
    own, hopping, least = (result.cost_fraction.mean() for result in runs[2].results)
    assert least <= min(own, hopping)
    assert own < min(run.results[0].cost_fraction.mean() for run in runs[:2])
    assert len(simulate([zone(1, "a"), zone(2, "b", gap_seconds=300)], JOBS, ["own"], 5, rng())) == 2


def test_the_same_seed_draws_the_same_starts_and_capacity():
    for generate in (False, True):
        one, again = (simulate([zone(1, "a")], JOBS, ["own"], 30, rng(), generate=generate) for _ in range(2))
        assert one[0].starts == again[0].starts
        assert one[0].results[0].cost_fraction.tolist() == again[0].results[0].cost_fraction.tolist()
        other = simulate([zone(1, "a")], JOBS, ["own"], 30, np.random.default_rng(2), generate=generate)
        assert other[0].results[0].cost_fraction.tolist() != one[0].results[0].cost_fraction.tolist()


def test_generated_capacity_costs_about_what_its_recording_costs():
    trace = zone(3, "a")
    (replayed,) = simulate([trace], JOBS, ["own"], 1000, rng())
    (drawn,) = simulate([trace], JOBS, ["own"], 1000, rng(), generate=True)
    assert drawn.results[0].cost_fraction.mean() == pytest.approx(replayed.results[0].cost_fraction.mean(), rel=0.06)


@pytest.mark.parametrize(
    ("traces", "starts", "generate", "message"),
    [
        ([zone(1, "short").first(60)], 5, False, "short has 10 hours, fewer than the deadline"),
        ([zone(1, "a")], [1990], False, "the recording has 2000 ticks"),
        ([zone(1, "calm").first(20)], 5, True, "calm has too few whole spells"),
    ],
)
def test_what_cannot_be_simulated_says_why(traces, starts, generate, message):
    with pytest.raises(ValueError, match=message):
        simulate(traces, JOBS, ["own"], starts, rng(), generate=generate)
