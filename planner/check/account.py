"""What the account has set once for all stacks: EBS key, service-linked roles, cost tags; and the files of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown, not_known
from planner.check.wanted import Wanted, dollars, waiting, waiting_usd_per_hour

TAGS = ("planner:stack", "planner:component")
# service-linked role -> the service that makes it, by who needs it
AUTO_SCALING = ("AWSServiceRoleForAutoScaling", "autoscaling.amazonaws.com")
SPOT = ("AWSServiceRoleForEC2Spot", "spot.amazonaws.com")
BATCH = ("AWSServiceRoleForBatch", "batch.amazonaws.com")
LUSTRE = ("AWSServiceRoleForAmazonFSx", "fsx.amazonaws.com")
AWS_KEY = "alias/aws/ebs"


def ebs_key_line(key: Any, described: Any, wanted: Wanted) -> Line:
    """The account's default key of volumes. key: as EC2 names it. described: its metadata, None where not asked."""
    asked = "the default key of EBS volumes in this Region"
    usd, means = waiting(wanted.spec, 0)
    means = f"with a key that Auto Scaling may not use no node starts: {means}"
    if isinstance(key, NotKnown):
        return not_known("ebs-key", asked, key, means, usd)
    if key == AWS_KEY or key.endswith(AWS_KEY):
        return Line(id="ebs-key", state=FINE, asked=asked, said="AWS's own (alias/aws/ebs)")
    if isinstance(described, NotKnown):
        return not_known("ebs-key", asked, described, means, usd)
    mends = "aws kms get-key-policy --policy-name default --key-id KEY, and allow AWSServiceRoleForAutoScaling"
    state = (described or {}).get("KeyState")
    if state is None:
        return not_known("ebs-key", asked, NotKnown(why="half an answer: the key has no state"), means, usd)
    manager = (described or {}).get("KeyManager")
    said = f"{key}, {state}, managed by {manager or 'nobody named'}"
    if state != "Enabled":
        return Line(id="ebs-key", state=BLOCKS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)
    if manager == "AWS":
        return Line(id="ebs-key", state=FINE, asked=asked, said=said)
    said += "; the check does not read its policy"
    return Line(id="ebs-key", state=NOT_KNOWN, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)


def service_roles(wanted: Wanted) -> Iterator[tuple[str, str]]:
    """(role, service) of those that this stack's services act by."""
    spec = wanted.spec
    yield AUTO_SCALING
    if spec.buying.kind == "spot":
        yield SPOT
    if spec.workers:
        yield BATCH
    if spec.lustre:
        yield LUSTRE


def service_role_line(role: str, service: str, answer: Any, wanted: Wanted) -> Line:
    """One role. Where it is missing the first use makes it, if the deployer may."""
    id, asked = f"service-role.{role}", f"service-linked role {role}"
    usd, means = waiting(wanted.spec, 0)
    if isinstance(answer, NotKnown):
        if answer.code == "NoSuchEntity":
            return Line(
                id=id,
                state=WARNS,
                asked=asked,
                said="it does not exist; the first use makes it, with the deployer's right to",
                means=f"without that right: {means}",
                usd_per_hour=usd,
                mends=f"aws iam create-service-linked-role --aws-service-name {service}",
            )
        return not_known(id, asked, answer, means, usd)
    return Line(id=id, state=FINE, asked=asked, said="it exists")


def cost_tags_line(tags: Any, wanted: Wanted) -> Line:
    """Whether the tags by which the budget counts are active."""
    asked = f"cost allocation tags {', '.join(TAGS)} are active"
    usd = waiting_usd_per_hour(wanted.spec, wanted.spec.fleet.nodes)
    means = f"the budget counts nothing and stops nobody, while the stack costs {dollars(usd)}"
    if isinstance(tags, NotKnown):
        return not_known("cost-tags", asked, tags, means, usd)
    states = {entry.get("TagKey"): entry.get("Status") for entry in tags}
    idle = [tag for tag in TAGS if states.get(tag) != "Active"]
    if not idle:
        return Line(id="cost-tags", state=FINE, asked=asked, said="both are")
    said = ", ".join(f"{tag}: {states.get(tag) or 'never used on a resource'}" for tag in idle)
    status = " ".join(f"TagKey={tag},Status=Active" for tag in idle)
    return Line(
        id="cost-tags",
        state=WARNS,
        asked=asked,
        said=said,
        means=means,
        usd_per_hour=usd,
        mends=f"aws ce update-cost-allocation-tags-status --cost-allocation-tags-status {status} "
        "(in the management account; a tag is listed a day after its first use)",
    )


def bundle_line(wanted: Wanted) -> Line | None:
    """The files that nodes fetch, on this machine; None for a layout without them."""
    if wanted.bundle is None:
        return None
    asked = "the files that nodes fetch are built, with the expected SHA-256 (this machine, not AWS)"
    if not wanted.bundle:
        return Line(id="bundle", state=FINE, asked=asked, said="they are")
    means = "`pulumi up` stops before it creates anything"
    return Line(
        id="bundle", state=BLOCKS, asked=asked, said=wanted.bundle, means=means, usd_per_hour=0.0, mends="make bundle"
    )
