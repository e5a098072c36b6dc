"""Fitted laws of spells: they find the law that made a series, and make series like it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.spot.generator import SpellLaw, exponential_spells, fitted
from planner.spot.statistics import market_of
from planner.spot.trace import spells_of
from tests.spot.recordings import alternating, made, needs_public, public


def test_the_constant_chance_is_ends_by_ticks_at_risk():
    """Spells of 1, 2 and 3 ticks have 3 ends in 6 ticks: a half a tick, and (1/2)^t lasts longer than t."""
    found = fitted(np.array([False] + ([True, False, True, True, False, True, True, True, False]) * 5))
    assert found is not None
    assert found.up.spells == 15
    assert found.down.law.outlasts(np.array([1.0])) == pytest.approx(0, abs=1e-6)


@given(shape=st.sampled_from((0.5, 0.8, 1.0, 1.5)), scale=st.sampled_from((8.0, 40.0)), seed=st.integers(0, 5))
@settings(deadline=None, max_examples=20)
def test_the_law_that_made_a_series_is_found(shape, scale, seed):
    up, down = SpellLaw(shape=shape, scale_ticks=scale), SpellLaw(shape=0.7, scale_ticks=20)
    found = fitted(alternating(up, down, 2000, seed))
    assert found is not None
    assert found.up.law.shape == pytest.approx(shape, rel=0.08)
    assert found.up.law.scale_ticks == pytest.approx(scale, rel=0.12)
    assert found.up.fits or shape == 1.5  # few lengths of a tick or two carry most of that law
    assert abs(found.correlation) < 0.08


def test_a_constant_chance_needs_one_number_only():
    one = SpellLaw(shape=1.0, scale_ticks=10)
    names = [found.up.name for seed in range(10) if (found := fitted(alternating(one, one, 500, seed))) is not None]
    assert names.count("Markov") >= 7  # Akaike's criterion takes the second number in about 16 % of such series


def test_a_wrong_law_is_seen_to_be_wrong():
    """Spells of two fixed lengths are no Weibull spells."""
    found = fitted(np.array(([True] * 2 + [False] * 30 + [True] * 60 + [False] * 30) * 30))
    assert found is not None
    assert not found.up.fits
    assert not found.fits


def test_made_series_have_the_means_of_the_law_from_the_first_tick_on():
    up, down = SpellLaw(shape=0.6, scale_ticks=20), SpellLaw(shape=0.9, scale_ticks=15)
    found = fitted(alternating(up, down, 3000, 7))
    assert found is not None
    made_here = found.series(500, 4000, np.random.default_rng(1))
    expected = np.mean([alternating(up, down, 20_000, seed).mean() for seed in range(3)])
    assert made_here.shape == (4000, 500)
    assert made_here.mean() == pytest.approx(expected, abs=0.02)
    assert made_here[:, 0].mean() == pytest.approx(made_here[:, -1].mean(), abs=0.035)
    again = found.series(500, 4000, np.random.default_rng(1))
    assert (again == made_here).all()


def test_too_few_spells_give_no_generator():
    assert fitted(np.array([True, False] * 9)) is None
    assert fitted(np.ones(50, dtype=bool)) is None


@needs_public
def test_public_recordings_of_2022_are_described_and_those_of_2023_are_not():
    """The 2023 recordings have almost no spell shorter than three ticks, which no such law gives."""
    old = [fitted(trace.up(1)) for trace in public("availability/1-node/aws-10-26-2022")]
    new = [fitted(trace.up(1)) for trace in public("availability/1-node/aws-02-15-2023")]
    assert all(one is not None and one.up.fits and one.down.fits for one in old)
    assert not any(one is not None and one.fits for one in new)


@needs_public
def test_a_generated_series_has_the_losses_of_its_recording():
    trace = public("availability/1-node/aws-10-26-2022")[0]
    found, market = fitted(trace.up(1)), market_of(trace)
    assert found is not None
    made_here = found.series(trace.ticks, 30, np.random.default_rng(3))
    losses = [market_of(made(row.astype(int)), 1).interruptions for row in made_here]
    assert np.quantile(losses, 0.05) <= market.interruptions <= np.quantile(losses, 0.95)
    assert spells_of(made_here[0]).length.min() >= 1


def test_capacity_comes_and_goes_for_the_mean_times_that_were_asked():
    runs = 400
    up, down = np.where(np.arange(runs) < 200, 12.0, 0.4), np.full(runs, 3.0)
    first = np.where(np.arange(runs) % 2 == 0, 0.0, 30.0)
    seen = exponential_spells(up_ticks=up, down_ticks=down, first_ticks=first, ticks=2000, rng=np.random.default_rng(5))
    assert seen.shape == (2000, runs)
    assert not seen[:30, 1::2].any()
    assert seen[0, ::2].all()
    for half, share in ((seen[200:, :200], 12 / 15), (seen[200:, 200:], 0.4 / 3.4)):
        assert half.mean() == pytest.approx(share, abs=0.01)


def test_without_interruptions_capacity_stays():
    never = np.array([1e12])
    assert exponential_spells(
        up_ticks=never, down_ticks=np.zeros(1), first_ticks=np.zeros(1), ticks=500, rng=np.random.default_rng(0)
    ).all()
