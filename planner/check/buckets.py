"""Names of the stack's buckets, which `pulumi destroy` may have kept, and what closes the buckets that nodes read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from planner.check.line import BLOCKS, WARNS, Line, Matter, NotKnown
from planner.check.wanted import Wanted, dollars, gpu_nodes, waiting_usd_per_hour
from planner.stack.names import physical

# of the S3 User Guide, "Blocking public access to your Amazon S3 storage"; all four close a bucket
FOUR = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
NO_BUCKET = "NoSuchBucket"
OLD_NAMES = {"eu-west-1": "EU"}  # S3 API reference, GetBucketLocation
NONE_SET = "NoSuchPublicAccessBlockConfiguration"


def names_of(wanted: Wanted, account: str) -> tuple[str, ...]:
    """The buckets that the stack creates, as infra/naming.py names them."""
    spec = wanted.spec
    return tuple(f"{physical(spec.stack, part)}-{account}-{spec.region}" for part in ("data", "artefacts"))


def names_line(names: tuple[str, ...], buckets: Any, deployed: bool | NotKnown, wanted: Wanted) -> Line:
    """Whether the names are free. deployed: whether the stack has a subnet, so that the buckets are its own."""
    matter = Matter(
        id="bucket-names",
        asked=f"are {' and '.join(names)} free, or of this stack",
        means="`pulumi up` stops with BucketAlreadyOwnedByYou",
        usd_per_hour=0.0,
        mends="import what an earlier stack of this name kept (docs/operations.md), or planner stack --stack ANOTHER",
    )
    for answer in (buckets, deployed):
        if isinstance(answer, NotKnown):
            return matter.not_known(answer)
    taken = [name for name in names if name in {entry.get("Name") for entry in buckets}]
    if not taken:
        return matter.fine("they are free in this account")
    if deployed:
        return matter.fine("the stack is deployed and has them")
    return matter.bad(BLOCKS, f"this account has {' and '.join(taken)}, and no deployed stack of this name")


def public_lines(account: Any, each: Mapping[str, Any]) -> Iterator[Line]:
    """account: the block on public access of the whole account. each: name -> that of another bucket that nodes read;
    the stack closes its own."""
    whole = _closed(account)
    matter = Matter(
        id="public-access",
        asked="does the account close its buckets to the public",
        means="the stack's own buckets are closed by themselves; nothing holds for others",
        mends="aws s3control put-public-access-block --account-id ACCOUNT --public-access-block-configuration "
        + ",".join(f"{key}=true" for key in FOUR),
    )
    if isinstance(whole, NotKnown):
        yield matter.not_known(whole)
    elif whole or not each:
        yield matter.fine("yes" if whole else "no; the stack closes its own buckets, and nodes read no others")
    else:
        yield matter.bad(WARNS, "no")
    if whole is True:
        return
    for name, answer in each.items():
        closed = _closed(answer)
        own = replace(
            matter,
            id=f"public-access.{name}",
            asked=f"is {name}, which nodes read, closed to the public",
            means="strangers may be able to read the training data, or to write there",
            mends=f"aws s3api get-bucket-policy-status --bucket {name}; then put-public-access-block",
        )
        if isinstance(closed, NotKnown):
            yield own.not_known(closed)
        else:
            yield own.fine("yes") if closed else own.bad(WARNS, "nothing closes it")


def region_line(name: str, location: Any, wanted: Wanted) -> Line:
    """A bucket that nodes read: whether it is there, and in the Region of the stack. location: its Region."""
    usd = waiting_usd_per_hour(wanted.spec, gpu_nodes(wanted.spec))
    matter = Matter(
        id=f"bucket-region.{name}",
        asked=f"is {name}, which nodes read, in {wanted.spec.region}",
        means=f"every read fails, and the stack costs {dollars(usd)} meanwhile",
        usd_per_hour=usd,
        mends="write the bucket's right name into deploy.extra_buckets of the plan, then planner stack",
    )
    if isinstance(location, NotKnown):
        return (
            matter.bad(BLOCKS, "there is no such bucket") if location.code == NO_BUCKET else matter.not_known(location)
        )
    if location in (wanted.spec.region, OLD_NAMES.get(wanted.spec.region)):
        return matter.fine("yes")
    nat = f"${wanted.nat_usd_per_gb * 1000:,.2f} a TB" if wanted.nat_usd_per_gb else "an unknown amount"
    far = replace(
        matter,
        means=f"slower reads, through the NAT gateway ({nat}), beside what {location} bills for data that leaves it",
        usd_per_hour=None,
        mends=f"copy what is read: aws s3 sync s3://{name} s3://BUCKET --source-region {location} "
        f"--region {wanted.spec.region}",
    )
    return far.bad(WARNS, f"no, in {location}")


def _closed(answer: Any) -> bool | NotKnown:
    if isinstance(answer, NotKnown):
        return False if answer.code == NONE_SET else answer
    return all(answer.get(key) is True for key in FOUR)
