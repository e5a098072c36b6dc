"""The data bucket, which holds every object of a stack, and its key. `pulumi destroy` keeps both.

Their component is called `tier` in resource names, tags and graphs, where it is public.
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.buckets import bucket_name, secure_bucket
from infra.naming import Component, Naming
from infra.policy import document

DELETION_DAYS = 30  # how long a key that was deleted by mistake can be restored


@dataclass(frozen=True, kw_only=True)
class DataBucketArgs:
    """kept_prefix: of the objects that training does not read. beside_hot_class: their storage class; STANDARD needs no
    rule. lustre: whether FSx for Lustre reads and writes the bucket, for which it needs the key."""

    kept_prefix: str
    beside_hot_class: str
    lustre: bool


class DataBucket(Component):
    """Bucket and key. Both are protected, and kept when the stack is destroyed."""

    def __init__(self, naming: Naming, args: DataBucketArgs) -> None:
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
            rules=_transitions(args),
            kept=True,
        )
        self.register_outputs({"bucket": self.bucket.id, "key_arn": self.key.arn})


def _transitions(args: DataBucketArgs) -> list[aws.s3.BucketLifecycleConfigurationRuleArgs]:
    """Move data that training does not read to the storage class in the plan, as early as S3 allows."""
    if args.beside_hot_class == "STANDARD":
        return []
    # S3 moves an object to Standard-IA after 30 days at the earliest
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
    """IAM policies of the account decide who may use the key. FSx uses it through a role that FSx creates."""
    statements: list[dict[str, object]] = [
        {
            "Sid": "AccountPoliciesDecide",
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
            "Action": "kms:*",
            "Resource": "*",  # in a key policy this means the key itself
        }
    ]
    if lustre:
        role = "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
        statements.append(
            {
                "Sid": "LustreRepository",
                "Effect": "Allow",
                "Principal": {"AWS": "*"},  # the role exists only after the association: a condition names it
                "Action": ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncrypt*"],
                "Resource": "*",
                "Condition": {
                    "StringEquals": {"kms:CallerAccount": account},
                    "ArnLike": {"aws:PrincipalArn": f"arn:aws:iam::{account}:{role}"},
                },
            }
        )
    return document(*statements)
