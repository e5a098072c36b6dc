"""A notice when an array of jobs has ended with failed ones: dead letters, or jobs whose tries are used up.

AWS Batch sends an event for every change of a job's state (AWS Batch User Guide, "Amazon EventBridge events"). Of an
array the parent alone counts here: it fails once, after all its children have ended.
"""

from __future__ import annotations

import json

import pulumi
import pulumi_aws as aws

from infra.naming import Component

RULE, TARGET = "jobs-failed", "jobs-failed-notice"


def job_notice(guards: Component, topic: aws.sns.Topic, queue: pulumi.Input[str]) -> None:
    """Mail to the topic, whose policy must allow EventBridge. queue: ARN of the job queue."""
    rule = aws.cloudwatch.EventRule(
        guards.named(RULE),
        name=guards.physical(RULE),
        description="Arrays of jobs that ended with failed ones",
        event_pattern=pulumi.Output.from_input(queue).apply(_pattern),
        tags=guards.tags(RULE),
        opts=guards.child(),
    )
    aws.cloudwatch.EventTarget(
        guards.named(TARGET),
        rule=rule.name,
        target_id=TARGET,
        arn=topic.arn,
        input_transformer=aws.cloudwatch.EventTargetInputTransformerArgs(
            input_paths={"job": "$.detail.jobName", "id": "$.detail.jobId", "why": "$.detail.statusReason"},
            input_template=(
                '"Job <job> (<id>) has failed: <why>. `python -m fleet_pool.worker status` lists its dead letters with '
                'their reasons; submitted again, jobs that are done end at once."'
            ),
        ),
        opts=guards.child(),
    )


def _pattern(queue: str) -> str:
    return json.dumps(
        {
            "source": ["aws.batch"],
            "detail-type": ["Batch Job State Change"],
            "detail": {
                "status": ["FAILED"],
                "jobQueue": [queue],
                # a child has an index; a single job has no array at all
                "arrayProperties": {"index": [{"exists": False}]},
            },
        }
    )
