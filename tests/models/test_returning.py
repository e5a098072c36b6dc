"""A gang that goes On-Demand and returns: the closed form by hand, and against the simulated rule."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from planner.models.returning import held_for_proof_hours, on_demand_spell_hours, times_on_demand
from planner.spot.generator import exponential_spells
from planner.spot.job import Job
from planner.spot.patient import PatientProgress
from planner.spot.replay import replay

CHANGEOVER_H, RATIO, JOBS = 0.67, 2.0, 200


def test_by_hand():
    """Up 4 h, down 3 h, a start of 0.67 h: the proof is 0.67 x 7 / 4 = 1.1725 h, spot is held 4 (e^0.293 - 1) h."""
    held = held_for_proof_hours(up_hours=4, down_hours=3, changeover_hours=0.67)
    assert held == pytest.approx(4 * (exp(1.1725 / 4) - 1))
    spell = on_demand_spell_hours(up_hours=4, down_hours=3, held_hours=held)
    assert spell == pytest.approx(3 * exp(1.1725 / 4) + held)


def test_a_try_of_spot_that_must_last_is_what_chance_says():
    """Of draws: spells until one has lasted the proof, with a gap after each that has not."""
    rng, proof = np.random.default_rng(1), 0.67 * 7 / 4
    held, spells = [], []
    for _ in range(20_000):
        on_demand, seen = rng.exponential(3), 0.0
        while (up := rng.exponential(4)) < proof:
            seen += up
            on_demand += up + rng.exponential(3)
        held.append(seen + proof)
        spells.append(on_demand + proof)
    assert np.mean(held) == pytest.approx(
        held_for_proof_hours(up_hours=4, down_hours=3, changeover_hours=0.67), rel=0.03
    )
    expected = on_demand_spell_hours(up_hours=4, down_hours=3, held_hours=np.mean(held))
    assert np.mean(spells) == pytest.approx(expected, rel=0.03)


def test_a_market_in_which_spot_alone_is_in_time_is_never_left():
    never = times_on_demand(
        up_hours=24,
        down_hours=1,
        changeover_hours=0.67,
        spell_hours=2,
        spot_training_hours=360,
        on_demand_training_hours=336,
        limit_hours=504,
    )
    assert never == 0


@pytest.mark.parametrize(("days", "slack"), [(14, 1.5), (14, 1.2), (40, 1.5)])
@pytest.mark.parametrize(("per_day", "down"), [(2.8, 4.0), (6.0, 3.0), (10.0, 4.0), (14.4, 2.0)])
def test_against_the_replayed_rule(days: int, slack: float, per_day: float, down: float):
    """Dollars within 7 %, spot nodes that are billed while they prove themselves included."""
    up, work, changeover = 24 / per_day, days * 24.0, CHANGEOVER_H
    limit = work * slack
    gap = max(600, int(np.ceil(limit * 60 / 5000)) * 60)
    job = Job.of_hours(gap, work=work, deadline=limit, changeover=changeover, price_ratio=RATIO)
    tick = gap / 3600
    series = exponential_spells(
        up_ticks=np.full(JOBS, up / tick),
        down_ticks=np.full(JOBS, down / tick),
        first_ticks=np.full(JOBS, down / tick),
        ticks=job.ticks,
        rng=np.random.default_rng(0),
    )
    found = replay(series, job, PatientProgress())
    ticks = found.spot_ticks.mean() + found.seen_ticks.mean() + RATIO * found.on_demand_ticks.mean()
    assert not found.late.any()

    held = held_for_proof_hours(up_hours=up, down_hours=down, changeover_hours=changeover)
    spell = on_demand_spell_hours(up_hours=up, down_hours=down, held_hours=held)
    alone = work * (up + down) / (up - changeover)
    times = times_on_demand(
        up_hours=up,
        down_hours=down,
        changeover_hours=changeover,
        spell_hours=spell,
        spot_training_hours=alone,
        on_demand_training_hours=work,
        limit_hours=limit - down,
    )
    on_spot = (work - times * (spell - changeover)) * up / (up - changeover)
    assert on_spot + times * held + RATIO * times * spell == pytest.approx(ticks * tick, rel=0.07)
