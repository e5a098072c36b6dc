"""Assumptions for the models: a number for every key, or one number per draw.

The same model code runs once on central values and once on arrays of draws; only `Values` differs.
It records which keys were used, so that every output can list its assumptions.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.plan.assumptions import Assumption

WORTH_THREADS = 50_000  # draws, from which two threads are faster than one
Z_95 = 1.6448536269514722  # standard normal quantile: low and high are the 5th and 95th percentile


@dataclass
class Values:
    """Assumptions by key: central values, or arrays of draws when `draws` is not 0.

    All scenarios share the draws of a key, and keys are independent: each has its own stream,
    seeded by the seed and the key's name, so that a new assumption never changes another one's draws.
    pinned: values of streams in the central run, by name, instead of their median. recording: whether a run
    records the derivation of its numbers. stratified: of n draws of a key one lies in each n-th of its probability, in
    random order (a Latin hypercube), so that few draws, where each takes long, stand for more.
    """

    table: Mapping[str, Assumption]
    draws: int = 0
    seed: int = 0
    used: set[str] = field(default_factory=set)
    pinned: Mapping[str, float] = field(default_factory=dict[str, float])
    recording: bool = True
    stratified: bool = False
    _cache: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Number:
        """The value of an assumption: a float, or an array of shape (draws,)."""
        self.used.add(key)
        if not self.draws:
            return self.table[key].value
        if key not in self._cache:
            self._cache[key] = self._drawn(key)
        return self._cache[key]

    def prepare(self, keys: Iterable[str]) -> None:
        """Draw several keys in two threads, if that is worth it; the values are those that each would have alone."""
        wanted = [key for key in keys if key not in self._cache] if self.draws >= WORTH_THREADS else []
        if len(wanted) > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(2) as pool:  # numpy lets go of the interpreter while it draws
                self._cache |= zip(wanted, pool.map(self._drawn, wanted), strict=True)

    def _drawn(self, key: str) -> NDArray[np.float64]:
        return sample(self.table[key], self._normals(key))

    def sampled(self, key: str, stream: str, *, opposed: bool = False) -> Number:
        """The value of an assumption whose draws are those of a stream that it shares with others; opposed: high where
        theirs are low."""
        self.used.add(key)
        if not self.draws:
            return self.table[key].value
        name = f"{key} by {stream}"
        if name not in self._cache:
            drawn = np.asarray(self.normal(stream))
            self._cache[name] = sample(self.table[key], -drawn if opposed else drawn)
        return self._cache[name]

    def given(self, key: str) -> tuple[Number, str]:
        """The value of an assumption with its origin, as an input of an equation."""
        return self[key], f"assumption:{key}"

    def given_central(self, key: str) -> tuple[float, str]:
        """The same for a central value that holds in every draw."""
        return self.central(key), f"assumption:{key}"

    def sheet(self) -> Sheet:
        """A sheet for the numbers of one run."""
        return Sheet(recording=self.recording)

    def central(self, key: str) -> float:
        """The central value, also in a run of draws: for decisions that are made once, before the run."""
        self.used.add(key)
        return self.table[key].value

    def normal(self, key: str) -> Number:
        """Standard normal draws of the stream of that name; in the central run 0.0 or the pinned value."""
        if not self.draws:
            return self.pinned.get(key, 0.0)
        name = f"normal of {key}"
        if name not in self._cache:
            self._cache[name] = self._normals(key)
        return self._cache[name]

    def uniform(self, key: str) -> Number:
        """Uniform draws in [0, 1) of the stream of that name; in the central run 0.5 or the pinned value."""
        if not self.draws:
            return self.pinned.get(key, 0.5)
        name = f"uniform of {key}"
        if name not in self._cache:
            self._cache[name] = self._uniforms(key)
        return self._cache[name]

    def _uniforms(self, key: str) -> NDArray[np.float64]:
        stream = self._stream(key)
        if not self.stratified:
            return stream.random(self.draws)
        return (stream.permutation(self.draws) + stream.random(self.draws)) / self.draws

    def _normals(self, key: str) -> NDArray[np.float64]:
        if not self.stratified:
            return self._stream(key).standard_normal(self.draws)
        return np.array([NormalDist().inv_cdf(max(share, 1e-12)) for share in self._uniforms(key).tolist()])

    def _stream(self, key: str) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self.seed, zlib.crc32(key.encode())]))


def sample(assumption: Assumption, z: np.ndarray) -> np.ndarray:
    """Draws of an assumption from standard normal draws.

    The central value is the median, low and high are the 5th and 95th percentile. With low > 0 each side
    is log-normal (rates and sizes are skewed), else each side is normal; values never have the opposite sign of
    low and high, nor leave the range that a plan may set, and a fraction is always in [0, 1].
    """
    low, middle, high = assumption.low, assumption.value, assumption.high
    logarithmic = low > 0
    if logarithmic:
        down, up = float(np.log(middle / low)) / Z_95, float(np.log(high / middle)) / Z_95
    else:
        down, up = (middle - low) / Z_95, (high - middle) / Z_95
    # in place: memory for another array takes longer than the arithmetic on it
    drawn = np.where(z < 0, down, up)
    drawn *= z
    if logarithmic:
        np.exp(drawn, out=drawn)
        drawn *= middle
    else:
        drawn += middle
        if low >= 0:
            np.maximum(drawn, 0.0, out=drawn)
    if assumption.unit == "fraction" and low >= 0:
        np.minimum(drawn, 1.0, out=drawn)
    return np.clip(drawn, assumption.least, assumption.most, out=drawn)
