"""FSx for Lustre and its clients: EFA, subnet and zone, and the ports between the nodes and the file system."""

from __future__ import annotations

from planner.lint.known.instance_types import NO_LUSTRE_EFA
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import GROUP, SUBNET, TEMPLATE, groups_of, has_efa, subnets_of, types_of
from planner.lint.read.traffic import traffic
from planner.lint.read.values import flag, given, literal, one, stated, texts, whole
from planner.lint.rule import Hits, rule
from planner.lint.storage.lustre import SYSTEM, systems

PORTS = (988, 1018, 1023)


@rule(
    "FSX-EFA",
    SYSTEM,
    what="EFA on a file system that does not support it",
    why="AWS rejects the file system: EFA needs PERSISTENT_2, Lustre 2.15, a metadata configuration and a "
    "security group, and can only be set at creation",
    remedy="Set PERSISTENT_2, fileSystemTypeVersion 2.15, a metadataConfiguration, and a security group with "
    "EFA's self rules",
    example="efaEnabled with fileSystemTypeVersion 2.12",
)
def efa_file_system_incomplete(graph: Graph) -> Hits:
    for system, deployment, _ in systems(graph):
        if not flag(system.inputs.get("efaEnabled")):
            continue
        version = literal(str(system.inputs.get("fileSystemTypeVersion") or ""))
        if deployment is not None and deployment != "PERSISTENT_2":
            yield system, "deploymentType", f"{deployment} does not support EFA"
        if version is not None and version not in ("2.15",) and not _newer(version):
            yield system, "fileSystemTypeVersion", f"Lustre {version or '2.10, the default,'} does not support EFA"
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
    what="EFA on a file system whose nodes cannot use it",
    why="You pay for the larger EFA capacity steps, and the nodes use TCP anyway: Lustre over EFA needs Nitro "
    "v4 or newer (not p4d or p4de) and an EFA interface",
    remedy="Turn EFA off on the file system, or use p5 or newer nodes",
    example="efaEnabled with p4d.24xlarge nodes",
)
def nodes_cannot_use_lustre_efa(graph: Graph) -> Hits:
    for system, _, _ in systems(graph):
        if not flag(system.inputs.get("efaEnabled")):
            continue
        for template in graph.of(TEMPLATE):
            old = [name for name, _ in types_of(graph, template) if name.startswith(NO_LUSTRE_EFA)]
            if old:
                yield system, "efaEnabled", f"{old[0]} nodes cannot use EFA for Lustre"
            elif not has_efa(template) and graph.of(TEMPLATE) == [template]:
                yield system, "efaEnabled", f"{template.name} has no EFA interface"


@rule(
    "FSX-SUBNET",
    SYSTEM,
    what="a file system in several subnets, or in another zone than its nodes",
    why="AWS rejects more than one subnet. From another zone, each GB costs $0.01 in each direction and EFA "
    "does not work",
    remedy="Use one subnet in the nodes' zone",
    example="subnetIds with two ids",
)
def file_system_in_other_zone(graph: Graph) -> Hits:
    for system in graph.of(SYSTEM):
        named = texts(system.inputs.get("subnetIds"))
        if len(named) > 1:
            yield system, "subnetIds", f"{len(named)} subnets; a file system has one"
        elif not named and not given(system.inputs.get("subnetIds")):
            yield system, "subnetIds", "no subnet"
        for key in ("availabilityZone", "availabilityZoneId"):
            here = {stated(s.inputs.get(key)) for s in graph.targets(system.inputs.get("subnetIds"), SUBNET)} - {None}
            nodes = {stated(s.inputs.get(key)) for g in graph.of(GROUP) for s in subnets_of(graph, g)} - {None}
            if len(here) == 1 and nodes and not here & nodes:
                yield system, "subnetIds", f"in {min(map(str, here))}, but the nodes are in {min(map(str, nodes))}"


@rule(
    "FSX-GROUP",
    SYSTEM,
    what="a file system that its nodes cannot reach",
    why="The mount hangs: Lustre needs tcp 988 and 1018 to 1023, and with EFA a security group shared with its clients",
    remedy="Share a security group with the nodes, or allow ports 988 and 1018 to 1023 between the two groups",
    example="no rule for port 988 in the file system's group",
)
def file_system_blocks_nodes(graph: Graph) -> Hits:
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
                yield system, "securityGroupIds", "EFA needs a security group shared with the nodes"
                break
            missing = [
                port
                for port in PORTS
                if not any(r.covers(port) and (any(r.networks()) or _from(r.others(graph), groups)) for r in into)
            ]
            if missing:
                yield system, "securityGroupIds", f"no rule allows the nodes on port {missing[0]}"
                break


def _from(others: list[Resource], groups: list[Resource]) -> bool:
    return any(other in groups for other in others)
