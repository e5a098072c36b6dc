"""The role of nodes: access to named prefixes of the data bucket only, and the instance profile of the role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.node import gpu_use
from fleet_pool.node.requests import CERTIFICATE, ISSUED, JOIN, LEAVE

from infra.artefacts import Artefacts
from infra.buckets import bucket_arn
from infra.data_access import Statements, data_statements
from infra.data_bucket import DataBucket
from infra.job_role import JobAccess, job_role, job_role_arn
from infra.naming import Component
from infra.policy import document, trust

# What the SSM agent calls for Session Manager and Run Command: Systems Manager User Guide, "Verify or create an IAM
# role with Session Manager permissions", and of agents before 3.3 ec2messages (Service Authorization Reference, Amazon
# Message Delivery Service). AmazonSSMManagedInstanceCore also has ssm:GetParameter and ssm:GetParameters on everything:
# with it root on a node reads the parameters of the account.
SHELLS = (
    "ssm:UpdateInstanceInformation",
    *(f"ssmmessages:{what}{kind}Channel" for what in ("Create", "Open") for kind in ("Control", "Data")),
    *(f"ec2messages:{name}Message" for name in ("Acknowledge", "Delete", "Fail")),
    *(f"ec2messages:{name}" for name in ("GetEndpoint", "GetMessages", "SendReply")),
)

# of the pool, in the artefacts bucket: what every node reads; and for control nodes the keys that sign certificates and
# tokens, and the administrator's token
SECRETS = ("authority", "control")
# AWS PCS User Guide, "IAM instance profiles for AWS PCS": a name that begins with AWSPCS, or this path
PCS_PATH = "/aws-pcs/"
# IAM's variable for ROLEID:INSTANCE, where the role is that of an instance
MYSELF = "${aws:userid}"


@dataclass(frozen=True, kw_only=True)
class Access:
    """reads, writes: prefixes of the data bucket. others: names of buckets that it reads as a whole. groups: physical
    names of the nodes' own Auto Scaling groups, whose lifecycle actions they may complete; empty for none. daemon:
    proxy or target of the pool; empty for none. authority: whether it has a certificate of the pool's certificate
    authority. jobs: what the jobs there may do; None for a node without jobs. by_pcs: whether AWS PCS launches the
    nodes, which takes roles of one path alone. bundles: further folders of the artefacts bucket that it reads. lists:
    prefixes of the data bucket of which it sees the names alone."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    others: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    daemon: str = ""
    authority: bool = False
    jobs: JobAccess | None = None
    by_pcs: bool = False
    bundles: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()

    @property
    def path(self) -> str | None:
        """Of role and profile; None: IAM's own."""
        return PCS_PATH if self.by_pcs else None


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Role and instance profile, and what must exist before a node uses them (IAM is eventually consistent)."""

    role: aws.iam.Role
    profile: aws.iam.InstanceProfile
    ready: list[pulumi.Resource]


def node_identity(component: Component, data_bucket: DataBucket, artefacts: Artefacts, access: Access) -> Identity:
    """Role, policies and instance profile of a component's nodes."""
    naming = component.naming
    # a path is never changed: on a stack that gets a cluster, the new role is there before the old one goes
    of = "pcs-" if access.by_pcs else ""
    role = aws.iam.Role(
        component.named(f"{of}role"),
        name=component.physical(f"{of}role"),
        path=access.path,
        description=f"Nodes of {component.kind} in stack {naming.stack}",
        assume_role_policy=trust("ec2.amazonaws.com"),
        permissions_boundary=naming.boundary,
        tags=component.tags(f"{of}role"),
        opts=component.child(),
    )
    # these actions know no resources
    shells = aws.iam.RolePolicy(
        component.named(f"{of}role-ssm"),
        name="ssm",
        role=role.id,
        policy=document({"Sid": "Shells", "Effect": "Allow", "Action": SHELLS, "Resource": "*"}),
        opts=component.child(),
    )
    policy = aws.iam.RolePolicy(
        component.named(f"{of}role-data"),
        name="data",
        role=role.id,
        policy=pulumi.Output.all(
            data=data_bucket.bucket.arn,
            artefacts=bucket_arn(artefacts.bucket.id),
            key=data_bucket.key.arn,
            jobs=job_role_arn(naming),
            groups=pulumi.Output.all(
                *(naming.arn("autoscaling", f"autoScalingGroup:*:autoScalingGroupName/{one}") for one in access.groups)
            ),
        ).apply(lambda arns: _policy(arns, access)),
        opts=component.child(),
    )
    profile = aws.iam.InstanceProfile(
        component.named(f"{of}profile"),
        name=component.physical(f"{of}profile"),
        path=access.path,
        role=role.name,
        tags=component.tags(f"{of}profile"),
        opts=component.child(),
    )
    jobs = job_role(component, role, data_bucket, access.jobs) if access.jobs else []
    return Identity(role=role, profile=profile, ready=[shells, policy, *jobs])


