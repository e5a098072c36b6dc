"""The duration of a run on one fleet with one layout, and every line of its bill except the GPU nodes.

Purchase options share this: only spot changes the duration, by its interruptions. What is decided before the run (sizes
of file systems and clusters, the checkpoint interval) is decided at central values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.estimate.input import data_input_of
from planner.estimate.interruptions import NOT_ON_SPOT, Interruptions, interruptions_of
from planner.estimate.work import FleetWork
from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.shared.network import bill_network
from planner.layouts.shared.s3 import bill_s3
from planner.models.derived import Derived, Sourced, SourcedQuantity
from planner.models.goodput import run_hours
from planner.models.interruptions import unheld_hours
from planner.models.ledger import Ledger
from planner.models.metered import ingest_days
from planner.models.number import Number, scalar
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What is fixed before the run starts, from central values, and is the same in every draw."""

    interval_hours: float
    checkpoints_stored: float


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run before its nodes are bought: numbers are floats, or arrays with one entry per draw.

    unallocated_node_hours: hours in which an interrupted spot fleet waits for capacity and has no GPU node.
    """

    plan: Plan
    demand: Demand
    work: FleetWork
    service: Service
    hours: Number
    unallocated_node_hours: Number
    interruptions: Interruptions
    input_fraction: Number
    availability_fraction: Number
    ingest_days: float | None
    decided: Decided
    ledger: Ledger
    refusals: tuple[str, ...]
    derived: tuple[Derived, ...]


def run_on(
    plan: Plan,
    book: PriceBook,
    demand: Demand,
    work: FleetWork,
    layout: Layout,
    values: Values,
    *,
    interruption_rate: Callable[[Values, Sheet], Sourced] | None = None,
    decided: Decided | None = None,
) -> Run:
    """The time of a run and the bill of its layout.

    decided: None for the central run; for draws, the result of the central run. reclaims: on spot, records and returns
    the interruption rate of one node. The layout must not refuse, because such a run has no time.
    """
    sheet, service = values.sheet(), layout.service(values)
    hazard = interruption_rate(values, sheet) if interruption_rate else NOT_ON_SPOT
    refills = _refills(demand, work, hazard, sheet) if layout.emptied_by_interruption and np.any(hazard[0]) else 0.0
    data_input = data_input_of(plan, demand, work, service, layout.filled_first, refills, sheet)
    interruptions = interruptions_of(
        plan, demand, work, service, hazard, values, decided and decided.interval_hours, sheet
    )
    worked: Sourced = (work.hours, "run:run.work_hours")
    fraction: Sourced = (data_input.fraction, "run:goodput.input_fraction")
    available: Sourced = (interruptions.availability, "run:goodput.availability_fraction")
    training_hours = sheet.arithmetic(
        "run.training_hours",
        work.hours / data_input.fraction / interruptions.availability,
        "h",
        "work_hours / input_fraction / availability_fraction",
        work_hours=(*worked, "h"),
        input_fraction=(*fraction, "fraction"),
        availability_fraction=(*available, "fraction"),
    )
    hours = sheet.equation(
        "run.hours",
        run_hours,
        bring_up_hours=values.given("goodput.bring_up_hours"),
        warm_up_hours=(data_input.warm_up_hours, "run:run.warm_up_hours"),
        work_hours=worked,
        input_fraction=fraction,
        availability_fraction=available,
    )
    sheet.arithmetic("days", hours / 24, "days", "hours / 24", hours=(hours, "run:run.hours", "h"))
    written = sheet.arithmetic(
        "run.checkpoints_written",
        work.hours / interruptions.interval_hours,
        "checkpoints",
        "work_hours / interval_hours",
        work_hours=(*worked, "h"),
        interval_hours=(interruptions.interval_hours, "run:goodput.checkpoint_interval_hours", "h"),
    )
    stored = decided.checkpoints_stored if decided else _stored(plan, float(written), float(hours))
    if sheet.recording:
        _record_stored(plan, stored, written, hours, sheet)
    timing = Timing(
        standing_hours=hours,
        retention_hours=plan.storage.retention_hours or 0.0,
        s3_read_bytes=data_input.s3_read_bytes,
        read_bytes=data_input.read_bytes,
        s3_through_vpc=layout.s3_through_vpc,
        checkpoints_written=written,
        checkpoints_stored=stored,
    )
    ledger = Ledger(book, plan.region, sheet, values.uniform)
    bill_network(ledger, demand, timing, values)
    layout.bill(ledger, timing, values)
    bill_s3(ledger, demand, timing, values, plan.data.ingest)
    rate = plan.data.ingest.rate_bytes_per_second
    return Run(
        plan=plan,
        demand=demand,
        work=work,
        service=service,
        hours=hours,
        unallocated_node_hours=sheet.equation(
            "fleet.unheld_hours",
            unheld_hours,
            training_hours=(training_hours, "run:run.training_hours"),
            mtbf_hours=(interruptions.mtbf_hours, "run:goodput.mtbf_hours"),
            wait_hours=(interruptions.wait_hours, "run:goodput.wait_hours"),
            reclaims_per_hour=(interruptions.interruptions_per_hour, "run:goodput.reclaims_per_hour"),
            gang_wait_hours=interruptions.gang_wait,
        ),
        interruptions=interruptions,
        input_fraction=data_input.fraction,
        availability_fraction=interruptions.availability,
        ingest_days=_ingest(demand, rate, sheet) if rate else None,
        decided=Decided(interval_hours=interruptions.interval_hours, checkpoints_stored=stored),
        ledger=ledger,
        refusals=tuple(ledger.not_offered),
        derived=(*work.derived, *demand.derived, *service.derived, *sheet.derived),
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


def _refills(demand: Demand, work: FleetWork, hazard: Sourced, sheet: Sheet) -> Number:
    """How often a spot interruption empties the fast tier."""
    return sheet.arithmetic(
        "storage.refills",
        demand.training_nodes * hazard[0] * work.hours,
        "times",
        "training_nodes * hazard * work_hours",
        "spot interruptions of any node during the work",
        training_nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
        hazard=(hazard[0], hazard[1], "1/h"),
        work_hours=(work.hours, "run:run.work_hours", "h"),
    )


def _ingest(demand: Demand, rate: float, sheet: Sheet) -> float:
    return scalar(
        sheet.equation(
            "ingest_days",
            ingest_days,
            dataset_bytes=(demand.kept_bytes, "run:data.kept_bytes"),
            rate_bytes_per_second=(rate, "plan:data.ingest.rate"),
        )
    )
