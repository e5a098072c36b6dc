"""What training reads, from which tier, and the share of the time that it does not wait for data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.place import data_sets_of
from planner.estimate.work import FleetWork, PhaseWork
from planner.layouts.base import Demand, Service
from planner.models.datapath import input_fraction, warm_up_hours
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.number import Number, median
from planner.models.prefetch import prefetched_read_rate
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import Plan

COLD, STEADY = "run:storage.cold_read_gb_per_s", "run:storage.read_gb_per_s"
LEAST_SUPPLY, ENOUGH_SUPPLY = 0.95, 1.1  # of the need: below, training waits anyway; above, readers hide the variation


@dataclass(frozen=True, kw_only=True)
class DataInput:
    """fraction: share of the time that computes. Bytes: from S3 (prefetched, cold, and missed later), and in total."""

    fraction: Number
    warm_up_hours: Number
    s3_read_bytes: Number
    read_bytes: Number


def data_input_of(
    plan: Plan,
    demand: Demand,
    work: FleetWork,
    service: Service,
    filled_first: bool,
    refills: Number,
    values: Values,
    sheet: Sheet,
) -> DataInput:
    """Stalls of every phase: its data set is read cold once, then at the steady rate of the largest data set.

    Phases share the plan's data set, or have their own. With a prefetch, or if the layout must be filled first: as much
    of the first one as fits is copied while the GPUs wait; where data is copied into the layout, all of every one.
    refills: how often the fast tier is lost; each time the data is read cold again, as far as training reads it.
    """
    copied = service.copy_in_gb_per_s is not None
    prefetch = service.usable_tb is not None and (copied or filled_first or plan.data.warm_up == "prefetch")
    has_own = any(phase.own_bytes is not None for phase in work.phases)
    hot = _first_set(plan, demand, work)
    filled_gb = _copied(demand, sheet) if copied else _filled(hot, service, prefetch, sheet)
    warm_up = _warm_up(service, prefetch, filled_gb, sheet)
    shared = (plan.data.hot_dataset_bytes, "plan:data.hot_dataset", "bytes") if has_own else hot
    filled = prefetch and work.phases[0].own_bytes is None
    cold_left = cold_at_most = _cold(shared, filled, refills, sheet)
    shared_before: list[int] = []
    colds: dict[str, SourcedQuantity] = {}
    elapsed: Number = 0.0
    read_gb: Number = 0.0
    cold_gb: Number = 0.0
    shares: dict[str, SourcedQuantity] = {}
    reads: dict[str, SourcedQuantity] = {}
    for n, phase in enumerate(work.phases, 1):
        place = phase.place
        name, cold_now = place.id("cold_gb"), cold_left
        if phase.own_bytes is not None:
            cold_now = _own_cold(phase, work, prefetch and n == 1, refills, sheet)
        elif not shared_before:
            name = "run.cold_gb"
        else:
            earlier = " + ".join(_gb(k) for k in shared_before)
            what = "what earlier phases have not read yet"
            first = (cold_at_most, "run:run.cold_gb", "GB")
            since = {key: value for key, value in reads.items() if int(key.rpartition("_")[2]) in shared_before}
            sheet.arithmetic(name, cold_left, "GB", f"max(cold - ({earlier}), 0)", what, cold=first, **since)
        colds[f"cold_{n}"] = cold_now, f"run:{name}", "GB"
        share = sheet.equation(
            place.id("input_fraction"),
            input_fraction,
            compute_hours=(phase.hours, place.run("work_hours")),
            required_gb_per_s=(phase.required_gb_per_s, place.run("required_gb_per_s")),
            cold_gb=(cold_now, f"run:{name}"),
            cold_gb_per_s=_rate(phase, "cold_gb_per_s", (service.cold_gb_per_s, COLD), values, sheet),
            steady_gb_per_s=_rate(phase, "steady_gb_per_s", (service.steady_gb_per_s, STEADY), values, sheet),
            slowdown_fraction=(service.slowdown_fraction, "run:storage.slowdown_fraction"),
        )
        elapsed = elapsed + phase.hours / share
        phase_gb = phase.hours * 3600 * phase.required_gb_per_s
        if phase.own_bytes is None:
            cold_left = np.maximum(cold_left - phase_gb, 0.0)
            shared_before.append(n)
        read_gb = read_gb + phase_gb
        cold_gb = cold_gb + np.minimum(cold_now, phase_gb)
        hours = phase.hours, place.run("work_hours"), "h"
        shares[f"hours_{n}"] = reads[f"hours_{n}"] = hours
        shares[f"fraction_{n}"] = share, place.run("input_fraction"), "fraction"
        reads[f"rate_{n}"] = phase.required_gb_per_s, place.run("required_gb_per_s"), "GB/s"
    fraction = work.hours / elapsed
    if work.phases[0].place.number:
        numbers = range(1, len(work.phases) + 1)
        worked = " + ".join(f"hours_{n}" for n in numbers)
        taken = " + ".join(f"hours_{n} / fraction_{n}" for n in numbers)
        what = "hours of work / hours with input stalls"
        sheet.arithmetic("goodput.input_fraction", fraction, "fraction", f"({worked}) / ({taken})", what, **shares)
    every = " + ".join(_gb(n) for n in range(1, len(work.phases) + 1))
    read_bytes = sheet.arithmetic(
        "storage.read_bytes", read_gb * 1e9, "bytes", f"({every}) * 10**9", "GB/s x seconds of work", **reads
    )
    cold_read: SourcedQuantity = (cold_at_most, "run:run.cold_gb", "GB")
    if has_own:
        parts = " + ".join(f"min(cold_{n}, {_gb(n)})" for n in range(1, len(work.phases) + 1))
        what = "every data set once, as far as its phases read it"
        cold_read = (
            sheet.arithmetic("storage.cold_gb", cold_gb, "GB", parts, what, **colds, **reads),
            "run:storage.cold_gb",
            "GB",
        )
    cold_gb = np.minimum(cold_read[0], read_gb)
    missed_gb = (read_gb - cold_gb) * (1 - service.hit_fraction)
    s3_read_bytes = sheet.arithmetic(
        "storage.s3_read_bytes",
        (filled_gb + cold_gb + missed_gb) * 1e9,
        "bytes",
        "(filled_gb + min(cold_gb, read_bytes / 10**9)"
        " + (read_bytes / 10**9 - min(cold_gb, read_bytes / 10**9)) * (1 - hit_fraction)) * 10**9",
        f"{'copied in' if copied else 'prefetched'}, then cold, then the cache misses of the remaining reads",
        filled_gb=(filled_gb, "run:storage.filled_gb", "GB"),
        cold_gb=cold_read,
        read_bytes=(read_bytes, "run:storage.read_bytes", "bytes"),
        hit_fraction=(service.hit_fraction, "run:storage.hit_fraction", "fraction"),
    )
    return DataInput(fraction=fraction, warm_up_hours=warm_up, s3_read_bytes=s3_read_bytes, read_bytes=read_bytes)


def _rate(phase: PhaseWork, name: str, given: Sourced, values: Values, sheet: Sheet) -> Sourced:
    """The rate at which a phase reads, GB/s: what is given, less what reads of uneven length cost."""
    place = phase.place
    rate = sheet.equation(
        place.id(name),
        prefetched_read_rate,
        required_gb_per_s=(phase.required_gb_per_s, place.run("required_gb_per_s")),
        given_gb_per_s=given,
        read_time_cv=values.given("data.read_time_cv"),
        prefetch_batches=values.given("data.prefetch_batches"),
    )
    return rate, place.run(name)


def narrow_supply(work: FleetWork, service: Service) -> tuple[str, ...]:
    """A warning where the planned rate is what training needs, and little more."""
    supply = median(service.steady_gb_per_s) / median(work.peak_gb_per_s)
    if not LEAST_SUPPLY <= supply < ENOUGH_SUPPLY:
        return ()
    return (
        f"storage gives {supply:.2f} x what training reads: it waits whenever reads take longer than the mean; "
        f"{ENOUGH_SUPPLY} x would hide that",
    )


def _gb(n: int) -> str:
    """GB that the nth phase reads, over the names of the inputs."""
    return f"hours_{n} * 3600 * rate_{n}"


def _first_set(plan: Plan, demand: Demand, work: FleetWork) -> tuple[float, str, str]:
    """The data set that is read first, which a prefetch fills."""
    if len(data_sets_of(plan)) == 1:
        return demand.hot_bytes, "run:data.hot_bytes", "bytes"
    first = work.phases[0]
    if first.own_bytes is None:
        return plan.data.hot_dataset_bytes, "plan:data.hot_dataset", "bytes"
    return first.own_bytes, first.place.plan("hot_dataset"), "bytes"


def _own_cold(phase: PhaseWork, work: FleetWork, filled: bool, refills: Number, sheet: Sheet) -> Number:
    """GB that a phase reads cold of its own data set: once, and again in its share of the refills."""
    assert phase.own_bytes is not None  # the caller has looked
    share = phase.hours / work.hours
    once = 0.0 if filled else 1.0
    return sheet.arithmetic(
        phase.place.id("cold_gb"),
        phase.own_bytes / 1e9 * (once + refills * share),
        "GB",
        "hot_dataset / 10**9 * (once + refills * hours / all_hours)",
        "its own data set: once unless it is filled before, and its share of the refills",
        hot_dataset=(phase.own_bytes, phase.place.plan("hot_dataset"), "bytes"),
        once=(once, "rule:a data set that is not filled before is read cold once", "times"),
        refills=(refills, "run:storage.refills", "times")
        if np.ndim(refills) or refills
        else (0.0, "rule:nothing empties the fast tier", "times"),
        hours=(phase.hours, phase.place.run("work_hours"), "h"),
        all_hours=(work.hours, "run:run.work_hours", "h"),
    )


def _filled(hot: tuple[float, str, str], service: Service, prefetch: bool, sheet: Sheet) -> float:
    """GB copied in before training starts."""
    if not prefetch or not service.usable_tb:
        return sheet.taken("storage.filled_gb", "GB", filled=(0.0, "rule:nothing is filled before training starts"))
    return sheet.arithmetic(
        "storage.filled_gb",
        min(hot[0] / 1e9, service.usable_tb * 1000),
        "GB",
        "min(hot_bytes / 10**9, usable_tb * 1000)",
        "the training data, as far as it fits",
        hot_bytes=hot,
        usable_tb=(service.usable_tb, "run:storage.usable_tb", "TB"),
    )


def _copied(demand: Demand, sheet: Sheet) -> float:
    """GB that are read from S3 and written into the layout before training starts, whether or not they stay cached."""
    copied = (demand.copied_in_bytes, "run:storage.copied_in_bytes", "bytes")
    return sheet.arithmetic("storage.filled_gb", copied[0] / 1e9, "GB", "copied_in / 10**9", copied_in=copied)


def _warm_up(service: Service, prefetch: bool, filled_gb: float, sheet: Sheet) -> Number:
    if not prefetch:
        no_fill = "rule:the first epoch reads cold, so there is no prefetch"
        return sheet.taken("run.warm_up_hours", "h", waiting=(0.0, no_fill))
    return sheet.equation(
        "run.warm_up_hours",
        warm_up_hours,
        hot_gb=(filled_gb, "run:storage.filled_gb"),
        cold_gb_per_s=(service.cold_gb_per_s, COLD)
        if service.copy_in_gb_per_s is None
        else (service.copy_in_gb_per_s, "run:storage.copy_in_gb_per_s"),
    )


def _cold(hot: tuple[float, str, str], prefetch: bool, refills: Number, sheet: Sheet) -> Number:
    """GB read cold, as far as training reads it: once, and again whenever the fast tier is lost."""
    hot_gb = hot[0] / 1e9
    total = (0.0 if prefetch else hot_gb) + refills * hot_gb
    inputs: dict[str, SourcedQuantity] = {"hot_bytes": hot}
    if np.ndim(refills) or refills:
        inputs["refills"] = (refills, "run:storage.refills", "times")
        times, what = ("refills", "") if prefetch else ("(1 + refills)", "once at first, and once per refill")
        expression = f"hot_bytes / 10**9 * {times}"
    elif prefetch:
        return sheet.taken("run.cold_gb", "GB", cold=(total, "rule:everything is filled before training starts"))
    else:
        expression, what = "hot_bytes / 10**9", "once"
    return sheet.arithmetic("run.cold_gb", total, "GB", expression, what, **inputs)
