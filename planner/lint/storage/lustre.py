"""FSx for Lustre: capacity, throughput, metadata operations and links that AWS offers."""

from __future__ import annotations

import re

from planner.lint.read.earlier import earlier
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import UNKNOWN, flag, given, literal, number, one, whole
from planner.lint.rule import Hits, rule

SYSTEM, LINK = "fsx:LustreFileSystem", "fsx:DataRepositoryAssociation"
THROUGHPUTS = {"PERSISTENT_2": (125, 250, 500, 1000), "PERSISTENT_1": (50, 100, 200)}
EFA_STEPS_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
METADATA_IOPS = (1500, 3000, 6000)  # then steps of 12,000
METADATA_STEP, METADATA_LAST = 12_000, 192_000


def systems(graph: Graph) -> list[tuple[Resource, str | None, bool]]:
    """File systems with their deployment type, and whether they use Intelligent-Tiering."""
    return [
        (
            system,
            _deployment(system),
            system.inputs.get("storageType") == "INTELLIGENT_TIERING",
        )
        for system in graph.of(SYSTEM)
    ]


def _deployment(system: Resource) -> str | None:
    """The deployment type; SCRATCH_1 by default, None if it comes from a backup or is unknown."""
    if not given(system.inputs.get("deploymentType")) and not given(system.inputs.get("backupId")):
        return "SCRATCH_1"
    return literal(system.inputs.get("deploymentType"))


@rule(
    "FSX-SIZE",
    SYSTEM,
    what="a storage capacity that FSx does not offer",
    why="The file system fails to create after the network is billed. SSD file systems have 1,200 GiB or "
    "multiples of 2,400; with EFA, multiples of 38,400, 19,200, 9,600 or 4,800 GiB at 125, 250, 500 or 1,000 "
    "MB/s per TiB",
    remedy="Use the next larger multiple",
    example="storageCapacity: 3000",
)
def invalid_file_system_size(graph: Graph) -> Hits:
    for system, deployment, tiering in systems(graph):
        value, size = system.inputs.get("storageCapacity"), whole(system.inputs.get("storageCapacity"))
        if tiering:
            if given(value):
                yield system, "storageCapacity", "Intelligent-Tiering has no fixed capacity"
            continue
        if size is None:
            # a backup or a reference may supply the size
            if (
                (not given(value) and not given(system.inputs.get("backupId")))
                or literal(value)
                or isinstance(value, float)
            ):
                yield (
                    system,
                    "storageCapacity",
                    f"{value!r} is not a number of GiB" if given(value) else "no storage capacity is set",
                )
            continue
        if system.inputs.get("storageType") == "HDD":
            continue
        rate = whole(system.inputs.get("perUnitStorageThroughput"))
        if flag(system.inputs.get("efaEnabled")):
            step = EFA_STEPS_GIB.get(rate or 0)
            if step and (size <= 0 or size % step):
                yield (
                    system,
                    "storageCapacity",
                    f"{size:,} GiB; with EFA at {rate} MB/s per TiB, use a multiple of {step:,}",
                )
        elif deployment == "SCRATCH_1" and (size < 1200 or (size not in (1200, 2400) and size % 3600)):
            yield system, "storageCapacity", f"{size:,} GiB; SCRATCH_1 offers 1,200, 2,400 and multiples of 3,600"
        elif deployment != "SCRATCH_1" and (size < 1200 or (size != 1200 and size % 2400)):
            yield system, "storageCapacity", f"{size:,} GiB; use 1,200 or a multiple of 2,400"


