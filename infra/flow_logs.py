"""Flow logs of a VPC: which addresses connected, kept for a month."""

from __future__ import annotations

import pulumi_aws as aws

from infra.naming import Component
from infra.policy import document
from infra.service_role import service_role

LOG_DAYS = 30


def flow_logs(network: Component, vpc: aws.ec2.Vpc) -> None:
    """Log every accepted and rejected connection of the VPC in a log group."""
    logs = aws.cloudwatch.LogGroup(
        network.named("flow-logs"),
        name=f"/planner/{network.naming.physical('flow-logs')}",
        retention_in_days=LOG_DAYS,
        tags=network.tags("flow-logs"),
        opts=network.child(),
    )
    role = service_role(
        network,
        "flow-logs-role",
        name="flow-logs",
        service="vpc-flow-logs.amazonaws.com",
        description="VPC flow logs write to their log group",
    )
    policy = aws.iam.RolePolicy(
        network.named("flow-logs-policy"),
        name="write-flow-logs",
        role=role.id,
        policy=logs.arn.apply(
            lambda arn: document(
                {
                    "Effect": "Allow",
                    "Action": ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"],
                    "Resource": f"{arn}:*",
                }
            )
        ),
        opts=network.child(),
    )
    aws.ec2.FlowLog(
        network.named("flow-log"),
        vpc_id=vpc.id,
        traffic_type="ALL",
        log_destination_type="cloud-watch-logs",
        log_destination=logs.arn,
        iam_role_arn=role.arn,
        max_aggregation_interval=600,
        tags=network.tags("flow-log"),
        opts=network.child(depends_on=[policy]),
    )
