"""Spare nodes: the closed form against a simulation of nodes under replacement, and what spares are worth."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.goodput import availability, optimal_interval
from planner.models.interruptions import platform_mtbf, spare_wait_hours

LLAMA_3 = {"nodes": 2048, "failures_per_1000_node_days": 3.79}  # arXiv 2407.21783
REPLACEMENT_HOURS = 6.0


def simulated_wait(
    mtbf_hours: float, replacement_hours: float, spares: int, random: np.random.Generator, fixed: bool, failures: int
) -> float:
    """Mean hours that a job stands still after a failure: it needs all its nodes, and each failed one comes back."""
    clock, waited = 0.0, 0.0
    coming: list[float] = []
    for _ in range(failures):
        clock += random.exponential(mtbf_hours)
        while coming and coming[0] <= clock:
            heapq.heappop(coming)
        heapq.heappush(coming, clock + (replacement_hours if fixed else random.exponential(replacement_hours)))
        if len(coming) > spares:
            first = heapq.heappop(coming)
            waited += first - clock
            clock = first
    return waited / failures


@pytest.mark.parametrize("fixed", [False, True], ids=["exponential", "fixed"])
@pytest.mark.parametrize("spares", [0, 1, 2, 4, 8])
def test_the_job_waits_for_the_first_of_the_nodes_under_replacement(spares, fixed):
    """Erlang's loss formula holds for any distribution of the replacement time, so also for a fixed one."""
    mtbf = platform_mtbf(**LLAMA_3)
    random = np.random.default_rng(spares)
    runs = [simulated_wait(mtbf, REPLACEMENT_HOURS, spares, random, fixed, 4000) for _ in range(12)]
    by_formula = spare_wait_hours(failures_per_hour=1 / mtbf, replacement_hours=REPLACEMENT_HOURS, spares=spares)
    error = np.std(runs, ddof=1) / np.sqrt(len(runs))
    assert by_formula == pytest.approx(np.mean(runs), abs=4 * error + 1e-4)


def test_what_spares_are_worth_to_2048_nodes():
    """439, 245, 187, 155 and 150 M$ for 0, 1, 2, 4 and 8 spares with replacements of 6 h: an independent simulation of
    Llama 3's fleet. Each figure relative to that of 8 spares."""
    mtbf = platform_mtbf(**LLAMA_3)
    write, restart = 1 / 3600, 10 / 60
    interval = optimal_interval(mtbf_hours=mtbf, write_hours=write)

    def node_hours(spares: int) -> float:
        wait = spare_wait_hours(failures_per_hour=1 / mtbf, replacement_hours=REPLACEMENT_HOURS, spares=spares)
        kept = availability(
            work_hours=interval, write_hours=write, restart_hours=restart, wait_hours=wait, mtbf_hours=mtbf
        )
        return (2048 + spares) / kept

    simulated = {0: 439, 1: 245, 2: 187, 4: 155, 8: 150}
    for spares, millions in simulated.items():
        assert node_hours(spares) / node_hours(8) == pytest.approx(millions / 150, rel=0.01)


def test_without_spares_every_failure_waits_for_a_whole_replacement():
    assert spare_wait_hours(failures_per_hour=0.3, replacement_hours=6.0, spares=0) == 6.0


@given(st.floats(1e-6, 50), st.floats(0.01, 48), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_a_spare_never_lengthens_the_wait_and_more_failures_never_shorten_it(rate, replacement, spares):
    def wait(failures_per_hour: float, count: int) -> float:
        return float(spare_wait_hours(failures_per_hour=failures_per_hour, replacement_hours=replacement, spares=count))

    assert 0 <= wait(rate, spares + 1) <= wait(rate, spares) <= replacement / (spares + 1)
    assert wait(rate, spares) <= wait(rate * 1.5, spares) * (1 + 1e-12)


def test_each_draw_stands_alone():
    rates = np.array([0.0, 0.5, 900.0])
    found = spare_wait_hours(failures_per_hour=rates, replacement_hours=1.0, spares=3)
    alone = [spare_wait_hours(failures_per_hour=r, replacement_hours=1.0, spares=3) for r in rates]
    np.testing.assert_allclose(found, alone, rtol=1e-15)
    assert found[0] == 0


def test_thousands_of_spares():
    kw = {"failures_per_hour": 1000.0, "replacement_hours": 1.0}
    assert spare_wait_hours(**kw, spares=2000) == pytest.approx(0, abs=1e-9)
    assert spare_wait_hours(**kw, spares=500) == pytest.approx(0.5 / 501, rel=0.01)
