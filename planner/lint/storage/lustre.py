"""FSx for Lustre: capacity, throughput, metadata operations and links that AWS offers."""

from __future__ import annotations

import re

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import UNKNOWN, flag, given, literal, number, one, whole
from planner.lint.rule import Hits, rule

SYSTEM, LINK = "fsx:LustreFileSystem", "fsx:DataRepositoryAssociation"
THROUGHPUTS = {"PERSISTENT_2": (125, 250, 500, 1000), "PERSISTENT_1": (50, 100, 200)}
EFA_STEPS_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
METADATA_IOPS = (1500, 3000, 6000)  # then steps of 12,000
METADATA_STEP, METADATA_LAST = 12_000, 192_000


def systems(graph: Graph) -> list[tuple[Resource, str | None, bool]]:
    """File systems with their deployment type, and whether they are of the tiering kind."""
    return [
        (
            system,
            _deployment(system),
            system.inputs.get("storageType") == "INTELLIGENT_TIERING",
        )
        for system in graph.of(SYSTEM)
    ]


def _deployment(system: Resource) -> str | None:
    """The deployment type; SCRATCH_1 where none is given, unless a backup brings it."""
    if not given(system.inputs.get("deploymentType")) and not given(system.inputs.get("backupId")):
        return "SCRATCH_1"
    return literal(system.inputs.get("deploymentType"))


@rule(
    "FSX-SIZE",
    SYSTEM,
    what="a capacity that AWS does not sell",
    why="SSD file systems are 1,200 GiB or multiples of 2,400; with EFA 38,400, 19,200, 9,600 or 4,800 GiB and its "
    "multiples at 125, 250, 500 or 1,000 MB/s per TiB. The create fails after the network bills",
    remedy="the next multiple",
    example="storageCapacity: 3000",
)
def size_is_sold(graph: Graph) -> Hits:
    for system, deployment, tiering in systems(graph):
        value, size = system.inputs.get("storageCapacity"), whole(system.inputs.get("storageCapacity"))
        if tiering:
            if given(value):
                yield system, "storageCapacity", "Intelligent-Tiering grows by itself and takes no capacity"
            continue
        if size is None:
            # a backup, or what a reference says, brings a size of its own
            if (
                (not given(value) and not given(system.inputs.get("backupId")))
                or literal(value)
                or isinstance(value, float)
            ):
                yield system, "storageCapacity", f"{value!r} is no number of GiB" if given(value) else "no capacity"
            continue
        if system.inputs.get("storageType") == "HDD":
            continue
        rate = whole(system.inputs.get("perUnitStorageThroughput"))
        if flag(system.inputs.get("efaEnabled")):
            step = EFA_STEPS_GIB.get(rate or 0)
            if step and (size <= 0 or size % step):
                yield system, "storageCapacity", f"{size:,} GiB; with EFA at {rate} MB/s per TiB multiples of {step:,}"
        elif deployment == "SCRATCH_1" and (size < 1200 or (size not in (1200, 2400) and size % 3600)):
            yield system, "storageCapacity", f"{size:,} GiB; SCRATCH_1 has 1,200, 2,400 and multiples of 3,600"
        elif deployment != "SCRATCH_1" and (size < 1200 or (size != 1200 and size % 2400)):
            yield system, "storageCapacity", f"{size:,} GiB; 1,200 or multiples of 2,400"


