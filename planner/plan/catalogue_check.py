"""Checks of a plan against the catalogue: instance types, GPU counts, own prices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from planner.errors import Problem
from planner.layouts.registry import WITH_SETTINGS, answer_of
from planner.plan.check import no_fit
from planner.plan.check_prices import items_findings
from planner.plan.finding import Finding
from planner.plan.profiles import gpus_of, has_figure, has_mfu, kinds_with_speed
from planner.plan.quantities import MAX_HOURS
from planner.plan.training_types import Work
from planner.plan.types import Plan
from planner.plan.wording import did_you_mean, listed, shown
from planner.plan.yamlfile import Path
from pricing.offers import HOURS_PER_YEAR

if TYPE_CHECKING:
    from planner.plan.load import LoadedPlan
    from pricing.catalog import InstanceType


def check_against_catalogue(
    loaded: LoadedPlan,
    instances: Iterable[InstanceType],
    units: Mapping[tuple[str, str], str] | None = None,
) -> list[Problem]:
    """Problems with instance types, GPU counts and own prices, in the order of the file.

    instances: the types in the catalogue. units: of what is billed by use, by item and offering.
    """
    known = {instance.name: instance for instance in instances}
    found = [*types_of(loaded.plan, known), *items_findings(loaded.plan, units or {}, known)]
    problems = dict.fromkeys(loaded.problem_at(*finding) for finding in found)
    return sorted(problems, key=lambda p: (p.line or 0, p.column or 0))


def types_of(plan: Plan, known: Mapping[str, InstanceType]) -> Iterator[Finding]:
    """Findings about the plan's instance types and GPU counts. known: hardware by name."""
    with_gpus = [name for name, instance in known.items() if instance.gpu_count]
    mine: list[InstanceType] = []
    for index, name in enumerate(plan.fleet.instance_types):
        at: Path = ("fleet", "instance_types", index)
        instance = known.get(name)
        if instance is None:
            yield at, *_unknown(name, with_gpus)
        elif not instance.gpu_count:
            yield at, f"{name} has no GPUs", f"types with GPUs: {listed(sorted(with_gpus), 12)}"
        else:
            mine.append(instance)
            if not instance.has_gpus and _in_gpu_hours(plan, instance):
                message = f"{name} has {instance.gpu_name}, and an hour of it is no GPU-hour"
                remedy = "write the work as flop with its own mfu, or as samples with a throughput table measured on it"
                yield at, message, remedy
            if instance.peak_tflops is None and _work_in_flop(plan):
                message = f"the peak FLOP/s of {name} is not known, so flop cannot be converted to time"
                yield at, message, "write the work as gpu_hours, or as samples with a throughput table"
    yield from _gpu_counts(plan, mine, complete=len(mine) == len(plan.fleet.instance_types))
    if len(mine) == len(plan.fleet.instance_types):
        yield from _kinds(plan, sorted({instance.gpu_name.upper() for instance in mine}))
        yield from _profile(plan, sorted({instance.gpu_name.upper() for instance in mine}))
        yield from _amount(plan, mine)
    for instance in mine:
        yield from _fits(plan, instance)
    named: list[tuple[Path, str | None]] = []
    wrong: list[Finding] = []
    for layout in WITH_SETTINGS:
        checks, settings = answer_of(layout, "checks"), getattr(plan.storage, layout.replace("-", "_"))
        at = ("storage", layout)
        named += [((*at, key), name) for key, name in checks.instance_types(settings).items()]
        wrong += [((*at, *path), *words) for path, *words in checks.hardware_findings(settings, known)]
    work = plan.people.preprocessing if plan.people else None
    named.append((("people", "preprocessing", "instance_type"), work.instance_type if work else None))
    for path, name in named:
        if name is not None and name not in known:
            yield path, *_unknown(name, known)
    yield from wrong


