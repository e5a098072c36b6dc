"""Flow logs and log retention."""

from __future__ import annotations

from planner.lint.read.graph import Graph
from planner.lint.read.topology import VPC, node_subnets
from planner.lint.read.values import given, literal, whole
from planner.lint.rule import WARNING, Hits, rule

FLOW, GROUP = "ec2:FlowLog", "cloudwatch:LogGroup"
# retention periods that CloudWatch supports, days; 0 means forever
DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)


@rule(
    "FLOW-LOGS",
    VPC,
    severity=WARNING,
    what="a VPC without flow logs",
    why="After an incident nobody can say which machines communicated",
    remedy="Add a flow log for the VPC",
    example="no FlowLog for the VPC",
)
def no_flow_logs(graph: Graph) -> Hits:
    logged = {vpc for log in graph.of("ec2:FlowLog") for vpc in graph.targets(log.inputs.get("vpcId"), VPC)}
    for vpc in graph.of(VPC):
        if vpc not in logged and node_subnets(graph):
            yield vpc, "", "no flow log"


@rule(
    "FLOW-SHAPE",
    FLOW,
    what="an invalid flow log",
    why="AWS rejects the flow log: it aggregates over 60 or 600 seconds and needs a role to write to CloudWatch",
    remedy="Set maxAggregationInterval to 60 or 600, and iamRoleArn with the destination cloud-watch-logs",
    example="maxAggregationInterval: 300",
)
def invalid_flow_log(graph: Graph) -> Hits:
    for log in graph.of(FLOW):
        seconds = whole(log.inputs.get("maxAggregationInterval"))
        if seconds is not None and seconds not in (60, 600):
            yield log, "maxAggregationInterval", f"{seconds:,} seconds; allowed: 60 or 600"
        if not any(given(log.inputs.get(key)) for key in ("logDestination", "logGroupName")):
            yield log, "logDestination", "no destination"
        watched = [k for k in ("vpcId", "subnetId", "eniId", "transitGatewayId") if given(log.inputs.get(k))]
        if len(watched) > 1:
            yield log, watched[1], f"{' and '.join(watched)} in one flow log"
        if log.inputs.get("logDestinationType") == "s3":
            place = graph.target(log.inputs.get("logDestination"), GROUP)
            if place is not None:
                yield log, "logDestination", f"{place.name} is a log group, but the destination type is S3"
        if log.inputs.get("logDestinationType") in (None, "cloud-watch-logs") and not given(
            log.inputs.get("iamRoleArn")
        ):
            yield log, "iamRoleArn", "no role that may write to CloudWatch"


@rule(
    "FLOW-HALF",
    FLOW,
    severity=WARNING,
    what="a flow log of only part of the traffic",
    why="An investigation lacks either the accepted or the rejected connections",
    remedy="Set trafficType to ALL",
    example="trafficType: REJECT",
)
def partial_flow_log(graph: Graph) -> Hits:
    for log in graph.of(FLOW):
        if log.inputs.get("trafficType") in ("ACCEPT", "REJECT"):
            yield log, "trafficType", f"only {log.inputs['trafficType']} traffic is logged"


@rule(
    "LOG-RETENTION",
    GROUP,
    what="an invalid log retention",
    why="CloudWatch rejects the log group: it supports only certain numbers of days",
    remedy="Use 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731 or another value that CloudWatch lists",
    example="retentionInDays: 31",
)
def invalid_log_retention(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        value, days = group.inputs.get("retentionInDays"), whole(group.inputs.get("retentionInDays"))
        words = days is None and literal(value) is not None
        if words or (days is not None and days not in (0, *DAYS)):
            near = min(DAYS, key=lambda known: abs(known - (days or 0)))
            yield group, "retentionInDays", f"{value} days" + ("" if words else f"; the nearest is {near:,}")


@rule(
    "LOG-FOREVER",
    GROUP,
    severity=WARNING,
    what="logs that never expire",
    why="Every GB is billed each month, long after the run",
    remedy="Set retentionInDays, for example to 30",
    example="a LogGroup without retentionInDays",
)
def logs_never_expire(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        value = group.inputs.get("retentionInDays")
        if (value is None or whole(value) == 0) and group.inputs.get("logGroupClass") != "DELIVERY":
            yield group, "retentionInDays", "logs are kept forever"
