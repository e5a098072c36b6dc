"""I: bytes of data sets, and what accelerators read of them by the published profile of a workload."""

from __future__ import annotations

from planner.models.equation import equation
from planner.models.number import Number


@equation(
    "I13",
    "accelerator-sample-rate",
    units={
        "accelerators": "GPUs",
        "batch_samples": "samples",
        "compute_seconds": "s",
        "utilization_fraction": "fraction",
    },
    result_unit="samples/s",
    source="github mlcommons/storage configs and results v1.0: accelerators x batch / compute time x utilization",
    steps=("result = accelerators * batch_samples / compute_seconds * utilization_fraction",),
)
def accelerator_sample_rate(
    *, accelerators: Number, batch_samples: Number, compute_seconds: Number, utilization_fraction: Number = 1.0
) -> Number:
    """Samples that accelerators train on in a second; times the sample's bytes (I1), the rate that they read.

    compute_seconds: of one batch on one accelerator. utilization_fraction: the share of the time in which it computes.
    Limits: published runs of MLPerf Storage lie within 7 % of the product.
    """
    return accelerators * batch_samples / compute_seconds * utilization_fraction


@equation(
    "I14",
    "dataset-bytes",
    units={"samples": "samples", "sample_bytes": "bytes"},
    result_unit="bytes",
    source="rom1504/img2dataset README (95523bc): LAION-5B, 5.85e9 samples of about 40 KB are 240 TB",
    steps=("result = samples * sample_bytes",),
)
def dataset_bytes(*, samples: Number, sample_bytes: Number) -> Number:
    """Size of a data set from its samples. Limits: without the headers of archives."""
    return samples * sample_bytes


@equation(
    "I15",
    "mean-sample-bytes",
    units={"dataset_bytes": "bytes", "samples": "samples"},
    result_unit="bytes",
    source="LAION-AI/laion.ai blog/laion-400-open-dataset.md: 400M samples in 10 TB",
    steps=("result = dataset_bytes / samples",),
)
def mean_sample_bytes(*, dataset_bytes: Number, samples: Number) -> Number:
    """Mean size of a sample."""
    return dataset_bytes / samples
