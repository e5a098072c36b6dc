"""P: what a run costs beyond machines: staff, preprocessing, experiments and failed runs."""

from __future__ import annotations

from planner.models.equation import equation
from planner.models.values import Number

_EPOCH = "epoch-research/training-cost-trends, development_cost.ipynb (b3f53b9)"


@equation(
    "P1",
    "staff-cost",
    units={
        "engineers": "people",
        "months": "months",
        "usd_per_engineer_year": "USD/year",
        "overhead_fraction": "fraction",
    },
    result_unit="USD",
    source=_EPOCH + ": median 330,000 USD of salary and equity, times 1.25 to 1.4",
    steps=("result = engineers * months / 12 * usd_per_engineer_year * (1 + overhead_fraction)",),
)
def staff_cost(
    *, engineers: Number, months: Number, usd_per_engineer_year: Number, overhead_fraction: Number = 0.325
) -> Number:
    """People for some months: salary and equity, plus what an employer pays on top."""
    return engineers * months / 12 * usd_per_engineer_year * (1 + overhead_fraction)


@equation(
    "P2",
    "preprocessing-cost",
    units={"gpu_hours": "GPU-hours", "gpus_per_node": "GPUs", "usd_per_hour": "USD/h per node"},
    result_unit="USD",
    source="github mosaicml/diffusion README: 3,784 A100-hours to compute the latents of Stable Diffusion 2",
    steps=("result = gpu_hours / gpus_per_node * usd_per_hour",),
)
def preprocessing_cost(*, gpu_hours: Number, gpus_per_node: Number, usd_per_hour: Number) -> Number:
    """Work done once before training, at the On-Demand price of its instance type."""
    return gpu_hours / gpus_per_node * usd_per_hour


@equation(
    "P3",
    "experiments-cost",
    units={"run_node_hours": "h", "experiment_factor": "ratio", "usd_per_hour": "USD/h per node"},
    result_unit="USD",
    source=_EPOCH + ": total compute over the final run's, 90 % between 1.2 and 4, median 2.19",
    steps=("result = run_node_hours * (experiment_factor - 1) * usd_per_hour",),
)
def experiments_cost(*, run_node_hours: Number, experiment_factor: Number, usd_per_hour: Number) -> Number:
    """Experiments and failed runs around the final one, in its own node-hours and at its own rate."""
    return run_node_hours * (experiment_factor - 1) * usd_per_hour
