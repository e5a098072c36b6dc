"""Versioning and lifecycles of buckets."""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import Json, at, flag, given, literal, many, one, whole
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.buckets import BUCKET, LIFECYCLE, VERSIONING, part_of

TRANSITION_DAYS = {"STANDARD_IA": 30, "ONEZONE_IA": 30}


def rules_of(graph: Graph, bucket: Resource) -> list[tuple[Resource, str, Json]]:
    """The lifecycle rules of a bucket."""
    held = part_of(graph, bucket, LIFECYCLE[0], "lifecycleRules")
    return [(r, f"rules[{i}]", block) for r, _, inputs in held for i, block in enumerate(many(inputs.get("rules")))]


@rule(
    "S3-VERSIONING",
    BUCKET,
    what="a bucket without versioning",
    why="An overwritten or deleted checkpoint is gone for good: S3 holds the only lasting copy",
    remedy="Add BucketVersioning with status: Enabled",
    example="status: Suspended",
)
def bucket_without_versioning(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        held = part_of(graph, bucket, VERSIONING, "versioning")
        if not held:
            yield bucket, "versioning", "no versioning"
        for resource, prefix, inputs in held:
            block = one(inputs.get("versioningConfiguration"))
            status = block.get("status")
            if status in ("Suspended", "Disabled", "") or (prefix and flag(inputs.get("enabled")) is not True):
                yield resource, f"{prefix}status", "versioning is not enabled"


@rule(
    "S3-MFA-DELETE",
    BUCKET,
    VERSIONING,
    what="MFA delete on a bucket",
    why="The deployment fails, and old versions are billed forever: only the account's root user can set MFA "
    "delete, and it blocks lifecycle rules",
    remedy="Remove mfaDelete. Versioning, protect and roles without s3:DeleteObjectVersion protect the data",
    example="mfaDelete: Enabled",
)
def mfa_delete(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, prefix, inputs in part_of(graph, bucket, VERSIONING, "versioning"):
            block = one(inputs.get("versioningConfiguration"))
            if block.get("mfaDelete") == "Enabled":
                yield resource, f"{prefix}versioningConfiguration.mfaDelete", "MFA delete is enabled"
            elif flag(inputs.get("mfaDelete")):
                yield resource, f"{prefix}mfaDelete", "MFA delete is enabled"


@rule(
    "S3-NONCURRENT",
    BUCKET,
    severity=WARNING,
    what="old versions that never expire",
    why="Every overwritten checkpoint is billed forever and does not show in a listing",
    remedy="Add a lifecycle rule with noncurrentVersionExpiration",
    example="versioning without noncurrentVersionExpiration",
)
def old_versions_never_expire(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        blocks = [
            one(block.get("noncurrentVersionExpiration")) for _, _, block in rules_of(graph, bucket) if enabled(block)
        ]
        days = [block.get("noncurrentDays", block.get("days")) for block in blocks]
        if part_of(graph, bucket, VERSIONING, "versioning") and not any(given(count) for count in days):
            yield bucket, "lifecycle", "old versions never expire"


def enabled(block: Json) -> bool:
    return block.get("status") == "Enabled" or flag(block.get("enabled")) is True


@rule(
    "S3-ABORT",
    BUCKET,
    severity=WARNING,
    what="unfinished uploads that never expire",
    why="Interrupted checkpoint uploads leave parts that are billed and that no listing shows",
    remedy="Set abortIncompleteMultipartUpload to 1 to 7 days for the whole bucket",
    example="no abortIncompleteMultipartUpload",
)
def unfinished_uploads_never_expire(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        found = []
        for resource, where, block in rules_of(graph, bucket):
            days = whole(at(block, "abortIncompleteMultipartUpload.daysAfterInitiation"))
            days = whole(block.get("abortIncompleteMultipartUploadDays")) if days is None else days
            if enabled(block) and days is not None:
                found.append(days)
                if not 1 <= days <= 30:
                    yield resource, f"{where}.abortIncompleteMultipartUpload.daysAfterInitiation", f"{days} days"
        if not found:
            yield bucket, "lifecycle", "no rule aborts unfinished uploads"


@rule(
    "S3-LIFECYCLE",
    *LIFECYCLE,
    what="an invalid lifecycle, or two for one bucket",
    why="Two resources overwrite each other because a bucket has one lifecycle configuration, and one invalid "
    "rule makes S3 reject all of them",
    remedy="Use one lifecycle resource per bucket. Each rule needs an action, a unique id, and days that the "
    "storage class allows",
    example="two BucketLifecycleConfigurations of one bucket",
)
def invalid_lifecycle(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        held = sorted(graph.pointing(bucket, LIFECYCLE[0], "bucket"), key=lambda r: (r.name, r.urn))
        for extra in held[1:]:
            yield extra, "bucket", f"{bucket.name} already has the lifecycle {held[0].name}"
        ids: set[str] = set()
        for resource, where, block in rules_of(graph, bucket):
            name = literal(block.get("id"))
            if name and name in ids:
                yield resource, f"{where}.id", f"two rules are named {name!r}"
            ids |= {name} if name else set()
            yield from _wrong_rule(resource, where, block)


def _wrong_rule(resource: Resource, where: str, block: Json) -> Iterator[tuple[Resource, str, str]]:
    actions = ("transitions", "expiration", "abortIncompleteMultipartUpload", "abortIncompleteMultipartUploadDays")
    if not any(given(block.get(k)) for k in (*actions, "noncurrentVersionExpiration", "noncurrentVersionTransitions")):
        yield resource, where, "the rule has no action"
    for key, days_key in (("transitions", "days"), ("noncurrentVersionTransitions", "noncurrentDays")):
        for i, move in enumerate(many(block.get(key))):
            days = whole(move.get(days_key))
            least = TRANSITION_DAYS.get(str(move.get("storageClass")), 0)
            if days is not None and days < (least if key == "transitions" else 0):
                yield (
                    resource,
                    f"{where}.{key}[{i}].{days_key}",
                    f"{move.get('storageClass')} after {days} days; at least {least}",
                )
    for key, days_key in (("expiration", "days"), ("noncurrentVersionExpiration", "noncurrentDays")):
        days = whole(one(block.get(key)).get(days_key))
        if days is not None and days < 1:
            yield resource, f"{where}.{key}.{days_key}", f"{days} days"


def _narrow(block: Json) -> bool:
    """Whether a rule applies to only part of the bucket."""
    return given(block.get("prefix")) or any(given(value) for value in one(block.get("filter")).values())


@rule(
    "S3-EXPIRES",
    *LIFECYCLE,
    what="a lifecycle that deletes every current object of a bucket",
    why="The training data and checkpoints are deleted by age, in the middle of a run",
    remedy="Expire old versions, or a prefix with data that may be deleted",
    example="expiration after 30 days without a prefix",
)
def whole_bucket_expires(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            ends = one(block.get("expiration"))
            if enabled(block) and not _narrow(block) and (given(ends.get("days")) or given(ends.get("date"))):
                yield resource, f"{where}.expiration", "every object in the bucket expires"


@rule(
    "S3-ARCHIVED",
    *LIFECYCLE,
    what="a lifecycle that archives every current object of a bucket",
    why="The next epoch fails at its first shard: objects in GLACIER or DEEP_ARCHIVE need a restore that "
    "takes hours and is billed per GB",
    remedy="Use INTELLIGENT_TIERING or GLACIER_IR, or a prefix that training does not read",
    example="transitions to DEEP_ARCHIVE after 0 days without a prefix",
)
def whole_bucket_archived(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            for i, move in enumerate(many(block.get("transitions")) if enabled(block) and not _narrow(block) else ()):
                if move.get("storageClass") in ("GLACIER", "DEEP_ARCHIVE"):
                    yield (
                        resource,
                        f"{where}.transitions[{i}].storageClass",
                        f"every object moves to {move['storageClass']}",
                    )
