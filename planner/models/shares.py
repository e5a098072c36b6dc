"""R: ratios and shares in which claims are published: times cheaper, per cent saved, price per worker and step."""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_SALAD = "SaladTechnologies/dreambooth train_on_salad.py (6ef971f)"


@equation(
    "R1",
    "ratio",
    units={"part": "a quantity", "whole": "the same quantity"},
    result_unit="ratio",
    source="definition; MosaicML: 200,000 A100-hours against 78,735 are 2.5 times as many",
    steps=("result = part / whole",),
)
def ratio(*, part: Number, whole: Number) -> Number:
    """One quantity over another in the same unit: a share of a whole, or how many times as much."""
    return part / whole


@equation(
    "R2",
    "saving",
    units={"before": "a quantity", "after": "the same quantity"},
    result_unit="fraction",
    source="definition; WEKA case study on Stability AI: 15x the capacity at 80 % of the cost saves 94.7 % per TB",
    steps=("result = 1 - after / before",),
)
def saving(*, before: Number, after: Number) -> Number:
    """Share of a time or a cost that is saved; negative if there is more of it after."""
    return 1 - after / before


@equation(
    "R3",
    "lognormal-median",
    units={"low": "5th percentile", "high": "95th percentile"},
    result_unit="the unit of both",
    source="epoch-research/training-cost-trends: experiments are 1.2 to 4 times the final run, median 2.19",
    steps=("result = sqrt(low * high)",),
)
def lognormal_median(*, low: Number, high: Number) -> Number:
    """Median of a log-normal quantity of which the 90 % interval is published: the geometric mean of its ends."""
    return np.sqrt(low * high)


@equation(
    "R4",
    "worker-price",
    units={
        "gpu_usd_per_hour": "USD/h",
        "vcpus": "vCPU",
        "usd_per_vcpu_hour": "USD/h",
        "memory_gb": "GB",
        "usd_per_gb_hour": "USD/h",
    },
    result_unit="USD/h",
    source=_SALAD + ": 0.30 for an RTX 4090, 0.004 per vCPU, 0.001 per GB",
    steps=("result = gpu_usd_per_hour + vcpus * usd_per_vcpu_hour + memory_gb * usd_per_gb_hour",),
)
def worker_price(
    *,
    gpu_usd_per_hour: Number,
    vcpus: Number = 0.0,
    usd_per_vcpu_hour: Number = 0.0,
    memory_gb: Number = 0.0,
    usd_per_gb_hour: Number = 0.0,
) -> Number:
    """Hourly price of a worker that is sold by its parts."""
    return gpu_usd_per_hour + vcpus * usd_per_vcpu_hour + memory_gb * usd_per_gb_hour


@equation(
    "R5",
    "usd-per-step",
    units={"usd": "USD", "steps": "steps"},
    result_unit="USD/step",
    source="Salad: 0.2916 USD for 1,400 steps are 0.000208 a step",
    steps=("result = usd / steps",),
)
def usd_per_step(*, usd: Number, steps: Number) -> Number:
    """Price of one training step of a worker."""
    return usd / steps
