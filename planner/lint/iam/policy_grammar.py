"""Policy grammar: elements, conditions, Sids, lengths, and actions that fit their resources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from planner.lint.iam.roles import HOLDERS
from planner.lint.read.graph import REFERENCE, Graph
from planner.lint.read.policies import IDENTITY, TRUST, allows, matches, policies
from planner.lint.read.suggestions import suggestion
from planner.lint.read.values import Json, given, literal, many, one, texts
from planner.lint.rule import Hits, rule

KEYS = ("Version", "Id", "Statement")
PARTS = (
    *("Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"),
)
COMPARED = ("Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals")
OPERATORS = (
    *("StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase"),
    *("StringLike", "StringNotLike", "ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike"),
    *("Bool", "BinaryEquals", "IpAddress", "NotIpAddress", "Null"),
    *(f"{kind}{how}" for kind in ("Numeric", "Date") for how in COMPARED),
)
# global condition keys from the IAM reference, including those that end with /tag-key
GLOBAL = (
    *("CalledVia", "CalledViaFirst", "CalledViaLast", "CurrentTime", "EpochTime", "FederatedProvider", "PrincipalArn"),
    *("MultiFactorAuthAge", "MultiFactorAuthPresent", "PrincipalAccount", "PrincipalIsAWSService", "PrincipalOrgID"),
    *("PrincipalOrgPaths", "PrincipalServiceName", "PrincipalServiceNamesList", "PrincipalTag", "PrincipalType"),
    *("Referer", "RequestedRegion", "RequestTag", "ResourceAccount", "ResourceOrgID", "ResourceOrgPaths"),
    *("ResourceTag", "SecureTransport", "SourceAccount", "SourceArn", "SourceIdentity", "SourceIp", "SourceOrgID"),
    *("SourceOrgPaths", "SourceVpc", "SourceVpcArn", "SourceVpce", "TagKeys", "TokenIssueTime", "UserAgent", "userid"),
    *("username", "ViaAWSService", "VpcSourceIp", "VpceAccount", "VpceOrgID", "VpceOrgPaths", "AssumedRoot"),
    *("Ec2InstanceSourceVpc", "Ec2InstanceSourcePrivateIPv4"),
)
# IAM's limits in characters without white space
LENGTHS = {"iam:RolePolicy": 10_240, "iam:Policy": 6_144}
ON_BUCKETS = ("s3:ListBucket", "s3:ListBucketVersions", "s3:ListBucketMultipartUploads", "s3:GetBucketLocation")
ON_OBJECTS = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")


@rule(
    "IAM-GRAMMAR",
    *HOLDERS,
    what="a policy element that IAM does not have",
    why="IAM rejects unknown keys and operators, repeated Sids and policies that are too long. It accepts a "
    "misspelled condition key, which then never matches",
    remedy="Correct the spelling with IAM's policy reference, or move a long policy to a managed policy",
    example='"Conditon": {...}, or "StringEqual" in a Condition',
)
def invalid_policy_grammar(graph: Graph) -> Hits:
    for policy in policies(graph):
        for key in policy.document or ():
            if key not in KEYS:
                yield policy.holder, f"{policy.where}.{key}", f"unknown policy element {key!r}{suggestion(key, KEYS)}"
        sids: set[str] = set()
        for where, statement in policy.statements():
            for key in statement:
                if key not in PARTS:
                    yield policy.holder, f"{where}.{key}", f"unknown statement element {key!r}{suggestion(key, PARTS)}"
            sid = literal(statement.get("Sid"))
            if sid and sid in sids:
                yield policy.holder, f"{where}.Sid", f"two statements have the Sid {sid!r}"
            elif sid and policy.kind in (IDENTITY, TRUST) and not re.fullmatch(r"[A-Za-z0-9]+", sid):
                yield policy.holder, f"{where}.Sid", f"Sid {sid!r} may contain only letters and digits"
            sids |= {sid} if sid else set()
            for place, message in _conditions(statement):
                yield policy.holder, f"{where}.Condition{place}", message
        most = LENGTHS.get(policy.holder.kind, 0)
        text = REFERENCE.sub("", json.dumps(policy.document)) if policy.document and most else ""
        length = len("".join(text.split()))
        if length > most:
            yield policy.holder, policy.where, f"{length:,} characters; IAM allows {most:,}"


def _conditions(statement: Json) -> Iterator[tuple[str, str]]:
    for block in many(statement.get("Condition")):
        for operator, tests in block.items():
            plain = operator.rpartition(":")[2].removesuffix("IfExists")
            if plain.lower() not in {known.lower() for known in OPERATORS} or (
                ":" in operator and operator.partition(":")[0] not in ("ForAllValues", "ForAnyValue")
            ):
                yield f".{operator}", f"unknown operator {operator!r}{suggestion(plain, OPERATORS)}"
            for key in one(tests):
                name = key.partition(":")[2].partition("/")[0]
                if not key.lower().startswith("aws:") or name.lower() in {known.lower() for known in GLOBAL}:
                    continue
                hint = suggestion(name, {known: f"aws:{known}" for known in GLOBAL}, cutoff=0.8)
                if hint:
                    yield f".{operator}", f"unknown condition key {key!r}{hint}"


@rule(
    "IAM-NOTHING",
    *HOLDERS,
    what="an S3 action on the wrong kind of resource",
    why="The nodes' first read is denied: listing is a permission on the bucket, reading and writing on its "
    "objects, and on the other one they grant nothing",
    remedy="Use arn:aws:s3:::bucket for s3:ListBucket, and arn:aws:s3:::bucket/* for s3:GetObject and s3:PutObject",
    example='"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::data/*"',
)
def action_on_wrong_resource(graph: Graph) -> Hits:
    for policy in policies(graph):
        if policy.kind != IDENTITY:
            continue
        for where, statement in policy.statements():
            resources = texts(statement.get("Resource"))
            if not allows(statement) or given(statement.get("NotResource")) or not all(map(_of_s3, resources)):
                continue
            inside = ["/" in REFERENCE.sub("b", text).rpartition(":::")[2] for text in resources]
            wide = any(REFERENCE.sub("b", text).endswith("*") for text in resources)
            for action in texts(statement.get("Action")):
                if all(inside) and resources and any(matches(action, known) for known in ON_BUCKETS):
                    if not any(matches(action, known) for known in ON_OBJECTS):
                        yield policy.holder, f"{where}.Resource", f"{action} applies to the bucket, not to its objects"
                elif resources and not any(inside) and not wide and action in ON_OBJECTS:
                    yield (
                        policy.holder,
                        f"{where}.Resource",
                        f"{action} applies to objects: use the bucket's ARN with /*",
                    )


def _of_s3(text: str) -> bool:
    """Whether a resource is known to be a bucket or an object in one."""
    body = REFERENCE.match(text)
    return text.startswith("arn:aws:s3:::") or bool(body and ":s3/bucket:" in body[1] and body[1].endswith(".arn"))