def _parts(plan: Plan) -> list[tuple[Path, Work]]:
    """The work of a run, or of each of its phases, with its place in the plan."""
    whole: list[tuple[Path, Work]] = [(("run", "work"), plan.run.work)] if plan.run.work else []
    return [*((("run", "phases", index), phase) for index, phase in enumerate(plan.run.phases)), *whole]


def _work_in_flop(plan: Plan) -> bool:
    return any(part.flop is not None for _, part in _parts(plan))


def _in_gpu_hours(plan: Plan, instance: InstanceType) -> bool:
    """Whether work is given in GPU-hours that nothing converts to this accelerator."""
    stated = instance.gpu_name.upper() in plan.run.relative_speed
    return not stated and any(part.gpu_hours is not None for _, part in _parts(plan))


def _kinds(plan: Plan, kinds: Sequence[str]) -> Iterator[Finding]:
    """GPU-hours, samples per second and MFU hold for one kind of GPU; several need the figure of each of them."""
    speeds, published = plan.run.relative_speed, kinds_with_speed()
    by_way_of = next(iter(speeds), None)
    # what the plan lacks comes from published speeds, by way of the first that it has
    lacking = [] if by_way_of is None else [kind for kind in kinds if kind not in speeds]
    unknown = [kind for kind in (*lacking, by_way_of) if kind and kind not in published] if lacking else []
    if unused := sorted(set(speeds) - set(kinds) - ({by_way_of} if lacking else set())):
        message = f"none of the instance types has {listed(unused)} GPUs; they have {listed(kinds)}"
        yield ("run", "relative_speed", unused[0]), message, "remove it"
    for at, part in _parts(plan):
        for kind in sorted(set(part.mfu_by_gpu) - set(kinds)):
            message = f"none of the instance types has {kind} GPUs; they have {listed(kinds)}"
            yield (*at, "mfu_by_gpu", kind), message, "remove it"
        if part.flop is not None and part.mfu is None and not part.mfu_by_gpu:
            if unknown := [kind for kind in kinds if not has_mfu(kind)]:
                message = f"flop needs mfu: which share of its peak training reaches on {listed(unknown)} is not known"
                yield (*at, "flop"), message, "write mfu: 40%"
            continue
        if part.flop is not None:
            missing = [kind for kind in kinds if kind not in part.mfu_by_gpu]
            if missing and (part.mfu_by_gpu or len(kinds) > 1):
                message = f"{listed(kinds)} reach different shares of their peak, and mfu is one number"
                if part.mfu_by_gpu:
                    message = f"mfu_by_gpu lacks {listed(missing)}"
                yield (*at, "flop"), message, f"write mfu_by_gpu: {{{_each(kinds, '40%')}}}"
            continue
        name = "gpu_hours" if part.gpu_hours is not None else "throughput"
        remedy = f"write run.relative_speed: {{{_each(kinds, '...')}}} with 1 for the GPU of {name}"
        if unknown:
            message = f"run.relative_speed lacks {listed(lacking)}, and no speed of {listed(unknown)} is published"
            yield at, message, remedy
        elif not speeds and len(kinds) > 1:
            message = f"{name} depends on the kind of GPU, and {listed(kinds)} are compared"
            if set(kinds) <= set(published):
                remedy = f"write run.relative_speed: {{{kinds[0]}: 1}} if {name} is of {kinds[0]}"
                remedy += ": the others have published speeds"
            yield at, message, f"{remedy}; or give flop, or plan each kind separately"


def _profile(plan: Plan, kinds: Sequence[str]) -> Iterator[Finding]:
    """A profile is refused on a GPU of which no rate was published: a guess would size the storage."""
    profile = plan.data.profile
    missing = [kind for kind in kinds if profile and not has_figure(profile, kind)]
    if profile and missing:
        known = listed(gpus_of(profile))
        message = f"profile {profile}: no read rate of {listed(missing)} is published, only of {known}"
        yield ("data", "profile"), message, "write read_per_gpu: what one of your GPUs reads, such as 20MB/s"


