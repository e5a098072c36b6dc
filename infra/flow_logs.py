"""Flow logs of a VPC: who talked to whom, kept for a month."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from infra.naming import Component
from infra.policy import document, trust

LOG_DAYS = 30


def flow_logs(network: Component, vpc: aws.ec2.Vpc) -> None:
    """Every connection of the VPC, taken or refused, in a log group of its own."""
    logs = aws.cloudwatch.LogGroup(
        network.named("flow-logs"),
        name=f"/planner/{network.naming.physical('flow-logs')}",
        retention_in_days=LOG_DAYS,
        tags=network.tags("flow-logs"),
        opts=network.child(),
    )
    account = pulumi.Output.from_input(network.naming.account)
    role = aws.iam.Role(
        network.named("flow-logs-role"),
        name=network.physical("flow-logs"),
        description="VPC flow logs write to their log group",
        assume_role_policy=account.apply(lambda id: trust("vpc-flow-logs.amazonaws.com", id)),
        tags=network.tags("flow-logs-role"),
        opts=network.child(),
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
