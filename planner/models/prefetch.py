"""I: readers that read ahead: how much of the time they hide when single reads take longer or shorter than the mean."""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number


@equation(
    "I17",
    "prefetched-read-rate",
    units={
        "required_gb_per_s": "GB/s",
        "given_gb_per_s": "GB/s",
        "read_time_cv": "standard deviation / mean",
        "prefetch_batches": "batches",
    },
    result_unit="GB/s",
    source="derived here: reflected Brownian motion between an empty and a full buffer; length fitted to simulation",
    steps=(
        "ratio = given_gb_per_s / required_gb_per_s",
        "spread = max(read_time_cv, 0.001)**2 * sqrt(ratio)",
        "length = prefetch_batches + (3 * read_time_cv**2 - 1) / 2",
        "x = min(2 * (ratio - 1) * length / spread, 500)",
        "empty = spread / (2 * length) * (x / expm1(x) if x != 0 else 1)",
        "result = required_gb_per_s * (1 - empty)",
    ),
)
def prefetched_read_rate(
    *, required_gb_per_s: Number, given_gb_per_s: Number, read_time_cv: Number, prefetch_batches: Number
) -> Number:
    """Rate at which training reads, when a reader gets `given_gb_per_s` on the mean and keeps some batches ready.

    A batch that takes long empties the buffer, and training waits although the mean suffices: 1.1 times the need, a
    standard deviation as large as the mean and two batches give 0.87 (simulated: 0.86). Within 0.015 of the simulation
    for coefficients of variation up to 1 and 2 to 16 batches. Without variation it is the smaller of the two rates.
    Limits: one reader; a gang whose nodes wait for each other in every step loses more.
    """
    ratio = given_gb_per_s / required_gb_per_s
    spread = np.maximum(read_time_cv, 0.001) ** 2 * np.sqrt(ratio)
    length = prefetch_batches + (3 * np.square(read_time_cv) - 1) / 2
    x = np.minimum(2 * (ratio - 1) * length / spread, 500.0)
    empty = spread / (2 * length) * np.where(x == 0, 1.0, x / np.where(x == 0, 1.0, np.expm1(x)))
    return required_gb_per_s * (1 - empty)
