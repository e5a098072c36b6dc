"""What a run on one fleet asks of storage."""

from __future__ import annotations

from datetime import date

from planner.decide.choice import FleetSize
from planner.decide.work import FleetWork
from planner.layouts.base import Demand
from planner.models.datapath import checkpoint_write_rate
from planner.models.values import Values
from planner.plan.types import Plan


def demand_of(
    plan: Plan, fleet: FleetSize, work: FleetWork, planned_gb_per_s: float, start: date, values: Values
) -> Demand:
    """The demand of one fleet. planned_gb_per_s: what layouts are sized for, on central values."""
    data = plan.data
    checkpoint = values["checkpoint.size_gb"] * 1e9 if data.checkpoint_bytes is None else data.checkpoint_bytes
    return Demand(
        instance=fleet.instance,
        nodes=fleet.nodes,
        training_nodes=fleet.training_nodes,
        gpus=fleet.gpus,
        hot_bytes=data.hot_dataset_bytes,
        kept_bytes=data.kept_in_s3_bytes or data.hot_dataset_bytes,
        beside_hot_class=data.kept_class,
        checkpoint_bytes=checkpoint,
        object_bytes=values["data.object_mb"] * 1e6 if data.shard_bytes is None else data.shard_bytes,
        required_gb_per_s=work.peak_gb_per_s,
        planned_gb_per_s=planned_gb_per_s,
        start=start,
        order=data.order,
        s3_gateway_endpoint=plan.storage.s3_gateway_endpoint,
    )


def planned_write_gb_per_s(plan: Plan, values: Values) -> float:
    """GB/s of checkpoint writes that a layout is sized for; 0 where the plan fixes the blocking time itself."""
    if plan.reliability.checkpoint_blocking_hours is not None:
        return 0.0
    size = plan.data.checkpoint_bytes
    return checkpoint_write_rate(
        checkpoint_gb=values.central("checkpoint.size_gb") if size is None else size / 1e9,
        interval_hours=plan.reliability.checkpoint_interval_hours or 1.0,
        overhead_fraction=values.central("checkpoint.allowed_overhead_fraction"),
    )
