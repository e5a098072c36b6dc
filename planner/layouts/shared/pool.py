"""AIStore targets on instance-store NVMe: capacity, rates, and what happens if the cache is too small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from fleet_pool.settings import DONT_EVICT_S, HIGH_WATERMARK_PERCENT, LOW_WATERMARK_PERCENT, OUT_OF_SPACE_PERCENT

from planner.layouts.base import Demand
from planner.layouts.shared.links import client_rate, ip_gbps
from planner.layouts.shared.s3 import s3_read_rate, s3_write_rate
from planner.models.capacity import pool_raw_tb, pool_usable_tb
from planner.models.datapath import (
    cache_hit_between_marks,
    cache_hit_sequential,
    fill_rate_limit,
    mixed_read_rate,
    node_serve_rate,
    rate_in_series,
    request_bound_rate,
)
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.number import Number, median, scalar
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Values
from pricing.catalog import InstanceType


@dataclass(frozen=True, kw_only=True)
class Pool:
    """AIStore targets on a number of nodes: capacity and rates, for GPU nodes and for storage nodes."""

    raw_tb: float
    usable_tb: float
    warm_gb_per_s: Number
    cold_gb_per_s: Number
    steady_gb_per_s: Number
    hit_fraction: Number
    write_gb_per_s: Number
    request_limit_gb_per_s: Number


def pool_of(
    instance: InstanceType,
    nodes: Sourced | int,
    cores: Sourced,
    demand: Demand,
    values: Values,
    sheet: Sheet = UNRECORDED,
) -> Pool:
    """What a pool of `nodes` targets on `instance` provides, limited by the clients' links."""
    targets: Sourced = nodes if isinstance(nodes, tuple) else (nodes, "run:nodes")
    count = targets[0]
    requests = sheet.equation(
        "storage.node_requests_gb_per_s",
        request_bound_rate,
        requests_per_second=values.given("converged.get_requests_per_second_per_target"),
        object_bytes=(demand.object_bytes, "run:data.object_bytes"),
    )
    warm = _warm(instance, targets, cores, requests, demand, values, sheet)
    raw, usable = _capacity(instance, targets, values, sheet)
    per_node = scalar(
        sheet.equation(
            "storage.node_fill_gb_per_s",
            fill_rate_limit,
            node_raw_tb=(instance.raw_nvme_tb, f"catalogue:{instance.name}.raw_nvme_tb"),
            low_watermark_fraction=values.given_central("converged.low_watermark_fraction"),
            dont_evict_seconds=(DONT_EVICT_S, "rule:AIStore 5.0, lru.dont_evict_time: at least one hour"),
        )
    )
    fill = count * per_node
    from_s3 = s3_read_rate(demand, values, instance, targets, sheet)
    low, high = _fit(usable, demand, values, sheet)
    fits = high[0] >= 1
    limits: dict[str, SourcedQuantity] = {
        "from_s3": (from_s3, "run:storage.s3_read_gb_per_s", "GB/s"),
        "warm": (warm, "run:storage.warm_gb_per_s", "GB/s"),
    }
    if not fits:
        limits["fill"] = (per_node, "run:storage.node_fill_gb_per_s", "GB/s per node")
        limits["nodes"] = (targets[0], targets[1], "nodes")
    cold = sheet.arithmetic(
        "storage.cold_read_gb_per_s",
        np.minimum(np.minimum(from_s3, warm), np.inf if fits else fill),
        "GB/s",
        "min(from_s3, warm)" if fits else "min(from_s3, warm, fill * nodes)",
        **limits,
    )
    if demand.order == "shuffled":
        hit = sheet.equation("storage.hit_fraction", cache_hit_between_marks, low_ratio=low, high_ratio=high)
    else:
        hit = sheet.equation("storage.hit_fraction", cache_hit_sequential, ratio=high)
    return Pool(
        raw_tb=raw,
        usable_tb=usable,
        warm_gb_per_s=warm,
        cold_gb_per_s=cold,
        steady_gb_per_s=sheet.equation(
            "storage.read_gb_per_s",
            mixed_read_rate,
            hit_fraction=(hit, "run:storage.hit_fraction"),
            warm_gb_per_s=(warm, "run:storage.warm_gb_per_s"),
            cold_gb_per_s=(cold, "run:storage.cold_read_gb_per_s"),
        ),
        hit_fraction=hit,
        write_gb_per_s=_write(instance, targets, demand, values, sheet),
        request_limit_gb_per_s=count * requests,
    )


