"""The IAM role of an AWS service that acts for a stack."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from infra.naming import Component
from infra.policy import trust


def service_role(component: Component, part: str, *, name: str, service: str, description: str) -> aws.iam.Role:
    """A role that one service of this account may assume. name: its physical name after the component's."""
    account = pulumi.Output.from_input(component.naming.account)
    return aws.iam.Role(
        component.named(part),
        name=component.physical(name),
        description=description,
        assume_role_policy=account.apply(lambda id: trust(service, id)),
        permissions_boundary=component.naming.boundary,
        tags=component.tags(part),
        opts=component.child(),
    )
