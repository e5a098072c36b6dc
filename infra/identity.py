"""The role of nodes: access to named prefixes of the data bucket only, and the instance profile of the role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.node import gpu_use

from infra.artefacts import Artefacts
from infra.buckets import bucket_arn
from infra.data_bucket import DataBucket
from infra.naming import Component
from infra.policy import document, trust

SSM_CORE = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"

# of the pool, in the artefacts bucket: what every node reads; and the key that signs tokens, for control nodes
SECRETS = ("authority", "control")


@dataclass(frozen=True, kw_only=True)
class Access:
    """reads, writes: prefixes of the data bucket. others: names of buckets that it reads as a whole. groups: physical
    names of the nodes' own Auto Scaling groups, whose lifecycle actions they may complete; empty for none. daemon:
    proxy or target of the pool; empty for none. authority: whether it has a certificate of the pool's certificate
    authority. topology: whether it may ask where instances are in the network."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    others: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    daemon: str = ""
    authority: bool = False
    topology: bool = False


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Role and instance profile, and what must exist before a node uses them (IAM is eventually consistent)."""

    role: aws.iam.Role
    profile: aws.iam.InstanceProfile
    ready: list[pulumi.Resource]


def node_identity(component: Component, data_bucket: DataBucket, artefacts: Artefacts, access: Access) -> Identity:
    """Role, policies and instance profile of a component's nodes."""
    naming = component.naming
    role = aws.iam.Role(
        component.named("role"),
        name=component.physical("role"),
        description=f"Nodes of {component.kind} in stack {naming.stack}",
        assume_role_policy=trust("ec2.amazonaws.com"),
        tags=component.tags("role"),
        opts=component.child(),
    )
    managed = aws.iam.RolePolicyAttachment(
        component.named("role-ssm"),
        role=role.name,
        policy_arn=SSM_CORE,
        opts=component.child(),
    )
    policy = aws.iam.RolePolicy(
        component.named("role-data"),
        name="data",
        role=role.id,
        policy=pulumi.Output.all(
            data=data_bucket.bucket.arn,
            artefacts=bucket_arn(artefacts.bucket.id),
            key=data_bucket.key.arn,
            groups=pulumi.Output.all(
                *(naming.arn("autoscaling", f"autoScalingGroup:*:autoScalingGroupName/{one}") for one in access.groups)
            ),
        ).apply(lambda arns: _policy(arns, access)),
        opts=component.child(),
    )
    profile = aws.iam.InstanceProfile(
        component.named("profile"),
        name=component.physical("profile"),
        role=role.name,
        tags=component.tags("profile"),
        opts=component.child(),
    )
    return Identity(role=role, profile=profile, ready=[managed, policy])


def _policy(arns: dict[str, Any], access: Access) -> str:
    """Read the prefixes, write some of them, fetch the bundle, use the key, complete lifecycle actions of the group."""
    data, everything = arns["data"], dict.fromkeys((*access.reads, *access.writes))
    statements: list[dict[str, object]] = [
        {
            "Sid": "FindTheBucket",
            "Effect": "Allow",
            "Action": ["s3:GetBucketLocation", "s3:GetBucketVersioning"],
            "Resource": data,
        },
        _list(data, () if access.daemon == "target" else everything),
        {
            "Sid": "Read",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": [f"{data}/{prefix}*" for prefix in everything],
        },
        {
            "Sid": "Bundle",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": [f"{arns['artefacts']}/{folder}/*" for folder in _folders(access)],
        },
        {
            "Sid": "Key",
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": arns["key"],
        },
    ]
    if access.writes:
        # nodes never delete versions, so overwritten objects can be restored
        statements.append(
            {
                "Sid": "Write",
                "Effect": "Allow",
                "Action": [
                    "s3:PutObject",
                    "s3:DeleteObject",
                    "s3:AbortMultipartUpload",
                    "s3:ListMultipartUploadParts",
                ],
                "Resource": [f"{data}/{prefix}*" for prefix in access.writes],
            }
        )
    if access.topology:
        # the action knows no resources (Service Authorization Reference, Amazon EC2)
        statements.append(
            {"Sid": "Topology", "Effect": "Allow", "Action": "ec2:DescribeInstanceTopology", "Resource": "*"}
        )
    # the action knows no resources; the namespace is its only limit
    statements.append(
        {
            "Sid": "Metrics",
            "Effect": "Allow",
            "Action": "cloudwatch:PutMetricData",
            "Resource": "*",
            "Condition": {"StringEquals": {"cloudwatch:namespace": gpu_use.NAMESPACE}},
        }
    )
    if access.others:
        others = [f"arn:aws:s3:::{name}" for name in access.others]
        statements += [
            {"Sid": "ListOthers", "Effect": "Allow", "Action": "s3:ListBucket", "Resource": others},
            {"Sid": "ReadOthers", "Effect": "Allow", "Action": "s3:GetObject", "Resource": [f"{a}/*" for a in others]},
        ]
    if access.authority:
        statements.append(
            {
                "Sid": "LookForTheAuthority",
                "Effect": "Allow",
                "Action": "s3:ListBucket",
                "Resource": arns["artefacts"],
                "Condition": {
                    "StringLike": {"s3:prefix": [f"{folder}/*" for folder in _folders(access) if folder in SECRETS]}
                },
            }
        )
    if access.authority and access.daemon == "proxy":
        statements.append(
            {
                "Sid": "KeepTheAuthority",
                "Effect": "Allow",
                "Action": "s3:PutObject",
                "Resource": [f"{arns['artefacts']}/{folder}/*" for folder in SECRETS],
            }
        )
    if access.groups:
        statements.append(
            {
                "Sid": "Lifecycle",
                "Effect": "Allow",
                "Action": ["autoscaling:CompleteLifecycleAction", "autoscaling:RecordLifecycleActionHeartbeat"],
                "Resource": arns["groups"] if len(access.groups) > 1 else arns["groups"][0],
            }
        )
    return document(*statements)


def _list(data: str, prefixes: Iterable[str]) -> dict[str, object]:
    """List names below some prefixes. A target also lists the bucket itself, so it has no condition on prefixes."""
    statement: dict[str, object] = {"Sid": "List", "Effect": "Allow", "Action": "s3:ListBucket", "Resource": data}
    if prefixes:
        statement["Condition"] = {"StringLike": {"s3:prefix": [f"{prefix}*" for prefix in prefixes]}}
    return statement


def _folders(access: Access) -> tuple[str, ...]:
    """Folders of the artefacts bucket that a node reads."""
    secrets = SECRETS if access.daemon == "proxy" else SECRETS[:1]
    return ("bundles", *(("daemons",) if access.daemon else ()), *(secrets if access.authority else ()))
