"""The settings of every bucket: private, owned by its account, versioned, encrypted with a key, TLS only."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from infra.naming import Component
from infra.policy import document

ABORT_DAYS = 7  # parts of unfinished uploads are billed until they are aborted
OLD_VERSION_DAYS = 7  # how long overwritten and deleted objects can be restored, and are billed


def bucket_name(component: Component, part: str) -> pulumi.Output[str]:
    """A name that is unique among all accounts, and the same in every deployment."""
    return component.naming.global_(part)


def bucket_arn(name: pulumi.Input[str]) -> pulumi.Output[str]:
    return pulumi.Output.concat("arn:aws:s3:::", name)


def secure_bucket(
    component: Component,
    part: str,
    *,
    name: pulumi.Input[str],
    key: aws.kms.Key,
    rules: list[aws.s3.BucketLifecycleConfigurationRuleArgs],
    kept: bool,
) -> tuple[aws.s3.Bucket, list[pulumi.Resource]]:
    """The bucket, and what must exist before it is used. kept: `pulumi destroy` keeps it and its data."""
    bucket = aws.s3.Bucket(
        component.named(part),
        bucket=name,
        force_destroy=not kept,
        tags=component.tags(part),
        opts=component.child(kept=kept),
    )
    access = aws.s3.BucketPublicAccessBlock(
        component.named(f"{part}-private"),
        bucket=bucket.id,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        opts=component.child(kept=kept),
    )
    owner = aws.s3.BucketOwnershipControls(
        component.named(f"{part}-owner"),
        bucket=bucket.id,
        rule=aws.s3.BucketOwnershipControlsRuleArgs(object_ownership="BucketOwnerEnforced"),
        opts=component.child(kept=kept),
    )
    versions = aws.s3.BucketVersioning(
        component.named(f"{part}-versions"),
        bucket=bucket.id,
        versioning_configuration=aws.s3.BucketVersioningVersioningConfigurationArgs(status="Enabled"),
        opts=component.child(kept=kept),
    )
    encrypted = aws.s3.BucketServerSideEncryptionConfiguration(
        component.named(f"{part}-encryption"),
        bucket=bucket.id,
        rules=[
            aws.s3.BucketServerSideEncryptionConfigurationRuleArgs(
                apply_server_side_encryption_by_default=aws.s3.BucketServerSideEncryptionConfigurationRuleApplyServerSideEncryptionByDefaultArgs(
                    sse_algorithm="aws:kms",
                    kms_master_key_id=key.arn,
                ),
                bucket_key_enabled=True,  # one request to KMS for many objects instead of one each
            )
        ],
        opts=component.child(kept=kept),
    )
    aws.s3.BucketLifecycleConfiguration(
        component.named(f"{part}-lifecycle"),
        bucket=bucket.id,
        rules=[*_always(), *rules],
        opts=component.child(depends_on=[versions], kept=kept),
    )
    policy = aws.s3.BucketPolicy(
        component.named(f"{part}-policy"),
        bucket=bucket.id,
        policy=bucket.arn.apply(_tls_only),
        opts=component.child(depends_on=[access], kept=kept),
    )
    return bucket, [owner, versions, encrypted, policy]


def _always() -> list[aws.s3.BucketLifecycleConfigurationRuleArgs]:
    return [
        aws.s3.BucketLifecycleConfigurationRuleArgs(
            id="housekeeping",
            status="Enabled",
            filter=aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix=""),
            abort_incomplete_multipart_upload=aws.s3.BucketLifecycleConfigurationRuleAbortIncompleteMultipartUploadArgs(
                days_after_initiation=ABORT_DAYS
            ),
            noncurrent_version_expiration=aws.s3.BucketLifecycleConfigurationRuleNoncurrentVersionExpirationArgs(
                noncurrent_days=OLD_VERSION_DAYS
            ),
        )
    ]


def _tls_only(arn: str) -> str:
    return document(
        {
            "Sid": "TlsOnly",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": [arn, f"{arn}/*"],
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
    )
