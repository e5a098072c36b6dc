"""The plan's work on one fleet: hours of every phase at full speed, and what it reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.estimate.place import PhaseIds, PlannedPhase, phases_of
from planner.estimate.relative_speed import relative_speed
from planner.estimate.share_of_peak import gpu_hours_of, high_mfu, ideal_share
from planner.estimate.throughput import throughput_at
from planner.models.datapath import required_read_rate
from planner.models.derived import Derived, Sourced, SourcedQuantity
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Z_95, Values
from planner.models.workload import hours_from_gpu_hours, hours_from_samples, scaling_efficiency
from planner.plan.profiles import profile_key
from planner.plan.training_types import Phase
from planner.plan.types import Plan
from pricing.catalog import InstanceType


@dataclass(frozen=True, kw_only=True)
class PhaseWork:
    """One phase at full speed: hours of computing, and the GB/s that it reads.

    planned_hours: at the throughput of the plan; speed: this run's speed relative to that. own_bytes: of its own data
    set, None if it reads the plan's.
    """

    name: str
    place: PhaseIds
    hours: Number
    required_gb_per_s: Number
    planned_hours: float
    speed: Sourced
    scaling_efficiency: float
    own_bytes: float | None = None
    ideal_hours: Number = 0.0


@dataclass(frozen=True, kw_only=True)
class FleetWork:
    """All phases on one fleet. useful_gpu_hours: at the throughput of the best row, the same in every draw."""

    phases: tuple[PhaseWork, ...]
    scaling_efficiency: float
    useful_gpu_hours: float
    extrapolated: bool
    notes: tuple[str, ...]
    derived: tuple[Derived, ...] = ()

    @property
    def hours(self) -> Number:
        return sum(phase.hours for phase in self.phases)

    @property
    def ideal_hours(self) -> Number:
        return sum(phase.ideal_hours for phase in self.phases)

    @property
    def counted_hours(self) -> Number:
        """Of the phases that have ideal hours."""
        return sum(phase.hours for phase in self.phases if np.any(phase.ideal_hours))

    @property
    def peak_gb_per_s(self) -> Number:
        peak = self.phases[0].required_gb_per_s
        for phase in self.phases[1:]:
            peak = np.maximum(peak, phase.required_gb_per_s)
        return peak


def _sample_bytes(plan: Plan, phase: Phase, place: PhaseIds, sheet: Sheet) -> Sourced | None:
    """Bytes per sample with their origin: the phase, the data, or the hot data divided by its samples."""
    data = plan.data
    if phase.sample_bytes:
        return phase.sample_bytes, place.plan("sample")
    if data.sample_bytes:
        return data.sample_bytes, "plan:data.sample"
    if not data.samples:
        return None
    size = sheet.arithmetic(
        place.id("sample_bytes"),
        data.hot_dataset_bytes / data.samples,
        "bytes",
        "hot_dataset / samples",
        hot_dataset=(data.hot_dataset_bytes, "plan:data.hot_dataset", "bytes"),
        samples=(data.samples, "plan:data.samples", "samples"),
    )
    return size, place.run("sample_bytes")


def _read_rate(
    plan: Plan,
    phase: Phase,
    place: PhaseIds,
    gpu: str,
    gpus: int,
    rate: float | None,
    speed: Sourced,
    relative: Sourced | None,
    values: Values,
    sheet: Sheet,
) -> Number:
    """GB/s that training needs. gpu: its kind. rate: planned samples per second, if there is a table.

    relative: speed of this kind of GPU; it reads as much faster as it computes, which a profile's rate has already.
    """
    profile = plan.data.profile
    name, of_phase = place.id("required_gb_per_s"), phase.read_per_gpu_bytes_per_second
    size = None if of_phase is not None else _sample_bytes(plan, phase, place, sheet)
    if size is not None and rate is not None:
        now = sheet.arithmetic(
            place.id("samples_per_second_now"),
            rate * speed[0],
            "samples/s",
            "samples_per_second * throughput_factor",
            samples_per_second=(rate, place.run("samples_per_second"), "samples/s"),
            throughput_factor=(speed[0], speed[1], "ratio"),
        )
        rate_now = now, place.run("samples_per_second_now")
        return sheet.equation(name, required_read_rate, samples_per_second=rate_now, sample_bytes=size)
    fleet, own, origin = (gpus, "run:gpus", "GPUs"), plan.data.read_per_gpu_bytes_per_second, "plan:data.read_per_gpu"
    if of_phase is not None:
        own, origin = of_phase, place.plan("read_per_gpu")
    if own is not None:
        read = own, origin, "bytes/s"
        if relative is None:
            return sheet.arithmetic(name, gpus * own / 1e9, "GB/s", "gpus * read / 10**9", gpus=fleet, read=read)
        faster, total = (*relative, "ratio"), gpus * own * relative[0] / 1e9
        expression = "gpus * read * relative_speed / 10**9"
        return sheet.arithmetic(name, total, "GB/s", expression, gpus=fleet, read=read, relative_speed=faster)
    key = "data.read_mb_per_s_per_gpu" if profile is None else profile_key(profile, gpu)
    assumed = *values.given(key), "MB/s"
    total = gpus * assumed[0] / 1e3
    return sheet.arithmetic(name, total, "GB/s", "gpus * read / 1000", gpus=fleet, read=assumed)


def _phase_work(
    plan: Plan, entry: PlannedPhase, instance: InstanceType, gpus: int, values: Values, sheet: Sheet
) -> tuple[PhaseWork, bool, str]:
    """One phase, whether its throughput is extrapolated, and notes on it."""
    place, phase = entry.place, entry.phase
    rate, extrapolated, note = None, False, ""
    slower: Number = 0.0
    faster: Number = 0.0
    fleet, efficient = (gpus, "run:gpus"), place.run("scaling_efficiency")
    if phase.throughput:
        found = throughput_at(phase.throughput, gpus, plan.run.scaling, values, place, sheet)
        best = max(row.samples_per_second / row.gpus for row in phase.throughput)
        rate, slower, faster = found.samples_per_second, found.slower, found.faster
        extrapolated, note = found.extrapolated, found.note
        efficiency = sheet.equation(
            place.id("scaling_efficiency"),
            scaling_efficiency,
            samples_per_second=(rate, place.run("samples_per_second")),
            gpus=fleet,
            best_samples_per_second_per_gpu=(best, place.plan("throughput")),
        )
    else:
        full = (1.0, "rule:without a throughput table, scaling efficiency is 1")
        efficiency = sheet.taken(place.id("scaling_efficiency"), "fraction", full=full)
    factor, origin = values.given("workload.throughput_factor")
    relative = relative_speed(plan, _kind(instance), place, values, sheet) if phase.flop is None else None
    deviation = values.normal("workload.fit")
    reach = np.where(np.asarray(deviation) < 0, slower, faster)
    speed: Sourced = (factor * np.exp(deviation * reach / Z_95)[()], origin)
    held = plan.run.held_hours
    if held is not None:
        speed = 1.0, "rule:the fleet is held for a given time, however much it trains"
    if relative is not None:
        faster = sheet.arithmetic(
            place.id("speed"),
            speed[0] * relative[0],
            "ratio",
            "throughput_factor * relative_speed",
            "speed in the plan's GPU-hours or table",
            throughput_factor=(speed[0], speed[1], "ratio"),
            relative_speed=(relative[0], relative[1], "ratio"),
        )
        speed = faster, place.run("speed")
    if entry.slowed_by:
        slower_speed = sheet.arithmetic(
            place.id("slowed_speed"),
            speed[0] / entry.slowdown,
            "ratio",
            "speed / slowdown",
            "without the phases that are left out",
            speed=(speed[0], speed[1], "ratio"),
            slowdown=(entry.slowdown, entry.slowed_by, "ratio"),
        )
        speed = slower_speed, place.run("slowed_speed")
    if held is not None:
        planned_hours = held
        hours = sheet.taken(place.id("work_hours"), "h", held=(held, "plan:run.work"))
    elif phase.samples is not None and rate is not None:
        planned_hours = phase.samples / rate / 3600
        hours = sheet.equation(
            place.id("work_hours"),
            hours_from_samples,
            samples=(phase.samples, place.plan("samples")),
            samples_per_second=(rate, place.run("samples_per_second")),
            throughput_factor=speed,
        )
    else:
        busy, planned = gpu_hours_of(phase, place, instance, gpus, plan.data.profile, values, sheet)
        planned_hours = planned / gpus / efficiency
        hours = sheet.equation(
            place.id("work_hours"),
            hours_from_gpu_hours,
            gpu_hours=busy,
            gpus=fleet,
            scaling_efficiency=(efficiency, efficient),
            throughput_factor=speed,
        )
    work = PhaseWork(
        name=phase.name,
        place=place,
        hours=hours,
        required_gb_per_s=_read_rate(plan, phase, place, _kind(instance), gpus, rate, speed, relative, values, sheet),
        planned_hours=planned_hours,
        speed=speed,
        scaling_efficiency=efficiency,
        own_bytes=phase.hot_dataset_bytes,
        ideal_hours=0.0 if held is not None else hours * ideal_share(phase, _kind(instance), values),
    )
    return work, extrapolated, note or high_mfu(phase, _kind(instance))


def _kind(instance: InstanceType) -> str:
    return instance.gpu_name.upper()


def work_on(plan: Plan, instance: InstanceType, gpus: int, values: Values) -> FleetWork:
    """Hours and reads of every phase on `gpus` GPUs of a type.

    Raises ValueError for FLOP on a type whose peak is not in the catalogue.
    """
    sheet = values.sheet()
    found = [_phase_work(plan, entry, instance, gpus, values, sheet) for entry in phases_of(plan)]
    phases = tuple(phase for phase, _, _ in found)
    useful = sum(phase.planned_hours * gpus * phase.scaling_efficiency for phase in phases)
    work = FleetWork(
        phases=phases,
        scaling_efficiency=useful / sum(phase.planned_hours * gpus for phase in phases),
        useful_gpu_hours=useful,
        extrapolated=any(extrapolated for _, extrapolated, _ in found),
        notes=tuple(dict.fromkeys(note for _, _, note in found if note)),
    )
    if sheet.recording:
        _add_up(plan, work, gpus, sheet)
    return replace(work, derived=sheet.derived)


def _add_up(plan: Plan, work: FleetWork, gpus: int, sheet: Sheet) -> None:
    """Record the totals of the phases; a single phase is the total already."""
    every: dict[str, dict[str, SourcedQuantity]] = {
        "hours": {},
        "rates": {},
        "useful": {"gpus": (gpus, "run:gpus", "GPUs")},
    }
    for n, phase in enumerate(work.phases, 1):
        hours = phase.hours, phase.place.run("work_hours"), "h"
        every["hours"][f"hours_{n}"] = every["useful"][f"hours_{n}"] = hours
        every["rates"][f"rate_{n}"] = phase.required_gb_per_s, phase.place.run("required_gb_per_s"), "GB/s"
        every["useful"][f"speed_{n}"] = phase.speed[0], phase.speed[1], "ratio"
        efficiency = phase.scaling_efficiency, phase.place.run("scaling_efficiency"), "fraction"
        every["useful"][f"efficiency_{n}"] = efficiency
    numbers = range(1, len(work.phases) + 1)
    planned = [f"hours_{n} * speed_{n}" for n in numbers]
    useful = " + ".join(f"{hours} * gpus * efficiency_{n}" for n, hours in zip(numbers, planned, strict=True))
    what = "hours at the planned throughput x GPUs x scaling efficiency of every phase"
    name = "useful_gpu_hours" if plan.run.held_hours is None else "fleet.gpu_hours"
    sheet.arithmetic(name, work.useful_gpu_hours, "GPU-hours", useful, what, **every["useful"])
    if len(work.phases) == 1 and not work.phases[0].place.number:
        return
    sheet.arithmetic("run.work_hours", work.hours, "h", "sum(inputs)", "all phases", **every["hours"])
    busiest = "the phase that reads fastest"
    sheet.arithmetic(
        "storage.required_read_gb_per_s", work.peak_gb_per_s, "GB/s", "max(inputs)", busiest, **every["rates"]
    )
    sheet.arithmetic(
        "goodput.scaling_efficiency",
        work.scaling_efficiency,
        "fraction",
        f"({useful}) / (gpus * ({' + '.join(planned)}))",
        "useful GPU-hours / all GPU-hours",
        **every["useful"],
    )
