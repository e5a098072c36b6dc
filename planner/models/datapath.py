"""I: GB/s wanted against GB/s given, cache fit, the cold first epoch -> the share of time not spent waiting."""

from __future__ import annotations

import numpy as np
from fleet_pool.settings import DONT_EVICT_S, LOW_WATERMARK_PERCENT

from planner.models.equation import equation
from planner.models.number import Number


@equation(
    "I1",
    "required-read-rate",
    units={"samples_per_second": "samples/s", "sample_bytes": "bytes"},
    result_unit="GB/s",
    source="github mlcommons/storage: accelerators x batch x record / compute time; published runs within 7 %",
    steps=("result = samples_per_second * sample_bytes / 1e9",),
)
def required_read_rate(*, samples_per_second: Number, sample_bytes: Number) -> Number:
    """Read rate of training that never waits for data, decimal GB/s."""
    return samples_per_second * sample_bytes / 1e9


@equation(
    "I2",
    "node-serve-rate",
    units={
        "network_gbps": "Gbit/s of IP",
        "drives": "drives",
        "drive_read_gb_per_s": "GB/s per drive",
        "reserved_cores": "vCPU",
        "core_seconds_per_gb": "core-s/GB",
        "efficiency_fraction": "fraction",
    },
    result_unit="GB/s per node",
    source="AIStore measurements: 0.56 core-s/GB without TLS; 94-95 % of NIC at 3-16 nodes; 3FS 81 % at 180 nodes",
    steps=(
        "network = network_gbps / 8",
        "disks = drives * drive_read_gb_per_s",
        "processor = reserved_cores / core_seconds_per_gb",
        "result = efficiency_fraction * min(network, disks, processor)",
    ),
)
def node_serve_rate(
    *,
    network_gbps: Number,
    drives: Number,
    drive_read_gb_per_s: Number,
    reserved_cores: Number,
    core_seconds_per_gb: Number = 0.56,
    efficiency_fraction: Number = 0.87,
) -> Number:
    """Read rate of one storage node from its NVMe: the smallest of network, drives and cores, times an efficiency.

    efficiency_fraction: what a cluster delivers of its tightest limit: of the full link rate, 94 to 95 % on a few nodes
    and 81 % on 180.
    Assumes balanced all-to-all reads: a node receives about as much as it sends, and each direction has the
    full link rate. Limits: IP traffic only (EFA carries the collectives); NCCL on the same card lowers the
    efficiency.
    """
    limit = np.minimum(
        np.minimum(network_gbps / 8, drives * drive_read_gb_per_s),
        reserved_cores / core_seconds_per_gb,
    )
    return efficiency_fraction * limit


@equation(
    "I3",
    "cache-hit-shuffled",
    units={"ratio": "usable cache / hot data"},
    result_unit="fraction",
    source="derived here: LRU with a new random order each epoch",
    steps=(
        "c = max(1 - ratio, 0)",
        "result = 1 - c + c * log(c) if c > 0 else 1",
    ),
)
def cache_hit_shuffled(*, ratio: Number) -> Number:
    """Share of reads served by an LRU cache that holds `ratio` of the data, each epoch in a new random order.

    An item read at position p of one epoch and q of the next has 1 - p(1 - q) of the data read in between
    (without repeats). It is still cached when that is at most r: p(1 - q) >= 1 - r with p and 1 - q uniform,
    which has probability 1 - c + c ln c with c = 1 - r. The slope is infinite at r = 1: a cache slightly too
    small misses far more often (r = 0.99 gives 94 % hits, r = 0.9 gives 67 %). At r >= 1 the hit rate is 1 after the
    first epoch. Limits: LRU over the whole pool; the first epoch is cold and calculated separately.
    """
    c = np.maximum(1.0 - ratio, 0.0)
    return np.where(c > 0, 1.0 - c + c * np.log(np.where(c > 0, c, 1.0)), 1.0)[()]


@equation(
    "I4",
    "cache-hit-sequential",
    units={"ratio": "usable cache / hot data"},
    result_unit="fraction",
    source="in a cyclic scan, LRU evicts each item just before it is read again",
    steps=("result = 1 if ratio >= 1 else 0",),
)
def cache_hit_sequential(*, ratio: Number) -> Number:
    """Share of reads served by an LRU cache if every epoch has the same order: all or none."""
    return np.where(np.asarray(ratio) >= 1, 1.0, 0.0)[()]