def _policy(arns: dict[str, Any], access: Access) -> str:
    """Use the data, fetch the bundle, complete lifecycle actions of the group; ask control nodes, or be one."""
    statements: Statements = [
        *data_statements(
            arns,
            reads=access.reads,
            writes=access.writes,
            others=access.others,
            lists_all=access.daemon == "target",  # a target lists the bucket itself
            lists=access.lists,
        ),
        {
            "Sid": "Bundle",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": [f"{arns['artefacts']}/{folder}/*" for folder in _folders(access)],
        },
    ]
    if access.jobs:
        statements.append(
            {"Sid": "KeysForJobs", "Effect": "Allow", "Action": "sts:AssumeRole", "Resource": arns["jobs"]}
        )
    if access.by_pcs:  # the one right that AWS PCS asks for
        statements.append(
            {
                "Sid": "Register",
                "Effect": "Allow",
                "Action": "pcs:RegisterComputeNodeGroupInstance",
                "Resource": "*",
            }
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
    if access.authority:
        statements += _of_authority(arns["artefacts"]) if access.daemon == "proxy" else _of_others(arns["artefacts"])
    if access.groups:
        statements.append(
            {
                "Sid": "Lifecycle",
                "Effect": "Allow",
                "Action": [
                    "autoscaling:CompleteLifecycleAction",
                    "autoscaling:RecordLifecycleActionHeartbeat",
                    # a sick GPU node says so; the action knows groups, not instances
                    *(["autoscaling:SetInstanceHealth"] if access.jobs else []),
                    "autoscaling:SuspendProcesses",  # its own group gives up (fleet_pool.node.starts)
                ],
                "Resource": arns["groups"] if len(access.groups) > 1 else arns["groups"][0],
            }
        )
        # which members the group has lost; the action knows no resources
        statements.append(
            {"Sid": "Members", "Effect": "Allow", "Action": "autoscaling:DescribeAutoScalingGroups", "Resource": "*"}
        )
    return document(*statements)


def _of_authority(artefacts: str) -> Statements:
    """Control nodes keep the authority, and answer the requests of the others."""
    looks = [*(f"{folder}/*" for folder in SECRETS), f"{JOIN}*"]
    return [
        _listing("LookForTheAuthority", artefacts, looks),
        {
            "Sid": "KeepTheAuthority",
            "Effect": "Allow",
            "Action": "s3:PutObject",
            "Resource": [*(f"{artefacts}/{folder}/*" for folder in SECRETS), f"{artefacts}/{ISSUED}*"],
        },
        {
            "Sid": "AnswerRequests",
            "Effect": "Allow",
            "Action": ["s3:GetObject", "s3:DeleteObject"],
            "Resource": f"{artefacts}/{JOIN}*",
        },
        # whether the address is the instance's; the action knows no resources
        {"Sid": "KnowNodes", "Effect": "Allow", "Action": "ec2:DescribeInstances", "Resource": "*"},
    ]


def _of_others(artefacts: str) -> Statements:
    """The other nodes ask them, each in its own name, and read the answers to themselves."""
    asks = [f"{artefacts}/{JOIN}{MYSELF}/{kind}" for kind in (CERTIFICATE, LEAVE)]
    return [
        _listing("LookForTheAuthority", artefacts, [f"{SECRETS[0]}/*", f"{ISSUED}{MYSELF}/*"]),
        {"Sid": "AskControlNodes", "Effect": "Allow", "Action": "s3:PutObject", "Resource": asks},
        {
            "Sid": "ReadAnswers",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": f"{artefacts}/{ISSUED}{MYSELF}/*",
        },
    ]


def _listing(sid: str, bucket: str, prefixes: list[str]) -> dict[str, object]:
    return {
        "Sid": sid,
        "Effect": "Allow",
        "Action": "s3:ListBucket",
        "Resource": bucket,
        "Condition": {"StringLike": {"s3:prefix": prefixes}},
    }


def _folders(access: Access) -> tuple[str, ...]:
    """Folders of the artefacts bucket that a node reads."""
    secrets = SECRETS if access.daemon == "proxy" else SECRETS[:1]
    return (
        "bundles",
        *access.bundles,
        *(("daemons",) if access.daemon else ()),
        *(secrets if access.authority else ()),
    )