@rule(
    "FSX-THROUGHPUT",
    SYSTEM,
    what="a throughput that the deployment type does not offer",
    why="AWS rejects the file system. PERSISTENT_2 offers 125, 250, 500 and 1,000 MB/s per TiB, PERSISTENT_1 "
    "50, 100 and 200, and SCRATCH no choice. Intelligent-Tiering uses throughputCapacity in steps of 4,000 "
    "MB/s",
    remedy="Use one of the values in the message",
    example="perUnitStorageThroughput: 300",
)
def invalid_file_system_throughput(graph: Graph) -> Hits:
    for system, deployment, tiering in systems(graph):
        rate, whole_rate = whole(system.inputs.get("perUnitStorageThroughput")), system.inputs.get("throughputCapacity")
        if tiering:
            if rate is not None:
                yield system, "perUnitStorageThroughput", "Intelligent-Tiering uses throughputCapacity instead"
            capacity = number(whole_rate)
            if not given(whole_rate) or (capacity is not None and (capacity < 4000 or capacity % 4000)):
                yield system, "throughputCapacity", f"{whole_rate!r}; use a multiple of 4,000 MB/s"
            continue
        known = THROUGHPUTS.get(deployment or "", ())
        if system.inputs.get("storageType") == "HDD":
            known = (12, 40)
        if (
            known
            and rate not in known
            and not (rate is None and isinstance(system.inputs.get("perUnitStorageThroughput"), str))
        ):
            yield system, "perUnitStorageThroughput", f"{rate}; {deployment} offers {', '.join(map(str, known))}"
        if (deployment or "").startswith("SCRATCH") and rate is not None:
            yield system, "perUnitStorageThroughput", f"{deployment} does not support this setting"


@rule(
    "FSX-METADATA",
    SYSTEM,
    what="metadata IOPS that FSx does not offer",
    why="AWS rejects the file system. It offers 1,500, 3,000, 6,000 and multiples of 12,000 up to 192,000 in "
    "mode USER_PROVISIONED; Intelligent-Tiering offers 6,000 and 12,000",
    remedy="Use one of these values, or mode AUTOMATIC without iops",
    example="metadataConfiguration.iops: 8000",
)
def invalid_metadata_iops(graph: Graph) -> Hits:
    for system, deployment, tiering in systems(graph):
        block = one(system.inputs.get("metadataConfiguration"))
        count, mode = whole(block.get("iops")), block.get("mode")
        if block and deployment not in (None, "PERSISTENT_2"):
            yield system, "metadataConfiguration", f"{deployment} does not support a metadata configuration"
        if count is not None and mode == "AUTOMATIC":
            yield system, "metadataConfiguration.iops", "iops does not work with mode AUTOMATIC"
        steps = count is not None and 0 < count <= METADATA_LAST and count % METADATA_STEP == 0
        sold = count in (6000, 12_000) if tiering else steps or count in METADATA_IOPS
        if count is not None and not sold:
            yield system, "metadataConfiguration.iops", f"{count:,} IOPS is not offered"


@rule(
    "FSX-LINK",
    SYSTEM,
    LINK,
    what="a link to S3 that the file system does not support",
    why="AWS rejects the link: PERSISTENT_2 on SSD uses a data repository association, older types use "
    "importPath, and Intelligent-Tiering has no link",
    remedy="Use a DataRepositoryAssociation with s3://bucket/prefix and a path that starts with /",
    example="dataRepositoryPath: sd2-data/dataset",
)
def unsupported_s3_link(graph: Graph) -> Hits:
    kinds = {system: (deployment, tiering) for system, deployment, tiering in systems(graph)}
    for system, (deployment, _) in kinds.items():
        for key in ("importPath", "exportPath"):
            if deployment == "PERSISTENT_2" and given(system.inputs.get(key)):
                yield system, key, "PERSISTENT_2 uses a data repository association instead"
    paths: dict[tuple[Resource | None, str | None], Resource] = {}
    for link in graph.of(LINK):
        system = graph.target(link.inputs.get("fileSystemId"), SYSTEM)
        path, inside = link.inputs.get("dataRepositoryPath"), literal(link.inputs.get("fileSystemPath"))
        if isinstance(path, str) and path != UNKNOWN and not path.startswith(("s3://", "${")):
            yield link, "dataRepositoryPath", f"{path!r} does not start with s3://"
        bucket = path.removeprefix("s3://").split("/")[0] if isinstance(path, str) and path.startswith("s3://") else ""
        if bucket and literal(bucket) and not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", bucket):
            yield link, "dataRepositoryPath", f"{bucket!r} is not a valid bucket name"
        if inside is not None and not inside.startswith("/"):
            yield link, "fileSystemPath", f"{inside!r} does not start with /"
        if system is not None and (kinds[system][1] or (kinds[system][0] or "").startswith("SCRATCH_1")):
            yield link, "fileSystemId", f"{system.name} does not support a data repository association"
        known = system is not None and inside is not None
        first = earlier(paths, (system, inside) if known else None, link)
        if first is not None:
            yield link, "fileSystemPath", f"{inside} is already linked by {first.name}"
