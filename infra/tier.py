"""The durable tier: the bucket that holds every object, and its key. Neither goes with the stack."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.buckets import bucket_name, secure_bucket
from infra.naming import Component, Naming
from infra.policy import document

DELETION_DAYS = 30  # a key that is deleted by mistake can be had back for so long


@dataclass(frozen=True, kw_only=True)
class TierArgs:
    """kept_prefix: where lies what training does not read. beside_hot_class: its storage class, STANDARD: no rule.
    lustre: whether FSx for Lustre reads and writes the bucket, which needs the key."""

    kept_prefix: str
    beside_hot_class: str
    lustre: bool


class Tier(Component):
    """Bucket and key of the data. Both are protected, and kept when the stack is destroyed."""

    def __init__(self, naming: Naming, args: TierArgs) -> None:
        super().__init__("tier", naming)
        self.key = aws.kms.Key(
            self.named("key"),
            description=f"Data of stack {naming.stack}",
            enable_key_rotation=True,
            deletion_window_in_days=DELETION_DAYS,
            policy=pulumi.Output.from_input(naming.account).apply(lambda id: _key_policy(id, lustre=args.lustre)),
            tags=self.tags("key"),
            opts=self.child(kept=True),
        )
        aws.kms.Alias(
            self.named("key-alias"),
            name=f"alias/{naming.physical('data')}",
            target_key_id=self.key.key_id,
            opts=self.child(kept=True),
        )
        self.bucket, self.ready = secure_bucket(
            self,
            "bucket",
            name=bucket_name(self, "data"),
            key=self.key,
            rules=_moved_down(args),
            kept=True,
        )
        self.register_outputs({"bucket": self.bucket.id, "key_arn": self.key.arn})


def _moved_down(args: TierArgs) -> list[aws.s3.BucketLifecycleConfigurationRuleArgs]:
    """What training does not read goes to the class that the plan names, on the day it comes."""
    if args.beside_hot_class == "STANDARD":
        return []
    # S3 moves nothing to Standard-IA in its first thirty days
    days = 30 if args.beside_hot_class == "STANDARD_IA" else 0
    return [
        aws.s3.BucketLifecycleConfigurationRuleArgs(
            id="beside-the-hot-data",
            status="Enabled",
            filter=aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix=args.kept_prefix),
            transitions=[
                aws.s3.BucketLifecycleConfigurationRuleTransitionArgs(days=days, storage_class=args.beside_hot_class)
            ],
        )
    ]


def _key_policy(account: str, *, lustre: bool) -> str:
    """The account's own policies decide; FSx reads and writes the bucket by a role that it makes itself."""
    statements: list[dict[str, object]] = [
        {
            "Sid": "AccountPoliciesDecide",
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
            "Action": "kms:*",
            "Resource": "*",  # of a key policy: this key
        }
    ]
    if lustre:
        role = "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
        statements.append(
            {
                "Sid": "LustreRepository",
                "Effect": "Allow",
                "Principal": {"AWS": "*"},  # the role does not exist before the association: named by condition
                "Action": ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncrypt*"],
                "Resource": "*",
                "Condition": {
                    "StringEquals": {"kms:CallerAccount": account},
                    "ArnLike": {"aws:PrincipalArn": f"arn:aws:iam::{account}:{role}"},
                },
            }
        )
    return document(*statements)
