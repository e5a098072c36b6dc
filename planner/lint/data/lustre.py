"""FSx for Lustre: sizes that AWS sells, EFA and what it wants, and how the nodes reach it."""

from __future__ import annotations

import re

from planner.lint.known.catalogue import NO_LUSTRE_EFA
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import GROUP, SUBNET, TEMPLATE, groups_of, has_efa, subnets_of, types_of
from planner.lint.read.traffic import traffic
from planner.lint.read.values import UNKNOWN, flag, given, literal, number, one, texts, whole
from planner.lint.rule import Hits, rule

SYSTEM, LINK = "fsx:LustreFileSystem", "fsx:DataRepositoryAssociation"
THROUGHPUTS = {"PERSISTENT_2": (125, 250, 500, 1000), "PERSISTENT_1": (50, 100, 200)}
EFA_STEPS_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
METADATA_IOPS = (1500, 3000, 6000)  # then steps of 12,000
METADATA_STEP, METADATA_LAST = 12_000, 192_000
PORTS = (988, 1018, 1023)


def _systems(graph: Graph) -> list[tuple[Resource, str | None, bool]]:
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
    for system, deployment, tiering in _systems(graph):
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
    for system, deployment, tiering in _systems(graph):
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
    "FSX-EFA",
    SYSTEM,
    what="EFA on a file system that cannot have it",
    why="EFA is set at creation and needs PERSISTENT_2, Lustre 2.15 and a metadata configuration; no check sees the "
    "version before AWS does",
    remedy="PERSISTENT_2, fileSystemTypeVersion 2.15, a metadataConfiguration, a group with EFA's self rules",
    example="efaEnabled with fileSystemTypeVersion 2.12",
)
def efa_needs(graph: Graph) -> Hits:
    for system, deployment, _ in _systems(graph):
        if not flag(system.inputs.get("efaEnabled")):
            continue
        version = literal(str(system.inputs.get("fileSystemTypeVersion") or ""))
        if deployment is not None and deployment != "PERSISTENT_2":
            yield system, "deploymentType", f"EFA on {deployment}"
        if version is not None and version not in ("2.15",) and not _newer(version):
            yield system, "fileSystemTypeVersion", f"EFA with Lustre {version or '2.10, the default'}"
        if not one(system.inputs.get("metadataConfiguration")):
            yield system, "metadataConfiguration", "EFA without a metadata configuration"
        if not given(system.inputs.get("securityGroupIds")):
            yield system, "securityGroupIds", "EFA without a security group"


def _newer(version: str) -> bool:
    parts = version.split(".")
    return len(parts) == 2 and parts[0] == "2" and (whole(parts[1]) or 0) > 15


@rule(
    "FSX-EFA-CLIENT",
    SYSTEM,
    TEMPLATE,
    what="EFA on the file system for nodes that cannot use it so",
    why="EFA clients of Lustre need Nitro v4 or newer (p4d and p4de have it not) and an EFA interface: the larger "
    "sizes are paid for, and the nodes go by TCP",
    remedy="no EFA on the file system, or p5 and newer",
    example="efaEnabled with p4d.24xlarge nodes",
)
def clients_can(graph: Graph) -> Hits:
    for system, _, _ in _systems(graph):
        if not flag(system.inputs.get("efaEnabled")):
            continue
        for template in graph.of(TEMPLATE):
            old = [name for name, _ in types_of(graph, template) if name.startswith(NO_LUSTRE_EFA)]
            if old:
                yield system, "efaEnabled", f"EFA, and the nodes are {old[0]}"
            elif not has_efa(template) and graph.of(TEMPLATE) == [template]:
                yield system, "efaEnabled", f"EFA, and {template.name} has none"


@rule(
    "FSX-SUBNET",
    SYSTEM,
    what="a file system in several subnets, or in another zone than its nodes",
    why="Lustre stands in one subnet; across zones every byte bills at $0.01 a GB each way, and EFA does not reach",
    remedy="one subnet, in the zone of the nodes",
    example="subnetIds with two ids",
)
def one_subnet(graph: Graph) -> Hits:
    for system in graph.of(SYSTEM):
        named = texts(system.inputs.get("subnetIds"))
        if len(named) > 1:
            yield system, "subnetIds", f"{len(named)} subnets"
        elif not named and not given(system.inputs.get("subnetIds")):
            yield system, "subnetIds", "no subnet"
        for key in ("availabilityZone", "availabilityZoneId"):
            here = {literal(s.inputs.get(key)) for s in graph.targets(system.inputs.get("subnetIds"), SUBNET)} - {None}
            nodes = {literal(s.inputs.get(key)) for g in graph.of(GROUP) for s in subnets_of(graph, g)} - {None}
            if len(here) == 1 and nodes and not here & nodes:
                yield system, "subnetIds", f"in {min(map(str, here))}, and the nodes are in {min(map(str, nodes))}"


@rule(
    "FSX-GROUP",
    SYSTEM,
    what="a file system that its nodes do not reach",
    why="Lustre speaks on tcp 988 and 1018 to 1023; with EFA it must share a group with its clients. The mount hangs",
    remedy="a group that the nodes share, or rules for 988 and 1018 to 1023 between the two groups",
    example="the file system's group lets nobody in on port 988",
)
def nodes_reach_it(graph: Graph) -> Hits:
    rules = list(traffic(graph))
    for system in graph.of(SYSTEM):
        own = groups_of(graph, system)
        clients = [groups for maker in graph.of(GROUP) if (groups := groups_of(graph, maker))]
        if not own or not clients:
            continue
        into = [r for r in rules if r.inwards and r.group in own]
        for groups in clients:
            shared = [group for group in own if group in groups]
            if flag(system.inputs.get("efaEnabled")) and not shared:
                yield system, "securityGroupIds", "EFA, and no group that the nodes have too"
                break
            missing = [
                port
                for port in PORTS
                if not any(r.covers(port) and (any(r.networks()) or _from(r.others(graph), groups)) for r in into)
            ]
            if missing:
                yield system, "securityGroupIds", f"no rule lets the nodes in on port {missing[0]}"
                break


def _from(others: list[Resource], groups: list[Resource]) -> bool:
    return any(other in groups for other in others)


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
    for system, deployment, tiering in _systems(graph):
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
    kinds = {system: (deployment, tiering) for system, deployment, tiering in _systems(graph)}
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


RULES = (
    size_is_sold,
    throughput_is_sold,
    efa_needs,
    clients_can,
    one_subnet,
    nodes_reach_it,
    metadata_is_sold,
    linked_as_it_can,
)