def _drives(instance: InstanceType) -> Sourced:
    """Drives per node. If their number is not published, the flash counts as one drive: the size is right, the rate a
    lower bound."""
    if not instance.nvme_drives:
        return 1, f"rule:the number of drives of {instance.name} is not published, so its flash counts as one drive"
    return instance.nvme_drives, f"catalogue:{instance.name}.nvme_drives"


def _capacity(instance: InstanceType, nodes: Sourced, values: Values, sheet: Sheet) -> tuple[float, float]:
    """(raw, usable) decimal TB."""
    drives = _drives(instance)
    raw = scalar(
        sheet.equation(
            "storage.raw_tb",
            pool_raw_tb,
            nodes=nodes,
            drives=drives,
            drive_tb=(instance.raw_nvme_tb / drives[0], f"catalogue:{instance.name}.nvme_drive_gb"),
        )
    )
    usable = scalar(
        sheet.equation(
            "storage.usable_tb",
            pool_usable_tb,
            raw_tb=(raw, "run:storage.raw_tb"),
            filesystem_fraction=values.given_central("converged.filesystem_fraction"),
            low_watermark_fraction=values.given_central("converged.low_watermark_fraction"),
        )
    )
    return raw, usable


def _fit(usable: float, demand: Demand, values: Values, sheet: Sheet) -> tuple[Sourced, Sourced]:
    """How much of the hot data the pool holds where eviction ends, and where it begins."""
    low = sheet.arithmetic(
        "storage.fit_ratio",
        usable / demand.hot_tb,
        "usable cache / hot data",
        "usable_tb / (hot_bytes / 10**12)",
        usable_tb=(usable, "run:storage.usable_tb", "TB"),
        hot_bytes=(demand.hot_bytes, "run:data.hot_bytes", "bytes"),
    )
    mark = values.given_central("converged.low_watermark_fraction")
    apart = (HIGH_WATERMARK_PERCENT - LOW_WATERMARK_PERCENT) / 100
    checkpoint_bytes = median(demand.checkpoint_bytes)
    beside_tb = demand.checkpoints_kept * checkpoint_bytes / 1e12
    high = sheet.arithmetic(
        "storage.fit_ratio_high",
        max(usable * (mark[0] + apart) / mark[0] - beside_tb, 0.0) / demand.hot_tb,
        "cache at the high mark / hot data",
        "max(usable_tb * (low_watermark + between_marks) / low_watermark - kept * checkpoint_bytes / 10**12, 0)"
        " / (hot_bytes / 10**12)",
        "what the drives hold before the pool evicts, less the newest checkpoints, for each byte of the training data",
        usable_tb=(usable, "run:storage.usable_tb", "TB"),
        low_watermark=(*mark, "fraction"),
        between_marks=(
            apart,
            "rule:the pool begins to evict ten per cent of the drives above where it ends",
            "fraction",
        ),
        kept=(demand.checkpoints_kept, "rule:the newest checkpoints stay; where all are kept, one", "checkpoints"),
        checkpoint_bytes=(checkpoint_bytes, "run:data.checkpoint_bytes", "bytes"),
        hot_bytes=(demand.hot_bytes, "run:data.hot_bytes", "bytes"),
    )
    return (low, "run:storage.fit_ratio"), (high, "run:storage.fit_ratio_high")


