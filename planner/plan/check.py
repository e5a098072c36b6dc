"""What types cannot say of a plan: keys that exclude or need each other. No prices, no catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from planner.layouts.registry import WITH_SETTINGS, answer_of
from planner.plan.finding import Finding, repeated
from planner.plan.types import Assumption, Data, Phase, Plan, Run, ThroughputRow, Work
from planner.plan.wording import did_you_mean, shown
from planner.plan.yamlfile import Path
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption

LOWEST_MFU = 0.01  # below it somebody wrote a percentage as a fraction of a percent
FIRST_DAY, LAST_DAY = date(2015, 1, 1), date(2100, 12, 31)  # before the first GPU worth planning; a slip of the century


def check_plan(plan: Plan) -> list[Finding]:
    """Everything that the plan alone can be wrong about."""
    return [
        *_days(plan),
        *_run(plan.run),
        *_sample_size(plan),
        *_data(plan.data, plan.region),
        *_fleet(plan),
        *_purchase(plan),
        *_storage(plan),
        *_assumptions(plan),
    ]


def _days(plan: Plan) -> Iterator[Finding]:
    for key, day in (("start", plan.start), ("prices", plan.prices)):
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            yield (key,), f"{key}: {day} is outside {FIRST_DAY.year} to {LAST_DAY.year}", "check the year"


def _run(run: Run) -> Iterator[Finding]:
    if run.kind == "worker-pool":
        yield ("run", "kind"), "worker-pool plans are not delivered yet", "kind: training works today"
        return
    if run.phases:
        for key in ("work", "throughput"):
            if getattr(run, key):
                yield ("run", key), f"run.{key} stands beside run.phases", f"move {key} into the phases, or drop them"
        names = [phase.name for phase in run.phases]
        yield from repeated(("run", "phases"), names, "a second phase with this name")
        for index, phase in enumerate(run.phases):
            at = ("run", "phases", index)
            yield from _work(phase, at)
            yield from _table(phase, phase.throughput, at)
        return
    if run.work is None:
        remedy = "write work: {samples: ...}, {gpu_hours: ...} or {flop: ..., mfu: ...}"
        yield ("run",), "run.work is missing: how much training is there?", remedy
        yield from _table(None, run.throughput, ("run",))
        return
    yield from _work(run.work, ("run", "work"))
    yield from _table(run.work, run.throughput, ("run",))


def _work(work: Work | Phase, at: Path) -> Iterator[Finding]:
    given = [name for name in ("samples", "gpu_hours", "flop") if getattr(work, name) is not None]
    if not given:
        yield at, "the work is missing: it is one of samples, gpu_hours and flop", "write gpu_hours: 4000, for example"
    for name in given[1:]:
        yield (*at, name), f"{name} stands beside {given[0]}: work is told one way", "keep one of them"
    if work.flop is not None and not work.mfu:
        yield (*at, "flop"), "flop needs mfu above 0, the share of the peak that is reached", "write mfu: 40%"
    if work.mfu and work.mfu < LOWEST_MFU:
        message = f"mfu of {work.mfu:.2%} is lower than any run reports"
        yield (*at, "mfu"), message, "write a share like 40% or 0.4; published runs reach 30% to 65%"
    if work.mfu is not None and work.flop is None:
        yield (*at, "mfu"), "mfu has no meaning without flop", "remove it, or give the work as flop"


def _table(work: Work | None, rows: Sequence[ThroughputRow], at: Path) -> Iterator[Finding]:
    if work is not None and work.samples is not None and not rows:
        remedy = "write throughput: [{gpus: 8, samples_per_second: 128.2}], or give the work as gpu_hours"
        yield (*at, "throughput"), "samples need a throughput table to become time", remedy
    if work is not None and work.flop is not None and rows:
        message = "a throughput table stands beside flop, where mfu says already how much of the peak is reached"
        yield (*at, "throughput"), message, "remove the table, or give the work as samples"
    first: dict[int, int] = {}
    for index, row in enumerate(rows):
        if row.gpus in first:
            message = f"a second row for {row.gpus} GPUs: the first is throughput[{first[row.gpus]}]"
            yield (*at, "throughput", index, "gpus"), message, "keep one of them"
        first.setdefault(row.gpus, index)


def _data(data: Data, region: str) -> Iterator[Finding]:
    ways = {
        "sample": data.sample_bytes,
        "samples": data.samples,
        "read_per_gpu": data.read_per_gpu_bytes_per_second,
    }
    given = [name for name, value in ways.items() if value is not None]
    for name in given[1:]:
        message = f"{name} stands beside {given[0]}: each says on its own how fast training reads"
        yield ("data", name), message, "keep one of them"
    if data.kept_in_s3_bytes is not None and data.kept_in_s3_bytes < data.hot_dataset_bytes:
        message = "kept_in_s3 is smaller than hot_dataset, which is a part of it"
        yield ("data", "kept_in_s3"), message, "write at least the hot data set, or remove the key"
    ingest = data.ingest
    if ingest.rate_bytes_per_second is not None and ingest.source == "in-s3":
        message = "a rate has no meaning while source is in-s3: nothing is brought in"
        yield ("data", "ingest", "rate"), message, "remove it, or write source: upload or source: other-region"
    if ingest.source == "other-region" and ingest.from_region is None:
        message = "source: other-region does not say which region"
        yield ("data", "ingest", "source"), message, "write from_region: us-west-2"
    if ingest.from_region is not None:
        at: Path = ("data", "ingest", "from_region")
        if ingest.source != "other-region":
            yield at, f"from_region has no meaning with source: {ingest.source}", "write source: other-region"
        elif ingest.from_region == region:
            yield at, f"from_region is the plan's own region, {region}", "write source: in-s3"


def _sample_size(plan: Plan) -> Iterator[Finding]:
    """A sample's size becomes a rate only by a throughput table."""
    run, data = plan.run, plan.data
    tables = [phase.throughput for phase in run.phases] or [run.throughput]
    sizes = {"sample": data.sample_bytes, "samples": data.samples}
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) == 1 and data.read_per_gpu_bytes_per_second is None:
        for name in given if not any(tables) else ():
            message = f"{name} says how fast training reads only together with a throughput table"
            yield ("data", name), message, "write read_per_gpu: 20MB/s instead"


