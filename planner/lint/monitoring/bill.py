"""The costs in a preview: every billed resource has its bill lines and a positive cost."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import ENDPOINT, GROUP, INSTANCE, NAT
from planner.lint.read.values import texts, whole
from planner.lint.rule import WARNING, Hits, rule

# types that are billed by the hour
BILLS = (
    NAT,
    "ec2:Eip",
    INSTANCE,
    GROUP,
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
    what="a resource that is billed by the hour and marked as free",
    why="The preview shows too low a cost",
    remedy="Set the bill line that the resource belongs to",
    example="a NAT gateway with free: true",
)
def billed_resource_marked_free(graph: Graph) -> Hits:
    for resource in _billing(graph):
        if resource.free is True:
            yield resource, "free", "marked as free, but billed by the hour"


def _has_lines(graph: Graph) -> bool:
    """Whether the graph has bill lines at all; graphs of other programs have none."""
    return any(resource.bill_lines for resource in graph.resources)


@rule(
    "BILL-LINES",
    what="a resource whose bill lines contradict its free flag",
    why="The resources' costs no longer add up to the bill",
    remedy="Set the resource's bill lines, including lines without a price, or free: true",
    example="a NAT gateway with free: false and bill_lines: []",
)
def bill_line_missing(graph: Graph) -> Hits:
    for resource in graph.resources if _has_lines(graph) else ():
        if resource.free is False and not resource.bill_lines:
            yield resource, "bill_lines", "not free, but in no line of the bill"
        elif resource.free is True and resource.bill_lines:
            yield resource, "free", f"marked as free, but in {', '.join(resource.bill_lines)}"
        elif resource.free is True and (resource.usd_per_hour or 0) > 0:
            yield resource, "usd_per_hour", f"marked as free, but costs ${resource.usd_per_hour:g} per hour"
        days = whole(resource.inputs.get("automaticBackupRetentionDays"))
        if days and days > 0 and not any("backup" in line for line in resource.bill_lines):
            yield (
                resource,
                "automaticBackupRetentionDays",
                f"backups of {days} days are billed, but in no line of the bill",
            )


@rule(
    "BILL-NEGATIVE",
    what="a negative cost",
    why="The preview shows too low a total: no resource has a negative cost",
    remedy="Set the hourly cost of the resource's bill lines",
    example="usd_per_hour: -1",
)
def negative_cost(graph: Graph) -> Hits:
    for resource in graph.resources:
        if resource.usd_per_hour is not None and resource.usd_per_hour < 0:
            yield resource, "usd_per_hour", f"a cost of {resource.usd_per_hour:g} USD per hour"


@rule(
    "BILL-NOTHING",
    *BILLS,
    severity=WARNING,
    what="a resource that is billed by the hour at $0",
    why="The preview shows too low a cost: the price is missing",
    remedy="Set the price of its line, or list the line in the graph's stack.unpriced",
    example="a NAT gateway with usd_per_hour: 0",
)
def billed_resource_at_zero(graph: Graph) -> Hits:
    unpriced = set(texts(graph.stack.get("unpriced")))
    for resource in _billing(graph) if _has_lines(graph) else ():
        # nodes may be paid upfront; the graph lists lines without a price
        if resource.kind == GROUP or unpriced & set(resource.bill_lines):
            continue
        if resource.usd_per_hour == 0 and resource.bill_lines and resource.free is not True:
            yield resource, "usd_per_hour", f"{', '.join(resource.bill_lines)} costs $0 per hour"
