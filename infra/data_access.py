"""What a role may do with the data bucket, its key and the plan's other buckets: statements of its policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Statements = list[dict[str, object]]


def data_statements(
    arns: Mapping[str, str],
    *,
    reads: Sequence[str],
    writes: Sequence[str],
    others: Sequence[str],
    lists_all: bool,
    lists: Sequence[str] = (),
) -> Statements:
    """Read the prefixes, write some of them, use the key. arns: of the bucket (data) and the key. reads, writes:
    prefixes. others: names of buckets that it reads as a whole. lists_all: whether it lists the whole bucket.
    lists: prefixes of which it sees the names alone."""
    data, everything = arns["data"], dict.fromkeys((*reads, *writes))
    found: Statements = [
        {
            "Sid": "FindTheBucket",
            "Effect": "Allow",
            "Action": ["s3:GetBucketLocation", "s3:GetBucketVersioning"],
            "Resource": data,
        },
        {"Sid": "List", "Effect": "Allow", "Action": "s3:ListBucket", "Resource": data},
        {
            "Sid": "Read",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": [f"{data}/{prefix}*" for prefix in everything],
        },
        {
            "Sid": "Key",
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": arns["key"],
        },
    ]
    if not lists_all:
        found[1]["Condition"] = {"StringLike": {"s3:prefix": [f"{prefix}*" for prefix in (*everything, *lists)]}}
    if writes:
        # nodes never delete versions, so overwritten objects can be restored
        found.append(
            {
                "Sid": "Write",
                "Effect": "Allow",
                "Action": [
                    "s3:PutObject",
                    "s3:DeleteObject",
                    "s3:AbortMultipartUpload",
                    "s3:ListMultipartUploadParts",
                ],
                "Resource": [f"{data}/{prefix}*" for prefix in writes],
            }
        )
    if others:
        named = [f"arn:aws:s3:::{name}" for name in others]
        found += [
            {"Sid": "ListOthers", "Effect": "Allow", "Action": "s3:ListBucket", "Resource": named},
            {"Sid": "ReadOthers", "Effect": "Allow", "Action": "s3:GetObject", "Resource": [f"{a}/*" for a in named]},
        ]
    return found
