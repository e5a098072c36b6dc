"""Privilege escalation: nodes that may extend their own permissions, other accounts, federated logins."""

from __future__ import annotations

import re
from collections import Counter

from planner.lint.iam.roles import HOLDERS
from planner.lint.read.graph import Graph
from planner.lint.read.policies import IDENTITY, RESOURCE, TRUST, allows, matches, policies, principals
from planner.lint.read.topology import node_configs, role_of
from planner.lint.read.values import given, leaves, literal, texts
from planner.lint.rule import WARNING, Hits, rule

# actions that let a role extend its own permissions or publish data
ESCALATING = (
    *("iam:AttachRolePolicy", "iam:AttachUserPolicy", "iam:AttachGroupPolicy", "iam:PutRolePolicy"),
    *("iam:PutUserPolicy", "iam:PutGroupPolicy", "iam:CreatePolicyVersion", "iam:SetDefaultPolicyVersion"),
    *("iam:UpdateAssumeRolePolicy", "iam:CreateAccessKey", "iam:CreateLoginProfile", "iam:UpdateLoginProfile"),
    *("iam:AddUserToGroup", "iam:DeleteRolePermissionsBoundary", "iam:CreateUser", "organizations:LeaveOrganization"),
    *("organizations:DeleteOrganization", "account:CloseAccount", "cloudtrail:StopLogging", "cloudtrail:DeleteTrail"),
    *("s3:PutBucketAcl", "s3:PutObjectAcl", "s3:PutEncryptionConfiguration", "s3:BypassGovernanceRetention"),
    *("ec2:ModifyImageAttribute", "ec2:ModifySnapshotAttribute", "ec2:AuthorizeSecurityGroupIngress"),
)
ACCOUNT = re.compile(r"(?<!\d)\d{12}(?!\d)")


@rule(
    "IAM-ESCALATE",
    *HOLDERS,
    what="nodes that may give themselves or others more permissions",
    why="Any job on a node can become administrator, publish the data, or turn off the audit log",
    remedy="Remove these actions from the nodes' role; whoever deploys the stack has them",
    example='"Action": "iam:PutRolePolicy" in the nodes\' policy',
)
def nodes_may_escalate(graph: Graph) -> Hits:
    nodes = {role_of(graph, maker) for maker in node_configs(graph)} - {None}
    for policy in policies(graph):
        role = graph.target(policy.holder.inputs.get("role"), "iam:Role")
        mine = policy.holder if policy.holder.kind == "iam:Role" else role
        if policy.kind != IDENTITY or mine not in nodes:
            continue
        for where, statement in policy.statements():
            for action in texts(statement.get("Action")) if allows(statement) else ():
                given_away = [name for name in ESCALATING if matches(action, name)]
                # IAM-ACTION reports a wildcard for a whole service
                if given_away and action.partition(":")[2].strip("*"):
                    yield policy.holder, f"{where}.Action", f"allows {action}"


@rule(
    "IAM-FOREIGN",
    "iam:Role",
    "s3:BucketPolicy",
    "kms:Key",
    severity=WARNING,
    what="another account that may assume a role, read the data or use its key",
    why="Anyone with access to that account has this access too, and a mistyped account id gives it to a stranger",
    remedy="Allow the account's own roles. If you mean another account, add a condition on aws:PrincipalOrgID or "
    "sts:ExternalId",
    example='"Principal": {"AWS": "arn:aws:iam::999999999999:root"}',
)
def other_account_has_access(graph: Graph) -> Hits:
    home = _home(graph)
    for policy in policies(graph):
        if policy.kind not in (TRUST, RESOURCE):
            continue
        for where, statement in policy.statements():
            reads = any(
                matches(action, wanted)
                for action in texts(statement.get("Action"))
                for wanted in ("s3:GetObject", "s3:PutObject", "kms:Decrypt", "sts:AssumeRole")
            )
            for sort, name in principals(statement) if allows(statement) and reads else ():
                found = ACCOUNT.search(name) if sort == "AWS" and literal(name) else None
                if home and found and found[0] != home and not given(statement.get("Condition")):
                    yield policy.holder, f"{where}.Principal", f"account {found[0]} has access; the stack is in {home}"


def _home(graph: Graph) -> str:
    """The stack's account id: the most common one in its ARNs and names; "" if that is unclear."""
    counts: Counter[str] = Counter()
    for resource in graph.resources:
        for _, leaf in leaves(resource.inputs):
            counts.update(
                set(ACCOUNT.findall(leaf)) if isinstance(leaf, str) and ":" in leaf and len(leaf) < 5_000 else ()
            )
        counts.update(found for text in resource.ids for found in ACCOUNT.findall(text))
    best = counts.most_common(2)
    clear = best and (len(best) == 1 or best[0][1] > best[1][1])
    return best[0][0] if clear else ""


@rule(
    "IAM-FEDERATED",
    "iam:Role",
    what="a role that every user of an identity provider can assume",
    why="Every repository, cluster or user of that provider can assume the role: there is no condition on the subject",
    remedy="Add a Condition on the provider's sub and aud, or on SAML:aud",
    example="sts:AssumeRoleWithWebIdentity for token.actions.githubusercontent.com without Condition",
)
def federated_trust_without_subject(graph: Graph) -> Hits:
    for policy in policies(graph):
        for where, statement in policy.statements() if policy.kind == TRUST else ():
            federated = [name for sort, name in principals(statement) if sort == "Federated"]
            subject_keys = [
                key for key, _ in leaves(statement.get("Condition")) if key and not key.lower().endswith(":aud")
            ]
            if federated and allows(statement) and not subject_keys and "saml-provider" not in federated[0]:
                yield policy.holder, f"{where}.Principal", f"{federated[0]} without a condition on the subject"