@equation(
    "I16",
    "cache-hit-between-marks",
    units={"low_ratio": "cache at the low mark / hot data", "high_ratio": "cache at the high mark / hot data"},
    result_unit="fraction",
    source="derived here from I3; AIStore 5.0 evicts from its high mark (80 %) down to its low mark (70 %)",
    steps=(
        "low = min(low_ratio, high_ratio)",
        "c = max(1 - high_ratio, 0)",
        "one_mark = c * (1 - log(c)) if c > 0 else 0",
        "trip = log((1 - log(c)) / (1 - log(1 - low))) if c > 0 else 0",
        "apart = high_ratio - low if c > 0 else 0",
        "result = 1 - apart / trip if apart > 1e-9 else 1 - one_mark",
    ),
)
def cache_hit_between_marks(*, low_ratio: Number, high_ratio: Number) -> Number:
    """Hit rate of an LRU cache that evicts only at a high mark, and then down to a low one; random order each epoch.

    Data below the high mark is never evicted: the cliff is there. Above it the cache holds the last c read of the data,
    c going from low to high, and misses x (1 - ln x) of its reads with x = 1 - c (I3). One such trip reads the integral
    of dc / (x (1 - ln x)) = ln((1 - ln(1 - high)) / (1 - ln(1 - low))) and misses high - low of it.
    Limits: nothing else fills the drives.
    """
    low, high = (np.minimum(np.asarray(ratio, dtype=float), 1.0) for ratio in (low_ratio, high_ratio))
    apart = high - low > 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        trip = np.log((1.0 - np.log1p(-high)) / (1.0 - np.log1p(-low)))
        hits = np.where(apart, 1.0 - (high - low) / np.where(apart, trip, 1.0), cache_hit_shuffled(ratio=high))
    return np.where(high >= 1.0, 1.0, hits)[()]


@equation(
    "I5",
    "mixed-read-rate",
    units={"hit_fraction": "fraction", "warm_gb_per_s": "GB/s", "cold_gb_per_s": "GB/s"},
    result_unit="GB/s",
    source="bytes over time: each byte takes the time of the tier that serves it",
    steps=("result = 1 / (hit_fraction / warm_gb_per_s + (1 - hit_fraction) / cold_gb_per_s)",),
)
def mixed_read_rate(*, hit_fraction: Number, warm_gb_per_s: Number, cold_gb_per_s: Number) -> Number:
    """Read rate when a part of the data comes from the cache and the rest from the tier below."""
    return 1.0 / (hit_fraction / warm_gb_per_s + (1.0 - hit_fraction) / cold_gb_per_s)


@equation(
    "I6",
    "request-bound-rate",
    units={"requests_per_second": "requests/s", "object_bytes": "bytes"},
    result_unit="GB/s",
    source="AWS S3 performance guidelines: 5,500 GET a second per prefix; FSx metadata IOPS",
    steps=("result = requests_per_second * object_bytes / 1e9",),
)
def request_bound_rate(*, requests_per_second: Number, object_bytes: Number) -> Number:
    """Highest rate under a limit on requests (or file opens) per second; it matters for small objects."""
    return requests_per_second * object_bytes / 1e9


@equation(
    "I7",
    "input-fraction",
    units={
        "compute_hours": "h",
        "required_gb_per_s": "GB/s",
        "cold_gb": "GB",
        "cold_gb_per_s": "GB/s",
        "steady_gb_per_s": "GB/s",
        "slowdown_fraction": "fraction",
    },
    result_unit="fraction",
    source="derived here: readers prefetch, so only a shortfall makes training wait",
    steps=(
        "total_gb = compute_hours * 3600 * required_gb_per_s",
        "cold = min(cold_gb, total_gb)",
        "cold_stall = cold * max(0, 1 / cold_gb_per_s - 1 / required_gb_per_s) / 3600",
        "steady_stall = (total_gb - cold) * max(0, 1 / steady_gb_per_s - 1 / required_gb_per_s) / 3600",
        "result = compute_hours / (compute_hours / (1 - slowdown_fraction) + cold_stall + steady_stall)",
    ),
)
def input_fraction(
    *,
    compute_hours: Number,
    required_gb_per_s: Number,
    cold_gb: Number,
    cold_gb_per_s: Number,
    steady_gb_per_s: Number,
    slowdown_fraction: Number = 0.0,
) -> Number:
    """Share of the time in which training computes instead of waiting for data.

    The first `cold_gb` are read at the cold rate (first epoch), the rest at the steady rate. Readers prefetch,
    so reading overlaps with computing; training waits only if the rate is below the required one.
    slowdown_fraction: how much storage software on the training nodes slows the step itself.
    """
    total_gb = compute_hours * 3600 * required_gb_per_s
    cold = np.minimum(cold_gb, total_gb)
    per_gb = 1.0 / required_gb_per_s
    stall_s = cold * np.maximum(0.0, 1.0 / cold_gb_per_s - per_gb)
    stall_s = stall_s + (total_gb - cold) * np.maximum(0.0, 1.0 / steady_gb_per_s - per_gb)
    return compute_hours / (compute_hours / (1.0 - slowdown_fraction) + stall_s / 3600)


