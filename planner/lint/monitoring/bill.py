"""The bill that a preview shows: what bills carries its lines, and dollars above nothing."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import ENDPOINT, GROUP, INSTANCE, NAT
from planner.lint.read.values import texts, whole
from planner.lint.rule import WARNING, Hits, rule

# what bills by the hour wherever it stands
BILLS = (
    NAT,
    "ec2:Eip",
    INSTANCE,
    GROUP,
    "ec2:CapacityReservation",
    "fsx:LustreFileSystem",
    "kms:Key",
    "cloudwatch:MetricAlarm",
)


def _billing(graph: Graph) -> list[Resource]:
    interfaces = [e for e in graph.of(ENDPOINT) if e.inputs.get("vpcEndpointType") == "Interface"]
    return [r for r in graph.of(*BILLS) if r.kind != GROUP or whole(r.inputs.get("maxSize")) != 0] + interfaces


@rule(
    "BILL-FREE",
    *BILLS,
    severity=WARNING,
    what="something that bills by the hour and is said to be free",
    why="the cost that a preview shows is then too small",
    remedy="the bill line that it belongs to",
    example="a NAT gateway with free: true",
)
def bills_are_seen(graph: Graph) -> Hits:
    for resource in _billing(graph):
        if resource.free is True:
            yield resource, "free", "it bills by the hour"


def _has_lines(graph: Graph) -> bool:
    """Whether the graph says which line of a bill each resource belongs to: others may know no bill."""
    return any(resource.bill_lines for resource in graph.resources)


@rule(
    "BILL-LINES",
    what="something that is not free and belongs to no line of the bill, or is free and belongs to one",
    why="the dollars of the resources no longer add up to the bill: a part of the cost is nobody's",
    remedy="the lines of the bill, or of those without a price, that the resource carries; or free: true",
    example="a NAT gateway with free: false and bill_lines: []",
)
def bills_have_lines(graph: Graph) -> Hits:
    for resource in graph.resources if _has_lines(graph) else ():
        if resource.free is False and not resource.bill_lines:
            yield resource, "bill_lines", "not free, and in no line of the bill"
        elif resource.free is True and resource.bill_lines:
            yield resource, "free", f"free, and in {', '.join(resource.bill_lines)}"
        elif resource.free is True and (resource.usd_per_hour or 0) > 0:
            yield resource, "usd_per_hour", f"free, and {resource.usd_per_hour:g} USD an hour"


@rule(
    "BILL-NEGATIVE",
    what="dollars below nothing",
    why="nothing that stands pays back: the sum that a preview shows is too small",
    remedy="the dollars an hour of the resource's lines",
    example="usd_per_hour: -1",
)
def bills_are_positive(graph: Graph) -> Hits:
    for resource in graph.resources:
        if resource.usd_per_hour is not None and resource.usd_per_hour < 0:
            yield resource, "usd_per_hour", f"{resource.usd_per_hour:g} USD an hour"


@rule(
    "BILL-NOTHING",
    *BILLS,
    severity=WARNING,
    what="something that bills by the hour at no dollars",
    why="the price got lost, or nobody knows it: the cost that a preview shows is then too small",
    remedy="the dollars of its line; a line without a price goes into the graph's stack.unpriced",
    example="a NAT gateway with usd_per_hour: 0",
)
def bills_are_something(graph: Graph) -> Hits:
    unpriced = set(texts(graph.stack.get("unpriced")))
    for resource in _billing(graph) if _has_lines(graph) else ():
        # nodes may be paid upfront; lines without a price are named by whoever made the graph
        if resource.kind == GROUP or unpriced & set(resource.bill_lines):
            continue
        if resource.usd_per_hour == 0 and resource.bill_lines and resource.free is not True:
            yield resource, "usd_per_hour", f"{', '.join(resource.bill_lines)} at nothing an hour"
