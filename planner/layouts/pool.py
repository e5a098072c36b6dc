"""AIStore targets on instance-store NVMe: capacity, rates and the cache cliff, wherever the nodes stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.layouts.base import Demand
from planner.layouts.s3 import s3_read_rate, s3_write_rate
from planner.models.capacity import pool_raw_tb, pool_usable_tb
from planner.models.datapath import (
    cache_hit_sequential,
    cache_hit_shuffled,
    fill_rate_limit,
    mixed_read_rate,
    node_serve_rate,
)
from planner.models.values import Number, Values
from pricing.catalog import InstanceType


@dataclass(frozen=True, kw_only=True)
class Pool:
    """AIStore targets on some nodes: capacity and rates, the same arithmetic wherever the nodes stand."""

    raw_tb: float
    usable_tb: float
    warm_gb_per_s: Number
    cold_gb_per_s: Number
    steady_gb_per_s: Number
    hit_fraction: Number
    write_gb_per_s: Number
    fill_limit_gb_per_s: float


def client_rate(demand: Demand, values: Values) -> Number:
    """GB/s that the training nodes take in over IP together."""
    gbps = np.minimum(values["converged.ip_gbps_per_node"], demand.instance.network_mbps / 1000)
    return demand.training_nodes * 0.95 * gbps / 8


def pool_of(instance: InstanceType, nodes: int, cores: int, demand: Demand, values: Values) -> Pool:
    """What a pool of `nodes` targets on `instance` gives a demand, clients' own links included."""
    # where nobody states the number of drives the flash counts as one drive: its size is right, its rate a floor
    drives = instance.nvme_drives or 1
    raw = pool_raw_tb(nodes=nodes, drives=drives, drive_tb=instance.raw_nvme_tb / drives)
    usable = pool_usable_tb(
        raw_tb=raw,
        filesystem_fraction=values.central("converged.filesystem_fraction"),
        low_watermark_fraction=values.central("converged.low_watermark_fraction"),
    )
    ip_gbps = np.minimum(values["converged.ip_gbps_per_node"], instance.network_mbps / 1000)
    per_node = node_serve_rate(
        network_gbps=ip_gbps,
        drives=drives,
        drive_read_gb_per_s=values["converged.drive_read_gb_per_s"],
        reserved_cores=cores,
        core_seconds_per_gb=values["converged.core_seconds_per_gb"],
        efficiency_fraction=values["converged.read_efficiency_fraction"],
    )
    warm = np.minimum(nodes * per_node, client_rate(demand, values))
    fill = nodes * fill_rate_limit(
        node_raw_tb=instance.raw_nvme_tb,
        low_watermark_fraction=values.central("converged.low_watermark_fraction"),
    )
    from_s3 = s3_read_rate(demand, values, instance, nodes)
    cold = np.minimum(np.minimum(from_s3, warm), np.inf if usable >= demand.hot_tb else fill)
    ratio = usable / demand.hot_tb
    hit = cache_hit_shuffled(ratio=ratio) if demand.order == "shuffled" else cache_hit_sequential(ratio=ratio)
    drives_gb_per_s = nodes * drives * values["converged.drive_write_gb_per_s"]
    return Pool(
        raw_tb=raw,
        usable_tb=usable,
        warm_gb_per_s=warm,
        cold_gb_per_s=cold,
        steady_gb_per_s=mixed_read_rate(hit_fraction=hit, warm_gb_per_s=warm, cold_gb_per_s=cold),
        hit_fraction=hit,
        # a PUT writes the drive and then S3, in series
        write_gb_per_s=1.0 / (1.0 / drives_gb_per_s + 1.0 / s3_write_rate(demand, values, instance, nodes)),
        fill_limit_gb_per_s=fill,
    )


def pool_warnings(pool: Pool, demand: Demand, instance: InstanceType) -> tuple[str, ...]:
    """What an operator must know of a pool that is small for its data, or whose drives nobody has counted."""
    found = []
    if not instance.nvme_drives:
        found.append(f"the number of drives of {instance.name} is not published: its flash is timed as one drive")
    margin = pool.usable_tb / demand.hot_tb - 1
    if margin < 0:
        found.append(
            f"hot data {demand.hot_tb:,.1f} TB do not fit the {pool.usable_tb:,.1f} TB guaranteed: "
            f"{float(np.median(pool.hit_fraction)):.0%} of reads hit the cache after the first epoch"
        )
        cold = (1 - float(np.median(pool.hit_fraction))) * float(np.median(demand.required_gb_per_s))
        if cold > pool.fill_limit_gb_per_s:
            found.append(
                f"cold reads of {cold:,.1f} GB/s exceed the fill-rate limit {pool.fill_limit_gb_per_s:,.1f} "
                "GB/s: drives climb to 95 % and answer 507; take more nodes, less hot data, or s3-stream"
            )
    elif margin < 0.05:
        found.append(
            f"the pool is only {margin:.1%} larger than the hot data: a little growth falls off the cache cliff"
        )
    return tuple(found)
