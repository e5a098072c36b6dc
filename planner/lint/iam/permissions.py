"""What nodes may do: wildcard actions and resources, unknown actions, deleting old versions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.iam.roles import HOLDERS
from planner.lint.known.actions import expanded, misspelling
from planner.lint.read.graph import REFERENCE, Graph
from planner.lint.read.policies import IDENTITY, Policy, allows, matches, policies
from planner.lint.read.values import Json, given, leaves, literal, texts
from planner.lint.rule import WARNING, Hits, rule

# services whose actions reach data or money: a wildcard here is never least privilege
DATA = ("s3", "kms", "sqs", "sns", "dynamodb", "secretsmanager", "fsx", "iam", "sts", "ec2", "autoscaling", "lambda")
# actions that reach data or machines when the resource is *; others of these services have no resource
REACHES_DATA = (
    "s3:*Object*",
    "s3:ListBucket*",
    "s3:PutBucket*",
    "s3:PutLifecycle*",
    "s3:DeleteBucket*",
    "kms:Decrypt",
    "kms:Encrypt",
    "kms:GenerateDataKey*",
    "kms:ReEncrypt*",
    "kms:CreateGrant",
    "kms:PutKeyPolicy",
    "kms:DisableKey",
    "kms:ScheduleKeyDeletion",
    "sqs:*Message*",
    "sqs:PurgeQueue",
    "sns:Publish",
    "dynamodb:*Item*",
    "dynamodb:Query",
    "dynamodb:Scan",
    "dynamodb:DeleteTable",
    "secretsmanager:GetSecretValue",
    "ssm:GetParameter*",
    "ssm:SendCommand",
    "ssm:StartSession",
    "fsx:Delete*",
    "fsx:Update*",
    "lambda:InvokeFunction",
    "iam:PassRole",
    "iam:Attach*",
    "iam:Create*",
    "iam:Delete*",
    "iam:Put*",
    "iam:Update*",
    "sts:AssumeRole",
    "autoscaling:CompleteLifecycleAction",
    "autoscaling:Delete*",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:TerminateInstanceInAutoScalingGroup",
    "autoscaling:RecordLifecycleActionHeartbeat",
    "autoscaling:UpdateAutoScalingGroup",
    "ec2:StopInstances",
    "ec2:TerminateInstances",
    "ec2:RunInstances",
)
# actions that delete old versions, the bucket or its key
DESTRUCTIVE = (
    "s3:DeleteObjectVersion",
    "s3:PutBucketVersioning",
    "s3:PutLifecycleConfiguration",
    "s3:DeleteBucket",
    "s3:DeleteBucketPolicy",
    "s3:PutBucketPolicy",
    "s3:PutBucketPublicAccessBlock",
    "kms:DisableKey",
    "kms:PutKeyPolicy",
    "kms:ScheduleKeyDeletion",
)
EVERYTHING = re.compile(r"\*|arn:aws[a-z-]*:[a-z0-9*]+:[*a-z0-9-]*:[*0-9]*:[*:/]*")
GLOB = re.compile(r"[*?]")


def _granted(graph: Graph) -> Iterator[tuple[Policy, str, Json]]:
    """Statements that allow a role something: the policy, the place, the statement."""
    for policy in policies(graph):
        if policy.kind == IDENTITY:
            for where, statement in policy.statements():
                if allows(statement):
                    yield policy, where, statement


def _is_service_wildcard(action: str) -> bool:
    """Whether an action covers a whole service or all of them. IAM-ACTION reports these."""
    return action.partition(":")[2].strip("*") == "" and action.endswith("*")


@rule(
    "IAM-ACTION",
    *HOLDERS,
    what="every action of a service that reaches data, machines or permissions",
    why="Any script on a node can delete the master copy of the data or make itself an administrator: it runs "
    "with the node's role",
    remedy="List the actions: s3:GetObject, s3:PutObject, s3:ListBucket and so on",
    example='"Action": "s3:*"',
)
def wildcard_action(graph: Graph) -> Hits:
    for policy, where, statement in _granted(graph):
        for action in texts(statement.get("Action")):
            service = action.partition(":")[0].lower()
            if _is_service_wildcard(action) and (service in DATA or GLOB.search(service)):
                yield policy.holder, f"{where}.Action", f"allows {action}"
        for key in ("NotAction", "NotResource"):
            if given(statement.get(key)):
                yield policy.holder, f"{where}.{key}", f"allows everything except what {key} lists"


@rule(
    "IAM-UNKNOWN",
    *HOLDERS,
    what="an action that AWS does not have",
    why="The node's first read or write is denied: AWS accepts a misspelled action and grants nothing",
    remedy="Write the action as in the service authorization reference. If it is newer than this list, add it to "
    "planner/lint/known/actions.csv",
    example='"Action": "s3:GetObjct"',
)
def unknown_action(graph: Graph) -> Hits:
    for policy in policies(graph):
        for where, statement in policy.statements():
            for key in ("Action", "NotAction"):
                for action in texts(statement.get(key)):
                    named = literal(action) and re.fullmatch(r"[A-Za-z0-9-]+:[A-Za-z0-9*?]+", action)
                    wrong = misspelling(action) if named else ""
                    if wrong:
                        yield policy.holder, f"{where}.{key}", wrong


@rule(
    "IAM-RESOURCE",
    *HOLDERS,
    what="access to all data or machines of the account",
    why="A node of this fleet could read, change or delete what belongs to others",
    remedy="List the ARNs of this stack's bucket and prefix, key and group",
    example='"Action": "s3:GetObject", "Resource": "*"',
)
def wildcard_resource(graph: Graph) -> Hits:
    for policy, where, statement in _granted(graph):
        if _limits_resources(statement):
            continue
        actions = [action for action in texts(statement.get("Action")) if not _is_service_wildcard(action)]
        for text in texts(statement.get("Resource")):
            service = _wildcard_service(text)
            # roles belong to IAM and are assumed through STS
            takers = {"iam": ("iam", "sts")}.get(service, (service,))
            mine = [a for a in actions if service == "*" or a.partition(":")[0].lower() in takers]
            wide = [action for action in mine if _reaches(action)]
            if wide:
                yield policy.holder, f"{where}.Resource", f"allows {', '.join(sorted(wide))} on {text}"
                break


def _wildcard_service(text: str) -> str:
    """The service whose resources an ARN covers all at once, `*` for every service; "" if it identifies one resource.

    The identifying part must be given: the bucket of an object, the id of a key.
    """
    plain = REFERENCE.sub("named", text)
    parts = plain.split(":", 5)
    if plain == "*" or (EVERYTHING.fullmatch(plain) and GLOB.search(parts[2])):
        return "*"
    if len(parts) < 6 or parts[0] != "arn":
        return ""
    service, rest = parts[2], parts[5]
    if EVERYTHING.fullmatch(plain):
        return service
    if service == "s3":
        return service if GLOB.search(rest.split("/")[0]) else ""
    rest = rest.rpartition("autoScalingGroupName/")[2]
    return service if re.split("[/:]", rest, maxsplit=1)[-1].startswith("*") else ""


def _reaches(action: str) -> bool:
    """Whether an action, or any action that its wildcard covers, reaches data or machines."""
    if any(matches(pattern, name) for name in expanded(action) for pattern in REACHES_DATA):
        return True
    service, _, name = action.partition(":")
    # most Describe and List actions do not support resources
    return "*" in action and service.lower() in DATA and not name.startswith(("Describe", "ListAll"))


def _limits_resources(statement: Json) -> bool:
    """Whether a condition limits the resources by tag, account or ARN."""
    return any("resource" in where.lower() or "arn" in where.lower() for where, _ in leaves(statement.get("Condition")))


@rule(
    "IAM-VERSIONS",
    *HOLDERS,
    what="nodes that may delete old versions, the bucket or its key",
    why="A deleted or overwritten checkpoint cannot be restored once its versions are gone. Only the "
    "lifecycle should delete them",
    remedy="Remove s3:DeleteObjectVersion, s3:PutBucketVersioning, s3:DeleteBucket and kms:ScheduleKeyDeletion "
    "from the nodes' role",
    example='"Action": "s3:DeleteObject*"',
    severity=WARNING,
)
def nodes_may_delete_versions(graph: Graph) -> Hits:
    for policy, where, statement in _granted(graph):
        for action in texts(statement.get("Action")):
            ended = [end for end in DESTRUCTIVE if matches(action, end)]
            if ended and not _is_service_wildcard(action):
                yield (
                    policy.holder,
                    f"{where}.Action",
                    f"allows {action}" + ("" if action.lower() == ended[0].lower() else f", which includes {ended[0]}"),
                )
