"""What types cannot say of a plan: keys that exclude or need each other, and what the catalogue knows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from planner.errors import Problem
from planner.plan.say import did_you_mean
from planner.plan.types import Assumption, Phase, Plan, ThroughputRow, Work
from planner.plan.yamlfile import Path
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption

if TYPE_CHECKING:
    from planner.plan.load import LoadedPlan
    from pricing.catalog import InstanceType

Finding = tuple[Path, str, str]  # where in the plan, what is wrong, what to do


def check_plan(plan: Plan) -> list[Finding]:
    """Everything that the plan alone can be wrong about."""
    return [*_run(plan), *_data(plan), *_fleet(plan), *_purchase(plan), *_storage(plan)]


def _run(plan: Plan) -> Iterator[Finding]:
    run = plan.run
    if run.phases:
        if run.work or run.throughput:
            yield ("run", "phases"), "phases stand beside work or throughput", "move both into the phases"
        for index, phase in enumerate(run.phases):
            yield from _work(phase, phase.throughput, ("run", "phases", index), ("run", "phases", index))
        return
    if run.work is None:
        yield ("run",), "run.work is missing", "write work: {samples: ...}, {gpu_hours: ...} or {flop: ..., mfu: ...}"
        return
    yield from _work(run.work, run.throughput, ("run", "work"), ("run",))


def _work(work: Work | Phase, rows: tuple[ThroughputRow, ...], at: Path, table_at: Path) -> Iterator[Finding]:
    given = [name for name in ("samples", "gpu_hours", "flop") if getattr(work, name) is not None]
    if len(given) != 1:
        told = "both " + " and ".join(given) if given else "none"
        yield at, f"work is exactly one of samples, gpu_hours and flop; here {told}", "keep one of them"
    if work.flop is not None and not work.mfu:
        yield (*at, "flop"), "flop needs mfu above 0, the share of the peak that is reached", "write mfu: 40%"
    if work.mfu is not None and work.flop is None:
        yield (*at, "mfu"), "mfu goes with flop", "remove it, or give the work as flop"
    if work.samples is not None and not rows:
        remedy = "write throughput: [{gpus: 8, samples_per_second: 128.2}], or give the work as gpu_hours"
        yield (*table_at, "throughput"), "samples need a throughput table to become time", remedy
    counts = [row.gpus for row in rows]
    for index, count in enumerate(counts):
        if count in counts[:index]:
            yield (*table_at, "throughput", index), f"a second row for {count} GPUs", "keep one of them"


def _data(plan: Plan) -> Iterator[Finding]:
    data = plan.data
    ways = {
        "sample": data.sample_bytes,
        "samples": data.samples,
        "read_per_gpu": data.read_per_gpu_bytes_per_second,
    }
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        told = f"{' and '.join(given)} each say how fast training reads"
        yield ("data", given[-1]), told, "keep one of them"
    if data.kept_in_s3_bytes is not None and data.kept_in_s3_bytes < data.hot_dataset_bytes:
        yield ("data", "kept_in_s3"), "kept_in_s3 is smaller than hot_dataset, which is a part of it", ""
    if data.ingest.rate_bytes_per_second is not None and data.ingest.source == "in-s3":
        yield ("data", "ingest", "rate"), "a rate goes with source: upload or other-region", "remove one of them"
    if (data.ingest.source == "other-region") != (data.ingest.from_region is not None):
        yield ("data", "ingest"), "source: other-region and from_region go together", "write from_region: us-west-2"
    if data.ingest.from_region == plan.region:
        yield ("data", "ingest", "from_region"), "from_region is the plan's own region", "source: in-s3"


def _fleet(plan: Plan) -> Iterator[Finding]:
    fleet = plan.fleet
    if (fleet.nodes is None) == (fleet.gpus is None):
        yield ("fleet",), "a fleet has nodes or gpus, one of the two", "write nodes: 64, or gpus: A100:512"
    for name in ("instance_types",):
        values = getattr(fleet, name)
        for index, value in enumerate(values):
            if value in values[:index]:
                yield ("fleet", name, index), f"{value} stands twice", "keep one of them"
    for count in fleet.nodes or ():
        if fleet.spares >= count:
            yield ("fleet", "spares"), f"{fleet.spares} spares leave none of {count} nodes to train", "fewer spares"


def _purchase(plan: Plan) -> Iterator[Finding]:
    options = plan.purchase.options
    for index, text in enumerate(options):
        at: Path = ("purchase", "options", index)
        try:
            PurchaseOption.parse(text)
        except ValueError:
            yield at, f"unknown purchase option '{text[:60]}'", did_you_mean(text, ALL_PURCHASE_OPTIONS)
        if text in options[:index]:
            yield at, f"{text[:60]} stands twice", "keep one of them"
    if plan.purchase.private_discount >= 1:
        yield ("purchase", "private_discount"), "a discount of everything is not a price", "write a share below 100%"


def _storage(plan: Plan) -> Iterator[Finding]:
    layouts = plan.storage.layouts
    for index, name in enumerate(layouts):
        if name in layouts[:index]:
            yield ("storage", "layouts", index), f"{name} stands twice", "keep one of them"
    lustre = plan.storage.fsx_lustre
    tiers = lustre.throughput_mbps_per_tib
    if tiers and lustre.deployment != "PERSISTENT_2":
        at: Path = ("storage", "fsx-lustre", "throughput_mbps_per_tib")
        yield at, f"{lustre.deployment} has no throughput tiers", "remove it, or deployment: PERSISTENT_2"
    if len(set(tiers)) < len(tiers):
        yield ("storage", "fsx-lustre", "throughput_mbps_per_tib"), "a tier stands twice", "keep one of them"
    if lustre.metadata_iops is not None and lustre.deployment != "PERSISTENT_2":
        at = ("storage", "fsx-lustre", "metadata_iops")
        yield at, "metadata IOPS are bought for PERSISTENT_2 only", "remove it"
    protection = plan.storage.separate_nvme.protection
    if protection and protection != "none" and not 3 <= int(protection.split("+")[0]) <= 16:
        at = ("storage", "separate-nvme", "protection")
        yield at, f"{protection}: a stripe has 3 to 16 data parts", "write 16+4, 8+2, 6+2"


def check_against_catalogue(
    loaded: LoadedPlan, instances: Iterable[InstanceType], assumption_keys: Iterable[str]
) -> list[Problem]:
    """What only the price book and the table of assumptions can tell: types, GPU counts, keys."""
    known = {instance.name: instance for instance in instances}
    findings = [*_types(loaded.plan, known), *_assumptions(loaded.plan, tuple(assumption_keys))]
    return [loaded.problem_at(path, message, remedy) for path, message, remedy in findings]


def _types(plan: Plan, known: dict[str, InstanceType]) -> Iterator[Finding]:
    for index, name in enumerate(plan.fleet.instance_types):
        at: Path = ("fleet", "instance_types", index)
        instance = known.get(name)
        if instance is None:
            yield at, f"{name}: no such instance type in the price book", did_you_mean(name, sorted(known))
        elif not instance.gpu_count:
            yield at, f"{name} has no GPUs", did_you_mean("p5", [n for n, i in known.items() if i.gpu_count >= 8])
        else:
            yield from _gpu_counts(plan, instance)
            yield from _rows(plan, instance)
    for path, name in (
        (("storage", "separate-nvme", "instance_type"), plan.storage.separate_nvme.instance_type),
        (("storage", "converged", "control_instance_type"), plan.storage.converged.control_instance_type),
    ):
        if name is not None and name not in known:
            yield path, f"{name}: no such instance type in the price book", did_you_mean(name, sorted(known))
    work = plan.people.preprocessing if plan.people else None
    if work and work.instance_type and work.instance_type not in known:
        at = ("people", "preprocessing", "instance_type")
        yield at, f"{work.instance_type}: no such instance type", did_you_mean(work.instance_type, sorted(known))


def _gpu_counts(plan: Plan, instance: InstanceType) -> Iterator[Finding]:
    wanted = plan.fleet.gpus
    if wanted is None:
        return
    mine = [entry for entry in wanted if entry.gpu == instance.gpu_name.upper()]
    if not mine:
        told = ", ".join(sorted({entry.gpu for entry in wanted}))
        yield (
            ("fleet", "gpus"),
            f"{instance.name} has {instance.gpu_name.upper()}, not {told}",
            (f"write gpus: {instance.gpu_name.upper()}:{wanted[0].count}"),
        )
    for entry in mine:
        if entry.count % instance.gpu_count:
            low = entry.count // instance.gpu_count * instance.gpu_count
            near = " or ".join(str(n) for n in (low, low + instance.gpu_count) if n)
            message = f"{entry.count} GPUs are no whole number of {instance.name}, which has {instance.gpu_count}"
            yield ("fleet", "gpus"), message, f"write {entry.gpu}:{near}"


def _rows(plan: Plan, instance: InstanceType) -> Iterator[Finding]:
    """A fleet that the throughput table does not list needs two measured rows for the fit, or linear scaling."""
    from planner.decide.choice import fleet_sizes

    tables = [(("run", "phases", i, "throughput"), p.throughput) for i, p in enumerate(plan.run.phases)]
    tables.append((("run", "throughput"), plan.run.throughput))
    for at, rows in tables:
        measured = {row.gpus for row in rows if row.measured}
        listed = {row.gpus for row in rows}
        for size in fleet_sizes(plan.fleet, instance):
            if rows and size.gpus not in listed and plan.run.scaling == "strong" and len(measured) < 2:
                remedy = f"add the row for {size.gpus}, a second measured row, or scaling: linear"
                yield at, f"{size.gpus} GPUs are not in the table and one measured row allows no fit", remedy


def _assumptions(plan: Plan, keys: tuple[str, ...]) -> Iterator[Finding]:
    from planner.plan.assumptions import default_assumptions

    table = default_assumptions()
    for key, override in plan.assumptions.items():
        at: Path = ("assumptions", key)
        if key not in keys:
            yield at, f"unknown assumption '{key[:60]}'", did_you_mean(key, keys)
            continue
        given = override if isinstance(override, Assumption) else Assumption(value=float(override))
        bounds = [bound for bound in (given.low, given.value, given.high) if bound is not None]
        if bounds != sorted(bounds):
            yield at, "low <= value <= high does not hold", ""
        if not all(math.isfinite(bound) and abs(bound) <= 1e15 for bound in bounds):
            yield at, "not a usable number", ""
        if table[key].unit == "fraction" and not all(0 <= bound <= 1 for bound in bounds):
            yield at, f"{key} is a fraction, between 0 and 1", ""
        elif table[key].low >= 0 and min(bounds) < 0:
            yield at, f"{key} cannot be negative", ""
        elif table[key].low > 0 and min(bounds) == 0:
            yield at, f"{key} cannot be 0", ""
