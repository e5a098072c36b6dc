"""A number as the models see it: a float, or an array with one entry a draw; they do not care which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Number: TypeAlias = float | NDArray[np.float64]


def scalar(value: Number) -> float:
    """A number on central values as a float. Raises TypeError for an array of draws."""
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"one number expected, not {value.size} draws")
    return float(value)


def median(value: Number) -> float:
    """The median of draws; a number itself where there are none."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return float(value)
    middle = value.size // 2
    parted = np.partition(value, middle)
    high = parted[middle]
    low = high if value.size % 2 else parted[:middle].max()
    return float(low if low == high else (low + high) / 2)


def quantiles(values: np.ndarray, shares: Sequence[float]) -> list[float]:
    """Quantiles by linear interpolation, to the bit those of numpy; infinite where a value beside it is infinite.

    numpy's own `quantile` and `median` load masked arrays first, which takes as long as pricing a small plan; and its
    `partition` for several places takes longer than a sort.
    """
    ordered = np.sort(values)
    return [_between(ordered, share * (values.size - 1)) for share in shares]


def _between(ordered: np.ndarray, at: float) -> float:
    below, between = int(at), at % 1
    low, high = float(ordered[below]), float(ordered[min(below + 1, ordered.size - 1)])
    if not between:
        return low
    if math.isinf(high):  # there is nothing to interpolate
        return math.inf
    return low + (high - low) * between if between < 0.5 else high - (high - low) * (1 - between)


def each_draw(value: Number, draws: int) -> NDArray[np.float64]:
    """A number as an array with one entry a draw."""
    if isinstance(value, np.ndarray) and value.shape == (draws,):
        return value
    return np.broadcast_to(np.asarray(value, dtype=float), (draws,))


def share_of(mask: NDArray[np.bool_]) -> float:
    """The share of the draws for which something holds."""
    return float(np.count_nonzero(mask) / mask.size)


def share_within(values: np.ndarray, share: float) -> float:
    """The lowest of the values that at least this share of them does not exceed."""
    flat = np.atleast_1d(values)
    count = max(math.ceil(share * flat.size - 1e-9), 1)
    count += count / flat.size < share  # the product may have been rounded down to a whole number
    return float(np.partition(flat, count - 1)[count - 1])


def rounded(value: float, digits: int, up: bool) -> float:
    """The value with a number of significant digits, rounded up or down."""
    if value == 0:
        return 0.0
    scale = digits - 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10.0**scale
    whole = math.ceil(scaled - 1e-9) if up else math.floor(scaled + 1e-9)
    return float(f"{whole / 10.0**scale:.15g}")
