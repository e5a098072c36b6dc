"""Availability where there is no recording: spells drawn from laws fitted to one, and how well these fit.

Capacity comes and goes in turns. With the Markov law a spell ends with the same chance in every tick. With the renewal
law its length is Weibull distributed, rounded up to ticks, so that a spell that has lasted may be safer than a new one
(shape below 1). Both are fitted by maximum likelihood; a spell cut off by an end of the recording counts as lasting
at least that long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.spot.trace import Flags, Spells, spells_of

SMALLEST_SAMPLE = 10  # whole spells of each kind; with fewer, nothing is fitted
KS_FACTOR = 1.358  # Kolmogorov (1933): the distance that 5 % of large samples exceed, times the root of their size
CORRELATION_FACTOR = 1.96  # of two independent series, 5 % of the correlations exceed it over the root of their size
LONGEST_SPELL = 1e9  # ticks; a drawn length beyond it is cut, as no run is as long
CYCLES_BEFORE = 20  # mean up and down spells that pass before a generated series begins: its start is a random moment


@dataclass(frozen=True, kw_only=True)
class SpellLaw:
    """Chance that a spell lasts longer than t ticks: exp(-(t / scale_ticks) ** shape). Shape 1: a constant chance of
    its end; below 1, the chance falls with its age."""

    shape: float
    scale_ticks: float

    def outlasts(self, ticks: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(-((ticks / self.scale_ticks) ** self.shape))

    def drawn(self, size: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
        """Lengths in whole ticks, at least 1."""
        lengths = self.scale_ticks * rng.standard_exponential(size) ** (1 / self.shape)
        return np.clip(np.ceil(lengths), 1, LONGEST_SPELL).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class SpellFit:
    """One kind of spell. aic: Akaike's criterion, lower is better. ks_distance: largest difference between the
    distribution of the whole spells and the law; fits where it is below ks_limit, the 5 % level of a law that was not
    fitted to the same spells (a lenient one)."""

    law: SpellLaw
    name: str
    spells: int
    aic: float
    ks_distance: float

    @property
    def ks_limit(self) -> float:
        return KS_FACTOR / self.spells**0.5

    @property
    def fits(self) -> bool:
        return self.ks_distance <= self.ks_limit


@dataclass(frozen=True, kw_only=True)
class Generator:
    """Up and down spells in turns, each drawn by itself. correlation: between the logarithms of each up spell and the
    down spell after it; the generator assumes none."""

    up: SpellFit
    down: SpellFit
    correlation: float
    pairs: int

    @property
    def correlation_limit(self) -> float:
        return CORRELATION_FACTOR / self.pairs**0.5

    @property
    def fits(self) -> bool:
        """Whether nothing of the recording contradicts it at the 5 % level."""
        return self.up.fits and self.down.fits and abs(self.correlation) <= self.correlation_limit

    def series(self, ticks: int, runs: int, rng: np.random.Generator) -> Flags:
        """Whether there is capacity, runs x ticks, from a random moment on."""
        means = [max(float(fit.law.drawn((2000,), rng).mean()), 1.0) for fit in (self.up, self.down)]
        before = int(CYCLES_BEFORE * sum(means))
        end = before + ticks
        cycles = int(end / sum(means) * 1.5) + 10
        edges = np.zeros((runs, 1), dtype=np.int64)
        while edges[:, -1].min() < end:
            pair = [fit.law.drawn((runs, cycles), rng) for fit in (self.up, self.down)]
            lengths = np.stack(pair, axis=2).reshape(runs, -1)
            edges = np.concatenate((edges, edges[:, -1:] + np.cumsum(lengths, axis=1)), axis=1)
        changes = np.zeros((runs, end + 1), dtype=np.int64)
        np.add.at(changes, (np.arange(runs)[:, None], np.minimum(edges, end)), 1)
        return (np.cumsum(changes[:, :end], axis=1)[:, before:] % 2).astype(bool)


def exponential_spells(
    *,
    up_ticks: NDArray[np.float64],
    down_ticks: NDArray[np.float64],
    first_ticks: NDArray[np.float64],
    ticks: int,
    rng: np.random.Generator,
) -> Flags:
    """Whether there is capacity at the start of each tick, ticks x runs: none for the first ticks, then it comes and
    goes. Mean lengths of its spells by run, both exponential; they need not be whole ticks."""
    runs = len(up_ticks)
    cycles = int(np.max(ticks / (up_ticks + down_ticks)) * 1.3) + 8
    edges = np.asarray(first_ticks, dtype=float)[:, None]
    while edges[:, -1].min() < ticks:
        spells = rng.standard_exponential((runs, cycles, 2)) * np.stack((up_ticks, down_ticks), axis=1)[:, None, :]
        edges = np.concatenate((edges, edges[:, -1:] + np.cumsum(spells.reshape(runs, -1), axis=1)), axis=1)
    changes = np.zeros((ticks + 1, runs), dtype=np.int32)
    at = np.minimum(np.ceil(edges), ticks).astype(np.int64)
    np.add.at(changes, (at, np.arange(runs)[:, None]), 1)
    return (np.cumsum(changes[:ticks], axis=0) % 2).astype(bool)


def fitted(up: Flags) -> Generator | None:
    """The better law of each kind of spell by Akaike's criterion; None if a kind has too few whole spells."""
    spells = spells_of(up)
    kinds = [spells.whole & (spells.up == kind) for kind in (True, False)]
    if min(int(kind.sum()) for kind in kinds) < SMALLEST_SAMPLE:
        return None
    above, below = (best_law(spells, kind) for kind in (True, False))
    first = np.flatnonzero(kinds[0])
    first = first[first + 1 < len(spells.length) - 1]
    pair = np.log(spells.length[first]), np.log(spells.length[first + 1])
    varied = pair[0].std() > 0 and pair[1].std() > 0
    correlation = float(np.corrcoef(*pair)[0, 1]) if varied else 0.0
    return Generator(up=above, down=below, correlation=correlation, pairs=len(first))


