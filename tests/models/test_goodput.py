"""Failures and checkpoints against brute force, simulation and what others published."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.goodput import (
    AVAILABILITY_FLOOR,
    availability,
    daly_interval,
    meta_ettr,
    optimal_interval,
    young_interval,
)
from planner.models.interruptions import no_spare_probability, platform_mtbf, spot_hazard


def _expected_hours_a_work_hour(work: float, write: float, mtbf: float) -> float:
    return math.expm1((work + write) / mtbf) / work


class TestOptimalInterval:
    @pytest.mark.parametrize(("mtbf", "write"), [(24, 5 / 60), (0.25, 5 / 60), (1000, 1e-4), (1, 10), (1e4, 1e-9)])
    def test_against_brute_force(self, mtbf, write):
        """No interval on a fine grid around it gives a shorter run."""
        found = optimal_interval(mtbf_hours=mtbf, write_hours=write)
        best = _expected_hours_a_work_hour(found, write, mtbf)
        for factor in np.concatenate([np.geomspace(0.01, 100, 201), [0.999, 1.001]]):
            if (found * factor + write) / mtbf < 700:
                assert _expected_hours_a_work_hour(found * factor, write, mtbf) >= best * (1 - 1e-12)

    @pytest.mark.parametrize(
        ("mu", "young", "daly", "optimum"),
        [
            (3_849_609, 68_567, 68_573, 68_240),
            (1_924_805, 48_660, 48_668, 48_320),
            (962_402, 34_584, 34_595, 34_189),
            (481_201, 24_630, 24_646, 24_231),
            (240_601, 17_592, 17_615, 17_194),
            (120_300, 12_615, 12_648, 12_218),
            (60_150, 9_096, 9_142, 8_701),
            (30_075, 6_608, 6_673, 6_214),
            (7_519, 3_604, 3_733, 3_218),
        ],
    )
    def test_aupy_robert_vivien_table_2(self, mu, young, daly, optimum):
        """C = R = 600 s, D = 60 s; their periods count the write. The optimum is printed to about 0.3 %."""
        hours = {"mtbf_hours": mu / 3600, "write_hours": 600 / 3600}
        assert (optimal_interval(**hours) * 3600 + 600) == pytest.approx(optimum, rel=0.003)
        assert young_interval(**hours) * 3600 == pytest.approx(young, abs=1)
        with_waits = daly_interval(**hours, wait_hours=60 / 3600, restart_hours=600 / 3600)
        assert with_waits * 3600 == pytest.approx(daly, abs=1)

    @pytest.mark.parametrize(("mtbf_hours", "minutes"), [(24, 117), (6, 57), (0.25, 9.1)])
    def test_daly_2006(self, mtbf_hours, minutes):
        """Dump of 5 minutes. Daly prints the interval from his higher-order form; the optimum is within 0.1 min
        of it, so the printed digits hold to one unit of the last."""
        found = optimal_interval(mtbf_hours=mtbf_hours, write_hours=5 / 60) * 60
        assert found == pytest.approx(minutes, abs=0.5 if minutes > 10 else 0.1)


def _random_points(count: int) -> list[tuple[float, float, float, float, float]]:
    """Hours between failures, to write, to restart and to wait; and the interval over the optimum, 0.3 to 3."""
    rng = np.random.default_rng(14)
    logs = np.log([[1, 500], [0.005, 0.2], [0.02, 0.5], [0.01, 3], [0.3, 3]])
    drawn = np.exp(rng.uniform(logs[:, 0], logs[:, 1], (count, len(logs))))
    return [(mtbf, write, restart, wait, times) for mtbf, write, restart, wait, times in drawn.tolist()]


class TestAvailability:
    @pytest.mark.parametrize(
        ("mtbf", "write", "restart", "wait", "of_optimum"),
        [(1, 5 / 60, 10 / 60, 0, 1), (6, 5 / 60, 10 / 60, 0.5, 1), (48, 0.02, 0.3, 2, 1), *_random_points(20)],
    )
    def test_against_simulated_renewals(self, mtbf, write, restart, wait, of_optimum):
        """20,000 segments, one failure after another: mean time a segment within four standard errors.

        The random points save at other intervals than the best one, since a plan may name its own.
        """
        work = of_optimum * optimal_interval(mtbf_hours=mtbf, write_hours=write)
        rng = np.random.default_rng(20_060_401)
        paths = 20_000
        clock, done = np.zeros(paths), np.zeros(paths, dtype=bool)
        need = np.full(paths, work + write)  # the first try needs no restart
        while not done.all():
            running = ~done
            failure = rng.exponential(mtbf, paths)
            survives = failure >= need
            clock += np.where(running, np.where(survives, need, failure + wait), 0.0)
            done |= running & survives
            # every further try reads the last checkpoint first, and may fail while it does
            need = np.full(paths, restart + work + write)
        by_form = work / float(
            availability(work_hours=work, write_hours=write, restart_hours=restart, wait_hours=wait, mtbf_hours=mtbf)
        )
        assert abs(clock.mean() - by_form) < 4 * clock.std() / math.sqrt(paths)

    @given(st.floats(0.1, 1000), st.floats(0.001, 1), st.floats(0.0, 1), st.floats(0.0, 5), st.floats(1.01, 10))
    @settings(max_examples=60, deadline=None)
    def test_more_failures_never_shorten_a_run(self, mtbf, write, restart, wait, factor):
        work = optimal_interval(mtbf_hours=mtbf, write_hours=write)
        rest = {"work_hours": work, "write_hours": write, "restart_hours": restart, "wait_hours": wait}
        assert availability(**rest, mtbf_hours=mtbf / factor) <= availability(**rest, mtbf_hours=mtbf)

    def test_never_below_the_floor_never_above_one(self):
        kw = {"write_hours": 0.1, "restart_hours": 1.0, "wait_hours": 1.0}
        assert availability(work_hours=5.0, mtbf_hours=0.001, **kw) == AVAILABILITY_FLOOR
        assert availability(work_hours=1e-6, mtbf_hours=1e9, write_hours=0.0, restart_hours=0, wait_hours=0) <= 1


class TestMeta:
    def test_mean_time_to_failure(self):
        """RSC-1: 6.50 a 1,000 node-days, 8 GPUs a node: 1.8 h at 16,384 GPUs, 0.23 h at 131,072."""
        assert platform_mtbf(nodes=2048, failures_per_1000_node_days=6.5) == pytest.approx(1.803, abs=5e-4)
        assert platform_mtbf(nodes=16_384, failures_per_1000_node_days=6.5) == pytest.approx(0.225, abs=5e-4)

    def test_llama_3(self):
        """419 unexpected interruptions in 54 days on 2,048 nodes: 3.79 a 1,000 node-days, every 3.09 h."""
        rate = 419 / 54 / 2048 * 1000
        assert platform_mtbf(nodes=2048, failures_per_1000_node_days=rate) == pytest.approx(54 * 24 / 419)

    @pytest.mark.parametrize(("interval_min", "theirs"), [(60, 0.676), (5, 0.931)])
    def test_effective_time_at_16k_gpus(self, interval_min, theirs):
        found = meta_ettr(
            nodes=2048, failures_per_1000_node_days=6.5, restart_hours=5 / 60, interval_hours=interval_min / 60
        )
        assert found == pytest.approx(theirs, abs=5e-4)

    def test_effective_time_at_16k_gpus_exactly(self):
        mtbf = platform_mtbf(nodes=2048, failures_per_1000_node_days=6.5)
        found = availability(work_hours=1, write_hours=0, restart_hours=5 / 60, wait_hours=0, mtbf_hours=mtbf)
        assert found == pytest.approx(0.714, abs=5e-4)

    @pytest.mark.parametrize("gpus", [2048, 4096])
    def test_middle_sized_runs_above_nine_tenths(self, gpus):
        """With 60 minutes between checkpoints and 5 minutes to restart."""
        found = meta_ettr(
            nodes=gpus / 8, failures_per_1000_node_days=6.5, restart_hours=5 / 60, interval_hours=1, write_hours=0
        )
        assert 0.9 < found < 0.97


class TestSpares:
    @given(st.floats(1e-6, 50), st.integers(0, 80))
    @settings(max_examples=60, deadline=None)
    def test_a_poisson_tail(self, mean, spares):
        by_sum = 1 - math.fsum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(spares))
        found = no_spare_probability(failures_per_hour=mean, replacement_hours=1.0, spares=spares)
        assert found == pytest.approx(max(by_sum, 0), abs=1e-12)

    def test_very_large_fleets(self):
        """A mean of 1,000 out of service: e^-1000 is no float, the answer is."""
        kw = {"failures_per_hour": 1000.0, "replacement_hours": 1.0}
        assert no_spare_probability(**kw, spares=2000) == pytest.approx(0, abs=1e-9)
        assert no_spare_probability(**kw, spares=1000) == pytest.approx(0.5, abs=0.02)
        assert no_spare_probability(**kw, spares=500) == pytest.approx(1)

    def test_each_draw_stands_alone(self):
        rates = np.array([0.0, 0.5, 900.0])
        found = no_spare_probability(failures_per_hour=rates, replacement_hours=1.0, spares=3)
        alone = [no_spare_probability(failures_per_hour=r, replacement_hours=1.0, spares=3) for r in rates]
        np.testing.assert_allclose(found, alone, atol=1e-15)


def test_spot_hazard_gives_back_the_advisors_share():
    assert 1 - math.exp(-730 * spot_hazard(monthly_reclaim_fraction=0.2)) == pytest.approx(0.2)
