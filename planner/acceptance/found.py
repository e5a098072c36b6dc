"""What the nodes of a stack measured at the same time, added up; and the nodes that are slow beside the others."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fleet_pool.health.limits import LIMITS
from fleet_pool.operate.tally import percentile_s

CHECKPOINT = "checkpoint"
SLOW = LIMITS["pair"].most  # of the median of all nodes
FEWEST_BESIDE = 3  # nodes without which there is no median to be slow beside


@dataclass(frozen=True, kw_only=True)
class Rate:
    """Of all nodes together. failed: requests."""

    gb_per_s: float
    objects_per_s: float
    seconds: float
    p50_ms: float
    p99_ms: float
    failed: int


@dataclass(frozen=True, kw_only=True)
class Part:
    """One size of objects, or the checkpoint."""

    name: str
    object_bytes: int
    write: Rate
    read: Rate


@dataclass(frozen=True, kw_only=True)
class Found:
    """nodes: that were asked. not_ready: node -> why. slow: node -> in what. boot_hours: of the slowest node.
    all_reduce, tcp: GB/s of bus bandwidth over all nodes, with EFA and without. usual: what earlier passes over as
    many nodes were, as the data bucket has them. files_per_s: opened, written, read and
    removed by all nodes. why: what was not measured -> why not."""

    nodes: tuple[str, ...]
    not_ready: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    slow: Mapping[str, str] = field(default_factory=dict)
    boot_hours: float | None = None
    all_reduce: float | None = None
    usual: str = ""
    slow_pairs: tuple[str, ...] = ()
    tcp: float | None = None
    files_per_s: float | None = None
    why: Mapping[str, str] = field(default_factory=dict)


def parts_of(reports: Sequence[Mapping[str, Any]]) -> tuple[Part, ...]:
    """reports: of `planner pool bench`, one a node, with the same parts in the same order."""
    return tuple(
        Part(
            name=each[0]["name"],
            object_bytes=int(each[0]["object_bytes"]),
            write=_together([part["write"] for part in each], at_random=False),
            read=_together([part["read"] for part in each], at_random=each[0]["name"] != CHECKPOINT),
        )
        for each in zip(*(report["parts"] for report in reports), strict=True)
    )


def _together(nodes: Sequence[Mapping[str, Any]], *, at_random: bool) -> Rate:
    """at_random: each node ends when its time is up; else all end with the last one, which the job would wait for."""
    longest = max(node["seconds"] for node in nodes)
    seconds = [node["seconds"] if at_random else longest for node in nodes]
    latencies = [node["latency"] for node in nodes]
    return Rate(
        gb_per_s=sum(node["bytes"] / s for node, s in zip(nodes, seconds, strict=True)) / 1e9,
        objects_per_s=sum(node["objects"] / s for node, s in zip(nodes, seconds, strict=True)),
        seconds=longest,
        p50_ms=percentile_s(latencies, 0.5) * 1e3,
        p99_ms=percentile_s(latencies, 0.99) * 1e3,
        failed=sum(node["failed"] for node in nodes),
    )


def slow_nodes(reports: Sequence[Mapping[str, Any]], node_at: Mapping[str, str]) -> dict[str, str]:
    """Node -> in what it is slow beside the others: what it serves, or what it reads. node_at: host -> node.

    A node is slow in every size that was read, or not at all. The rate of a request, not that of a node: readers who
    wait for a slow node move less, whoever they are. By the median of its partners, so that one slow partner accuses
    nobody.
    """
    served, reads = [], []
    for number, part in enumerate(reports[0]["parts"]):
        if part["name"] == CHECKPOINT:
            continue
        rates = {
            report["node"]: {
                node_at.get(host, host): entry["bytes"] / entry["busy_s"]
                for host, entry in report["parts"][number]["read"]["by_target"].items()
                if entry["busy_s"]
            }
            for report in reports
        }
        reads.append({reader: statistics.median(of.values()) for reader, of in rates.items() if of})
        targets = {target for of in rates.values() for target in of}
        served.append({one: statistics.median(of[one] for of in rates.values() if one in of) for one in targets})
    found = dict.fromkeys(_below(reads), "what it reads")
    return {**found, **{node: "what it serves" for node in _below(served) if node not in found}}


def _below(parts: Sequence[Mapping[str, float]]) -> list[str]:
    """Below the limit in each part."""
    slow = [
        {name for name, rate in part.items() if rate < SLOW * statistics.median(part.values())}
        for part in parts
        if len(part) >= FEWEST_BESIDE
    ]
    return sorted(set.intersection(*slow)) if slow else []
