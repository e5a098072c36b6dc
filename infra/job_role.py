"""The role of jobs on GPU nodes: the data that they read and write, and nothing that a node needs.

A node gives its jobs the keys of this role (fleet_pool.node.job_credentials) and keeps them from its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.data_access import data_statements
from infra.data_bucket import DataBucket
from infra.naming import Component, Naming
from infra.policy import document

_NAME = "fleet-job-role"


@dataclass(frozen=True, kw_only=True)
class JobAccess:
    """reads, writes: prefixes of the data bucket. others: names of buckets that jobs read as a whole. lists_all: names
    of all objects of the data bucket, as a pool shows them too."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    others: tuple[str, ...]
    lists_all: bool


def job_role_arn(naming: Naming) -> pulumi.Output[str]:
    """Known before the role exists."""
    return naming.arn("iam", f"role/{naming.physical(_NAME)}", region=False)


def job_role(
    component: Component, node_role: aws.iam.Role, data_bucket: DataBucket, access: JobAccess
) -> list[pulumi.Resource]:
    """Creates the role. node_role: the only one that may assume it. Returns what must exist before jobs run."""
    naming = component.naming
    role = aws.iam.Role(
        component.named("job-role"),
        name=naming.physical(_NAME),
        description=f"Jobs on the GPU nodes of stack {naming.stack}",
        assume_role_policy=node_role.arn.apply(_trust),
        permissions_boundary=naming.boundary,
        tags=component.tags("job-role"),
        opts=component.child(),
    )
    policy = aws.iam.RolePolicy(
        component.named("job-role-data"),
        name="data",
        role=role.id,
        policy=pulumi.Output.all(data=data_bucket.bucket.arn, key=data_bucket.key.arn).apply(
            lambda arns: _policy(arns, access)
        ),
        opts=component.child(),
    )
    return [role, policy]


def _trust(node_role: str) -> str:
    return document({"Effect": "Allow", "Principal": {"AWS": node_role}, "Action": "sts:AssumeRole"})


def _policy(arns: dict[str, str], access: JobAccess) -> str:
    return document(
        *data_statements(
            arns, reads=access.reads, writes=access.writes, others=access.others, lists_all=access.lists_all
        ),
        # the launcher orders nodes by their place in the network; the action knows no resources (Service Authorization
        # Reference, Amazon EC2)
        {"Sid": "Topology", "Effect": "Allow", "Action": "ec2:DescribeInstanceTopology", "Resource": "*"},
    )
