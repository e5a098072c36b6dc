"""W: work -> time at full speed. Throughput tables, strong scaling, FLOP; no failures, no waiting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number
from planner.models.student_t import student_t_95
from planner.models.values import Z_95

SECONDS_PER_DAY = 86_400
# relative scatter of rows around the fit: MosaicML's three tables have 0.6, 1.8 and 3.6 %
ASSUMED_SCATTER = 0.02
LEAST_SCATTER = 0.005
_MOSAIC = "github mosaicml/diffusion-benchmark README.md (2023-02-01), table 1"

Rows = Sequence[tuple[int, float]]  # (GPUs, samples a second)


@equation(
    "W1",
    "days-from-samples",
    units={"samples": "samples", "samples_per_second": "samples/s"},
    result_unit="days",
    source=_MOSAIC,
    steps=("result = samples / samples_per_second / 86400",),
)
def days_from_samples(*, samples: Number, samples_per_second: Number) -> Number:
    """Days of training at a steady throughput.

    Samples count every pass over the data. Limits: no warm-up, no failures, no input stalls; those are
    I5, G5 and the bring-up time.
    """
    return samples / samples_per_second / SECONDS_PER_DAY


@equation(
    "W2",
    "gpu-hours",
    units={"gpus": "GPUs", "days": "days"},
    result_unit="GPU-hours",
    source=_MOSAIC,
    steps=("result = gpus * days * 24",),
)
def gpu_hours(*, gpus: Number, days: Number) -> Number:
    """GPU-hours of a fleet that runs for some days."""
    return gpus * days * 24


def fit_step_time(rows: Rows) -> tuple[float, float]:
    """Fit t(n) = a/n + b, seconds a sample on n GPUs, by relative least squares.

    rows: (GPUs, samples a second), at least two. Returns (a, b) with a in GPU-seconds a sample (the part
    that divides) and b in seconds a sample (the part that does not). Each residual is divided by its own
    observation, so that the small and the large fleet weigh the same. b is never negative: a table that
    scales better than linearly is fitted as linear, not as a clock that runs backwards.
    Raises ValueError with fewer than two different GPU counts.
    """
    if len({n for n, _ in rows}) < 2:
        raise ValueError("a strong-scaling fit needs measured rows at two different GPU counts")
    n = np.array([float(n) for n, _ in rows])
    t = np.array([1.0 / rate for _, rate in rows])
    design = np.column_stack([1 / (n * t), 1 / t])
    (a, b), *_ = np.linalg.lstsq(design, np.ones(len(rows)), rcond=None)
    if b < 0 or a <= 0:
        column = design[:, 0]
        a, b = float(column.sum() / (column @ column)), 0.0
    return float(a), float(b)


def _show_fit(*, rows: Rows, gpus: float) -> list[str]:
    a, b = fit_step_time(rows)
    t = a / gpus + b
    lines = [f"fit over {len(rows)} rows: t(n) = a/n + b with a = {a:.6g} GPU-s, b = {b:.6g} s a sample"]
    lines += [f"  at {n} GPUs: listed {rate:,.1f}, fit {1 / (a / n + b):,.1f} samples/s" for n, rate in rows]
    lines.append(f"t({gpus:g}) = {a:.6g} / {gpus:g} + {b:.6g} = {t:.6g} s a sample")
    lines.append(f"result = 1 / {t:.6g} = {1 / t:,.2f}")
    return lines


@equation(
    "W3",
    "strong-scaling-throughput",
    units={"rows": "GPUs:samples/s, ...", "gpus": "GPUs"},
    result_unit="samples/s",
    source=_MOSAIC + "; the form a/n + b is Amdahl's law for a step at a fixed global batch",
    show=_show_fit,
)
def strong_scaling_throughput(*, rows: Rows, gpus: Number) -> Number:
    """Throughput at a GPU count that is not in the table, at a fixed global batch size.

    A step takes t(n) = a/n + b: a part that is divided among n GPUs and a part that is not
    (communication, launch, the slowest rank). Sizes in the table use their row, not this equation.
    Limits: one global batch size; beyond the largest measured row it is an extrapolation, and W5 widens the range.
    """
    a, b = fit_step_time(rows)
    return 1.0 / (a / gpus + b)


@equation(
    "W4",
    "scaling-efficiency",
    units={
        "samples_per_second": "samples/s",
        "gpus": "GPUs",
        "best_samples_per_second_per_gpu": "samples/s/GPU",
    },
    result_unit="fraction",
    source=_MOSAIC + ": 8 -> 256 GPUs keeps 0.631",
    steps=("result = min(1, samples_per_second / gpus / best_samples_per_second_per_gpu)",),
)
def scaling_efficiency(*, samples_per_second: float, gpus: int, best_samples_per_second_per_gpu: float) -> float:
    """Throughput per GPU relative to the best row of the table, at most 1."""
    return min(1.0, samples_per_second / gpus / best_samples_per_second_per_gpu)


def _relative_error(rows: Rows, gpus: float) -> tuple[float, float]:
    """(relative standard error of the fit's prediction at `gpus`, the number of them within which 90 % lie).

    Two rows show no scatter, so that it is assumed; of more rows it is at least LEAST_SCATTER.
    """
    n = np.array([float(n) for n, _ in rows])
    t = np.array([1.0 / rate for _, rate in rows])
    a, b = fit_step_time(rows)
    design = np.column_stack([1 / (n * t), 1 / t])
    residual = design @ np.array([a, b]) - 1
    freedom = len(rows) - 2
    if freedom:
        scatter, within = max(float(np.sqrt(residual @ residual / freedom)), LEAST_SCATTER), student_t_95(freedom)
    else:
        scatter, within = ASSUMED_SCATTER, Z_95
    point = np.array([1 / gpus, 1.0]) / (a / gpus + b)
    inverse = np.linalg.pinv(design.T @ design)
    return scatter * float(np.sqrt(1 + point @ inverse @ point)), within


def _show_spread(*, rows: Rows, gpus: float, error_per_doubling_fraction: float) -> list[str]:
    largest = max(n for n, _ in rows)
    doublings = max(0.0, float(np.log2(gpus / largest)))
    error, within = _relative_error(rows, gpus)
    fit, beyond = within * error, doublings * error_per_doubling_fraction
    return [
        f"fit: {within:.4g} (of {len(rows)} rows) x relative standard error {error:.4f} = {fit:.4f}",
        f"beyond the table: {doublings:.3g} doublings past {largest} GPUs x {error_per_doubling_fraction:g}"
        f" = {beyond:.4f}",
        f"result = sqrt({fit:.4f}^2 + {beyond:.4f}^2) = {np.hypot(fit, beyond):.4f}",
    ]


@equation(
    "W5",
    "throughput-spread",
    units={"rows": "GPUs:samples/s, ...", "gpus": "GPUs", "error_per_doubling_fraction": "fraction"},
    result_unit="fraction",
    source="least-squares prediction with Student's t; the share per doubling is an assumption",
    show=_show_spread,
)
def throughput_spread(*, rows: Rows, gpus: float, error_per_doubling_fraction: Number = 0.08) -> Number:
    """Half width of the 90 % interval of a fitted throughput, as a fraction of it.

    The standard error of the fit, times Student's t for its number of rows, and beyond the largest measured row a share
    for each doubling, added as independent errors: a good fit within the table says nothing about the next network
    tier. It is never zero: two rows show no scatter, so that 2 % are assumed, and more rows at least 0.5 %.
    """
    beyond = max(0.0, float(np.log2(gpus / max(n for n, _ in rows)))) * error_per_doubling_fraction
    error, within = _relative_error(rows, gpus)
    return np.hypot(within * error, beyond)


@equation(
    "W6",
    "gpu-hours-from-flop",
    units={"flop": "FLOP", "peak_tflops": "TFLOP/s per GPU", "mfu_fraction": "fraction"},
    result_unit="GPU-hours",
    source="arXiv 2204.02311 (MFU); check: OPT-175B, 4.30e23 FLOP in 33 days on 1,024 A100 is 0.47",
    steps=("result = flop / (peak_tflops * 1e12 * mfu_fraction) / 3600",),
)
def gpu_hours_from_flop(*, flop: Number, peak_tflops: Number, mfu_fraction: Number) -> Number:
    """Useful GPU-hours for a number of FLOP at a model FLOP utilization (MFU).

    peak_tflops is the dense fp16/bf16 tensor peak in the data sheet, as in published MFU figures.
    """
    return flop / (peak_tflops * 1e12 * mfu_fraction) / 3600


@equation(
    "W7",
    "mfu",
    units={
        "tokens_per_second_per_gpu": "tokens/s/GPU",
        "parameters": "parameters",
        "layers": "layers",
        "hidden_size": "dimensions",
        "sequence_length": "tokens",
        "peak_tflops": "TFLOP/s per GPU",
    },
    result_unit="fraction",
    source="github mosaicml/llm-foundry scripts/train/benchmarking/README.md (8c8dd48)",
    steps=(
        "flop_per_token = 6 * parameters + 12 * layers * hidden_size * sequence_length",
        "result = tokens_per_second_per_gpu * flop_per_token / (peak_tflops * 1e12)",
    ),
)
def mfu(
    *,
    tokens_per_second_per_gpu: Number,
    parameters: Number,
    layers: Number,
    hidden_size: Number,
    sequence_length: Number,
    peak_tflops: Number,
) -> Number:
    """Model FLOP utilization (MFU) of a dense transformer, including attention."""
    flop_per_token = 6 * parameters + 12 * layers * hidden_size * sequence_length
    return tokens_per_second_per_gpu * flop_per_token / (peak_tflops * 1e12)


@equation(
    "W8",
    "hours-from-samples",
    units={"samples": "samples", "samples_per_second": "samples/s", "throughput_factor": "ratio"},
    result_unit="h",
    source=_MOSAIC,
    steps=("result = samples / (samples_per_second * throughput_factor) / 3600",),
)
def hours_from_samples(*, samples: Number, samples_per_second: Number, throughput_factor: Number = 1.0) -> Number:
    """Hours of work at full speed from samples. throughput_factor: this run's speed relative to the table."""
    return samples / (samples_per_second * throughput_factor) / 3600


@equation(
    "W9",
    "hours-from-gpu-hours",
    units={
        "gpu_hours": "GPU-hours",
        "gpus": "GPUs",
        "scaling_efficiency": "fraction",
        "throughput_factor": "ratio",
    },
    result_unit="h",
    source="useful GPU-hours are counted at the throughput of the best row of the table",
    steps=("result = gpu_hours / gpus / scaling_efficiency / throughput_factor",),
)
def hours_from_gpu_hours(
    *, gpu_hours: Number, gpus: Number, scaling_efficiency: Number = 1.0, throughput_factor: Number = 1.0
) -> Number:
    """Hours of work at full speed from useful GPU-hours."""
    return gpu_hours / gpus / scaling_efficiency / throughput_factor