def _warm(
    instance: InstanceType,
    nodes: Sourced,
    cores: Sourced,
    requests: Number,
    demand: Demand,
    values: Values,
    sheet: Sheet,
) -> Number:
    """Read rate from the drives, GB/s: what the targets serve, up to what the clients receive. requests: the rate at
    which one target's requests for single objects carry data."""
    gbps = ip_gbps("storage.node_network_gbps", instance, values, sheet)
    per_node = sheet.equation(
        "storage.node_gb_per_s",
        node_serve_rate,
        network_gbps=gbps,
        drives=_drives(instance),
        drive_read_gb_per_s=values.given("converged.drive_read_gb_per_s"),
        reserved_cores=cores,
        core_seconds_per_gb=values.given("converged.core_seconds_per_gb"),
        efficiency_fraction=values.given("converged.read_efficiency_fraction"),
    )
    clients = client_rate(demand, values, sheet)
    return sheet.arithmetic(
        "storage.warm_gb_per_s",
        np.minimum(nodes[0] * np.minimum(per_node, requests), clients),
        "GB/s",
        "min(nodes * min(node, requests), clients)",
        "what the storage nodes send, as bytes or as requests, or what the clients receive, whichever is less",
        nodes=(*nodes, "nodes"),
        node=(per_node, "run:storage.node_gb_per_s", "GB/s"),
        requests=(requests, "run:storage.node_requests_gb_per_s", "GB/s"),
        clients=(clients, "run:storage.clients_gb_per_s", "GB/s"),
    )


def _write(instance: InstanceType, nodes: Sourced, demand: Demand, values: Values, sheet: Sheet) -> Number:
    """Write rate of checkpoints, GB/s: a PUT writes to the drive and then to S3, one after the other."""
    drives, assumed = _drives(instance), values.given("converged.drive_write_gb_per_s")
    on_drives = sheet.arithmetic(
        "storage.drives_write_gb_per_s",
        nodes[0] * drives[0] * assumed[0],
        "GB/s",
        "nodes * drives * drive",
        nodes=(*nodes, "nodes"),
        drives=(*drives, "drives per node"),
        drive=(*assumed, "GB/s per drive"),
    )
    to_s3 = s3_write_rate(demand, values, instance, nodes, sheet)
    return sheet.equation(
        "storage.write_gb_per_s",
        rate_in_series,
        first_gb_per_s=(on_drives, "run:storage.drives_write_gb_per_s"),
        second_gb_per_s=(to_s3, "run:storage.s3_write_streams_gb_per_s"),
    )


def pool_warnings(pool: Pool, demand: Demand, instance: InstanceType) -> tuple[str, ...]:
    """Warnings about a pool that is small for its data, or whose number of drives is not published."""
    found = []
    if not instance.nvme_drives:
        found.append(
            f"the number of drives of {instance.name} is not published, so rates are calculated for one drive per node"
        )
    most, needed = median(pool.request_limit_gb_per_s), median(demand.required_gb_per_s)
    if most < needed:
        found.append(
            f"training will wait for data: objects of {median(demand.object_bytes) / 1e3:,.0f} KB are read at "
            f"{most:,.1f} GB/s at most, by requests, and {needed:,.1f} GB/s are needed; pack samples into shards "
            "(data.shard) of some MB or more"
        )
    margin = pool.usable_tb / demand.hot_tb - 1
    if margin < 0 and median(pool.hit_fraction) >= 1:
        found.append(
            f"the training data ({demand.hot_tb:,.1f} TB) is more than the {pool.usable_tb:,.1f} TB that the cache "
            f"guarantees: it stays while nothing else fills the drives to {HIGH_WATERMARK_PERCENT} %, where eviction "
            "begins"
        )
    elif margin < 0:
        found.append(
            f"the training data ({demand.hot_tb:,.1f} TB) does not fit the cache ({pool.usable_tb:,.1f} TB): "
            f"only {median(pool.hit_fraction):.0%} of reads hit the cache after the first epoch"
        )
        touched_tb = min(median(demand.required_gb_per_s) * DONT_EVICT_S / 1000, demand.hot_tb)
        full_tb = pool.usable_tb / LOW_WATERMARK_PERCENT * OUT_OF_SPACE_PERCENT
        if touched_tb > full_tb:
            found.append(
                f"the pool will refuse reads (error 507): what was read within the last hour ({touched_tb:,.1f} TB) is "
                f"never evicted and is more than the {full_tb:,.1f} TB that its drives hold up to "
                f"{OUT_OF_SPACE_PERCENT} %; use more nodes, less training data, or s3-stream"
            )
    elif margin < 0.05:
        found.append(
            f"the cache is only {margin:.1%} larger than the training data: if the data grows, many reads will miss it"
        )
    return tuple(found)