def _sizes(plan: Plan, instance: InstanceType) -> list[int]:
    """The numbers of GPUs that train, of this type."""
    sizes = [(nodes - plan.fleet.spares) * instance.gpu_count for nodes in plan.fleet.nodes or ()]
    return sizes + [entry.count for entry in plan.fleet.gpus or () if entry.gpu == instance.gpu_name.upper()]


def _amount(plan: Plan, types: Sequence[InstanceType]) -> Iterator[Finding]:
    """Work of a second, or of years that nobody trains for, was written in another unit or with another exponent."""
    most = max((size for instance in types for size in _sizes(plan, instance)), default=0)
    per_gpu = max((1e12 * (instance.peak_tflops or 0) for instance in types), default=0)
    years, remedy = MAX_HOURS / HOURS_PER_YEAR, "check its unit and exponent, or write more nodes"
    for at, part in _parts(plan):
        if part.flop is not None and 0 < part.flop < per_gpu:
            message = f"{part.flop:.3g} FLOP are less than a second of one GPU"
            yield (*at, "flop"), message, "write those of the whole run: about 6 x parameters x tokens"
        if part.flop is not None and part.flop > per_gpu * most * MAX_HOURS * 3600 > 0:
            message = f"{part.flop:.3g} FLOP take {most:,} GPUs more than {years:g} years even at their peak"
            yield (*at, "flop"), message, remedy
        if part.gpu_hours is not None and not plan.run.relative_speed and part.gpu_hours > most * MAX_HOURS > 0:
            message = f"{part.gpu_hours:,.3g} GPU-hours take {most:,} GPUs more than {years:g} years"
            yield (*at, "gpu_hours"), message, remedy


def _each(kinds: Iterable[str], value: str) -> str:
    return ", ".join(f"{kind}: {value}" for kind in kinds)


def _unknown(name: str, known: Iterable[str]) -> tuple[str, str]:
    names = sorted(known)
    remedy = did_you_mean(name, names) or f"known types: {listed(names, 12)}"
    return f"{shown(name)} is not an instance type in the price book", remedy


def _gpu_counts(plan: Plan, types: list[InstanceType], *, complete: bool) -> Iterator[Finding]:
    """Each GPU count needs an instance type, each type a GPU count, and each count a whole number of nodes."""
    wanted = plan.fleet.gpus
    if wanted is None:
        return
    at: Path = ("fleet", "gpus")
    asked = {entry.gpu for entry in wanted}
    there = sorted({instance.gpu_name.upper() for instance in types})
    for instance in types:
        name, per_node = instance.gpu_name.upper(), instance.gpu_count
        if name not in asked:
            message = f"{instance.name} has {name} GPUs, but gpus lists only {listed(sorted(asked))}"
            yield at, message, f"add {name}:{wanted[0].count}, or remove the type"
        for entry in wanted:
            if entry.gpu == name and entry.count % per_node:
                low = entry.count // per_node * per_node
                near = " or ".join(f"{name}:{count}" for count in (low, low + per_node) if count)
                message = f"{entry.count:,} GPUs are not a whole number of {instance.name} nodes with {per_node} each"
                yield at, message, f"write {near}"
    for gpu in sorted(asked - set(there)) if complete else ():
        yield at, f"none of the instance types has {shown(gpu)[1:-1]} GPUs", f"they have {listed(there)}"


def _fits(plan: Plan, instance: InstanceType) -> Iterator[Finding]:
    """A fleet size that is not in the throughput table needs two measured rows for the fit, or linear scaling."""
    if plan.run.scaling != "strong":
        return
    tables = [(("run", "phases", i, "throughput"), phase.throughput) for i, phase in enumerate(plan.run.phases)]
    for at, rows in [*tables, (("run", "throughput"), plan.run.throughput)]:
        measured = {row.gpus for row in rows if row.measured}
        listed_sizes = {row.gpus for row in rows}
        for gpus in _sizes(plan, instance):
            if rows and gpus not in listed_sizes and len(measured) < 2:
                yield at, *no_fit(gpus, len(measured))
