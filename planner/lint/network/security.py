"""Security groups: traffic that the nodes need, and rules that AWS rejects."""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.read.earlier import earlier
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import EFA, SECURITY, TEMPLATE, groups_of, has_efa, node_runners
from planner.lint.read.traffic import EGRESS, INGRESS, OLD, PORTED, SOURCES, Traffic, traffic
from planner.lint.read.values import flag, given, literal, many, whole
from planner.lint.rule import Hits, rule


@rule(
    "SG-PORTS",
    SECURITY,
    INGRESS,
    EGRESS,
    OLD,
    what="ports that do not fit the protocol",
    why="AWS rejects the rule: tcp and udp need a first and a last port from 0 to 65,535",
    remedy="Set fromPort and toPort for tcp and udp, and neither for all traffic (-1)",
    example="ipProtocol: tcp without fromPort",
)
def ports_do_not_fit_protocol(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        low, high = whole(rule_.block.get("fromPort")), whole(rule_.block.get("toPort"))
        if rule_.protocol in PORTED:
            for key, port in (("fromPort", low), ("toPort", high)):
                if not given(rule_.block.get(key)):
                    yield rule_.holder, rule_.place(key), f"{rule_.protocol} needs {key}"
                elif port is not None and not 0 <= port <= 65_535:
                    yield rule_.holder, rule_.place(key), f"port {port:,} is not between 0 and 65,535"
            if low is not None and high is not None and low > high:
                yield rule_.holder, rule_.place("fromPort"), f"fromPort {low:,} is greater than toPort {high:,}"
        elif rule_.protocol == "-1" and (low or 0, high or 0) not in ((0, 0), (-1, -1), (0, 65_535)):
            yield rule_.holder, rule_.place("fromPort"), f"ports {low} to {high} do not go with all traffic"
        elif not given(rule_.block.get("ipProtocol", rule_.block.get("protocol"))):
            yield rule_.holder, rule_.place("ipProtocol"), "no protocol"


@rule(
    "SG-SOURCE",
    INGRESS,
    EGRESS,
    OLD,
    what="a security group rule without exactly one source",
    why="AWS rejects a rule without a source, and a rule resource with several",
    remedy="Set exactly one of cidrIpv4, cidrIpv6, prefixListId and referencedSecurityGroupId",
    example="an ingress rule without a source",
)
def rule_without_one_source(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        named = [key for key in SOURCES if given(rule_.block.get(key)) and rule_.block[key] is not False]
        if not named:
            yield rule_.holder, rule_.where, "no address range, prefix list or security group"
        elif len(named) > 1 and rule_.holder.kind in (INGRESS, EGRESS):
            yield rule_.holder, named[1], f"several sources: {' and '.join(named)}"


@rule(
    "SG-TWICE",
    INGRESS,
    EGRESS,
    what="a security group rule that exists twice",
    why="The deployment stops halfway: AWS rejects the second rule as a duplicate",
    remedy="Remove one of the two rules",
    example="two ingress rules for tcp 443 from one group",
)
def duplicate_rule(graph: Graph) -> Hits:
    seen: dict[tuple[object, ...], Traffic] = {}
    for rule_ in sorted(traffic(graph), key=lambda r: (r.holder.name, r.holder.urn)):
        if rule_.holder.kind not in (INGRESS, EGRESS) or rule_.group is None:
            continue
        ports = (whole(rule_.block.get("fromPort")), whole(rule_.block.get("toPort")))
        sources = tuple(str(rule_.block.get(key)) for key in SOURCES[:4])
        mark = (rule_.group, rule_.inwards, rule_.protocol, ports, sources)
        first = earlier(seen, mark, rule_)
        if first is not None and first.holder.urn != rule_.holder.urn:
            yield rule_.holder, "", f"the same as {first.holder.name}"


@rule(
    "SG-MIXED",
    SECURITY,
    what="inline rules and separate rule resources for one security group",
    why="Rules come and go with each deployment: an update of the group removes the separate rules, and the "
    "next one restores them",
    remedy="Use separate rule resources only",
    example="inline egress next to a SecurityGroupEgressRule resource",
)
def inline_and_separate_rules(graph: Graph) -> Hits:
    apart = {rule_.group for rule_ in traffic(graph) if rule_.holder.kind != SECURITY}
    for group in graph.of(SECURITY):
        for key in ("ingress", "egress"):
            if group in apart and given(group.inputs.get(key)):
                yield group, key, f"inline {key} rules next to separate rule resources"


def efa_groups(graph: Graph) -> Iterator[tuple[Resource, list[Resource]]]:
    """Launch templates and file systems with EFA, and their security groups."""
    for template in graph.of(TEMPLATE):
        if has_efa(template):
            yield template, groups_of(graph, template)
    for system in graph.of("fsx:LustreFileSystem"):
        if flag(system.inputs.get("efaEnabled")):
            yield system, groups_of(graph, system)


@rule(
    "EFA-SELF",
    SECURITY,
    what="an EFA security group without all traffic to and from itself",
    why="The job hangs at its first collective, and AWS rejects a file system with EFA: EFA needs a group "
    "that allows all traffic from itself and to itself",
    remedy="Add an ingress and an egress rule for all traffic (-1) with the group itself as source and destination",
    example="an egress rule for 0.0.0.0/0 instead of one for the group itself",
)
def efa_group_without_self_rules(graph: Graph) -> Hits:
    rules = list(traffic(graph))
    seen: set[tuple[Resource, bool]] = set()
    for holder, groups in efa_groups(graph):
        for inwards in (True, False):
            own = [r for r in rules if r.inwards is inwards and r.protocol == "-1" and r.group in r.others(graph)]
            if not groups or any(r.group in groups for r in own) or (groups[0], inwards) in seen:
                continue
            seen.add((groups[0], inwards))
            way = ("ingress", "from") if inwards else ("egress", "to")
            yield groups[0], way[0], f"no rule for all traffic {way[1]} itself, which EFA on {holder.name} needs"


@rule(
    "SG-EGRESS",
    SECURITY,
    what="nodes without outbound access on port 443",
    why="S3 and SSM cannot be reached: the provider removes the default rule that allows all outbound traffic",
    remedy="Add an egress rule for tcp 443",
    example="a node group whose only rule is for itself",
)
def nodes_without_https_egress(graph: Graph) -> Hits:
    out = {rule_.group for rule_ in traffic(graph) if not rule_.inwards and rule_.covers(443) and _leaves(graph, rule_)}
    seen: set[Resource] = set()
    for maker in [*node_runners(graph), *graph.of(TEMPLATE)]:
        groups = groups_of(graph, maker)
        if groups and not any(group in out for group in groups) and groups[0] not in seen:
            seen.add(groups[0])
            yield groups[0], "egress", f"no outbound rule for tcp 443, which {maker.name} needs for S3 and SSM"
    for template in graph.of(TEMPLATE):
        nics = many(template.inputs.get("networkInterfaces"))
        # IP traffic uses the interfaces with an address; groups of efa-only interfaces do not help
        held = [
            graph.targets(nic.get("securityGroups"), SECURITY)
            for nic in nics
            if nic.get("interfaceType") not in EFA[1:]
        ]
        if len(nics) > 1 and held and all(held) and not any(group in out for groups in held for group in groups):
            first = held[0][0]
            if first not in seen:
                seen.add(first)
                yield (
                    template,
                    "networkInterfaces[0].securityGroups",
                    f"{first.name} allows no outbound traffic on tcp 443",
                )


def _leaves(graph: Graph, rule_: Traffic) -> bool:
    """Whether a rule allows traffic to something other than its own group."""
    other = any(given(rule_.block.get(k)) for k in ("prefixListId", "prefixListIds")) or any(rule_.networks())
    systems = {group for system in graph.of("fsx:LustreFileSystem") for group in groups_of(graph, system)}
    return other or any(group is not rule_.group and group not in systems for group in rule_.others(graph))


@rule(
    "SG-PAIR",
    SECURITY,
    INGRESS,
    EGRESS,
    what="traffic that only one of two security groups allows",
    why="Nodes wait for their storage until they time out: both groups must allow the traffic, and a missing "
    "rule drops it without an error",
    remedy="Add a rule for the same ports to the other group",
    example="an egress rule to the pool's group on port 51080, and no ingress rule in that group",
)
def rule_at_one_end_only(graph: Graph) -> Hits:
    rules = list(traffic(graph))
    for rule_ in rules:
        low, high = whole(rule_.block.get("fromPort")), whole(rule_.block.get("toPort"))
        if rule_.group is None or rule_.protocol not in ("tcp", "6") or low is None or high is None:
            continue
        for other in rule_.others(graph):
            far = [r for r in rules if r.group is other and r.inwards is not rule_.inwards]
            # a group with rules outside the graph, or with a prefix list, may allow the traffic
            if other.kind != SECURITY or _unknown(graph, other, far):
                continue
            meets = [r for r in far if any(r.networks()) or rule_.group in r.others(graph)]
            missing = next((port for port in (low, high) if not any(r.covers(port) for r in meets)), None)
            if missing is not None:
                way = "lets it leave" if rule_.inwards else "accepts it"
                yield rule_.holder, rule_.where, f"port {missing:,}: no rule of {other.name} {way}"


def _unknown(graph: Graph, group: Resource, rules: list[Traffic]) -> bool:
    """Whether a group may have rules that the graph does not show."""
    listed = any(given(r.block.get(key)) for r in rules for key in ("prefixListId", "prefixListIds"))
    named = {r.group for r in traffic(graph)}
    return listed or None in named or (group not in named)


@rule(
    "SG-NAME",
    SECURITY,
    what="an invalid security group name",
    why="AWS rejects the group: its name must not start with sg- and has at most 255 characters",
    remedy="Use another name",
    example="name: sg-nodes",
)
def invalid_security_group_name(graph: Graph) -> Hits:
    for group in graph.of(SECURITY):
        name = literal(group.inputs.get("name"))
        if name is not None and (name.lower().startswith("sg-") or len(name) > 255):
            yield group, "name", f"{name[:60]!r} is not a valid security group name"
