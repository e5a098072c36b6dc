"""The duration of a run on one fleet with one layout, and every line of its bill except the GPU nodes.

Purchase options share this: only spot changes the duration, by its interruptions. What is decided before the run (sizes
of file systems and clusters, the checkpoint interval on held nodes, the rule that leaves spot) is decided at central
values.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.estimate.fallback import MIXED, ON_DEMAND, ON_SPOT, FallbackRule, Mixed, changeover_of, mixed, rule_of
from planner.estimate.held import NO_FALLBACK, delivered_fraction, delivered_gpu_hours
from planner.estimate.interruptions import Interruptions
from planner.estimate.people_time import with_people
from planner.estimate.spot import Market
from planner.estimate.stage import Ground, Stage, stage_of
from planner.estimate.work import FleetWork
from planner.layouts.base import Demand, Service, Timing
from planner.layouts.shared.network import bill_network
from planner.layouts.shared.s3 import bill_s3
from planner.layouts.shared.scheduler import bill_scheduler
from planner.models.derived import Derived, SourcedQuantity
from planner.models.ledger import Ledger
from planner.models.metered import ingest_days, months_of
from planner.models.number import Number, scalar
from planner.models.sheet import Sheet
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What is fixed before the run starts, from central values, and is the same in every draw.

    interval_hours: between checkpoints on nodes that are held, so not on spot. rule: for spot with fallback.
    """

    interval_hours: float
    checkpoints_stored: float
    rule: FallbackRule | None = None


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run before its nodes are bought: numbers are floats, or arrays with one entry per draw.

    unallocated_node_hours: hours, averaged over the nodes, in which a spot fleet waits for capacity without a GPU node.
    spot_hours: with fallback, the hours on spot, waits included; the rest of `hours` is On-Demand.
    useful_gpu_hours: of work that is kept; delivered ones if the fleet is held for a given time. delivered_fraction: of
    the node-hours, only then.
    """

    plan: Plan
    demand: Demand
    work: FleetWork
    service: Service
    hours: Number
    unallocated_node_hours: Number
    spot_hours: Number | None
    useful_gpu_hours: Number
    delivered_fraction: Number | None
    interruptions: Interruptions
    input_fraction: Number
    availability_fraction: Number
    ingest_days: float | None
    decided: Decided
    ledger: Ledger
    refusals: tuple[str, ...]
    derived: tuple[Derived, ...]


def run_on(
    ground: Ground,
    book: PriceBook,
    *,
    market: Market | None = None,
    fallback: bool = False,
    decided: Decided | None = None,
) -> Run:
    """The time of a run and the bill of its layout.

    market: on spot, records and returns the market. fallback: whether the run can move to On-Demand. decided: None for
    the central run; for draws, the result of the central run. The layout must not refuse, because such a run has no
    time.
    """
    plan, demand, work, layout, values = ground.plan, ground.demand, ground.work, ground.layout, ground.values
    sheet, service = values.sheet(), ground.service
    interval = decided and decided.interval_hours
    main = stage_of(ground, market, interval) if market else ground.held(interval)
    rule, is_held = None, plan.run.held_hours is not None
    if fallback and not is_held:
        held = ground.held(interval)
        sheet.include(held.derived, {entry.id: ON_DEMAND + entry.id for entry in held.derived})
        sheet.include(main.derived, {id: ON_SPOT + id for id in MIXED})
        changeover = changeover_of(held, demand, layout, service, values, sheet)
        rule = rule_of(plan, held, changeover, sheet, decided.rule if decided else None)
        found = mixed(rule, main, held, changeover, work.hours, sheet)
        interval_hours = held.interruptions.interval_hours
    else:
        sheet.include(main.derived, {})
        found = _of_one_stage(main, sheet)
        interval_hours = main.interruptions.interval_hours
    found = with_people(plan, work, found, values)
    stored = decided.checkpoints_stored if decided else _stored(plan, float(found.checkpoints), float(found.hours))
    if sheet.recording:
        _record_stored(plan, stored, found.checkpoints, found.hours, sheet)
    months = sheet.equation(
        "run.months", months_of, start=(demand.start, "run:run.start"), hours=(found.hours, "run:run.hours")
    )
    timing = Timing(
        standing_hours=found.hours,
        months=months,
        retention_hours=plan.storage.retention_hours or 0.0,
        s3_read_bytes=found.s3_read_bytes,
        read_bytes=found.read_bytes,
        s3_through_vpc=layout.s3_through_vpc,
        checkpoints_written=found.checkpoints,
        checkpoints_stored=stored,
    )
    ledger = Ledger(book, plan.region, sheet, values.uniform)
    bill_network(ledger, demand.nodes, timing, values)
    if plan.deploy.scheduler == "slurm":
        bill_scheduler(ledger, demand.nodes, demand.nodes * (2 if rule else 1), timing, values)
    layout.bill(ledger, timing, values)
    bill_s3(ledger, demand, timing, values, plan.data.ingest)
    rate = plan.data.ingest.rate_bytes_per_second
    delivered: Number | None = None
    useful: Number = work.useful_gpu_hours
    if is_held:
        unallocated, hours = (found.unheld_hours, "run:fleet.unheld_hours"), (found.hours, "run:run.hours")
        delivered = delivered_fraction(demand, main.interruptions.rates, unallocated, hours, sheet)
        useful = delivered_gpu_hours((work.useful_gpu_hours, "run:fleet.gpu_hours"), delivered, sheet)
    return Run(
        plan=plan,
        demand=demand,
        work=work,
        service=service,
        hours=found.hours,
        unallocated_node_hours=found.unheld_hours,
        spot_hours=found.spot_hours if fallback else None,
        useful_gpu_hours=useful,
        delivered_fraction=delivered,
        interruptions=main.interruptions,
        input_fraction=found.input_fraction,
        availability_fraction=found.availability_fraction,
        ingest_days=_ingest(demand, rate, sheet) if rate else None,
        decided=decided or Decided(interval_hours=float(interval_hours), checkpoints_stored=stored, rule=rule),
        ledger=ledger,
        refusals=(*ledger.not_offered, *([NO_FALLBACK] if fallback and is_held else [])),
        derived=(*work.derived, *demand.derived, *service.derived, *sheet.derived),
    )


def _of_one_stage(stage: Stage, sheet: Sheet) -> Mixed:
    """A run on nodes of one kind."""
    return Mixed(
        hours=stage.hours,
        spot_hours=stage.hours,
        unheld_hours=sheet.arithmetic(
            "fleet.unheld_hours",
            stage.market.first_wait[0] + stage.unheld_hours,
            "h",
            "first_wait + unheld_training_hours",
            "without nodes to bill",
            first_wait=(*stage.market.first_wait, "h"),
            unheld_training_hours=(stage.unheld_hours, "run:run.unheld_training_hours", "h"),
        ),
        input_fraction=stage.data_input.fraction,
        availability_fraction=stage.interruptions.availability,
        s3_read_bytes=stage.data_input.s3_read_bytes,
        read_bytes=stage.data_input.read_bytes,
        checkpoints=stage.checkpoints,
    )


def _stored(plan: Plan, written: float, hours: float) -> float:
    """Checkpoints in S3 on average over run and retention: the last few, or all of them."""
    kept = plan.data.checkpoints_kept
    if kept != "all":
        return min(float(kept), written)
    retention = plan.storage.retention_hours or 0.0
    return written * (hours / 2 + retention) / (hours + retention)


def _record_stored(plan: Plan, stored: float, written: Number, hours: Number, sheet: Sheet) -> None:
    kept = plan.data.checkpoints_kept
    inputs: dict[str, SourcedQuantity] = {"written": (written, "run:run.checkpoints_written", "checkpoints")}
    if kept == "all":
        expression = "written * (hours / 2 + retention) / (hours + retention)"
        what = "all of them: half of them on average during the run, every one after it"
        inputs["hours"] = (hours, "run:run.hours", "h")
        inputs["retention"] = (plan.storage.retention_hours or 0.0, "plan:storage.retention", "h")
    else:
        expression, what = "min(kept, written)", ""
        inputs["kept"] = (kept, "plan:data.checkpoints_kept", "checkpoints")
    sheet.arithmetic("run.checkpoints_stored", stored, "checkpoints", expression, what, **inputs)


def _ingest(demand: Demand, rate: float, sheet: Sheet) -> float:
    return scalar(
        sheet.equation(
            "ingest_days",
            ingest_days,
            dataset_bytes=(demand.kept_bytes, "run:data.kept_bytes"),
            rate_bytes_per_second=(rate, "plan:data.ingest.rate"),
        )
    )
