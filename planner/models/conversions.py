"""W: amounts of work in other words: steps and phases to samples and days, FLOP/s to utilization and back."""

from __future__ import annotations

from collections.abc import Sequence

from planner.models.equation import equation
from planner.models.number import Number
from planner.models.workload import SECONDS_PER_DAY, days_from_samples

Steps = Sequence[tuple[float, float]]  # (steps, samples a step)
Phases = Sequence[tuple[float, float]]  # (samples, samples a second)

_STEPS = "Stability-AI/stablediffusion modelcard.md (cf1d67a): 550k steps at 256 px and 850k at 512 px, batch 2,048"
_PHASES = "github mosaicml/diffusion README.md (49282fd): two phases with a throughput each"
_MFU = "arXiv 2204.02311, appendix B (MFU)"


def _show_steps(*, steps: Steps) -> list[str]:
    parts = " + ".join(f"{count:,.0f} x {batch:,.0f}" for count, batch in steps)
    return [f"result = {parts} = {samples_from_steps(steps=steps):,.0f}"]


@equation(
    "W10",
    "samples-from-steps",
    units={"steps": "steps:samples per step, ..."},
    result_unit="samples",
    source=_STEPS,
    show=_show_steps,
)
def samples_from_steps(*, steps: Steps) -> float:
    """Training samples of some phases: steps times global batch size, added up. Every pass over the data counts."""
    return float(sum(count * batch for count, batch in steps))


def _show_phases(*, phases: Phases) -> list[str]:
    lines = [
        f"{samples:,.0f} / {rate:g} / 86400 = {days_from_samples(samples=samples, samples_per_second=rate):.6g} days"
        for samples, rate in phases
    ]
    return [*lines, f"result = {days_of_phases(phases=phases):.6g}"]


@equation(
    "W11",
    "days-of-phases",
    units={"phases": "samples:samples/s, ..."},
    result_unit="days",
    source=_PHASES,
    show=_show_phases,
)
def days_of_phases(*, phases: Phases) -> float:
    """Days of training in phases that follow each other, each at a steady throughput of its own (W1).

    Limits: no failures, no waiting, no pause between phases.
    """
    return float(sum(samples / rate for samples, rate in phases)) / SECONDS_PER_DAY


@equation(
    "W12",
    "mfu-from-tflops",
    units={"achieved_tflops": "TFLOP/s per GPU", "peak_tflops": "TFLOP/s per GPU"},
    result_unit="fraction",
    source=_MFU + "; arXiv 2407.21783, table 4: 400 TFLOP/s on an H100 is 41 %",
    steps=("result = achieved_tflops / peak_tflops",),
)
def mfu_from_tflops(*, achieved_tflops: Number, peak_tflops: Number) -> Number:
    """Model FLOP utilization of a measured rate.

    Limits: both of the same number format: FP8 rates against a BF16 peak give twice the utilization.
    """
    return achieved_tflops / peak_tflops


@equation(
    "W13",
    "mfu-from-gpu-hours",
    units={"flop": "FLOP", "gpu_hours": "GPU-hours", "peak_tflops": "TFLOP/s per GPU"},
    result_unit="fraction",
    source=_MFU + "; OPT-175B: 4.30e23 FLOP in 33 days on 1,024 A100 is 0.47",
    steps=("result = flop / (gpu_hours * 3600 * peak_tflops * 1e12)",),
)
def mfu_from_gpu_hours(*, flop: Number, gpu_hours: Number, peak_tflops: Number) -> Number:
    """Model FLOP utilization of a whole run, from its FLOP and its GPU-hours: the inverse of W6."""
    return flop / (gpu_hours * 3600 * peak_tflops * 1e12)


@equation(
    "W14",
    "flop-from-gpu-hours",
    units={"gpu_hours": "GPU-hours", "peak_tflops": "TFLOP/s per GPU", "mfu_fraction": "fraction"},
    result_unit="FLOP",
    source="epoch-research/training-cost-trends: 150,000 A100-hours at a utilization of 0.30 are 5e22 FLOP",
    steps=("result = gpu_hours * 3600 * peak_tflops * 1e12 * mfu_fraction",),
)
def flop_from_gpu_hours(*, gpu_hours: Number, peak_tflops: Number, mfu_fraction: Number) -> Number:
    """FLOP of a run, from its GPU-hours and utilization."""
    return gpu_hours * 3600 * peak_tflops * 1e12 * mfu_fraction


@equation(
    "W15",
    "dense-model-flop",
    units={"parameters": "parameters", "tokens": "tokens"},
    result_unit="FLOP",
    source="arXiv 2001.08361: 6 FLOP per parameter and token; attention is left out",
    steps=("result = 6 * parameters * tokens",),
)
def dense_model_flop(*, parameters: Number, tokens: Number) -> Number:
    """FLOP of training a dense transformer. Limits: without attention, which adds to it with long sequences (W7)."""
    return 6 * parameters * tokens
