"""What a bucket and its key do to objects over time: ends, locks, archives, keys that do not encrypt."""

from __future__ import annotations

import re

from planner.lint.read.graph import Graph
from planner.lint.read.values import at, given, leaves, literal, many, one, whole
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.buckets import BUCKET, KEY, LIFECYCLE
from planner.lint.storage.lifecycle import enabled, rules_of
from planner.lint.storage.retention import data_buckets, keys_of

DATA = re.compile(r"(^|/)(data|dataset|datasets|shards?|checkpoints?|ckpt|models?|weights)(/|-|_|$)", re.IGNORECASE)
LEAST_DAYS = 14  # a checkpoint that ends before this may end under the run that needs it
ARCHIVED = ("GLACIER", "DEEP_ARCHIVE")
GROUPS = ("global/AllUsers", "global/AuthenticatedUsers")
LOCK, TIERING = "s3:BucketObjectLockConfiguration", "s3:BucketIntelligentTieringConfiguration"


@rule(
    "S3-PREFIX",
    *LIFECYCLE,
    what="a lifecycle that ends the data or the checkpoints under a run, or archives what training reads",
    why="a prefix does not make it harmless: the shards are gone at the next epoch, the last checkpoint at the next "
    "restart; what is in GLACIER is read only after hours",
    remedy="expire scratch prefixes and old versions only; INTELLIGENT_TIERING or GLACIER_IR for the rest",
    example="expiration after 1 day of the prefix checkpoints/",
)
def prefixes_are_kept(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            told = one(block.get("filter"))
            prefix = literal(block.get("prefix") or told.get("prefix") or at(told, "and.prefix")) or ""
            if not enabled(block) or not DATA.search(prefix):
                continue
            days = whole(at(block, "expiration.days"))
            if days is not None and 0 < days < (3650 if "check" not in prefix and "ckpt" not in prefix else LEAST_DAYS):
                yield resource, f"{where}.expiration.days", f"{prefix!r} ends after {days:,} days"
            for i, move in enumerate(many(block.get("transitions"))):
                if move.get("storageClass") in ARCHIVED and "check" not in prefix:
                    yield resource, f"{where}.transitions[{i}].storageClass", f"{move['storageClass']} for {prefix!r}"


@rule(
    "S3-RULE",
    *LIFECYCLE,
    what="a lifecycle rule whose parts S3 does not take together",
    why="one wrong rule refuses the whole configuration, and old versions and cut-off uploads go on billing",
    remedy="days or a date; filter or prefix; expiry after the last transition; abort in a rule without tags",
    example="expiration with days and date, or after 30 days what moves after 60",
)
def rules_can_be(graph: Graph) -> Hits:
    for bucket in graph.of(BUCKET):
        for resource, where, block in rules_of(graph, bucket):
            if given(block.get("prefix")) and given(block.get("filter")):
                yield resource, f"{where}.prefix", "prefix beside filter: S3 takes one"
            ends = one(block.get("expiration"))
            if given(ends.get("days")) and given(ends.get("date")):
                yield resource, f"{where}.expiration", "days beside a date: S3 takes one"
            moves = [days for move in many(block.get("transitions")) if (days := whole(move.get("days"))) is not None]
            days = whole(ends.get("days"))
            if days is not None and moves and days <= max(moves):
                yield resource, f"{where}.expiration.days", f"ends after {days:,} days what moves after {max(moves):,}"
            tagged = any(".tag" in f".{path}" for path, _ in leaves(block.get("filter")))
            if tagged and given(block.get("abortIncompleteMultipartUpload")):
                yield resource, f"{where}.abortIncompleteMultipartUpload", "a rule with tags aborts no uploads"
            old = whole(at(block, "noncurrentVersionExpiration.noncurrentDays"))
            if old is not None and old > 3650:
                yield resource, f"{where}.noncurrentVersionExpiration.noncurrentDays", f"{old:,} days: that is for ever"


@rule(
    "S3-LOCKED",
    LOCK,
    TIERING,
    "s3:BucketLogging",
    severity=WARNING,
    what="objects that nobody can delete, that are out of reach, or that make more of themselves",
    why="in COMPLIANCE not even root deletes an object before its time: every checkpoint bills to the end of it; "
    "archive tiers answer after hours; a bucket that logs into itself logs its own logs",
    remedy="GOVERNANCE and days, no archive tier for a live data set, another bucket for logs",
    example="mode: COMPLIANCE with years: 10",
)
def objects_stay_in_hand(graph: Graph) -> Hits:
    for lock in graph.of(LOCK):
        kept = one(at(lock.inputs, "rule.defaultRetention"))
        if kept.get("mode") == "COMPLIANCE":
            yield lock, "rule.defaultRetention.mode", "COMPLIANCE: nobody can delete before the time is over"
    data = data_buckets(graph)
    for tiering in graph.of(TIERING):
        bucket = graph.target(tiering.inputs.get("bucket"), BUCKET)
        narrow = given(at(tiering.inputs, "filter.prefix")) or given(at(tiering.inputs, "filter.tags"))
        for i, tier in enumerate(many(tiering.inputs.get("tierings")) if bucket in data and not narrow else ()):
            if str(tier.get("accessTier")).endswith("ARCHIVE_ACCESS"):
                yield tiering, f"tierings[{i}].accessTier", f"{tier['accessTier']} for every object"
    for logging in graph.of("s3:BucketLogging"):
        own = graph.target(logging.inputs.get("bucket"), BUCKET) or literal(logging.inputs.get("bucket"))
        other = graph.target(logging.inputs.get("targetBucket"), BUCKET) or literal(logging.inputs.get("targetBucket"))
        if own is not None and own is other:
            yield logging, "targetBucket", "the bucket logs into itself"


@rule(
    "S3-GRANT",
    "s3:BucketAcl",
    what="a list of rights that lets everybody in",
    why="AllUsers is the internet, AuthenticatedUsers is everybody with an account of AWS",
    remedy="no BucketAcl: BucketOwnerEnforced and a policy",
    example="a grant to http://acs.amazonaws.com/groups/global/AllUsers",
)
def grants_are_narrow(graph: Graph) -> Hits:
    for acl in graph.of("s3:BucketAcl", BUCKET):
        for where, leaf in leaves({k: acl.inputs.get(k) for k in ("accessControlPolicy", "grants")}):
            if isinstance(leaf, str) and leaf.endswith(GROUPS):
                yield acl, where, leaf.rpartition("/")[2]


@rule(
    "KMS-USAGE",
    KEY,
    what="a key that does not do what it is there for",
    why="S3, EBS and FSx encrypt with symmetric keys only, and KMS turns a key every 90 to 2,560 days: else it refuses",
    remedy="keyUsage ENCRYPT_DECRYPT and SYMMETRIC_DEFAULT, which both are what comes without them",
    example="keyUsage: SIGN_VERIFY on the key of the bucket",
)
def keys_encrypt(graph: Graph) -> Hits:
    used = {key for bucket in graph.of(BUCKET) for key in keys_of(graph, bucket)}
    used |= {k for r in graph.resources for k in graph.targets(r.inputs.get("kmsKeyId"), KEY)}
    for key in graph.of(KEY):
        for name, wanted in (("keyUsage", "ENCRYPT_DECRYPT"), ("customerMasterKeySpec", "SYMMETRIC_DEFAULT")):
            said = literal(key.inputs.get(name))
            if key in used and said and said != wanted:
                yield key, name, f"{said}, and data are to be encrypted with it"
        days = whole(key.inputs.get("rotationPeriodInDays"))
        if days is not None and not 90 <= days <= 2560:
            yield key, "rotationPeriodInDays", f"{days:,} days; 90 to 2,560"
