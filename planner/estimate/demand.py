"""What a run on one fleet asks of storage."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from planner.estimate.choice import FleetSize
from planner.estimate.work import FleetWork
from planner.layouts.base import Demand
from planner.models.datapath import checkpoint_write_rate
from planner.models.derived import Told
from planner.models.number import Number
from planner.models.sheet import UNKEPT, Sheet
from planner.models.values import Values
from planner.plan.types import Plan


def demand_of(
    plan: Plan, fleet: FleetSize, work: FleetWork, planned_gb_per_s: float, start: date, values: Values
) -> Demand:
    """The demand of one fleet. planned_gb_per_s: what layouts are sized for, on central values."""
    data, sheet = plan.data, values.sheet()
    demand = Demand(
        instance=fleet.instance,
        nodes=fleet.nodes,
        training_nodes=fleet.training_nodes,
        gpus=fleet.gpus,
        hot_bytes=data.hot_dataset_bytes,
        kept_bytes=data.kept_in_s3_bytes or data.hot_dataset_bytes,
        beside_hot_class=data.kept_class,
        checkpoint_bytes=_own("data.checkpoint_bytes", data.checkpoint_bytes, "checkpoint", "GB", 1e9, values, sheet),
        object_bytes=_own("data.object_bytes", data.shard_bytes, "shard", "MB", 1e6, values, sheet),
        required_gb_per_s=work.peak_gb_per_s,
        planned_gb_per_s=planned_gb_per_s,
        start=start,
        order=data.order,
        s3_gateway_endpoint=plan.storage.s3_gateway_endpoint,
    )
    if sheet.kept:
        _facts(plan, fleet, demand, sheet)
        _planned(plan, demand, values, sheet)
    return replace(demand, derived=sheet.derived)


RULE_READ = "rule:storage.required_read_gb_per_s at the central throughput"
_ASSUMED = {"checkpoint": "checkpoint.size_gb", "shard": "data.object_mb"}


def _own(id: str, own: float | None, key: str, unit: str, unit_bytes: float, values: Values, sheet: Sheet) -> Number:
    """Bytes as the plan says, else as assumed."""
    if own is not None:
        return sheet.words(id, own, "bytes", "as the plan says", **{key: (own, f"plan:data.{key}", "bytes")})
    assumed, origin = values.given(_ASSUMED[key])
    how = f"{unit} of {unit_bytes:g} bytes"
    return sheet.words(id, assumed * unit_bytes, "bytes", how, **{key: (assumed, origin, unit)})


def _facts(plan: Plan, fleet: FleetSize, demand: Demand, sheet: Sheet) -> None:
    """Write down what is the same in every layout: nodes, GPUs, bytes, the first day."""
    per_node = (fleet.instance.gpu_count, f"catalogue:{fleet.instance.name}.gpu_count", "GPUs")
    spares = (fleet.spares, "plan:fleet.spares", "nodes")
    if plan.fleet.nodes is not None:
        asked = (fleet.nodes, "plan:fleet.nodes", "nodes")
        sheet.words("nodes", fleet.nodes, "nodes", "as the plan says, spares included", nodes=asked)
    else:
        wanted = [entry.count for entry in plan.fleet.gpus or () if entry.gpu == fleet.instance.gpu_name.upper()]
        near = min(wanted, key=lambda count: abs(fleet.gpus - count))
        how = "GPUs / GPUs of a node, rounded up, and the spares"
        asked = (near, "plan:fleet.gpus", "GPUs")
        sheet.words("nodes", fleet.nodes, "nodes", how, gpus=asked, gpus_per_node=per_node, spares=spares)
    nodes = (fleet.nodes, "run:nodes", "nodes")
    sheet.words("training_nodes", fleet.training_nodes, "nodes", "nodes less spares", nodes=nodes, spares=spares)
    training = (fleet.training_nodes, "run:training_nodes", "nodes")
    sheet.words("gpus", fleet.gpus, "GPUs", "nodes that train x GPUs of a node", nodes=training, gpus_per_node=per_node)
    if plan.start:
        first: Told = (demand.start, "plan:start", "YYYY-MM-DD")
        sheet.words("run.start", demand.start, "YYYY-MM-DD", "as the plan says", start=first)
    else:
        sheet.words("run.start", demand.start, "YYYY-MM-DD", "the day of the prices: the plan names no start")
    hot = (demand.hot_bytes, "plan:data.hot_dataset", "bytes")
    kept_key = "hot_dataset" if plan.data.kept_in_s3_bytes is None else "kept_in_s3"
    kept = (demand.kept_bytes, f"plan:data.{kept_key}", "bytes")
    sheet.words("data.hot_bytes", demand.hot_bytes, "bytes", "as the plan says", hot_dataset=hot)
    sheet.words("data.kept_bytes", demand.kept_bytes, "bytes", "as the plan says", kept=kept)
    aside = "what is kept and training does not read"
    sheet.words("data.beside_hot_bytes", demand.beside_hot_bytes, "bytes", aside, kept=kept, hot=hot)
    how = (
        "all that is kept" if demand.beside_hot_class == "STANDARD" else "the hot data: the rest has a class of its own"
    )
    source = kept if demand.beside_hot_class == "STANDARD" else hot
    sheet.words("data.standard_bytes", demand.standard_bytes, "bytes", how, stored=source)


def _planned(plan: Plan, demand: Demand, values: Values, sheet: Sheet) -> None:
    """Write down what layouts are sized for."""
    written = planned_write_gb_per_s(plan, values, sheet)
    if plan.reliability.checkpoint_blocking_hours is not None:
        sheet.words("storage.planned_write_gb_per_s", written, "GB/s", "the plan fixes the blocking time itself")
    larger = (written, "run:storage.planned_write_gb_per_s", "GB/s")
    if demand.planned_gb_per_s > written:
        larger = (demand.planned_gb_per_s, RULE_READ, "GB/s")
    how = "the larger of what training reads and what checkpoints write, on central values"
    sheet.words("storage.planned_gb_per_s", demand.planned_gb_per_s, "GB/s", how, larger=larger)


def planned_write_gb_per_s(plan: Plan, values: Values, sheet: Sheet = UNKEPT) -> float:
    """GB/s of checkpoint writes that a layout is sized for; 0 where the plan fixes the blocking time itself."""
    if plan.reliability.checkpoint_blocking_hours is not None:
        return 0.0
    size = plan.data.checkpoint_bytes
    interval = plan.reliability.checkpoint_interval_hours
    return sheet.equation(
        "storage.planned_write_gb_per_s",
        checkpoint_write_rate,
        checkpoint_gb=values.given_central("checkpoint.size_gb")
        if size is None
        else (size / 1e9, "run:data.checkpoint_gb"),
        interval_hours=(1.0, "rule:storage is sized for a checkpoint an hour")
        if interval is None
        else (interval, "plan:reliability.checkpoint_interval"),
        overhead_fraction=values.given_central("checkpoint.allowed_overhead_fraction"),
    )
