"""Policies and roles: malformed policies, broad managed policies, trust, roles without permissions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import (
    IDENTITY,
    RESOURCE,
    TRUST,
    Policy,
    allows,
    is_of_ssm,
    matches,
    policies,
    principals,
)
from planner.lint.read.topology import INSTANCE, TEMPLATE, node_configs, role_of
from planner.lint.read.values import Json, given, literal, texts
from planner.lint.rule import Hits, rule

HOLDERS = ("iam:Role", "iam:RolePolicy", "iam:Policy")
MANAGED = (
    "AdministratorAccess",
    "PowerUserAccess",
    "IAMFullAccess",
    "AmazonS3FullAccess",
    "AmazonEC2FullAccess",
    "AmazonFSxFullAccess",
    "AWSKeyManagementServicePowerUser",
    "AmazonSSMFullAccess",
    "AmazonSQSFullAccess",
)
# an ARN in a policy; each part may contain wildcards
NAMED = re.compile(r"arn:[a-z*-]+:[a-z0-9*?-]+:[a-z0-9*?-]*:([\d*?]{1,12}|aws)?:.+", re.DOTALL)
ARN = re.compile(r"arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(\d{12}|aws)?:.+", re.DOTALL)


@rule(
    "IAM-JSON",
    *HOLDERS,
    "s3:BucketPolicy",
    "kms:Key",
    what="an invalid policy document",
    why="AWS rejects the policy as malformed, and resources that depend on it fail after the earlier ones are billed",
    remedy="Write a JSON object with Version and Statement. Each statement needs Effect, Action, and Resource or "
    "Principal",
    example='policy: "{Statement: [...]"',
)
def invalid_policy(graph: Graph) -> Hits:
    for policy in policies(graph):
        if policy.document is None:
            yield policy.holder, policy.where, f"not a JSON object: {policy.wrong}"
            continue
        version = policy.document.get("Version")
        if given(version) and version not in ("2012-10-17", "2008-10-17"):
            yield policy.holder, f"{policy.where}.Version", f"{version!r} is not a policy language version"
        if not policy.statements():
            yield policy.holder, f"{policy.where}.Statement", "no statement"
        for where, statement in policy.statements():
            for key, message in _malformed(policy.kind, statement):
                yield policy.holder, f"{where}.{key}", message


def _malformed(kind: str, statement: Json) -> Iterator[tuple[str, str]]:
    if statement.get("Effect") not in ("Allow", "Deny"):
        yield "Effect", f"{statement.get('Effect')!r} is neither Allow nor Deny"
    if not given(statement.get("Action")) and not given(statement.get("NotAction")):
        yield "Action", "the statement has no action"
    for action in texts(statement.get("Action")):
        if action != "*" and "${" not in action and not re.fullmatch(r"[A-Za-z0-9-]+:[A-Za-z0-9*?]+", action):
            yield "Action", f"{action!r} is not an action (service:Name)"
    named = given(statement.get("Resource")) or given(statement.get("NotResource"))
    whom = given(statement.get("Principal")) or given(statement.get("NotPrincipal"))
    if kind == IDENTITY and not named:
        yield "Resource", "the statement has no resource"
    if kind == IDENTITY and whom:
        yield "Principal", "a role's policy must not name a principal"
    if kind in (TRUST, RESOURCE) and not whom:
        yield "Principal", "the statement has no principal"
    if kind == TRUST and named:
        yield "Resource", "a trust policy must not name a resource"
    for text in texts(statement.get("Resource")):
        if text != "*" and literal(text) is not None and not NAMED.fullmatch(text):
            yield "Resource", f"{text!r} is not an ARN"


@rule(
    "IAM-MANAGED",
    "iam:RolePolicyAttachment",
    "iam:Role",
    what="a managed policy that allows nearly everything",
    why="Every node of the fleet, and every job on it, gets these rights",
    remedy="Write a policy with the actions and resources that are used, and for SSM "
    "ssm:UpdateInstanceInformation, ssmmessages:* and ec2messages:*",
    example="policyArn: arn:aws:iam::aws:policy/AdministratorAccess",
)
def broad_managed_policy(graph: Graph) -> Hits:
    for resource in graph.of(
        "iam:RolePolicyAttachment", "iam:GroupPolicyAttachment", "iam:PolicyAttachment", "iam:Role"
    ):
        for key in ("policyArn", "managedPolicyArns"):
            for text in texts(resource.inputs.get(key)):
                if text.rpartition("/")[2] in MANAGED:
                    yield resource, key, f"attaches {text.rpartition('/')[2]}"


# resources that use a role: type, argument, and the service that must be trusted
TAKERS = (
    ("ec2:FlowLog", "iamRoleArn", "vpc-flow-logs.amazonaws.com"),
    ("budgets:BudgetAction", "executionRoleArn", "budgets.amazonaws.com"),
)


def _services(graph: Graph, role: Resource) -> Iterator[tuple[Resource, str, str]]:
    """The resources that use a role, the argument, and the service."""
    for kind, key, service in TAKERS:
        for user in graph.of(kind):
            if graph.target(user.inputs.get(key), "iam:Role") is role:
                yield user, key, service


@rule(
    "IAM-TRUST",
    "iam:Role",
    what="a role that everyone can assume, or that the nodes cannot",
    why="A trust policy for * gives the role's rights to everyone. Without ec2.amazonaws.com the nodes get no "
    "credentials",
    remedy='Trust {"Service": "ec2.amazonaws.com"} for sts:AssumeRole',
    example='"Principal": "*"',
)
def wrong_role_trust(graph: Graph) -> Hits:
    for_nodes = {role_of(graph, maker) for maker in graph.of(TEMPLATE, INSTANCE)}
    for_nodes |= {graph.target(p.inputs.get("role"), "iam:Role") for p in graph.of("iam:InstanceProfile")}
    for policy in policies(graph):
        if policy.kind != TRUST or policy.document is None:
            continue
        services = set()
        for where, statement in policy.statements():
            for sort, name in principals(statement) if allows(statement) else ():
                if name == "*":
                    yield policy.holder, f"{where}.Principal", "everyone can assume this role"
                if (
                    sort == "Service"
                    and literal(name)
                    and not re.fullmatch(r"[a-z0-9.-]+\.amazonaws\.com(\.cn)?", name)
                ):
                    yield policy.holder, f"{where}.Principal", f"{name!r} is not a service"
                services.add(name)
            acts = texts(statement.get("Action"))
            if acts and not any(matches(action, "sts:AssumeRole") or action.startswith("sts:") for action in acts):
                yield policy.holder, f"{where}.Action", "the trust policy does not allow sts:AssumeRole"
        for user, key, service in _services(graph, policy.holder):
            if service not in services:
                yield (
                    policy.holder,
                    policy.where,
                    f"{user.name} uses this role ({key}), but {service} may not assume it",
                )
        if policy.holder in for_nodes and not any(name.startswith("ec2.amazonaws.com") for name in services | {""}):
            yield (
                policy.holder,
                policy.where,
                "an instance profile uses this role, but ec2.amazonaws.com may not assume it",
            )


@rule(
    "IAM-EMPTY",
    "iam:Role",
    what="a role in use without any permissions",
    why="The first call is denied: flow logs are not written, a budget action does nothing, or nodes reach "
    "neither the bucket nor its key",
    remedy="Add the role's RolePolicy or RolePolicyAttachment; for nodes, one that allows the bucket",
    example="a flow log role without a RolePolicy",
)
def role_without_permissions(graph: Graph) -> Hits:
    held: dict[Resource, list[Resource]] = {}
    for policy in graph.of("iam:RolePolicy", "iam:RolePolicyAttachment", "iam:PolicyAttachment"):
        for role in graph.targets([*texts(policy.inputs.get("role")), *texts(policy.inputs.get("roles"))], "iam:Role"):
            held.setdefault(role, []).append(policy)
    nodes = {role for maker in node_configs(graph) if (role := role_of(graph, maker)) is not None}
    known = {policy.holder: policy for policy in policies(graph)}
    for role in graph.of("iam:Role"):
        taken = role in nodes or any(True for _ in _services(graph, role))
        own = any(given(role.inputs.get(key)) for key in ("managedPolicyArns", "inlinePolicies"))
        rights = held.get(role, [])
        ssm_alone = all(_is_ssm_policy(one, known.get(one)) for one in rights)
        if taken and not own and not rights:
            yield role, "", "no policy is attached"
        elif role in nodes and not own and graph.of("s3:Bucket") and ssm_alone:
            yield role, "", "allows only Systems Manager, so the nodes cannot reach the bucket"


def _is_ssm_policy(policy: Resource, known: Policy | None) -> bool:
    """Whether a policy is of Systems Manager alone: AWS's managed one, or actions of the agent."""
    if known is not None and is_of_ssm(known):
        return True
    return (literal(policy.inputs.get("policyArn")) or "").endswith("/AmazonSSMManagedInstanceCore")
