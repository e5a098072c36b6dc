"""What a few hundred steps say of the throughput of a fleet: the mean, how sure it is, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.models.student_t import student_t_95
from planner.profile.logs import Step

FEWEST = 20  # steps after the warm-up
BATCHES = 20  # neighbouring steps are alike, their sums hardly
FIVE = 5  # steps a batch of the warm-up's rule
SLOW = 3.0  # times the median: a save, an evaluation, a wait for data


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Samples a second of one log; within: half width of the 90 % interval of the mean, as a fraction of it.

    warm_up: steps left out at the start; steps: that count. slow: how many of them are far above the median, and the
    share of the time that they took beyond it.
    """

    samples_per_second: float
    within: float
    warm_up: int
    steps: int
    slow: int
    slow_fraction: float


def measured(steps: Sequence[Step]) -> Measured | None:
    """None of fewer than FEWEST steps after the warm-up.

    The mean is all samples over all seconds. Its interval is that of the means of BATCHES runs of neighbouring steps,
    with Student's t (method of batch means: Law, Simulation Modeling and Analysis, 9.5.3).
    """
    seconds, samples = (np.array([getattr(step, name) for step in steps]) for name in ("seconds", "samples"))
    start = _warm_up(seconds / samples)
    seconds, samples = seconds[start:], samples[start:]
    if seconds.size < FEWEST:
        return None
    rate = float(samples.sum() / seconds.sum())
    batches = [(part.sum(), other.sum()) for part, other in _split(samples, seconds)]
    rates = np.array([part / other for part, other in batches])
    within = student_t_95(len(rates) - 1) * float(rates.std(ddof=1)) / np.sqrt(len(rates)) / rate
    each = seconds / samples
    slow = each > SLOW * np.median(each)
    beyond = float(((each - np.median(each)) * samples)[slow].sum() / seconds.sum())
    return Measured(
        samples_per_second=rate,
        within=float(within),
        warm_up=start,
        steps=int(seconds.size),
        slow=int(slow.sum()),
        slow_fraction=beyond,
    )


def _split(*arrays: np.ndarray) -> zip:
    return zip(*(np.array_split(array, BATCHES) for array in arrays), strict=True)


def _warm_up(each: np.ndarray) -> int:
    """Steps to leave out at the start, up to half: those after which the standard error of the mean is least.

    The rule MSER-5 of White, Cobb and Spratt (Winter Simulation Conference 2000) on means of five steps.
    """
    count = each.size // FIVE
    if count < 2:
        return 0
    means = each[: count * FIVE].reshape(count, FIVE).mean(axis=1)
    errors = [float(means[left:].var() / (count - left)) for left in range(count // 2)]
    return FIVE * int(np.argmin(errors)) if errors else 0
