"""Policies that AWS refuses, managed ones that allow nearly everything, roles that nobody or anybody can take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import IDENTITY, RESOURCE, TRUST, allows, matches, policies, principals
from planner.lint.read.topology import INSTANCE, TEMPLATE, makers, role_of
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
ATTACHMENTS = ("iam:RolePolicyAttachment", "iam:GroupPolicyAttachment", "iam:PolicyAttachment")
# what a policy may name: every part may have globs
NAMED = re.compile(r"arn:[a-z*-]+:[a-z0-9*?-]+:[a-z0-9*?-]*:([\d*?]{1,12}|aws)?:.+", re.DOTALL)
ARN = re.compile(r"arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(\d{12}|aws)?:.+", re.DOTALL)


@rule(
    "IAM-JSON",
    *HOLDERS,
    "s3:BucketPolicy",
    "kms:Key",
    what="a policy that is no policy",
    why="AWS refuses it as malformed, and what waits for it fails after everything before it bills",
    remedy="a JSON object with Version and Statement; each statement with Effect, Action, and Resource or Principal",
    example='policy: "{Statement: [...]"',
)
def policies_are_policies(graph: Graph) -> Hits:
    for policy in policies(graph):
        if policy.document is None:
            yield policy.holder, policy.where, f"no JSON object: {policy.wrong}"
            continue
        version = policy.document.get("Version")
        if given(version) and version not in ("2012-10-17", "2008-10-17"):
            yield policy.holder, f"{policy.where}.Version", f"{version!r} is no version of the policy language"
        if not policy.statements():
            yield policy.holder, f"{policy.where}.Statement", "no statement"
        for where, statement in policy.statements():
            for key, message in _malformed(policy.kind, statement):
                yield policy.holder, f"{where}.{key}", message


def _malformed(kind: str, statement: Json) -> Iterator[tuple[str, str]]:
    if statement.get("Effect") not in ("Allow", "Deny"):
        yield "Effect", f"{statement.get('Effect')!r} is neither Allow nor Deny"
    if not given(statement.get("Action")) and not given(statement.get("NotAction")):
        yield "Action", "no action"
    for action in texts(statement.get("Action")):
        if action != "*" and "${" not in action and not re.fullmatch(r"[A-Za-z0-9-]+:[A-Za-z0-9*?]+", action):
            yield "Action", f"{action!r} is no action: service:Name"
    named = given(statement.get("Resource")) or given(statement.get("NotResource"))
    whom = given(statement.get("Principal")) or given(statement.get("NotPrincipal"))
    if kind == IDENTITY and not named:
        yield "Resource", "no resource"
    if kind == IDENTITY and whom:
        yield "Principal", "a policy of a role takes no principal"
    if kind in (TRUST, RESOURCE) and not whom:
        yield "Principal", "no principal"
    if kind == TRUST and named:
        yield "Resource", "a trust policy takes no resource"
    for text in texts(statement.get("Resource")):
        if text != "*" and literal(text) is not None and not NAMED.fullmatch(text):
            yield "Resource", f"{text!r} is no ARN"


@rule(
    "IAM-MANAGED",
    "iam:RolePolicyAttachment",
    "iam:Role",
    what="a managed policy that allows nearly everything",
    why="every node of the fleet, and every job on it, would have these rights",
    remedy="a policy of the actions and resources that are used; AmazonSSMManagedInstanceCore for SSM",
    example="policyArn: arn:aws:iam::aws:policy/AdministratorAccess",
)
def managed_policies_are_narrow(graph: Graph) -> Hits:
    for resource in graph.of(
        "iam:RolePolicyAttachment", "iam:GroupPolicyAttachment", "iam:PolicyAttachment", "iam:Role"
    ):
        for key in ("policyArn", "managedPolicyArns"):
            for text in texts(resource.inputs.get(key)):
                if text.rpartition("/")[2] in MANAGED:
                    yield resource, key, f"attaches {text.rpartition('/')[2]}"


# what takes a role by itself: its argument, and the service that must be trusted
TAKERS = (
    ("ec2:FlowLog", "iamRoleArn", "vpc-flow-logs.amazonaws.com"),
    ("budgets:BudgetAction", "executionRoleArn", "budgets.amazonaws.com"),
)


def _services(graph: Graph, role: Resource) -> Iterator[tuple[Resource, str, str]]:
    """What takes a role, by which argument, and for which service."""
    for kind, key, service in TAKERS:
        for user in graph.of(kind):
            if graph.target(user.inputs.get(key), "iam:Role") is role:
                yield user, key, service


@rule(
    "IAM-TRUST",
    "iam:Role",
    what="a role that anybody can take, or that the nodes cannot",
    why="a trust policy for * gives the role's rights away; without ec2.amazonaws.com an instance profile is empty",
    remedy='{"Service": "ec2.amazonaws.com"} and sts:AssumeRole',
    example='"Principal": "*"',
)
def roles_trust_the_right_ones(graph: Graph) -> Hits:
    for_nodes = {role_of(graph, maker) for maker in graph.of(TEMPLATE, INSTANCE)}
    for_nodes |= {graph.target(p.inputs.get("role"), "iam:Role") for p in graph.of("iam:InstanceProfile")}
    for policy in policies(graph):
        if policy.kind != TRUST or policy.document is None:
            continue
        services = set()
        for where, statement in policy.statements():
            for sort, name in principals(statement) if allows(statement) else ():
                if name == "*":
                    yield policy.holder, f"{where}.Principal", "anybody may take this role"
                if (
                    sort == "Service"
                    and literal(name)
                    and not re.fullmatch(r"[a-z0-9.-]+\.amazonaws\.com(\.cn)?", name)
                ):
                    yield policy.holder, f"{where}.Principal", f"{name!r} is no service"
                services.add(name)
            acts = texts(statement.get("Action"))
            if acts and not any(matches(action, "sts:AssumeRole") or action.startswith("sts:") for action in acts):
                yield policy.holder, f"{where}.Action", "a trust policy without sts:AssumeRole"
        for user, key, service in _services(graph, policy.holder):
            if service not in services:
                yield policy.holder, policy.where, f"{user.name} takes this role ({key}), and {service} may not"
        if policy.holder in for_nodes and not any(name.startswith("ec2.amazonaws.com") for name in services | {""}):
            yield policy.holder, policy.where, "the role of an instance profile that ec2.amazonaws.com may not take"


@rule(
    "IAM-EMPTY",
    "iam:Role",
    what="a role without any rights that something takes",
    why="what takes it is refused at its first call: flow logs are not written, a budget's action does not act, a node "
    "reaches neither bucket nor key",
    remedy="the role's RolePolicy or RolePolicyAttachment; for nodes one that reaches the bucket",
    example="the RolePolicy of the flow logs' role is gone",
)
def roles_have_rights(graph: Graph) -> Hits:
    held: dict[Resource, list[Resource]] = {}
    for policy in graph.of("iam:RolePolicy", "iam:RolePolicyAttachment", "iam:PolicyAttachment"):
        for role in graph.targets([*texts(policy.inputs.get("role")), *texts(policy.inputs.get("roles"))], "iam:Role"):
            held.setdefault(role, []).append(policy)
    nodes = {role for maker in makers(graph) if (role := role_of(graph, maker)) is not None}
    for role in graph.of("iam:Role"):
        taken = role in nodes or any(True for _ in _services(graph, role))
        own = any(given(role.inputs.get(key)) for key in ("managedPolicyArns", "inlinePolicies"))
        rights = held.get(role, [])
        if taken and not own and not rights:
            yield role, "", "no policy"
        elif role in nodes and not own and graph.of("s3:Bucket") and all(map(_manages, rights)):
            yield role, "", "nothing but Systems Manager: its nodes do not reach the bucket"


def _manages(policy: Resource) -> bool:
    """Whether a policy is AWS's own for Systems Manager, and nothing else."""
    return (literal(policy.inputs.get("policyArn")) or "").endswith("/AmazonSSMManagedInstanceCore")
