"""A notice that names each node that never became ready, and where its boot log is.

Auto Scaling reports a launch that its hook has abandoned as unsuccessful (EC2 Auto Scaling User Guide, "Event
reference" and "Lifecycle hooks"), on a best-effort basis. Launches that fail for lack of capacity are reported the same
way, every few minutes: they never reach the hook, and are left to the alarm on the group's size.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pulumi
import pulumi_aws as aws
from fleet_pool.node import boot_log

from infra.naming import Component

RULE, TARGET = "not-ready", "not-ready-notice"


def launch_notice(
    guards: Component, topic: aws.sns.Topic, groups: Sequence[pulumi.Input[str]], data_bucket: pulumi.Input[str]
) -> None:
    """Mail to the topic. groups: names of the Auto Scaling groups. The topic's policy must allow EventBridge."""
    rule = aws.cloudwatch.EventRule(
        guards.named(RULE),
        name=guards.physical(RULE),
        description="Nodes that did not become ready",
        event_pattern=pulumi.Output.all(*groups).apply(_pattern),
        tags=guards.tags(RULE),
        opts=guards.child(),
    )
    aws.cloudwatch.EventTarget(
        guards.named(TARGET),
        rule=rule.name,
        target_id=TARGET,
        arn=topic.arn,
        input_transformer=aws.cloudwatch.EventTargetInputTransformerArgs(
            input_paths={
                "group": "$.detail.AutoScalingGroupName",
                "instance": "$.detail.EC2InstanceId",
                "why": "$.detail.StatusMessage",
            },
            input_template=pulumi.Output.from_input(data_bucket).apply(_message),
        ),
        opts=guards.child(),
    )


def _pattern(groups: Sequence[str]) -> str:
    return json.dumps(
        {
            "source": ["aws.autoscaling"],
            "detail-type": ["EC2 Instance Launch Unsuccessful"],
            "detail": {
                "AutoScalingGroupName": list(groups),
                "StatusMessage": [{"wildcard": "*Lifecycle Action*"}],
            },
        }
    )


def _message(bucket: str) -> str:
    """EventBridge wants a JSON string; a field in angle brackets is a value of the event."""
    log = f"aws s3 cp s3://{bucket}/{boot_log.key('<instance>')} -"
    return (
        f'"Node <instance> of <group> did not become ready; the group ends and replaces it. Why: {log} '
        '(or start.log there). Auto Scaling says: <why>"'
    )
