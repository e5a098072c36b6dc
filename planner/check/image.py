"""The image of nodes: whether it is there, for the right processor, from whom, how large, and how old."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from planner.account.offers import utc
from planner.check.line import BLOCKS, NOT_KNOWN, WARNS, Line, Matter, NotKnown
from planner.check.wanted import Wanted, dollars, gpu_nodes, waiting_usd_per_hour, waits
from planner.stack.spec import is_known

NO_IMAGE = ("ImageNotFoundException", "RepositoryNotFoundException")
ECR = re.compile(
    r"(?P<account>[0-9]{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com/(?P<name>[^:@]+)"
    r"(:(?P<tag>[^@]+))?(@(?P<digest>sha256:[0-9a-f]{64}))?"
)
NOTHING = "nothing published says that it has the driver and EFA"


def image_line(
    what: str, ami: str, root_gib: int, root_device: str, processors: Sequence[str], images: Any, wanted: Wanted
) -> Line:
    """One image. what: fleet, fleet.TYPE or control. root_gib, root_device: of the launch template. processors:
    architectures of the instance type; empty: not known."""
    asked = f"image {ami} for {what} nodes, root {root_gib} GiB at {root_device}"
    mends = f"planner stack PLAN --scenario ID --{'control-' if what == 'control' else ''}ami AMI"
    matter = waits(f"image.{what}", asked, wanted, mends)
    if not is_known(ami):
        return matter.bad(BLOCKS, "not chosen")
    if isinstance(images, NotKnown):
        if images.code.startswith("InvalidAMIID"):
            return matter.bad(BLOCKS, "this account sees no such image in this Region")
        return matter.not_known(images)
    entry = next((one for one in images if one.get("ImageId") == ami), None)
    if entry is None or not entry.get("Architecture") or not entry.get("State"):
        return matter.half("the image, or its architecture or state, is missing")
    wrong, odd = _wrong(entry, root_gib, root_device, processors), _odd(entry, what, wanted)
    owner = entry.get("ImageOwnerAlias") or "not Amazon"
    said = f"{entry.get('Name', 'no name')}, {entry['Architecture']}, {entry['State']}, owner {owner}"
    if wrong:
        return matter.bad(BLOCKS, f"{said}: {'; '.join(wrong)}")
    if not processors:
        return matter.not_known(NotKnown(why=f"{said}; the type's processor is not known"))
    if odd:
        usd = waiting_usd_per_hour(wanted.spec, gpu_nodes(wanted.spec))
        matter = replace(matter, means="nodes that never get ready bill from their start", usd_per_hour=usd)
        return matter.bad(NOT_KNOWN if NOTHING in odd else WARNS, f"{said}: {'; '.join(odd)}")
    return matter.fine(said)


def allowed_line(what: str, ami: str, state: Any, images: Any, wanted: Wanted) -> Line:
    """Whether the account's Allowed AMIs let one image in. state: enabled, audit-mode or disabled (EC2 API reference,
    GetAllowedImagesSettings, read 2026-11-29): enabled, EC2 neither shows nor starts any other image."""
    asked = f"Allowed AMIs of the account, for image {ami} of {what} nodes"
    shows = f"aws ec2 get-allowed-images-settings --region {wanted.spec.region}"
    mends = f"have the administrator of that setting add the image's owner: {shows}"
    matter = waits(f"allowed-images.{what}", asked, wanted, mends)
    if isinstance(state, NotKnown):
        return matter.not_known(state)
    if state == "disabled":
        return matter.fine("off: every image is allowed")
    if state not in ("enabled", "audit-mode"):
        return matter.half(f"its state is {state!r}")
    if not is_known(ami):
        return matter.not_known(NotKnown(why=f"{state}, and no image is chosen"))
    if isinstance(images, NotKnown):
        if not images.code.startswith("InvalidAMIID"):
            return matter.not_known(images)
        allowed = False if state == "enabled" else None
    else:
        allowed = next((one.get("ImageAllowed") for one in images if one.get("ImageId") == ami), None)
    if allowed is None:
        return matter.half("the image does not say whether it is allowed")
    if allowed:
        return matter.fine(f"{state}, and the image is allowed")
    if state == "audit-mode":
        return matter.bad(WARNS, "audit-mode: the image is not allowed, and is refused once the setting is enabled")
    return matter.bad(BLOCKS, "enabled: the image is not allowed, so that no node starts")


def lustre_line(ami: str, images: Any, wanted: Wanted) -> Line:
    """Whether each start of a node depends on what AWS's repository has for the image's kernel that day."""
    matter = waits(
        "lustre-client",
        f"does image {ami} have the Lustre client for its kernel",
        wanted,
        "start a canary, make an image of it once it is ready, then planner stack PLAN --scenario ID --ami AMI",
    )
    if isinstance(images, NotKnown) or not is_known(ami):
        return matter.not_known(images or NotKnown(why="no image is chosen"))
    entry = next((one for one in images if one.get("ImageId") == ami), {})
    if entry.get("ImageOwnerAlias") == "amazon":
        return matter.bad(
            WARNS,
            "an image of Amazon: if it has none, each start installs the newest for its kernel, and a node that is "
            "replaced later may find none (aws/aws-parallelcluster issues 2095 and 3034)",
        )
    return matter.not_known(NotKnown(why="nothing published says it; a node without one says so in its boot log"))


def of_ecr(image: str, region: str) -> dict[str, Any]:
    """How ECR is asked for the container image of jobs; nothing where it is not in ECR of this Region."""
    found = ECR.fullmatch(image)
    if not found or found["region"] != region:
        return {}
    asked = {"imageDigest": found["digest"]} if found["digest"] else {"imageTag": found["tag"] or "latest"}
    return {"registryId": found["account"], "repositoryName": found["name"], "imageIds": [asked]}


def job_image_line(image: str, images: Any, wanted: Wanted) -> Line:
    """The container image of a worker pool's jobs. images: as ECR has them."""
    usd = wanted.book_usd.get(wanted.spec.fleet.instance_type)
    matter = Matter(
        id="image.jobs",
        asked=f"container image {image} of the jobs",
        means=f"each job starts a node ({dollars(usd)} On-Demand), and fails there when it pulls the image",
        mends="push it, or planner stack PLAN --image IMAGE",
    )
    if not is_known(image):
        return matter.bad(BLOCKS, "not chosen")
    if not isinstance(images, NotKnown):
        if not images:
            return matter.half("no image and no refusal")
        digest = images[0].get("imageDigest", "")
        if "@sha256:" in image or not digest:
            return matter.fine("it exists")
        means = "a job that is tried again pulls whatever the tag then names"
        pins = f"planner stack PLAN --image {image.partition('@')[0].rpartition(':')[0] or image}@{digest}"
        return replace(matter, means=means, mends=pins).bad(WARNS, f"it exists, by a tag that may move: now {digest}")
    if images.code in NO_IMAGE:
        return matter.bad(BLOCKS, "ECR has no such image")
    return matter.not_known(images)


