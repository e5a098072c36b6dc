"""What a run on one fleet needs from storage."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from planner.estimate.choice import FleetSize
from planner.estimate.place import data_sets_of
from planner.estimate.work import FleetWork
from planner.layouts.base import Demand
from planner.models.datapath import checkpoint_write_rate
from planner.models.derived import SourcedQuantity
from planner.models.number import Number, scalar
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Values
from planner.plan.types import Plan


def demand_of(
    plan: Plan, fleet: FleetSize, work: FleetWork, planned_gb_per_s: float, start: date, values: Values
) -> Demand:
    """The demand of one fleet. planned_gb_per_s: the rate for which layouts are sized, at central values."""
    data, sheet, sets = plan.data, values.sheet(), data_sets_of(plan)
    demand = Demand(
        instance=fleet.instance,
        nodes=fleet.nodes,
        training_nodes=fleet.training_nodes,
        gpus=fleet.gpus,
        hot_bytes=max(sets.values()),
        read_sets_bytes=sum(sets.values()),
        kept_bytes=data.kept_in_s3_bytes or sum(sets.values()),
        beside_hot_class=data.kept_class,
        checkpoint_bytes=_own("data.checkpoint_bytes", data.checkpoint_bytes, "checkpoint", "GB", 1e9, values, sheet),
        checkpoints_kept=1 if data.checkpoints_kept == "all" else data.checkpoints_kept,
        object_bytes=_own("data.object_bytes", data.shard_bytes, "shard", "MB", 1e6, values, sheet),
        required_gb_per_s=work.peak_gb_per_s,
        planned_gb_per_s=planned_gb_per_s,
        start=start,
        order=data.order,
        s3_gateway_endpoint=plan.storage.s3_gateway_endpoint,
    )
    if sheet.recording:
        _facts(plan, fleet, demand, sheet)
        _planned(plan, demand, values, sheet)
    return replace(demand, derived=sheet.derived)


RULE_READ = "rule:storage.required_read_gb_per_s at the central throughput, which is more than checkpoints need"
_ASSUMED = {"checkpoint": "checkpoint.size_gb", "shard": "data.object_mb"}


def _own(id: str, own: float | None, key: str, unit: str, unit_bytes: float, values: Values, sheet: Sheet) -> Number:
    """Bytes from the plan, or assumed."""
    if own is not None:
        return sheet.taken(id, "bytes", **{key: (own, f"plan:data.{key}")})
    assumed, origin = values.given(_ASSUMED[key])
    expression = f"{key} * {unit_bytes:.0f}"
    return sheet.arithmetic(id, assumed * unit_bytes, "bytes", expression, **{key: (assumed, origin, unit)})


def _facts(plan: Plan, fleet: FleetSize, demand: Demand, sheet: Sheet) -> None:
    """Record what is the same in every layout: nodes, GPUs, bytes, the first day."""
    per_node = (fleet.instance.gpu_count, f"catalogue:{fleet.instance.name}.gpu_count", "GPUs")
    spares = (fleet.spares, "plan:fleet.spares", "nodes")
    sheet.taken("spares", "nodes", spares=spares[:2])
    if plan.fleet.nodes is not None:
        sheet.taken("nodes", "nodes", nodes=(fleet.nodes, "plan:fleet.nodes"))
    else:
        wanted = [entry.count for entry in plan.fleet.gpus or () if entry.gpu == fleet.instance.gpu_name.upper()]
        near = min(wanted, key=lambda count: abs(fleet.gpus - count))
        sheet.arithmetic(
            "nodes",
            fleet.nodes,
            "nodes",
            "ceil(gpus / gpus_per_node) + spares",
            gpus=(near, "plan:fleet.gpus", "GPUs"),
            gpus_per_node=per_node,
            spares=spares,
        )
    nodes = (fleet.nodes, "run:nodes", "nodes")
    sheet.arithmetic("training_nodes", fleet.training_nodes, "nodes", "nodes - spares", nodes=nodes, spares=spares)
    training = (fleet.training_nodes, "run:training_nodes", "nodes")
    sheet.arithmetic(
        "gpus", fleet.gpus, "GPUs", "training_nodes * gpus_per_node", training_nodes=training, gpus_per_node=per_node
    )
    source = "plan:start" if plan.start else "rule:the day of the prices, because the plan has no start"
    sheet.taken("run.start", "YYYY-MM-DD", start=(demand.start, source))
    sets: dict[str, SourcedQuantity] = {
        f"set_{n}": (size, origin, "bytes") for n, (origin, size) in enumerate(data_sets_of(plan).items(), 1)
    }
    if len(sets) == 1:
        ((hot_bytes, origin, unit),) = sets.values()
        hot = (demand.hot_bytes, origin, unit)
        sheet.taken("data.hot_bytes", "bytes", hot_dataset=(hot_bytes, origin))
    else:
        hot = (demand.hot_bytes, "run:data.hot_bytes", "bytes")
        sheet.arithmetic("data.hot_bytes", demand.hot_bytes, "bytes", "max(inputs)", "the largest data set", **sets)
    kept = hot if plan.data.kept_in_s3_bytes is None else (demand.kept_bytes, "plan:data.kept_in_s3", "bytes")
    if len(sets) > 1 and plan.data.kept_in_s3_bytes is None:
        kept = (demand.kept_bytes, "run:data.kept_bytes", "bytes")
        sheet.arithmetic("data.kept_bytes", demand.kept_bytes, "bytes", "sum(inputs)", "every data set", **sets)
    else:
        sheet.taken("data.kept_bytes", "bytes", kept=kept[:2])
    aside = "kept in S3, and not read by training"
    sheet.arithmetic("data.beside_hot_bytes", demand.beside_hot_bytes, "bytes", "kept - hot", aside, kept=kept, hot=hot)
    # other data may have a storage class of its own
    standard = "kept" if demand.beside_hot_class == "STANDARD" else "hot"
    sheet.taken("data.standard_bytes", "bytes", stored=(demand.standard_bytes, f"run:data.{standard}_bytes"))


def _planned(plan: Plan, demand: Demand, values: Values, sheet: Sheet) -> None:
    """Record the rate for which layouts are sized."""
    written = planned_write_gb_per_s(plan, values, sheet)
    if plan.reliability.checkpoint_blocking_hours is not None:
        fixed = "rule:the plan sets the blocking time of a checkpoint, so writes do not size the layout"
        sheet.taken("storage.planned_write_gb_per_s", "GB/s", written=(written, fixed))
    larger = (written, "run:storage.planned_write_gb_per_s")
    if demand.planned_gb_per_s > written:
        larger = (demand.planned_gb_per_s, RULE_READ)
    sheet.taken("storage.planned_gb_per_s", "GB/s", larger_of_read_and_written=larger)


def planned_write_gb_per_s(plan: Plan, values: Values, sheet: Sheet = UNRECORDED) -> float:
    """GB/s of checkpoint writes for which a layout is sized; 0 if the plan sets the blocking time."""
    if plan.reliability.checkpoint_blocking_hours is not None:
        return 0.0
    size = plan.data.checkpoint_bytes
    interval = plan.reliability.checkpoint_interval_hours
    return scalar(
        sheet.equation(
            "storage.planned_write_gb_per_s",
            checkpoint_write_rate,
            checkpoint_gb=values.given_central("checkpoint.size_gb")
            if size is None
            else (size / 1e9, "run:data.checkpoint_gb"),
            interval_hours=(1.0, "rule:storage is sized for one checkpoint per hour")
            if interval is None
            else (interval, "plan:reliability.checkpoint_interval"),
            overhead_fraction=values.given_central("checkpoint.allowed_overhead_fraction"),
        )
    )
