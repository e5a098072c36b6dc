"""Three rights, kept apart: of a node's container agent, of a job's container, and of nobody else.

Containers of AWS Batch share the host's network, so that a job can ask for the node's role too (containers-roadmap
issue 2332; Batch starts them with the network mode `host`). The node's role therefore has what Amazon ECS needs to
start a container, one file, and the end of the node itself; no data.
"""

from __future__ import annotations

import re
from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.worker import joblist

from infra.artefacts import Artefacts
from infra.buckets import bucket_arn
from infra.data_access import Statements
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
_ECR = re.compile(r"(?P<account>[0-9]{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com/(?P<name>[^:@]+)")
_PULL = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")


def node_role(
    component: Component,
    artefacts: Artefacts,
    data_bucket: DataBucket,
    logs: aws.cloudwatch.LogGroup,
    image: str,
) -> tuple[aws.iam.InstanceProfile, list[pulumi.Resource]]:
    """The profile of the nodes, and what must exist before one boots. image: of the jobs' containers."""
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
            machines=naming.arn("ec2", "instance/*"),
            logs=logs.arn,
            bundle=bucket_arn(artefacts.bucket.id),
            key=data_bucket.key.arn,
        ).apply(lambda arns: _agent_policy(arns, image, naming.stack)),
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
        ).apply(lambda arns: _job_policy(arns, data)),
        opts=component.child(),
    )
    return role, policy


def repository(image: str) -> str:
    """ARN of the repository of an image in a private registry of Amazon ECR; "" for an image of another registry."""
    found = _ECR.match(image)
    return f"arn:aws:ecr:{found['region']}:{found['account']}:repository/{found['name']}" if found else ""


def _images(image: str) -> Statements:
    """Pull the one image of the pool; other registries know nothing of IAM."""
    own = repository(image)
    if not own:
        return []
    return [
        {"Sid": "Registry", "Effect": "Allow", "Action": "ecr:GetAuthorizationToken", "Resource": "*"},
        {"Sid": "Images", "Effect": "Allow", "Action": [f"ecr:{action}" for action in _PULL], "Resource": own},
    ]


def _agent_policy(arns: dict[str, Any], image: str, stack: str) -> str:
    return document(
        {"Sid": "Find", "Effect": "Allow", "Action": "ecs:DiscoverPollEndpoint", "Resource": "*"},
        {
            "Sid": "Agent",
            "Effect": "Allow",
            "Action": [f"ecs:{action}" for action in _AGENT],
            "Resource": [arns["clusters"], arns["nodes"], arns["tasks"]],
        },
        *_images(image),
        {
            "Sid": "Logs",
            "Effect": "Allow",
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": f"{arns['logs']}:*",
        },
        {"Sid": "Worker", "Effect": "Allow", "Action": "s3:GetObject", "Resource": f"{arns['bundle']}/bundles/*"},
        {"Sid": "Key", "Effect": "Allow", "Action": "kms:Decrypt", "Resource": arns["key"]},
        # a node that spoils jobs gives itself back (fleet_pool.worker.give_back): the user id of a role on an instance
        # is ROLEID:INSTANCE (IAM User Guide, "IAM identifiers in policy variables"), so that it can end no other
        {
            "Sid": "GiveBack",
            "Effect": "Allow",
            "Action": "ec2:TerminateInstances",
            "Resource": arns["machines"],
            "Condition": {
                "StringLike": {"aws:userid": "*:${ec2:InstanceID}"},
                "StringEquals": {"aws:ResourceTag/planner:stack": stack},
            },
        },
    )


def _job_policy(arns: dict[str, Any], data: Data) -> str:
    """Read data and lists, write checkpoints; write records once, heartbeats too.

    All jobs have one role, so one could write the records of another: it cannot change or delete what is written.
    """
    prefixes = (data.dataset_prefix, data.checkpoint_prefix, joblist.PREFIX)
    records = f"{arns['data']}/{joblist.PREFIX}"
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
            "Resource": f"{arns['data']}/{data.checkpoint_prefix}*",
        },
        # S3 User Guide, "How to enforce conditional writes on Amazon S3": the key is there where the writer asks for it
        {
            "Sid": "WriteOnce",
            "Effect": "Allow",
            "Action": "s3:PutObject",
            "Resource": [f"{records}*/{kind}/*" for kind in ("jobs", "beats", "done", "dead", "machines")],
            "Condition": {"Null": {"s3:if-none-match": "false"}},
        },
        {
            "Sid": "Key",
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": arns["key"],
        },
    )
