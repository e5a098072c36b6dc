"""The image of nodes: whether it is there, for the right processor, from whom, how large, and how old."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from planner.account.offers import utc
from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown, not_known
from planner.check.wanted import Wanted, waiting
from planner.stack.spec import is_known


def image_line(
    what: str, ami: str, root_gib: int, root_device: str, processors: Sequence[str], images: Any, wanted: Wanted
) -> Line:
    """One image. what: fleet or control. root_gib, root_device: of the launch template. processors: architectures of
    the instance type; empty: not known."""
    id, asked = f"image.{what}", f"image {ami} for {what} nodes, root {root_gib} GiB at {root_device}"
    usd, means = waiting(wanted.spec, 0)
    mends = f"planner stack PLAN --scenario ID --{'' if what == 'fleet' else 'control-'}ami AMI"
    if not is_known(ami):
        return Line(id=id, state=BLOCKS, asked=asked, said="not chosen", means=means, usd_per_hour=usd, mends=mends)
    if isinstance(images, NotKnown):
        if images.code.startswith("InvalidAMIID"):
            said = "this account sees no such image in this Region"
            return Line(id=id, state=BLOCKS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)
        return not_known(id, asked, images, means, usd)
    entry = next((one for one in images if one.get("ImageId") == ami), None)
    if entry is None or not entry.get("Architecture") or not entry.get("State"):
        why = NotKnown(why="half an answer: the image, or its architecture or state, is missing")
        return not_known(id, asked, why, means, usd)
    wrong, odd = _wrong(entry, root_gib, root_device, processors), _odd(entry, what, wanted)
    owner = entry.get("ImageOwnerAlias") or "not Amazon"
    said = f"{entry.get('Name', 'no name')}, {entry['Architecture']}, {entry['State']}, owner {owner}"
    if wrong:
        said = f"{said}: {'; '.join(wrong)}"
        return Line(id=id, state=BLOCKS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)
    if not processors:
        return not_known(id, asked, NotKnown(why=f"{said}; the type's processor is not known"), means, usd)
    if odd:
        bad = waiting(wanted.spec, wanted.spec.fleet.nodes)[0]
        text = "nodes that never get ready bill from their start"
        said = f"{said}: {'; '.join(odd)}"
        state = NOT_KNOWN if odd[0].startswith("nothing") else WARNS
        return Line(id=id, state=state, asked=asked, said=said, means=text, usd_per_hour=bad, mends=mends)
    return Line(id=id, state=FINE, asked=asked, said=said)


def _wrong(entry: dict[str, Any], root_gib: int, root_device: str, processors: Sequence[str]) -> list[str]:
    found = []
    if entry["State"] != "available":
        found.append(f"it is {entry['State']}")
    if processors and entry["Architecture"] not in processors:
        found.append(f"the type runs {', '.join(processors)}")
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
        found.append("it is not published by Amazon: whoever owns it can take it back")
    text = f"{entry.get('Name', '')} {entry.get('Description', '')}".lower()
    if what == "fleet" and "deep learning" not in text and "neuron" not in text:
        found.insert(0, "nothing published says that it has the driver and EFA")
    return found