@equation(
    "I8",
    "fill-rate-limit",
    units={
        "node_raw_tb": "TB per node",
        "low_watermark_fraction": "fraction",
        "dont_evict_seconds": "s",
    },
    result_unit="GB/s per node",
    source="AIStore 5.0: LRU does not evict what was read in the last hour (lru.dont_evict_time, 1 h at least)",
    steps=("result = node_raw_tb * 1000 * low_watermark_fraction / dont_evict_seconds",),
)
def fill_rate_limit(
    *,
    node_raw_tb: Number,
    low_watermark_fraction: Number = LOW_WATERMARK_PERCENT / 100,
    dont_evict_seconds: Number = DONT_EVICT_S,
) -> Number:
    """Sustainable rate of reads per node while the data does not fit: what an hour of them brings is never evicted.

    p4d: 8 TB x 0.70 / 3600 s = 1.56 GB/s. Reads from the drives count as those from S3 do, since each starts its hour
    again, but each object once: data that an hour's reads cover altogether fills no more than its own size. Above
    the limit eviction cannot reach its low mark; where an hour's reads are 95 % of the drives, the node refuses new
    data (507).
    """
    return node_raw_tb * 1000 * low_watermark_fraction / dont_evict_seconds


@equation(
    "I9",
    "warm-up-hours",
    units={"hot_gb": "GB", "cold_gb_per_s": "GB/s"},
    result_unit="h",
    source="bytes over rate",
    steps=("result = hot_gb / cold_gb_per_s / 3600",),
)
def warm_up_hours(*, hot_gb: Number, cold_gb_per_s: Number) -> Number:
    """Hours to fill the cache before training starts; the GPUs are idle but billed."""
    return hot_gb / cold_gb_per_s / 3600


@equation(
    "I10",
    "checkpoint-write-rate",
    units={"checkpoint_gb": "GB", "interval_hours": "h", "overhead_fraction": "fraction"},
    result_unit="GB/s",
    source="size / (allowed overhead x interval): 405B parameters every 30 min at 1 % need 323 GB/s",
    steps=("result = checkpoint_gb / (overhead_fraction * interval_hours * 3600)",),
)
def checkpoint_write_rate(
    *, checkpoint_gb: Number, interval_hours: Number = 1.0, overhead_fraction: Number = 0.02
) -> Number:
    """Write rate that a layout needs so that blocking checkpoints take at most a share of the time.

    File systems and storage clusters are sized for the larger of this rate and the read rate: training pauses
    while it writes, so the rates do not add up.
    """
    return checkpoint_gb / (overhead_fraction * interval_hours * 3600)


@equation(
    "I11",
    "clients-rate",
    units={"nodes": "nodes", "gb_per_s_per_node": "GB/s", "network_mbps": "Mbit/s"},
    result_unit="GB/s",
    source="the smaller of the rate of a client's streams and 95 % of its link, times the number of clients",
    steps=("result = nodes * min(gb_per_s_per_node, 0.95 * network_mbps / 8000)",),
)
def clients_rate(*, nodes: Number, gb_per_s_per_node: Number, network_mbps: Number) -> Number:
    """Combined rate at which nodes send or receive over their own links."""
    return nodes * np.minimum(gb_per_s_per_node, 0.95 * network_mbps / 8000)


@equation(
    "I12",
    "rate-in-series",
    units={"first_gb_per_s": "GB/s", "second_gb_per_s": "GB/s"},
    result_unit="GB/s",
    source="bytes over time: the two times add up",
    steps=("result = 1 / (1 / first_gb_per_s + 1 / second_gb_per_s)",),
)
def rate_in_series(*, first_gb_per_s: Number, second_gb_per_s: Number) -> Number:
    """Rate of writing to two places one after the other, such as to the drives and then to S3."""
    return 1.0 / (1.0 / first_gb_per_s + 1.0 / second_gb_per_s)
