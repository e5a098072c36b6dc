"""Three rights, kept apart: of a node's container agent, of a job's container, and of nobody else.

Containers of AWS Batch share the host's network, so that a job can ask for the node's role too (containers-roadmap
issue 2332; Batch starts them with the network mode `host`). The node's role therefore has what Amazon ECS needs to
start a container, and one file; no data.
"""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.worker import joblist

from infra.artefacts import Artefacts
from infra.buckets import bucket_arn
from infra.data_bucket import DataBucket
from infra.naming import Component
from infra.policy import document, trust
from infra.service_role import service_role
from planner.stack.spec import Data

# Amazon ECS Developer Guide, "Container instance IAM role": what the agent calls, without creating clusters
_AGENT = (
    "DeregisterContainerInstance",
    "Poll",
    "RegisterContainerInstance",
    "StartTelemetrySession",
    "SubmitAttachmentStateChanges",
    "SubmitContainerStateChange",
    "SubmitTaskStateChange",
    "UpdateContainerInstancesState",
)
_PULL = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")


def node_role(
    component: Component, artefacts: Artefacts, data_bucket: DataBucket, logs: aws.cloudwatch.LogGroup
) -> tuple[aws.iam.InstanceProfile, list[pulumi.Resource]]:
    """The profile of the nodes, and what must exist before one boots."""
    naming = component.naming
    role = aws.iam.Role(
        component.named("role"),
        name=component.physical("role"),
        description=f"Container agent on the workers of stack {naming.stack}",
        assume_role_policy=trust("ec2.amazonaws.com"),
        permissions_boundary=naming.boundary,
        tags=component.tags("role"),
        opts=component.child(),
    )
    policy = aws.iam.RolePolicy(
        component.named("role-agent"),
        name="agent",
        role=role.id,
        policy=pulumi.Output.all(
            # AWS Batch names the cluster after the environment
            clusters=naming.arn("ecs", f"cluster/*{component.physical('environment')}*"),
            nodes=naming.arn("ecs", f"container-instance/*{component.physical('environment')}*"),
            tasks=naming.arn("ecs", f"task/*{component.physical('environment')}*"),
            images=naming.arn("ecr", "repository/*"),
            logs=logs.arn,
            bundle=bucket_arn(artefacts.bucket.id),
            key=data_bucket.key.arn,
        ).apply(_agent_policy),
        opts=component.child(),
    )
    profile = aws.iam.InstanceProfile(
        component.named("profile"),
        name=component.physical("profile"),
        role=role.name,
        tags=component.tags("profile"),
        opts=component.child(),
    )
    return profile, [policy]


def job_role(component: Component, data_bucket: DataBucket, data: Data) -> tuple[aws.iam.Role, aws.iam.RolePolicy]:
    """The role of the jobs' containers, and its policy."""
    naming = component.naming
    role = service_role(
        component,
        "job-role",
        name="job",
        service="ecs-tasks.amazonaws.com",
        description=f"Jobs of stack {naming.stack}",
    )
    policy = aws.iam.RolePolicy(
        component.named("job-role-data"),
        name="data",
        role=role.id,
        policy=pulumi.Output.all(
            data=data_bucket.bucket.arn,
            key=data_bucket.key.arn,
            instances=naming.arn("ec2", "instance/*"),
        ).apply(lambda arns: _job_policy(arns, data, naming.stack)),
        opts=component.child(),
    )
    return role, policy


def _agent_policy(arns: dict[str, Any]) -> str:
    return document(
        {"Sid": "Find", "Effect": "Allow", "Action": "ecs:DiscoverPollEndpoint", "Resource": "*"},
        {
            "Sid": "Agent",
            "Effect": "Allow",
            "Action": [f"ecs:{action}" for action in _AGENT],
            "Resource": [arns["clusters"], arns["nodes"], arns["tasks"]],
        },
        {"Sid": "Registry", "Effect": "Allow", "Action": "ecr:GetAuthorizationToken", "Resource": "*"},
        {
            "Sid": "Images",
            "Effect": "Allow",
            "Action": [f"ecr:{action}" for action in _PULL],
            "Resource": arns["images"],
        },
        {
            "Sid": "Logs",
            "Effect": "Allow",
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": f"{arns['logs']}:*",
        },
        {"Sid": "Worker", "Effect": "Allow", "Action": "s3:GetObject", "Resource": f"{arns['bundle']}/bundles/*"},
        {"Sid": "Key", "Effect": "Allow", "Action": "kms:Decrypt", "Resource": arns["key"]},
    )


def _job_policy(arns: dict[str, Any], data: Data, stack: str) -> str:
    """Read data and lists, write checkpoints and records, give back a node of this stack that spoils jobs."""
    writes = (data.checkpoint_prefix, joblist.PREFIX)
    prefixes = (data.dataset_prefix, *writes)
    return document(
        {
            "Sid": "List",
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": arns["data"],
            "Condition": {"StringLike": {"s3:prefix": [f"{prefix}*" for prefix in prefixes]}},
        },
        {
            "Sid": "Read",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": [f"{arns['data']}/{prefix}*" for prefix in prefixes],
        },
        {
            "Sid": "Write",
            "Effect": "Allow",
            "Action": ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
            "Resource": [f"{arns['data']}/{prefix}*" for prefix in writes],
        },
        {
            "Sid": "Key",
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": arns["key"],
        },
        {
            "Sid": "GiveBack",
            "Effect": "Allow",
            "Action": "ec2:TerminateInstances",
            "Resource": arns["instances"],
            "Condition": {"StringEquals": {"aws:ResourceTag/planner:stack": stack}},
        },
    )