def _fleet(plan: Plan) -> Iterator[Finding]:
    fleet = plan.fleet
    if fleet.nodes is None and fleet.gpus is None:
        yield ("fleet",), "fleet needs nodes or gpus", "write nodes: 64 (paid, spares included) or gpus: A100:512"
    if fleet.nodes is not None and fleet.gpus is not None:
        yield ("fleet", "gpus"), "gpus stands beside nodes: the size is told one way", "keep one of them"
    yield from repeated(("fleet", "instance_types"), fleet.instance_types)
    none_left = [count for count in fleet.nodes or () if fleet.spares >= count]
    if none_left:
        message = f"{fleet.spares} spares leave no node of {min(none_left)} to train"
        yield ("fleet", "spares"), message, "write fewer spares than nodes"
    rows = {row.gpus for row in plan.run.throughput}
    measured = {row.gpus for row in plan.run.throughput if row.measured}
    if plan.run.scaling == "strong" and rows and len(measured) < 2:
        for wanted in fleet.gpus or ():
            if wanted.count not in rows:
                yield ("run", "throughput"), *no_fit(wanted.count, len(measured))


def no_fit(gpus: int, measured: int) -> tuple[str, str]:
    """(message, remedy) for a fleet size that the table neither lists nor lets the fit reach."""
    rows = "one measured row" if measured else "no measured row"
    message = f"{gpus:,} GPUs are not in the table, and {rows} allows no fit t(n) = a/n + b"
    return message, f"add a row for {gpus} GPUs, measure a second size, or write scaling: linear"


def _purchase(plan: Plan) -> Iterator[Finding]:
    options = plan.purchase.options
    for index, text in enumerate(options):
        try:
            PurchaseOption.parse(text)
        except ValueError:
            remedy = did_you_mean(text, ALL_PURCHASE_OPTIONS) or "on-demand, spot, capacity-block, ri-..., sp-..."
            at: Path = ("purchase", "options", index)
            yield at, f"unknown purchase option {shown(text)}", remedy
    yield from repeated(("purchase", "options"), options)
    if plan.purchase.spot_usd_per_hour is not None and len(plan.fleet.instance_types) > 1:
        message = f"spot_usd_per_hour is the price of one type, and the plan compares {len(plan.fleet.instance_types)}"
        yield ("purchase", "spot_usd_per_hour"), message, "remove it, or name one type in fleet.instance_types"
    if plan.purchase.private_discount >= 1:
        message = "private_discount takes the whole price away"
        yield ("purchase", "private_discount"), message, "write a share below 100%"


def _storage(plan: Plan) -> Iterator[Finding]:
    yield from repeated(("storage", "layouts"), plan.storage.layouts)
    for name in WITH_SETTINGS:
        settings = getattr(plan.storage, name.replace("-", "_"))
        for path, message, remedy in answer_of(name, "checks").plan_findings(settings):
            yield ("storage", name, *path), message, remedy


def _assumptions(plan: Plan) -> Iterator[Finding]:
    for key, override in plan.assumptions.items():
        if isinstance(override, Assumption):
            low, high = override.low, override.high
            if (low is not None and low > override.value) or (high is not None and high < override.value):
                bounds = " <= ".join(f"{x:g}" for x in (low, override.value, high) if x is not None)
                yield ("assumptions", key), f"low <= value <= high does not hold: {bounds}", "put them in order"
