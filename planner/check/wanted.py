"""What a stack needs of an account: which nodes, how bought, and what waiting for them costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from planner.check.line import Matter
from planner.stack.component import around_nodes_usd_per_hour, nodes_usd_per_hour
from planner.stack.spec import ClusterSpec, is_known

DRIFT = 0.02  # of a price against the plan: beyond it a line is named
REPRICE = "planner prices update, then compare again"


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """Nodes of one type on one market. must: False for those that only a later move needs."""

    instance_type: str
    count: int
    market: str
    must: bool = True


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """spec: of the stack. now: when it is asked, in UTC. interfaces, addresses: of all GPU nodes. endpoints: services
    with an interface endpoint. book_usd: On-Demand USD an hour in the price book, by type. policies: file name -> IAM
    policy that the deployer needs. operating: that the operator needs. deployer, operator: ARN to simulate; empty: who
    asks, nobody. bundle: what is wrong with the files that nodes fetch; None where the layout has none. nat_usd_per_gb:
    of data through the NAT gateway, in the price book; None where it has no price."""

    spec: ClusterSpec
    now: datetime
    interfaces: int = 1
    endpoints: tuple[str, ...] = ()
    addresses: int = 1
    book_usd: Mapping[str, float]
    policies: Mapping[str, Mapping[str, Any]]
    operating: Mapping[str, Mapping[str, Any]]
    deployer: str = ""
    operator: str = ""
    bundle: str | None = None
    nat_usd_per_gb: float | None = None


def nodes_of(spec: ClusterSpec) -> tuple[Nodes, ...]:
    """All EC2 instances of a stack."""
    fleet, kind = spec.fleet, spec.buying.kind
    found = [Nodes(instance_type=one.fleet.instance_type, count=one.fleet.nodes, market=kind) for one in spec.by_type]
    if spec.workers:
        found += [
            Nodes(instance_type=name, count=fleet.nodes, market=kind, must=False) for name in spec.workers.more_types
        ]
    if (spec.may_leave_spot and kind == "spot") or (spec.scheduler and spec.scheduler.markets):
        name = (spec.workers.tail_type if spec.workers else "") or fleet.instance_type
        found.append(Nodes(instance_type=name, count=fleet.nodes, market="on-demand", must=False))
    if spec.control.count:
        found.append(Nodes(instance_type=spec.control.instance_type, count=spec.control.count, market="on-demand"))
    if spec.nvme:
        found.append(Nodes(instance_type=spec.nvme.instance_type, count=spec.nvme.nodes, market="on-demand"))
    return tuple(found)


def types_of(spec: ClusterSpec) -> tuple[str, ...]:
    """Their types, each once."""
    return tuple(dict.fromkeys(nodes.instance_type for nodes in nodes_of(spec)))


def waiting_usd_per_hour(spec: ClusterSpec, started: int) -> float | None:
    """USD an hour while a gang waits: of the nodes that did start, and of all else that stands. A block is paid for all
    its nodes. None where the plan has no price by the hour."""
    fleet = nodes_usd_per_hour(spec)
    if fleet is None:
        return None
    rest = around_nodes_usd_per_hour(spec)
    paid = spec.buying.kind == "capacity-block" and is_known(spec.buying.reservation_id)
    nodes = gpu_nodes(spec)
    return round(rest + (fleet if paid else fleet / nodes * min(max(started, 0), nodes)), 2)


def gpu_nodes(spec: ClusterSpec) -> int:
    """Of all instance types."""
    return sum(one.fleet.nodes for one in spec.by_type)


def dollars(usd_per_hour: float | None) -> str:
    """`$3,525.00 an hour`, or that no price is known."""
    return (
        "an unknown amount an hour (the plan has no price)" if usd_per_hour is None else f"${usd_per_hour:,.2f} an hour"
    )


def waits(id: str, asked: str, wanted: Wanted, mends: str = "") -> Matter:
    """A matter for which, if it is bad, no node starts."""
    usd, means = waiting(wanted.spec, 0)
    return Matter(id=id, asked=asked, means=means, usd_per_hour=usd, mends=mends)


def waiting(spec: ClusterSpec, started: int) -> tuple[float | None, str]:
    """(USD an hour, the sentence) of a fleet of which so many nodes start."""
    usd = waiting_usd_per_hour(spec, started)
    nodes = gpu_nodes(spec)
    many = f"{min(max(started, 0), nodes)} of {nodes} nodes start"
    return usd, f"{many}; the stack costs {dollars(usd)} while the job waits"
