"""Buckets and keys, the master copy of the data: names, encryption, the life of a key."""

from __future__ import annotations

import ipaddress
import re

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import allows, matches, policies
from planner.lint.read.values import Json, at, flag, given, literal, many, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule

BUCKET, KEY = "s3:Bucket", "kms:Key"
LIFECYCLE, VERSIONING = ("s3:BucketLifecycleConfiguration",), "s3:BucketVersioning"
MADE = ("s3:BucketObjectv2", "s3:BucketObject", "s3:BucketObjectV2")
ENCRYPTION = "s3:BucketServerSideEncryptionConfiguration"


def part_of(graph: Graph, bucket: Resource, kind: str, inline: str = "") -> list[tuple[Resource, str, Json]]:
    """What configures a bucket: resources of a kind, and the old inline block."""
    found = [(r, "", r.inputs) for r in graph.pointing(bucket, kind, "bucket")]
    block = bucket.inputs.get(inline) if inline else None
    return found + (
        [(bucket, f"{inline}.", {"rules": block} if inline == "lifecycleRules" else one(block))] if block else []
    )


@rule(
    "S3-NAME",
    BUCKET,
    what="a bucket name that S3 refuses",
    why="3 to 63 characters: lower-case letters, digits, hyphens; no preview and no local test checks it",
    remedy="lower-case letters, digits and hyphens, beginning and ending with a letter or digit",
    example="bucket: SD2_Data",
)
def bucket_name(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        name = literal(bucket.inputs.get("bucket"))
        if name is None:
            continue
        wrong = not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", name) or ".." in name
        wrong = wrong or name.startswith(("xn--", "sthree-", "amzn-s3-demo-"))
        wrong = wrong or name.endswith(("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")) or _is_address(name)
        if wrong:
            yield bucket, "bucket", f"{name[:80]!r} is no name of a bucket"
        elif "." in name:
            yield bucket, "bucket", f"{name!r} has a dot, for which S3's certificate does not hold"


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.IPv4Address(name))
    except ValueError:
        return False


@rule(
    "S3-ENCRYPTION",
    BUCKET,
    what="a bucket without encryption by a key of ours",
    why="S3's own key has no policy and no trail: whoever can read the bucket can read the data",
    remedy="server-side encryption with aws:kms and the stack's key",
    example="sseAlgorithm: AES256, or no configuration at all",
)
def encrypted_with_our_key(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        held = part_of(graph, bucket, ENCRYPTION, "serverSideEncryptionConfiguration")
        if not held:
            yield bucket, "serverSideEncryptionConfiguration", "no encryption of its own"
        for resource, prefix, inputs in held:
            for i, block in enumerate(many(inputs.get("rules") or inputs.get("rule"))):
                default = one(block.get("applyServerSideEncryptionByDefault"))
                where = f"{prefix}rules[{i}].applyServerSideEncryptionByDefault"
                if default.get("sseAlgorithm") in ("AES256", "", None):
                    yield resource, f"{where}.sseAlgorithm", "not aws:kms"
                elif default.get("sseAlgorithm") == "aws:kms" and not given(default.get("kmsMasterKeyId")):
                    yield resource, f"{where}.kmsMasterKeyId", "aws:kms with the account's default key"


@rule(
    "S3-BUCKET-KEY",
    BUCKET,
    severity=WARNING,
    what="KMS without a bucket key",
    why="every read of an object is then a call of KMS at $0.03 per 10,000, and they are limited by the second",
    remedy="bucketKeyEnabled true",
    example="aws:kms without bucketKeyEnabled",
)
def bucket_key(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, prefix, inputs in part_of(graph, bucket, ENCRYPTION, "serverSideEncryptionConfiguration"):
            for i, block in enumerate(many(inputs.get("rules") or inputs.get("rule"))):
                kms = at(block, "applyServerSideEncryptionByDefault.sseAlgorithm") in ("aws:kms", "aws:kms:dsse")
                if kms and flag(block.get("bucketKeyEnabled")) is not True:
                    yield resource, f"{prefix}rules[{i}].bucketKeyEnabled", "no bucket key"


@rule(
    "KMS-WINDOW",
    KEY,
    what="a waiting time that KMS does not have",
    why="a key waits 7 to 30 days before it is gone, with everything that it encrypted",
    remedy="deletionWindowInDays 30, or at least 7",
    example="deletionWindowInDays: 3",
)
def key_waits(graph: Graph) -> Hits:
    for key in graph.of(KEY):
        days = whole(key.inputs.get("deletionWindowInDays"))
        if days is not None and not 7 <= days <= 30:
            yield key, "deletionWindowInDays", f"{days} days"
        if flag(key.inputs.get("isEnabled")) is False:
            yield key, "isEnabled", "a key that is switched off opens nothing"


@rule(
    "KMS-ROTATION",
    KEY,
    severity=WARNING,
    what="a key that never changes",
    why="whoever once got its material reads everything that it ever encrypts",
    remedy="enableKeyRotation true",
    example="no enableKeyRotation",
)
def key_rotates(graph: Graph) -> Hits:
    for key in graph.of(KEY):
        symmetric = key.inputs.get("customerMasterKeySpec") in (None, "", "SYMMETRIC_DEFAULT")
        if symmetric and flag(key.inputs.get("enableKeyRotation")) is not True:
            yield key, "enableKeyRotation", "no rotation"


@rule(
    "S3-OWNER",
    "s3:BucketOwnershipControls",
    severity=WARNING,
    what="a bucket in which object lists of rights still count",
    why="an object that another account writes is that account's, and an ACL can open it whatever the policy says",
    remedy="objectOwnership BucketOwnerEnforced",
    example="objectOwnership: ObjectWriter",
)
def owner_owns(graph: Graph) -> Hits:
    for controls in graph.of("s3:BucketOwnershipControls"):
        if at(controls.inputs, "rule.objectOwnership") in ("ObjectWriter", "BucketOwnerPreferred"):
            yield controls, "rule.objectOwnership", f"{at(controls.inputs, 'rule.objectOwnership')}"


@rule(
    "KMS-ALIAS",
    "kms:Alias",
    what="an alias that KMS refuses",
    why="an alias begins with alias/, and alias/aws/ is AWS's own",
    remedy="alias/ and a name",
    example="name: planner-data",
)
def alias_is_one(graph: Graph) -> Hits:
    for alias in graph.of("kms:Alias"):
        name = literal(alias.inputs.get("name"))
        if name is not None and (
            not re.fullmatch(r"alias/[A-Za-z0-9/_-]{1,250}", name) or name.startswith("alias/aws/")
        ):
            yield alias, "name", f"{name!r} is no alias"


@rule(
    "KMS-LOCKED",
    KEY,
    "kms:KeyPolicy",
    what="a key that nobody can look after",
    why="KMS refuses a policy by which nobody may change the policy; where it does not, the key and its data are lost",
    remedy="an Allow of kms:* for the account's root",
    example="a key policy without the account's root",
)
def key_has_a_keeper(graph: Graph) -> Hits:
    for policy in policies(graph):
        if policy.holder.kind not in (KEY, "kms:KeyPolicy") or not policy.statements():
            continue
        if flag(policy.holder.inputs.get("bypassPolicyLockoutSafetyCheck")):
            continue
        granted = [s for _, s in policy.statements() if allows(s)]
        if not any(matches(action, "kms:PutKeyPolicy") for s in granted for action in texts(s.get("Action"))):
            yield policy.holder, policy.where, "no statement allows kms:PutKeyPolicy"
