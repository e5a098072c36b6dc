"""What the account has set once for all stacks: EBS key, service-linked roles, cost tags; and the files of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from planner.check.line import BLOCKS, NOT_KNOWN, WARNS, Line, Matter, NotKnown
from planner.check.wanted import Wanted, dollars, gpu_nodes, waiting_usd_per_hour, waits

TAGS = ("planner:stack", "planner:component")
# service-linked role -> the service that makes it, by who needs it
AUTO_SCALING = ("AWSServiceRoleForAutoScaling", "autoscaling.amazonaws.com")
SPOT = ("AWSServiceRoleForEC2Spot", "spot.amazonaws.com")
BATCH = ("AWSServiceRoleForBatch", "batch.amazonaws.com")
LUSTRE = ("AWSServiceRoleForAmazonFSx", "fsx.amazonaws.com")
AWS_KEY = "alias/aws/ebs"


def ebs_key_line(key: Any, described: Any, wanted: Wanted) -> Line:
    """The account's default key of volumes. key: as EC2 names it. described: its metadata, None where not asked."""
    mends = "aws kms get-key-policy --policy-name default --key-id KEY, and allow AWSServiceRoleForAutoScaling"
    matter = waits("ebs-key", "the default key of EBS volumes in this Region", wanted, mends)
    matter = replace(matter, means=f"with a key that Auto Scaling may not use no node starts: {matter.means}")
    if isinstance(key, NotKnown):
        return matter.not_known(key)
    if key.endswith(AWS_KEY):
        return matter.fine("AWS's own (alias/aws/ebs)")
    if isinstance(described, NotKnown):
        return matter.not_known(described)
    found = described or {}
    state, manager = found.get("KeyState"), found.get("KeyManager")
    if state is None:
        return matter.half("the key has no state")
    said = f"{key}, {state}, managed by {manager or 'nobody named'}"
    if state != "Enabled":
        return matter.bad(BLOCKS, said)
    if manager == "AWS":
        return matter.fine(said)
    return matter.bad(NOT_KNOWN, f"{said}; the check does not read its policy")


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
    mends = f"aws iam create-service-linked-role --aws-service-name {service}"
    matter = waits(f"service-role.{role}", f"service-linked role {role}", wanted, mends)
    if not isinstance(answer, NotKnown):
        return matter.fine("it exists")
    if answer.code != "NoSuchEntity":
        return matter.not_known(answer)
    said = "it does not exist; the first use makes it, with the deployer's right to"
    return replace(matter, means=f"without that right: {matter.means}").bad(WARNS, said)


def cost_tags_line(tags: Any, wanted: Wanted) -> Line:
    """Whether the tags by which the budget counts are active."""
    usd = waiting_usd_per_hour(wanted.spec, gpu_nodes(wanted.spec))
    matter = Matter(
        id="cost-tags",
        asked=f"cost allocation tags {', '.join(TAGS)} are active",
        means=f"the budget counts nothing and stops nobody, while the stack costs {dollars(usd)}",
        usd_per_hour=usd,
    )
    if isinstance(tags, NotKnown):
        line = matter.not_known(tags)
        # AWS's words to a member of an organization, whatever its rights (terraform-provider-aws issue 37636)
        mends = "run it in the management account: aws ce list-cost-allocation-tags --tag-keys " + " ".join(TAGS)
        return replace(line, mends=mends) if "Linked account" in tags.why else line
    states = {entry.get("TagKey"): entry.get("Status") for entry in tags}
    idle = [tag for tag in TAGS if states.get(tag) != "Active"]
    if not idle:
        return matter.fine("both are")
    said = ", ".join(f"{tag}: {states.get(tag) or 'never used on a resource'}" for tag in idle)
    status = " ".join(f"TagKey={tag},Status=Active" for tag in idle)
    mends = (
        f"aws ce update-cost-allocation-tags-status --cost-allocation-tags-status {status} "
        "(in the management account; a tag is listed a day after its first use)"
    )
    return replace(matter, mends=mends).bad(WARNS, said)


def bundle_line(wanted: Wanted) -> Line | None:
    """The files that nodes fetch, on this machine; None for a layout without them."""
    if wanted.bundle is None:
        return None
    matter = Matter(
        id="bundle",
        asked="the files that nodes fetch are built, with the expected SHA-256 (this machine, not AWS)",
        means="`pulumi up` stops before it creates anything",
        usd_per_hour=0.0,
        mends="make bundle",
    )
    return matter.bad(BLOCKS, wanted.bundle) if wanted.bundle else matter.fine("they are")
