"""Checks of a plan that types cannot express: keys that exclude or require each other. Needs no prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from planner.layouts.registry import WITH_SETTINGS, answer_of
from planner.plan.check_assumptions import assumption_findings
from planner.plan.check_data import data_findings
from planner.plan.check_prices import own_prices_findings
from planner.plan.finding import Finding, repeated
from planner.plan.profiles import PUBLISHED_MFU
from planner.plan.training_types import AMOUNTS, Phase, Run, ThroughputRow, Work
from planner.plan.types import BLOCK_ANY_DAYS, Plan
from planner.plan.wording import did_you_mean, shown
from planner.plan.yamlfile import Path
from planner.plan.zone_ids import zone_findings
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption

LOWEST_MFU = 0.01  # a lower value is probably a fraction with a percent sign, like 0.4%
FIRST_DAY, LAST_DAY = date(2015, 1, 1), date(2100, 12, 31)  # a year outside is a typing error


def check_plan(plan: Plan) -> list[Finding]:
    """Every finding that needs only the plan itself."""
    return [
        *_days(plan),
        *_run(plan.run),
        *data_findings(plan),
        *_fleet(plan),
        *_purchase(plan),
        *zone_findings(plan.purchase.zone_id, plan.region, ("purchase", "zone_id")),
        *zone_findings(plan.deploy.zone_id, plan.region, ("deploy", "zone_id")),
        *own_prices_findings(plan),
        *_storage(plan),
        *_reliability(plan),
        *assumption_findings(plan.assumptions),
        *_decision(plan),
    ]


def _decision(plan: Plan) -> Iterator[Finding]:
    if not 0.5 <= plan.decision.confidence <= 0.999:
        message = f"decision.confidence is {plan.decision.confidence:.4g}: it has to be 50% to 99.9%"
        yield ("decision", "confidence"), message, "write 90%"
    block = plan.purchase.capacity_block
    if block.extension and block.tail not in (None, "extend"):
        message = f"purchase.capacity_block: extension is certain, and tail: {block.tail} asks for none"
        yield ("purchase", "capacity_block", "tail"), message, "remove one of them"
    days = block.days
    if days is not None and days > BLOCK_ANY_DAYS and days % 7:
        longer = f"write {days - days % 7} or {days - days % 7 + 7}"
        message = (
            f"purchase.capacity_block.days is {days}: AWS sells 1 to 14 days, then whole weeks, and two of them can be "
            f"bought on one day for up to {BLOCK_ANY_DAYS}"
        )
        yield ("purchase", "capacity_block", "days"), message, longer


def _days(plan: Plan) -> Iterator[Finding]:
    for key, day in (("start", plan.start), ("prices", plan.price_date)):
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            yield (key,), f"{key}: {day} is outside {FIRST_DAY.year} to {LAST_DAY.year}", "check the year"


def _run(run: Run) -> Iterator[Finding]:
    if run.phases:
        for key in ("work", "throughput"):
            if getattr(run, key):
                yield (
                    ("run", key),
                    f"run.{key} and run.phases are both set",
                    f"move {key} into the phases, or remove them",
                )
        names = [phase.name for phase in run.phases]
        yield from repeated(("run", "phases"), names, "another phase has the same name")
        for index, phase in enumerate(run.phases):
            at = ("run", "phases", index)
            yield from _work(phase, at)
            yield from _table(phase, phase.throughput, at)
            yield from _preparing(phase, at, last=index == len(run.phases) - 1)
            if phase.sample_bytes is not None and phase.read_per_gpu_bytes_per_second is not None:
                message = "read_per_gpu and sample are both set, and each of them gives the read rate"
                yield (*at, "read_per_gpu"), message, "keep one of them"
        return
    if run.work is None:
        remedy = "write work: {samples: ...}, {gpu_hours: ...} or {flop: ..., mfu: ...}"
        yield ("run",), "run.work is missing: how much training is there?", remedy
        yield from _table(None, run.throughput, ("run",))
        return
    yield from _work(run.work, ("run", "work"))
    if run.held_hours is not None and run.deadline_hours is not None:
        message = "deadline is not used with work that holds the fleet for a given time"
        yield ("run", "deadline"), message, "remove it, or write the work as gpu_hours"
    yield from _table(run.work, run.throughput, ("run",))


def _preparing(phase: Phase, at: Path, *, last: bool) -> Iterator[Finding]:
    """A phase that speeds up later ones."""
    if phase.skip and phase.speedup is None:
        message = "skip leaves out a phase with speedup, and this one has none: its work would be lost"
        yield (*at, "skip"), message, "write how much faster it makes later phases, such as speedup: 1.4"
    if phase.speedup is None:
        return
    if last:
        yield (*at, "speedup"), "no phase comes after this one, so that it speeds up nothing", "remove speedup"
    for key, value in (("hot_dataset", phase.hot_dataset_bytes), ("sample", phase.sample_bytes)):
        if value is not None:
            message = f"a phase with speedup reads the data that is there without it, so {key} is that of data"
            yield (*at, key), message, f"remove it, and write data.{key}"


def _work(work: Work | Phase, at: Path) -> Iterator[Finding]:
    given = [name for name in AMOUNTS if getattr(work, name, None) is not None]
    if not given:
        yield at, "the amount of work is missing", "write one of samples, gpu_hours and flop, such as gpu_hours: 4000"
    for name in given[1:]:
        yield (*at, name), f"{name} and {given[0]} are both set, but work is only one of them", "keep one"
    if work.flop is not None and work.mfu == 0:
        message = "flop needs mfu above 0: the share of the peak that the run reaches"
        yield (*at, "flop"), message, "write mfu: 40%"
    shares: dict[Path, float] = {("mfu_by_gpu", kind): share for kind, share in work.mfu_by_gpu.items()}
    if work.mfu:
        shares[("mfu",)] = work.mfu
    for key, share in shares.items():
        if share < LOWEST_MFU:
            message = f"{key[0]} of {share:.2%} is lower than any published run"
            yield (*at, *key), message, f"write a share like 40% or 0.4; {PUBLISHED_MFU}"
    for key in ("mfu", "mfu_by_gpu") if work.flop is None else ():
        if getattr(work, key) not in (None, {}):
            yield (*at, key), f"{key} is used only with flop", "remove it, or write the work as flop"
    if work.mfu_basis is not None and work.mfu is None and not work.mfu_by_gpu:
        yield (*at, "mfu_basis"), "mfu_basis says how mfu was measured, and there is none", "write mfu, or remove it"
    if work.mfu is not None and work.mfu_by_gpu:
        yield (*at, "mfu"), "mfu and mfu_by_gpu are both set", "keep one of them"


def _table(work: Work | None, rows: Sequence[ThroughputRow], at: Path) -> Iterator[Finding]:
    if work is not None and work.samples is not None and not rows:
        remedy = "write throughput: [{gpus: 8, samples_per_second: 128.2}], or write the work as gpu_hours"
        yield (*at, "throughput"), "samples cannot be converted to time without a throughput table", remedy
    if work is not None and work.flop is not None and rows:
        message = "a throughput table and flop are both set, but flop takes its speed from mfu"
        yield (*at, "throughput"), message, "remove the table, or write the work as samples"
    first: dict[int, int] = {}
    for index, row in enumerate(rows):
        if row.gpus in first:
            message = f"{row.gpus} GPUs have a row already: throughput[{first[row.gpus]}]"
            yield (*at, "throughput", index, "gpus"), message, "keep one of them"
        first.setdefault(row.gpus, index)


def _fleet(plan: Plan) -> Iterator[Finding]:
    fleet = plan.fleet
    if fleet.nodes is None and fleet.gpus is None:
        yield ("fleet",), "fleet needs nodes or gpus", "write nodes: 64 (paid, spares included) or gpus: A100:512"
    if fleet.nodes is not None and fleet.gpus is not None:
        yield ("fleet", "gpus"), "gpus and nodes are both set, and each gives the fleet size", "keep one"
    yield from repeated(("fleet", "instance_types"), fleet.instance_types)
    none_left = [count for count in fleet.nodes or () if fleet.spares >= count]
    if none_left:
        message = f"{fleet.spares} spares of {min(none_left)} nodes leave no node for training"
        yield ("fleet", "spares"), message, "write fewer spares than nodes"
    rows = {row.gpus for row in plan.run.throughput}
    measured = {row.gpus for row in plan.run.throughput if row.measured}
    if plan.run.scaling == "strong" and rows and len(measured) < 2:
        for wanted in fleet.gpus or ():
            if wanted.count not in rows:
                yield ("run", "throughput"), *no_fit(wanted.count, len(measured))


def no_fit(gpus: int, measured: int) -> tuple[str, str]:
    """(message, remedy) for a fleet size that is not in the table and that the fit cannot give."""
    rows = "only one row is measured" if measured else "no row is measured"
    message = f"{gpus:,} GPUs are not in the table; the fit t(n) = a/n + b needs two measured rows and {rows}"
    return message, f"add a row for {gpus} GPUs, measure a second size, or write scaling: linear"


def _purchase(plan: Plan) -> Iterator[Finding]:
    options = plan.purchase.options
    for index, text in enumerate(options):
        try:
            PurchaseOption.parse(text)
        except ValueError:
            remedy = (
                did_you_mean(text, ALL_PURCHASE_OPTIONS)
                or "on-demand, spot, spot-fallback, capacity-block, ri-..., sp-..."
            )
            at: Path = ("purchase", "options", index)
            yield at, f"unknown purchase option {shown(text)}", remedy
    yield from repeated(("purchase", "options"), options)
    if plan.purchase.spot_usd_per_hour is not None and len(plan.fleet.instance_types) > 1:
        message = f"spot_usd_per_hour is the price of one instance type; the plan has {len(plan.fleet.instance_types)}"
        yield ("purchase", "spot_usd_per_hour"), message, "remove it, or name one type in fleet.instance_types"
    if plan.purchase.private_discount >= 1:
        message = "private_discount makes the nodes free"
        yield ("purchase", "private_discount"), message, "write a share below 100%"


def _storage(plan: Plan) -> Iterator[Finding]:
    yield from repeated(("storage", "layouts"), plan.storage.layouts)
    for name in WITH_SETTINGS:
        settings = getattr(plan.storage, name.replace("-", "_"))
        for path, message, remedy in answer_of(name, "checks").plan_findings(settings):
            yield ("storage", name, *path), message, remedy


def _reliability(plan: Plan) -> Iterator[Finding]:
    both = plan.reliability.spot_reclaims_per_node_day, plan.reliability.spot_observed
    if None not in both:
        message = "spot_observed and spot_reclaims_per_node_day both say how often spot nodes are interrupted"
        yield ("reliability", "spot_reclaims_per_node_day"), message, "remove one; a count has its own range"
    observed = plan.reliability.observed
    if observed is not None and not observed.failures:
        # the largest mean of which no event is seen in 1 of 20 cases: -ln(0.05)
        below = 3.0 / observed.node_days * 1000
        message = (
            f"no failure in {observed.node_days:g} node-days shows only a rate below {below:.3g} per 1,000 node-days"
        )
        remedy = "remove it to keep the default range, or count for longer"
        yield ("reliability", "observed", "failures"), message, remedy