def best_law(spells: Spells, kind: bool) -> SpellFit:
    """The Markov or the renewal law of the up spells (kind True) or the down spells."""
    of_kind = spells.up == kind
    lengths, cut = spells.length[of_kind & spells.whole], spells.length[of_kind & ~spells.whole]
    fits = [
        _fit(name, law, parameters, lengths, cut)
        for name, law, parameters in (("Markov", markov(lengths, cut), 1), ("renewal", renewal(lengths, cut), 2))
    ]
    return min(fits, key=lambda fit: fit.aic)


def markov(lengths: NDArray[np.int64], cut: NDArray[np.int64]) -> SpellLaw:
    """The constant chance of an end: ends by the ticks in which there could have been one."""
    ends = len(lengths)
    chance = min(ends / max(float(lengths.sum() + (cut - 1).sum()), 1.0), 1 - 1e-9)
    return SpellLaw(shape=1.0, scale_ticks=float(-1 / np.log1p(-chance)))


def renewal(lengths: NDArray[np.int64], cut: NDArray[np.int64]) -> SpellLaw:
    """The most likely Weibull law, on a grid of shape and scale that narrows around the best point four times."""
    mean = float(lengths.mean())
    shapes, scales = (np.log(0.15), np.log(3.0)), (np.log(mean / 30), np.log(mean * 5))
    values, counts = np.unique(lengths, return_counts=True)
    best = (0.0, 0.0)
    for _ in range(4):
        grid = np.linspace(*shapes, 25), np.linspace(*scales, 25)
        shape, scale = np.exp(grid[0])[:, None, None], np.exp(grid[1])[None, :, None]
        likelihood = _log_likelihood(shape, scale, values, counts, cut)
        i, j = np.unravel_index(int(np.argmax(likelihood)), likelihood.shape)
        best = float(grid[0][i]), float(grid[1][j])
        steps = grid[0][1] - grid[0][0], grid[1][1] - grid[1][0]
        shapes, scales = ((at - 2 * step, at + 2 * step) for at, step in zip(best, steps, strict=True))
    return SpellLaw(shape=float(np.exp(best[0])), scale_ticks=float(np.exp(best[1])))


def _log_likelihood(
    shape: NDArray[np.float64],
    scale: NDArray[np.float64],
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    cut: NDArray[np.int64],
) -> NDArray[np.float64]:
    def hazard(ticks: NDArray[np.int64]) -> NDArray[np.float64]:
        return (ticks / scale) ** shape

    ending = np.exp(-hazard(values - 1)) - np.exp(-hazard(values))
    whole = (np.log(np.maximum(ending, 1e-300)) * counts).sum(axis=-1)
    return whole - hazard(cut - 1).sum(axis=-1)


def _fit(name: str, law: SpellLaw, parameters: int, lengths: NDArray[np.int64], cut: NDArray[np.int64]) -> SpellFit:
    values, counts = np.unique(lengths, return_counts=True)
    likelihood = _log_likelihood(np.array([law.shape]), np.array([law.scale_ticks]), values, counts, cut)
    seen = np.cumsum(counts) / len(lengths)
    expected = 1 - law.outlasts(values.astype(np.float64))
    just_before = 1 - law.outlasts((values - 1).astype(np.float64))
    below = np.concatenate(([0.0], seen[:-1]))
    distance = max(np.abs(seen - expected).max(), np.abs(below - just_before).max())
    return SpellFit(
        law=law,
        name=name,
        spells=len(lengths),
        aic=float(2 * parameters - 2 * likelihood.item()),
        ks_distance=float(distance),
    )