def _wrong(entry: dict[str, Any], root_gib: int, root_device: str, processors: Sequence[str]) -> list[str]:
    found = []
    if entry["State"] != "available":
        found.append(f"it is {entry['State']}")
    if processors and entry["Architecture"] not in processors:
        found.append(f"the type runs {', '.join(processors)}")
    if "windows" in f"{entry.get('Platform', '')} {entry.get('PlatformDetails', '')}".lower():
        found.append("it is Windows: the nodes' programs are of Linux")
    if entry.get("RootDeviceType", "ebs") != "ebs":
        found.append(f"its root is of {entry['RootDeviceType']}, not of EBS")
    if entry.get("EnaSupport") is False:
        found.append("it has no ENA driver, which every type since 2017 needs")
    if entry.get("RootDeviceName") and entry["RootDeviceName"] != root_device:
        found.append(f"its root is {entry['RootDeviceName']}: the planned volume would be a second disk")
    for mapping in entry.get("BlockDeviceMappings", ()):
        size = mapping.get("Ebs", {}).get("VolumeSize", 0)
        if mapping.get("DeviceName") == entry.get("RootDeviceName") and size > root_gib:
            found.append(f"its snapshot needs {size} GiB")
    return found


def _odd(entry: dict[str, Any], what: str, wanted: Wanted) -> list[str]:
    found = []
    deprecated = entry.get("DeprecationTime")
    if deprecated and utc(datetime.fromisoformat(deprecated.replace("Z", "+00:00"))) <= wanted.now:
        found.append(f"deprecated since {deprecated[:10]}: security fixes are missing")
    if entry.get("ImageOwnerAlias") != "amazon":
        found.append("it is not published by Amazon: its owner can withdraw it")
    text = f"{entry.get('Name', '')} {entry.get('Description', '')}".lower()
    if what != "control" and "deep learning" not in text and "neuron" not in text:
        found.insert(0, NOTHING)
    return found