@rule(
    "FSX-THROUGHPUT",
    SYSTEM,
    what="a throughput that the deployment type does not have",
    why="PERSISTENT_2 has 125, 250, 500 and 1,000 MB/s per TiB, PERSISTENT_1 50, 100 and 200, SCRATCH none to choose; "
    "Intelligent-Tiering has throughputCapacity in steps of 4,000 MB/s",
    remedy="one of these",
    example="perUnitStorageThroughput: 300",
)
def throughput_is_sold(graph: Graph) -> Hits:
    for system, deployment, tiering in systems(graph):
        rate, whole_rate = whole(system.inputs.get("perUnitStorageThroughput")), system.inputs.get("throughputCapacity")
        if tiering:
            if rate is not None:
                yield system, "perUnitStorageThroughput", "Intelligent-Tiering has throughputCapacity"
            capacity = number(whole_rate)
            if not given(whole_rate) or (capacity is not None and (capacity < 4000 or capacity % 4000)):
                yield system, "throughputCapacity", f"{whole_rate!r}; multiples of 4,000 MB/s"
            continue
        known = THROUGHPUTS.get(deployment or "", ())
        if system.inputs.get("storageType") == "HDD":
            known = (12, 40)
        if (
            known
            and rate not in known
            and not (rate is None and isinstance(system.inputs.get("perUnitStorageThroughput"), str))
        ):
            yield system, "perUnitStorageThroughput", f"{rate}; {deployment} has {', '.join(map(str, known))}"
        if (deployment or "").startswith("SCRATCH") and rate is not None:
            yield system, "perUnitStorageThroughput", f"{deployment} has no throughput to choose"


@rule(
    "FSX-METADATA",
    SYSTEM,
    what="metadata operations that AWS does not sell",
    why="1,500, 3,000, 6,000, and multiples of 12,000 up to 192,000 a second, with mode USER_PROVISIONED; "
    "Intelligent-Tiering has 6,000 and 12,000",
    remedy="one of these, or mode AUTOMATIC without iops",
    example="metadataConfiguration.iops: 8000",
)
def metadata_is_sold(graph: Graph) -> Hits:
    for system, deployment, tiering in systems(graph):
        block = one(system.inputs.get("metadataConfiguration"))
        count, mode = whole(block.get("iops")), block.get("mode")
        if block and deployment not in (None, "PERSISTENT_2"):
            yield system, "metadataConfiguration", f"{deployment} takes none"
        if count is not None and mode == "AUTOMATIC":
            yield system, "metadataConfiguration.iops", "iops with mode AUTOMATIC"
        steps = count is not None and 0 < count <= METADATA_LAST and count % METADATA_STEP == 0
        sold = count in (6000, 12_000) if tiering else steps or count in METADATA_IOPS
        if count is not None and not sold:
            yield system, "metadataConfiguration.iops", f"{count:,} operations a second"


@rule(
    "FSX-LINK",
    SYSTEM,
    LINK,
    what="a link to S3 that the file system does not take",
    why="PERSISTENT_2 on SSD is linked by an association, older types by importPath, Intelligent-Tiering not at all",
    remedy="a DataRepositoryAssociation with s3://bucket/prefix and a path that begins with /",
    example="dataRepositoryPath: sd2-data/dataset",
)
def linked_as_it_can(graph: Graph) -> Hits:
    kinds = {system: (deployment, tiering) for system, deployment, tiering in systems(graph)}
    for system, (deployment, _) in kinds.items():
        for key in ("importPath", "exportPath"):
            if deployment == "PERSISTENT_2" and given(system.inputs.get(key)):
                yield system, key, "PERSISTENT_2 takes an association in its place"
    paths: dict[tuple[Resource, str], Resource] = {}
    for link in graph.of(LINK):
        system = graph.target(link.inputs.get("fileSystemId"), SYSTEM)
        path, inside = link.inputs.get("dataRepositoryPath"), literal(link.inputs.get("fileSystemPath"))
        if isinstance(path, str) and path != UNKNOWN and not path.startswith(("s3://", "${")):
            yield link, "dataRepositoryPath", f"{path!r} does not begin with s3://"
        bucket = path.removeprefix("s3://").split("/")[0] if isinstance(path, str) and path.startswith("s3://") else ""
        if bucket and literal(bucket) and not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", bucket):
            yield link, "dataRepositoryPath", f"{bucket!r} is no name of a bucket"
        if inside is not None and not inside.startswith("/"):
            yield link, "fileSystemPath", f"{inside!r} does not begin with /"
        if system is not None and (kinds[system][1] or (kinds[system][0] or "").startswith("SCRATCH_1")):
            yield link, "fileSystemId", f"{system.name} takes no association"
        if system is not None and inside is not None and (system, inside) in paths:
            yield link, "fileSystemPath", f"{inside} is linked by {paths[system, inside].name} already"
        if system is not None and inside is not None:
            paths.setdefault((system, inside), link)
