"""Objects over time: expiration, archive tiers, keys that cannot encrypt."""

from __future__ import annotations

import re

from planner.lint.read.graph import Graph
from planner.lint.read.values import at, given, leaves, literal, many, one, whole
from planner.lint.rule import Hits, rule
from planner.lint.storage.buckets import BUCKET, KEY, LIFECYCLE
from planner.lint.storage.lifecycle import enabled, rules_of
from planner.lint.storage.retention import keys_of

DATA = re.compile(r"(^|/)(data|dataset|datasets|shards?|checkpoints?|ckpt|models?|weights)(/|-|_|$)", re.IGNORECASE)
LEAST_DAYS = 14  # days; a checkpoint that expires earlier may be deleted during its run
ARCHIVED = ("GLACIER", "DEEP_ARCHIVE")


@rule(
    "S3-PREFIX",
    *LIFECYCLE,
    what="a lifecycle that deletes or archives training data or checkpoints",
    why="Shards are missing at the next epoch, or the last checkpoint at the next restart; archived data "
    "takes hours to read. A prefix does not help if it holds this data",
    remedy="Expire only scratch prefixes and old versions. Use INTELLIGENT_TIERING or GLACIER_IR for the rest",
    example="expiration after 1 day of the prefix checkpoints/",
)
def training_data_expires_or_archived(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            block_filter = one(block.get("filter"))
            prefix = literal(block.get("prefix") or block_filter.get("prefix") or at(block_filter, "and.prefix")) or ""
            if not enabled(block) or not DATA.search(prefix):
                continue
            days = whole(at(block, "expiration.days"))
            if days is not None and 0 < days < (3650 if "check" not in prefix and "ckpt" not in prefix else LEAST_DAYS):
                yield resource, f"{where}.expiration.days", f"{prefix!r} is deleted after {days:,} days"
            for i, move in enumerate(many(block.get("transitions"))):
                if move.get("storageClass") in ARCHIVED and "check" not in prefix:
                    yield (
                        resource,
                        f"{where}.transitions[{i}].storageClass",
                        f"{prefix!r} moves to {move['storageClass']}",
                    )


@rule(
    "S3-RULE",
    *LIFECYCLE,
    what="a lifecycle rule with settings that S3 does not accept together",
    why="S3 rejects the whole lifecycle, and old versions and unfinished uploads are billed forever",
    remedy="Use days or a date, a filter or a prefix, an expiration after the last transition, and no tag filter "
    "in a rule that aborts uploads",
    example="expiration with days and a date, or after 30 days with a transition after 60",
)
def conflicting_lifecycle_settings(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            if given(block.get("prefix")) and given(block.get("filter")):
                yield resource, f"{where}.prefix", "prefix and filter are both given"
            ends = one(block.get("expiration"))
            if given(ends.get("days")) and given(ends.get("date")):
                yield resource, f"{where}.expiration", "days and a date are both given"
            moves = [days for move in many(block.get("transitions")) if (days := whole(move.get("days"))) is not None]
            days = whole(ends.get("days"))
            if days is not None and moves and days <= max(moves):
                yield (
                    resource,
                    f"{where}.expiration.days",
                    f"expires after {days:,} days, before the transition after {max(moves):,}",
                )
            tagged = any(".tag" in f".{path}" for path, _ in leaves(block.get("filter")))
            if tagged and given(block.get("abortIncompleteMultipartUpload")):
                yield (
                    resource,
                    f"{where}.abortIncompleteMultipartUpload",
                    "a rule with a tag filter cannot abort uploads",
                )
            old = whole(at(block, "noncurrentVersionExpiration.noncurrentDays"))
            if old is not None and old > 3650:
                yield resource, f"{where}.noncurrentVersionExpiration.noncurrentDays", f"{old:,} days is over ten years"


@rule(
    "KMS-USAGE",
    KEY,
    what="a KMS key that cannot encrypt the data, or an invalid rotation period",
    why="Writes fail: S3, EBS and FSx need a symmetric encryption key. KMS also rejects rotation periods "
    "outside 90 to 2,560 days",
    remedy="Set keyUsage to ENCRYPT_DECRYPT and the key spec to SYMMETRIC_DEFAULT (both are the default)",
    example="keyUsage: SIGN_VERIFY on the bucket's key",
)
def key_cannot_encrypt(graph: Graph) -> Hits:
    used = {key for bucket in graph.of(BUCKET) for key in keys_of(graph, bucket)}
    used |= {k for r in graph.resources for k in graph.targets(r.inputs.get("kmsKeyId"), KEY)}
    for key in graph.of(KEY):
        for name, wanted in (("keyUsage", "ENCRYPT_DECRYPT"), ("customerMasterKeySpec", "SYMMETRIC_DEFAULT")):
            said = literal(key.inputs.get(name))
            if key in used and said and said != wanted:
                yield key, name, f"{said}, but data is encrypted with this key"
        days = whole(key.inputs.get("rotationPeriodInDays"))
        if days is not None and not 90 <= days <= 2560:
            yield key, "rotationPeriodInDays", f"{days:,} days; allowed: 90 to 2,560"
