"""EBS volumes: encryption, size and speed, deletion with the node, device names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planner.lint.inputs.names import is_ours
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import INSTANCE, TEMPLATE, from_template, node_configs, types_of
from planner.lint.read.values import Json, flag, literal, many, one, whole
from planner.lint.rule import WARNING, Hits, rule

Limits = tuple[int, int]
DEVICE = re.compile(r"/dev/(sd[a-z][0-9]{0,2}|xvd[a-z]{1,2}[0-9]{0,2}|nvme\d+n\d+)|xvd[a-z]{1,2}|ephemeral\d+")


@dataclass(frozen=True)
class Sold:
    """Limits of a volume type: GiB, IOPS, MiB/s (None: cannot be set), IOPS per GiB (0: no limit)."""

    gib: Limits
    iops: Limits | None = None
    mib_s: Limits | None = None
    per_gib: int = 0


# source: EC2 API reference, EbsBlockDevice (botocore 1.44.5)
SOLD = {
    "gp3": Sold((1, 65_536), (3_000, 80_000), (125, 2_000), 500),
    "gp2": Sold((1, 16_384)),
    "io1": Sold((4, 16_384), (100, 64_000), None, 50),
    "io2": Sold((4, 65_536), (100, 256_000), None, 1_000),
    "st1": Sold((125, 16_384)),
    "sc1": Sold((125, 16_384)),
    "standard": Sold((1, 1_024)),
}
# a root volume smaller than the image's snapshot is refused. Amazon Linux 2023 and Ubuntu have 8 GiB, images with a GPU
# driver 30 GiB or more (ECS developer guide: its GPU image has 30): lower bounds, as a graph does not say which image
ROOTS = ("/dev/sda1", "/dev/xvda")
PLAIN_IMAGE_GIB, GPU_IMAGE_GIB = 8, 30
ACCELERATED = re.compile(r"(p|g|gr|trn|inf|dl)[0-9]")
ANY = Sold((1, 65_536), (100, 256_000), (125, 2_000))  # limits for an unknown volume type


def disks_of(resource: Resource) -> list[tuple[str, Json]]:
    """The EBS volumes of a launch template or an instance: the place and the block."""
    inputs = resource.inputs
    if resource.kind == TEMPLATE:
        blocks = enumerate(many(inputs.get("blockDeviceMappings")))
        return [(f"blockDeviceMappings[{i}].ebs", one(block["ebs"])) for i, block in blocks if block.get("ebs")]
    root = [("rootBlockDevice", one(inputs.get("rootBlockDevice")))]
    return root + [(f"ebsBlockDevices[{i}]", disk) for i, disk in enumerate(many(inputs.get("ebsBlockDevices")))]


@rule(
    "EBS-ENCRYPTED",
    TEMPLATE,
    INSTANCE,
    what="a volume that is not encrypted",
    why="Data on the volume is stored unencrypted, and an existing volume cannot be encrypted later. "
    "Encryption is not the default in every account",
    remedy="Set encrypted: true on every EBS volume, including the root volume",
    example="blockDeviceMappings[0].ebs without encrypted",
)
def unencrypted_volume(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        disks = disks_of(resource)
        if not disks:
            yield (
                resource,
                "blockDeviceMappings",
                "the root volume is taken from the image, where it is usually unencrypted",
            )
        for where, disk in disks:
            unknown = isinstance(disk.get("encrypted"), str) and literal(disk["encrypted"]) is None
            if not flag(disk.get("encrypted")) and not unknown and not (from_template(resource) and not disk):
                yield resource, f"{where}.encrypted", "not encrypted"


@rule(
    "EBS-SIZE",
    TEMPLATE,
    INSTANCE,
    what="a volume size or speed that EBS does not offer",
    why="Every launch fails: EBS rejects sizes, IOPS and throughput that the volume type does not support, and a root "
    "volume below the size of its image",
    remedy="For gp3: 1 to 65,536 GiB, 3,000 to 80,000 IOPS (at most 500 per GiB), 125 to 2,000 MiB/s (at most 1 "
    "MiB/s per 4 IOPS)",
    example="volumeSize: 0, or 16,000 iops on a gp3 volume of 20 GiB",
)
def invalid_volume_size(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        for where, disk in disks_of(resource):
            kind = disk.get("volumeType")
            sold = SOLD.get(str(kind), ANY)
            size = whole(disk.get("volumeSize"))
            found = {"volumeSize": (size, sold.gib)}
            found |= {"iops": (whole(disk.get("iops")), sold.iops)}
            found |= {"throughput": (whole(disk.get("throughput")), sold.mib_s)}
            for key, (value, limits) in found.items():
                place = f"{where}.{key}"
                if value is not None and limits is None:
                    yield resource, place, f"{kind} does not support this setting"
                elif value is not None and limits is not None and not limits[0] <= value <= limits[1]:
                    yield resource, place, f"{value:,}; {kind or 'EBS'} allows {limits[0]:,} to {limits[1]:,}"
            least = _image_gib(graph, resource, where)
            if size is not None and sold.gib[0] <= size < least:
                yield resource, f"{where}.volumeSize", f"{size:,} GiB; an image for these nodes has {least} GiB or more"
            iops, rate = whole(disk.get("iops")), whole(disk.get("throughput"))
            most = max(sold.per_gib * (size or 0), sold.iops[0] if sold.iops else 0)
            if size and iops and sold.per_gib and iops > most:
                yield resource, f"{where}.iops", f"{iops:,} IOPS on {size:,} GiB, which allows {most:,}"
            if rate and kind == "gp3" and rate > (iops or 3000) / 4:
                yield (
                    resource,
                    f"{where}.throughput",
                    f"{rate:,} MiB/s with {iops or 3000:,} IOPS; each MiB/s needs 4 IOPS",
                )


def _image_gib(graph: Graph, resource: Resource, where: str) -> int:
    """The smallest root volume that can hold the image, GiB; 0 where it is not known. The images of other programs are
    theirs: small ones exist."""
    if not is_ours(graph):
        return 0
    if resource.kind == TEMPLATE:
        place = where.removesuffix(".ebs")
        blocks = {
            f"blockDeviceMappings[{i}]": b for i, b in enumerate(many(resource.inputs.get("blockDeviceMappings")))
        }
        if literal(blocks[place].get("deviceName")) not in ROOTS:
            return 0
        kinds = [kind for kind, _ in types_of(graph, resource)]
    else:
        if where != "rootBlockDevice":
            return 0
        kinds = [literal(resource.inputs.get("instanceType")) or ""]
    return GPU_IMAGE_GIB if any(ACCELERATED.match(kind) for kind in kinds) else PLAIN_IMAGE_GIB


@rule(
    "EBS-KEPT",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="a volume that is kept when its node terminates",
    why="Each replaced node leaves a volume that is billed and that nobody uses",
    remedy="Set deleteOnTermination: true on every volume of a node",
    example='blockDeviceMappings[0].ebs.deleteOnTermination: "false"',
)
def volume_outlives_node(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        for where, disk in disks_of(resource):
            if flag(disk.get("deleteOnTermination")) is False:
                yield resource, f"{where}.deleteOnTermination", "the volume is kept when the node terminates"


@rule(
    "EBS-DEVICE",
    TEMPLATE,
    INSTANCE,
    what="an invalid or repeated device name",
    why="The launch fails, or the node boots from a small default root volume because the mapping names another device",
    remedy="Use /dev/sda1 or /dev/xvda for the root, as the image does, and /dev/sdb and later for the others, "
    "each once",
    example="deviceName: sda1",
)
def invalid_device_name(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        seen: set[str] = set()
        for key in ("blockDeviceMappings", "ebsBlockDevices"):
            for i, block in enumerate(many(resource.inputs.get(key))):
                name, where = literal(block.get("deviceName")), f"{key}[{i}].deviceName"
                if name and not DEVICE.fullmatch(name):
                    yield resource, where, f"{name!r} is not a device name"
                elif name in seen:
                    yield resource, where, f"{name} is used twice"
                seen |= {name} if name else set()
