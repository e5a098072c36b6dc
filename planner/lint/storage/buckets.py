"""Buckets and KMS keys: names, encryption, ownership, key administration."""

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
    """The settings of a bucket: separate resources of a kind, and the deprecated inline block."""
    found = [(r, "", r.inputs) for r in graph.pointing(bucket, kind, "bucket")]
    block = bucket.inputs.get(inline) if inline else None
    return found + (
        [(bucket, f"{inline}.", {"rules": block} if inline == "lifecycleRules" else one(block))] if block else []
    )


@rule(
    "S3-NAME",
    BUCKET,
    what="an invalid bucket name",
    why="S3 rejects the bucket, and no preview or local test checks the name",
    remedy="Use 3 to 63 lower-case letters, digits and hyphens, starting and ending with a letter or digit",
    example="bucket: SD2_Data",
)
def invalid_bucket_name(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        name = literal(bucket.inputs.get("bucket"))
        if name is None:
            continue
        wrong = not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", name) or ".." in name
        wrong = wrong or name.startswith(("xn--", "sthree-", "amzn-s3-demo-"))
        wrong = wrong or name.endswith(("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")) or _is_address(name)
        if wrong:
            yield bucket, "bucket", f"{name[:80]!r} is not a valid bucket name"
        elif "." in name:
            yield bucket, "bucket", f"{name!r} contains a dot, which S3's TLS certificate does not cover"


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.IPv4Address(name))
    except ValueError:
        return False


@rule(
    "S3-ENCRYPTION",
    BUCKET,
    what="a bucket that is not encrypted with the stack's own KMS key",
    why="Anyone who can read the bucket can read the data: S3's default key has no policy or audit trail of its own",
    remedy="Set server-side encryption to aws:kms with the stack's key",
    example="sseAlgorithm: AES256, or no configuration at all",
)
def bucket_without_own_key(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        held = part_of(graph, bucket, ENCRYPTION, "serverSideEncryptionConfiguration")
        if not held:
            yield bucket, "serverSideEncryptionConfiguration", "no encryption with the stack's key"
        for resource, prefix, inputs in held:
            for i, block in enumerate(many(inputs.get("rules") or inputs.get("rule"))):
                default = one(block.get("applyServerSideEncryptionByDefault"))
                where = f"{prefix}rules[{i}].applyServerSideEncryptionByDefault"
                if default.get("sseAlgorithm") in ("AES256", "", None):
                    yield resource, f"{where}.sseAlgorithm", "not encrypted with aws:kms"
                elif default.get("sseAlgorithm") == "aws:kms" and not given(default.get("kmsMasterKeyId")):
                    yield resource, f"{where}.kmsMasterKeyId", "aws:kms with AWS's default key"


@rule(
    "S3-BUCKET-KEY",
    BUCKET,
    severity=WARNING,
    what="KMS encryption without a bucket key",
    why="Every read of an object is a KMS request at $0.03 per 10,000, and KMS limits the requests per second",
    remedy="Set bucketKeyEnabled: true",
    example="aws:kms without bucketKeyEnabled",
)
def no_bucket_key(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, prefix, inputs in part_of(graph, bucket, ENCRYPTION, "serverSideEncryptionConfiguration"):
            for i, block in enumerate(many(inputs.get("rules") or inputs.get("rule"))):
                kms = at(block, "applyServerSideEncryptionByDefault.sseAlgorithm") in ("aws:kms", "aws:kms:dsse")
                if kms and flag(block.get("bucketKeyEnabled")) is not True:
                    yield resource, f"{prefix}rules[{i}].bucketKeyEnabled", "no bucket key"


@rule(
    "KMS-WINDOW",
    KEY,
    what="an invalid deletion window, or a disabled key",
    why="KMS rejects a window outside 7 to 30 days, and data encrypted with a disabled key cannot be read",
    remedy="Set deletionWindowInDays to 7 to 30, and keep the key enabled",
    example="deletionWindowInDays: 3",
)
def invalid_deletion_window(graph: Graph) -> Hits:
    for key in graph.of(KEY):
        days = whole(key.inputs.get("deletionWindowInDays"))
        if days is not None and not 7 <= days <= 30:
            yield key, "deletionWindowInDays", f"{days} days"
        if flag(key.inputs.get("isEnabled")) is False:
            yield key, "isEnabled", "a disabled key cannot decrypt anything"


@rule(
    "KMS-ROTATION",
    KEY,
    severity=WARNING,
    what="a KMS key that is never rotated",
    why="Whoever obtains the key material once can read everything that is ever encrypted with it",
    remedy="Set enableKeyRotation: true",
    example="no enableKeyRotation",
)
def no_key_rotation(graph: Graph) -> Hits:
    for key in graph.of(KEY):
        symmetric = key.inputs.get("customerMasterKeySpec") in (None, "", "SYMMETRIC_DEFAULT")
        if symmetric and flag(key.inputs.get("enableKeyRotation")) is not True:
            yield key, "enableKeyRotation", "the key is not rotated"


@rule(
    "S3-OWNER",
    "s3:BucketOwnershipControls",
    severity=WARNING,
    what="a bucket on which ACLs are still active",
    why="Other accounts own the objects that they write, and an ACL can open an object whatever the bucket policy says",
    remedy="Set objectOwnership to BucketOwnerEnforced",
    example="objectOwnership: ObjectWriter",
)
def acls_enabled(graph: Graph) -> Hits:
    for controls in graph.of("s3:BucketOwnershipControls"):
        if at(controls.inputs, "rule.objectOwnership") in ("ObjectWriter", "BucketOwnerPreferred"):
            yield controls, "rule.objectOwnership", f"{at(controls.inputs, 'rule.objectOwnership')}"


@rule(
    "KMS-ALIAS",
    "kms:Alias",
    what="an invalid KMS alias",
    why="KMS rejects the alias: it must start with alias/, and alias/aws/ is reserved for AWS",
    remedy="Use alias/ and a name",
    example="name: planner-data",
)
def invalid_alias(graph: Graph) -> Hits:
    for alias in graph.of("kms:Alias"):
        name = literal(alias.inputs.get("name"))
        if name is not None and (
            not re.fullmatch(r"alias/[A-Za-z0-9/_-]{1,250}", name) or name.startswith("alias/aws/")
        ):
            yield alias, "name", f"{name!r} is not a valid alias"


@rule(
    "KMS-LOCKED",
    KEY,
    "kms:KeyPolicy",
    what="a KMS key that nobody can manage",
    why="The key and its data may be lost: nobody can change the key's policy. KMS usually rejects such a policy",
    remedy="Allow kms:* for the account's root",
    example="a key policy without the account's root",
)
def key_without_administrator(graph: Graph) -> Hits:
    for policy in policies(graph):
        if policy.holder.kind not in (KEY, "kms:KeyPolicy") or not policy.statements():
            continue
        if flag(policy.holder.inputs.get("bypassPolicyLockoutSafetyCheck")):
            continue
        granted = [s for _, s in policy.statements() if allows(s)]
        if not any(matches(action, "kms:PutKeyPolicy") for s in granted for action in texts(s.get("Action"))):
            yield policy.holder, policy.where, "no statement allows kms:PutKeyPolicy"
