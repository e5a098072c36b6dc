"""Mistakes about buckets and keys."""

from __future__ import annotations

import json

from tests.lint.graphs import Document, find
from tests.lint.mistakes.edits import (
    OURS,
    Edit,
    Mistake,
    add,
    block,
    cut,
    data_bucket,
    key,
    of,
    part,
    policy,
    put,
    remove_part,
)


def key_of_everybody(document: Document) -> None:
    """One more statement, as an example for two accounts that lost its condition."""
    more = {"Effect": "Allow", "Principal": "*", "Action": ["kms:Decrypt", "kms:DescribeKey"], "Resource": "*"}
    policy(key(document))["Statement"].append(more)


def lifecycle(document: Document) -> Document:
    return part("BucketLifecycleConfiguration")(document)["inputs"]["rules"][0]


def encryption(document: Document) -> Document:
    return block(part("BucketServerSideEncryptionConfiguration")(document)["inputs"]["rules"])


def allow_world(document: Document) -> None:
    held = part("BucketPolicy")(document)["inputs"]
    policy = held["policy"] if isinstance(held["policy"], dict) else json.loads(held["policy"])
    statements = policy["Statement"] if isinstance(policy["Statement"], list) else [policy["Statement"]]
    open_ = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::x/*"}
    held["policy"] = json.dumps({**policy, "Statement": [*statements, open_]})


def tls(**changed: object) -> Edit:
    """The Deny without TLS, changed."""

    def edit(document: Document) -> None:
        policy(part("BucketPolicy")(document)["inputs"])["Statement"][0].update(changed)

    return edit


def tls_of(end: str) -> Edit:
    """The Deny without TLS, on what ends so of its resources: the objects, or the bucket alone."""

    def edit(document: Document) -> None:
        deny = policy(part("BucketPolicy")(document)["inputs"])["Statement"][0]
        deny["Resource"] = [text for text in deny["Resource"] if text.endswith("/*") == (end == "/*")]

    return edit


def key_of_nobody(document: Document) -> None:
    key(document)["policy"] = {
        "Version": "2012-10-17",
        "Statement": {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::111122223333:role/nodes"},
            "Action": "kms:Decrypt",
            "Resource": "*",
        },
    }


def alias(document: Document) -> None:
    add(
        document,
        "aws:kms/alias:Alias",
        "alias",
        {"name": "data", "targetKeyId": "1111aaaa-22bb-33cc-44dd-555555eeeeee"},
    )


OTHER = ["arn:aws:s3:::acme-other", "arn:aws:s3:::acme-other/*"]


MISTAKES = (
    Mistake(
        "bucket in capitals", "S3-NAME", lambda d: data_bucket(d)["inputs"].update(bucket="SD2_Data"), also=("S3-TLS",)
    ),
    Mistake("no TLS policy", "S3-TLS", remove_part("BucketPolicy")),
    Mistake("public bucket policy", "S3-PUBLIC", allow_world),
    Mistake(
        "public policy allowed",
        "S3-PUBLIC",
        lambda d: part("BucketPublicAccessBlock")(d)["inputs"].update(blockPublicPolicy=False),
    ),
    Mistake("no public access block", "S3-PUBLIC", remove_part("BucketPublicAccessBlock"), only=OURS),
    Mistake(
        "bucket with S3's default key",
        "S3-ENCRYPTION",
        lambda d: block(encryption(d)["applyServerSideEncryptionByDefault"]).update(sseAlgorithm="AES256"),
    ),
    Mistake("no encryption", "S3-ENCRYPTION", remove_part("BucketServerSideEncryptionConfiguration")),
    Mistake("no bucket key", "S3-BUCKET-KEY", lambda d: encryption(d).update(bucketKeyEnabled=False)),
    Mistake(
        "MFA delete",
        "S3-MFA-DELETE",
        lambda d: part("BucketVersioning")(d)["inputs"].update(
            versioningConfiguration={"status": "Enabled", "mfaDelete": "Enabled"}
        ),
    ),
    Mistake(
        "versions suspended",
        "S3-VERSIONING",
        lambda d: part("BucketVersioning")(d)["inputs"].update(versioningConfiguration={"status": "Suspended"}),
    ),
    Mistake("old versions for ever", "S3-NONCURRENT", cut(lifecycle, "noncurrentVersionExpiration")),
    Mistake("unfinished uploads never expire", "S3-ABORT", cut(lifecycle, "abortIncompleteMultipartUpload")),
    Mistake("status misspelled", "WORD-UNKNOWN", put(lifecycle, "status", "enabled")),
    Mistake(
        "class misspelled",
        "WORD-UNKNOWN",
        put(lifecycle, "transitions", [{"days": 30, "storageClass": "INTELLIGENT-TIERING"}]),
    ),
    Mistake(
        "transition to infrequent access too early",
        "S3-LIFECYCLE",
        put(lifecycle, "transitions", [{"days": 0, "storageClass": "STANDARD_IA"}]),
    ),
    Mistake("data expires", "S3-EXPIRES", put(lifecycle, "expiration", {"days": 30})),
    Mistake("bucket deleted with the stack", "S3-KEEP", lambda d: data_bucket(d)["inputs"].update(forceDestroy=True)),
    Mistake("bucket not kept", "S3-KEEP", lambda d: data_bucket(d).update(protect=False, retain_on_delete=False)),
    Mistake("key not kept", "S3-KEEP", lambda d: find(d, "Key").update(protect=False, retain_on_delete=False)),
    Mistake("deletion window too short", "KMS-WINDOW", put(key, "deletionWindowInDays", 1)),
    Mistake("key never rotates", "KMS-ROTATION", cut(key, "enableKeyRotation")),
    Mistake("TLS on another bucket", "S3-TLS", tls(Resource=OTHER)),
    Mistake("TLS on the objects alone", "S3-TLS", tls_of("/*")),
    Mistake("TLS on the bucket alone", "S3-TLS", tls_of("")),
    Mistake("TLS for a prefix", "S3-TLS", tls(Resource=["arn:aws:s3:::acme-training-data/public/*"])),
    Mistake("TLS for one action", "S3-TLS", tls(Action="s3:GetObject")),
    Mistake("Deny of requests with TLS", "S3-TLS", tls(Condition={"Bool": {"aws:SecureTransport": "true"}})),
    Mistake("TLS for one account", "S3-TLS", tls(Principal={"AWS": "arn:aws:iam::111122223333:root"})),
    Mistake("bucket only retained", "S3-KEEP", lambda d: data_bucket(d).update(protect=False, retain_on_delete=True)),
    Mistake("bucket only protected", "S3-KEEP", lambda d: data_bucket(d).update(protect=True, retain_on_delete=False)),
    Mistake("key only retained", "S3-KEEP", lambda d: find(d, "Key").update(protect=False, retain_on_delete=True)),
    Mistake("bucket no longer protected", "S3-KEEP", lambda d: data_bucket(d).pop("protect")),
    Mistake(
        "bucket policy deleted with the stack",
        "S3-KEEP-PARTS",
        lambda d: part("BucketPolicy")(d).update(protect=False, retain_on_delete=False),
        only=OURS,
    ),
    Mistake(
        "whole bucket archived",
        "S3-ARCHIVED",
        put(lifecycle, "transitions", [{"days": 0, "storageClass": "DEEP_ARCHIVE"}]),
    ),
    Mistake(
        "ACLs enabled",
        "S3-OWNER",
        put(of("BucketOwnershipControls"), "rule", {"objectOwnership": "ObjectWriter"}),
        only=OURS,
    ),
    Mistake("public object ACL on the bundle", "S3-PUBLIC", put(of("BucketObjectv2"), "acl", "public-read"), only=OURS),
    Mistake("KMS key without an administrator", "KMS-LOCKED", key_of_nobody, also=("IAM-KEY",)),
    Mistake("alias without alias/", "KMS-ALIAS", alias),
    Mistake("KMS key open to everyone", "KMS-OPEN", key_of_everybody, only=OURS),
)
