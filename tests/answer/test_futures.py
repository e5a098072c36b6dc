"""Whether a cost has two peaks, and what the two are: against draws whose peaks are known."""

from __future__ import annotations

import numpy as np
import pytest

from planner.answer.futures import futures_of

RNG = np.random.default_rng(7)


def around(usd: float, count: int, spread: float = 0.1) -> np.ndarray:
    return usd * np.exp(spread * RNG.standard_normal(count))


@pytest.mark.parametrize("share", [0.15, 0.36, 0.64, 0.85])
def test_two_peaks_are_found_with_their_shares_and_middles(share):
    dear = int(5000 * share)
    cheap, other = futures_of(np.concatenate([around(104_000, 5000 - dear), around(310_000, dear)]))
    assert cheap.fraction == pytest.approx(1 - share, abs=0.01)
    assert cheap.fraction + other.fraction == pytest.approx(1)
    assert (cheap.p50_usd, other.p50_usd) == (pytest.approx(104_000, rel=0.02), pytest.approx(310_000, rel=0.02))
    assert cheap.p10_usd < cheap.p50_usd < cheap.p90_usd < other.p10_usd < other.p50_usd < other.p90_usd


@pytest.mark.parametrize(
    "draws",
    [
        around(100.0, 5000),
        around(100.0, 5000, 0.9),  # a long tail is no second peak
        np.full(5000, 100.0),
        RNG.uniform(100, 400, 5000),
        np.concatenate([around(100.0, 4800), around(400.0, 200)]),  # 4 %: a risk
        np.concatenate([around(100.0, 2500, 0.02), around(110.0, 2500, 0.02)]),  # 10 % apart: nobody acts on it
        np.concatenate([around(100.0, 50), around(400.0, 50)]),  # too few to say
    ],
    ids=["one", "tail", "fixed", "even", "seldom", "near", "few"],
)
def test_one_peak_is_one_future(draws):
    assert futures_of(draws) == ()


def test_what_never_finishes_is_of_the_dearer_one():
    draws = np.concatenate([around(100.0, 3000), around(400.0, 1000), np.full(1000, np.inf)])
    cheap, other = futures_of(draws)
    assert (cheap.fraction, other.fraction) == (pytest.approx(0.6, abs=0.01), pytest.approx(0.4, abs=0.01))
    assert np.isinf(other.p90_usd)
