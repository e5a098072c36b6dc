"""The plan's work on one fleet: hours of every phase at full speed, and what it reads meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.models.datapath import required_read_rate
from planner.models.values import Z_95, Number, Values
from planner.models.workload import (
    gpu_hours_from_flop,
    scaling_efficiency,
    strong_scaling_throughput,
    throughput_spread,
)
from planner.plan.types import Phase, Plan, ThroughputRow
from pricing.catalog import InstanceType


@dataclass(frozen=True, kw_only=True)
class PhaseWork:
    """One phase at full speed: hours of pure computing and the GB/s it would read."""

    name: str
    hours: Number
    required_gb_per_s: Number


@dataclass(frozen=True, kw_only=True)
class FleetWork:
    """All phases on one fleet. useful_gpu_hours: at the throughput of the best row, the same in every draw."""

    phases: tuple[PhaseWork, ...]
    scaling_efficiency: float
    useful_gpu_hours: float
    extrapolated: bool
    notes: tuple[str, ...]

    @property
    def hours(self) -> Number:
        return sum(phase.hours for phase in self.phases)

    @property
    def peak_gb_per_s(self) -> Number:
        peak = self.phases[0].required_gb_per_s
        for phase in self.phases[1:]:
            peak = np.maximum(peak, phase.required_gb_per_s)
        return peak


@dataclass(frozen=True, kw_only=True)
class Throughput:
    """Samples a second on a fleet, as planned, and how far to trust it (half width of the 90 % interval)."""

    samples_per_second: float
    spread: Number
    extrapolated: bool
    note: str = ""


def throughput_at(rows: tuple[ThroughputRow, ...], gpus: int, scaling: str, values: Values) -> Throughput:
    """Listed rows exactly; otherwise the strong-scaling fit over the measured rows, or linear when told so."""
    measured = [(row.gpus, row.samples_per_second) for row in rows if row.measured]
    largest = max((n for n, _ in measured), default=0)
    per_doubling = values["workload.error_per_doubling_fraction"]
    listed = {row.gpus: row for row in rows}.get(gpus)
    beyond = gpus > largest
    if listed is None and scaling == "linear":
        near, rate = min(measured or [(r.gpus, r.samples_per_second) for r in rows], key=lambda r: abs(r[0] - gpus))
        spread = abs(np.log2(gpus / near)) * per_doubling
        return Throughput(
            samples_per_second=rate * gpus / near,
            spread=spread,
            extrapolated=beyond,
            note=f"throughput at {gpus} GPUs scaled linearly from {near}, as the plan says",
        )
    if listed is None:
        note = f"throughput at {gpus} GPUs is fitted, t(n) = a/n + b, over rows at " + ", ".join(
            str(n) for n, _ in measured
        )
        return Throughput(
            samples_per_second=strong_scaling_throughput(rows=measured, gpus=gpus),
            spread=throughput_spread(rows=measured, gpus=gpus, error_per_doubling_fraction=per_doubling),
            extrapolated=beyond,
            note=note + (f": extrapolated beyond {largest}" if beyond else ""),
        )
    if listed.measured:
        return Throughput(samples_per_second=listed.samples_per_second, spread=0.0, extrapolated=False)
    spread = (
        throughput_spread(rows=measured, gpus=gpus, error_per_doubling_fraction=per_doubling)
        if len({n for n, _ in measured}) >= 2
        else per_doubling * max(0.0, float(np.log2(gpus / largest)))
        if largest
        else per_doubling
    )
    return Throughput(
        samples_per_second=listed.samples_per_second,
        spread=spread,
        extrapolated=True,
        note=f"throughput at {gpus} GPUs is listed but not measured: extrapolated",
    )


def _phases(plan: Plan) -> tuple[Phase, ...]:
    run = plan.run
    if run.phases:
        return run.phases
    work = run.work
    assert work is not None  # the checks of the plan hold this
    return (
        Phase.model_construct(
            name="training",
            samples=work.samples,
            gpu_hours=work.gpu_hours,
            flop=work.flop,
            mfu=work.mfu,
            throughput=run.throughput,
        ),
    )


def _read_rate(plan: Plan, phase: Phase, gpus: int, samples_per_second: Number | None, values: Values) -> Number:
    data = plan.data
    sample_bytes = phase.sample_bytes or data.sample_bytes
    if sample_bytes is None and data.samples:
        sample_bytes = data.hot_dataset_bytes / data.samples
    if sample_bytes is not None and samples_per_second is not None:
        return required_read_rate(samples_per_second=samples_per_second, sample_bytes=sample_bytes)
    if data.read_per_gpu_bytes_per_second is not None:
        return gpus * data.read_per_gpu_bytes_per_second / 1e9
    return gpus * values["data.read_mb_per_s_per_gpu"] / 1e3


def work_on(plan: Plan, instance: InstanceType, gpus: int, values: Values) -> FleetWork:
    """Hours and reads of every phase on `gpus` GPUs of a type. Raises ValueError where FLOP need a peak
    that the catalogue does not know."""
    phases, useful, paid, notes, extrapolated = [], 0.0, 0.0, [], False
    factor = values["workload.throughput_factor"]
    for phase in _phases(plan):
        rate, efficiency, spread = None, 1.0, 0.0
        if phase.throughput:
            found = throughput_at(phase.throughput, gpus, plan.run.scaling, values)
            best = max(row.samples_per_second / row.gpus for row in phase.throughput)
            rate, spread = found.samples_per_second, found.spread
            efficiency = scaling_efficiency(samples_per_second=rate, gpus=gpus, best_samples_per_second_per_gpu=best)
            extrapolated |= found.extrapolated
            notes += [found.note] if found.note else []
        if phase.samples is not None and rate is not None:
            planned_hours = phase.samples / rate / 3600
        elif phase.gpu_hours is not None:
            planned_hours = phase.gpu_hours / gpus / efficiency
        elif phase.flop is not None and phase.mfu is not None:
            if instance.peak_tflops is None:
                raise ValueError(f"no data sheet peak is known for {instance.name}, so FLOP cannot be timed on it")
            busy = gpu_hours_from_flop(flop=phase.flop, peak_tflops=instance.peak_tflops, mfu_fraction=phase.mfu)
            planned_hours = busy / gpus / efficiency
        else:
            raise ValueError(f"phase {phase.name}: its work cannot be timed")
        speed = factor * np.exp(values.normal("workload.fit") * spread / Z_95)
        phases.append(
            PhaseWork(
                name=phase.name,
                hours=planned_hours / speed,
                required_gb_per_s=_read_rate(plan, phase, gpus, None if rate is None else rate * speed, values),
            )
        )
        useful += planned_hours * gpus * efficiency
        paid += planned_hours * gpus
    return FleetWork(
        phases=tuple(phases),
        scaling_efficiency=useful / paid,
        useful_gpu_hours=useful,
        extrapolated=extrapolated,
        notes=tuple(dict.fromkeys(notes)),
    )
