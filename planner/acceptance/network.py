"""Collectives between nodes: what the network carries, and what a gang pays that falls back from EFA to TCP.

How much of a step waits for the network is on no bill and in no plan. Two ends bound it. At least what the throughput
table lost by scaling: with none, nothing. At most what is left of a step beside computing at peak speed: one minus the
model FLOPS utilisation. Between the two a step is as slow as `time_factor` says.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.acceptance.planned import Table
from planner.estimate.evaluate import Evaluated
from planner.layouts.shared.links import ip_gbps
from planner.models.number import scalar
from planner.models.values import Values

FACTOR = "workload.throughput_factor"
# of the line rate: below it is a miss. Ours, a guess, as the limit of pairs in docs/health.md; NVIDIA/nccl issue 527
# (2022) has 29.6 GB/s over four p4d.24xlarge, 0.59 of their 50
LEAST_OF_LINE = 0.5


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """Of one node, GB/s: its EFA interfaces, and what it carries over IP. low, high: share of a step that waits."""

    efa_gb_per_s: float
    ip_gb_per_s: float
    low: float
    high: float


def fabric_of(found: Evaluated, table: Table) -> Fabric | None:
    """None where nodes have no EFA, or there is one only."""
    instance = found.choice.instance
    if not instance.efa_interfaces or found.choice.nodes < 2:
        return None
    utilisation = table.get(f"workload.mfu_{instance.gpu_name.lower()}")
    ip = ip_gbps("ip", instance, Values(table=table, recording=False), Values(table=table, recording=False).sheet())
    return Fabric(
        efa_gb_per_s=instance.network_mbps / 8000,
        ip_gb_per_s=scalar(ip[0]) / 8,
        low=max(1 - found.work.scaling_efficiency, 0.0),
        high=1 - utilisation.value if utilisation else 1.0,
    )


def time_factor(share: float, planned_gb_per_s: float, measured_gb_per_s: float) -> float:
    """How much longer a step takes, of which `share` waits for collectives: 1 + share x (planned / measured - 1)."""
    return 1 + share * (planned_gb_per_s / measured_gb_per_s - 1)
