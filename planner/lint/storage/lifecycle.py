"""Versions and lifecycles of buckets: what is kept, what ends, what is left over."""

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
    what="a bucket without versions",
    why="S3 is the only lasting copy: an overwritten or deleted checkpoint is gone for good",
    remedy="BucketVersioning with status Enabled",
    example="status: Suspended",
)
def versions_are_kept(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        held = part_of(graph, bucket, VERSIONING, "versioning")
        if not held:
            yield bucket, "versioning", "no versioning"
        for resource, prefix, inputs in held:
            block = one(inputs.get("versioningConfiguration"))
            status = block.get("status")
            if status in ("Suspended", "Disabled", "") or (prefix and flag(inputs.get("enabled")) is not True):
                yield resource, f"{prefix}status", "versions are not kept"


@rule(
    "S3-MFA-DELETE",
    BUCKET,
    VERSIONING,
    what="deletes that need the account's own device",
    why="only the root user of the account may set it, with a code of its device, so that an update is refused; and no "
    "lifecycle runs beside it: old versions would bill for ever",
    remedy="leave mfaDelete out; versions, protect, and nobody with s3:DeleteObjectVersion keep the data",
    example="mfaDelete: Enabled",
)
def deletes_need_no_device(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, prefix, inputs in part_of(graph, bucket, VERSIONING, "versioning"):
            block = one(inputs.get("versioningConfiguration"))
            if block.get("mfaDelete") == "Enabled":
                yield resource, f"{prefix}versioningConfiguration.mfaDelete", "refused, and lifecycles with it"
            elif flag(inputs.get("mfaDelete")):
                yield resource, f"{prefix}mfaDelete", "refused, and lifecycles with it"


@rule(
    "S3-NONCURRENT",
    BUCKET,
    severity=WARNING,
    what="old versions that are kept for ever",
    why="every overwritten checkpoint goes on billing, unseen by a listing",
    remedy="a lifecycle rule with noncurrentVersionExpiration",
    example="versioning without noncurrentVersionExpiration",
)
def old_versions_end(graph: Graph) -> Hits:
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
    what="parts of uploads that never ended",
    why="a checkpoint that was cut short leaves parts that bill and that no listing shows",
    remedy="abortIncompleteMultipartUpload after 1 to 7 days, for the whole bucket",
    example="no abortIncompleteMultipartUpload",
)
def uploads_are_ended(graph: Graph) -> Hits:
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
            yield bucket, "lifecycle", "parts of unfinished uploads stay"


@rule(
    "S3-LIFECYCLE",
    *LIFECYCLE,
    what="a lifecycle that S3 refuses or that undoes another",
    why="a bucket has one configuration: two resources overwrite each other, and one wrong rule refuses them all",
    remedy="one resource a bucket; rules with an action, ids apart, and days that the storage class allows",
    example="two BucketLifecycleConfigurations of one bucket",
)
def lifecycle_is_one(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        held = sorted(graph.pointing(bucket, LIFECYCLE[0], "bucket"), key=lambda r: (r.name, r.urn))
        for extra in held[1:]:
            yield extra, "bucket", f"{bucket.name} has the lifecycle of {held[0].name} already"
        ids: set[str] = set()
        for resource, where, block in rules_of(graph, bucket):
            name = literal(block.get("id"))
            if name and name in ids:
                yield resource, f"{where}.id", f"a second rule {name!r}"
            ids |= {name} if name else set()
            yield from _wrong_rule(resource, where, block)


def _wrong_rule(resource: Resource, where: str, block: Json) -> Iterator[tuple[Resource, str, str]]:
    actions = ("transitions", "expiration", "abortIncompleteMultipartUpload", "abortIncompleteMultipartUploadDays")
    if not any(given(block.get(k)) for k in (*actions, "noncurrentVersionExpiration", "noncurrentVersionTransitions")):
        yield resource, where, "a rule that does nothing"
    for key, days_key in (("transitions", "days"), ("noncurrentVersionTransitions", "noncurrentDays")):
        for i, move in enumerate(many(block.get(key))):
            days = whole(move.get(days_key))
            least = TRANSITION_DAYS.get(str(move.get("storageClass")), 0)
            if days is not None and days < (least if key == "transitions" else 0):
                yield (
                    resource,
                    f"{where}.{key}[{i}].{days_key}",
                    f"{move.get('storageClass')} after {days} days, not {least}",
                )
    for key, days_key in (("expiration", "days"), ("noncurrentVersionExpiration", "noncurrentDays")):
        days = whole(one(block.get(key)).get(days_key))
        if days is not None and days < 1:
            yield resource, f"{where}.{key}.{days_key}", f"{days} days"


def _narrow(block: Json) -> bool:
    """Whether a rule is for a part of the bucket only."""
    return given(block.get("prefix")) or any(given(value) for value in one(block.get("filter")).values())


@rule(
    "S3-EXPIRES",
    *LIFECYCLE,
    what="a lifecycle that ends the whole bucket's current objects",
    why="the data set and the checkpoints are deleted by age, in the middle of a run",
    remedy="expire old versions, or a prefix that holds what may go",
    example="expiration after 30 days without a prefix",
)
def data_does_not_expire(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            ends = one(block.get("expiration"))
            if enabled(block) and not _narrow(block) and (given(ends.get("days")) or given(ends.get("date"))):
                yield resource, f"{where}.expiration", "every object of the bucket expires"


@rule(
    "S3-ARCHIVED",
    *LIFECYCLE,
    what="a lifecycle that puts the whole bucket's current objects out of reach",
    why="what lies in GLACIER or DEEP_ARCHIVE is read only after a restore of hours, which bills by the GB: the next "
    "epoch fails at its first shard",
    remedy="INTELLIGENT_TIERING or GLACIER_IR, or a prefix that training does not read",
    example="transitions to DEEP_ARCHIVE after 0 days without a prefix",
)
def data_stays_in_reach(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            for i, move in enumerate(many(block.get("transitions")) if enabled(block) and not _narrow(block) else ()):
                if move.get("storageClass") in ("GLACIER", "DEEP_ARCHIVE"):
                    yield resource, f"{where}.transitions[{i}].storageClass", f"{move['storageClass']} for every object"
