"""Security groups: what must be able to pass, and rules that AWS refuses."""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import EFA, SECURITY, TEMPLATE, groups_of, has_efa, node_makers
from planner.lint.read.traffic import EGRESS, INGRESS, OLD, PORTED, SOURCES, Traffic, traffic
from planner.lint.read.values import flag, given, literal, many, whole
from planner.lint.rule import Hits, rule


@rule(
    "SG-PORTS",
    SECURITY,
    INGRESS,
    EGRESS,
    OLD,
    what="ports that do not go with the protocol",
    why="tcp and udp need a first and a last port within 0 and 65,535; AWS refuses the rule",
    remedy="fromPort and toPort; neither with all traffic (-1)",
    example="ipProtocol: tcp without fromPort",
)
def ports_go_with_the_protocol(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        low, high = whole(rule_.block.get("fromPort")), whole(rule_.block.get("toPort"))
        if rule_.protocol in PORTED:
            for key, port in (("fromPort", low), ("toPort", high)):
                if not given(rule_.block.get(key)):
                    yield rule_.holder, rule_.place(key), f"{rule_.protocol} without {key}"
                elif port is not None and not 0 <= port <= 65_535:
                    yield rule_.holder, rule_.place(key), f"port {port:,}"
            if low is not None and high is not None and low > high:
                yield rule_.holder, rule_.place("fromPort"), f"from {low:,} to {high:,}"
        elif rule_.protocol == "-1" and (low or 0, high or 0) not in ((0, 0), (-1, -1), (0, 65_535)):
            yield rule_.holder, rule_.place("fromPort"), f"ports {low} to {high} with all traffic"
        elif not given(rule_.block.get("ipProtocol", rule_.block.get("protocol"))):
            yield rule_.holder, rule_.place("ipProtocol"), "no protocol"


@rule(
    "SG-SOURCE",
    INGRESS,
    EGRESS,
    OLD,
    what="a rule that says not from whom, or says it twice",
    why="AWS refuses a rule without a network, prefix list or group, and one resource with several of them",
    remedy="exactly one of cidrIpv4, cidrIpv6, prefixListId and referencedSecurityGroupId",
    example="an ingress rule without a source",
)
def one_source(graph: Graph) -> Hits:
    for rule_ in traffic(graph):
        named = [key for key in SOURCES if given(rule_.block.get(key)) and rule_.block[key] is not False]
        if not named:
            yield rule_.holder, rule_.where, "no network, prefix list or group"
        elif len(named) > 1 and rule_.holder.kind in (INGRESS, EGRESS):
            yield rule_.holder, named[1], f"{' and '.join(named)} in one rule"


@rule(
    "SG-TWICE",
    INGRESS,
    EGRESS,
    what="one rule twice",
    why="AWS refuses the second as a duplicate, in the middle of the update",
    remedy="one resource a rule",
    example="two ingress rules for tcp 443 from one group",
)
def rules_are_apart(graph: Graph) -> Hits:
    seen: dict[tuple[object, ...], Traffic] = {}
    for rule_ in sorted(traffic(graph), key=lambda r: (r.holder.name, r.holder.urn)):
        if rule_.holder.kind not in (INGRESS, EGRESS) or rule_.group is None:
            continue
        ports = (whole(rule_.block.get("fromPort")), whole(rule_.block.get("toPort")))
        sources = tuple(str(rule_.block.get(key)) for key in SOURCES[:4])
        mark = (rule_.group, rule_.inwards, rule_.protocol, ports, sources)
        if mark in seen and seen[mark].holder.urn != rule_.holder.urn:
            yield rule_.holder, "", f"the same as {seen[mark].holder.name}"
        seen.setdefault(mark, rule_)


@rule(
    "SG-MIXED",
    SECURITY,
    what="rules inline and as resources of their own, for one group",
    why="each update of the group takes the other rules away, and the next brings them back",
    remedy="rule resources only",
    example="inline egress beside an EgressRule resource",
)
def inline_and_apart(graph: Graph) -> Hits:
    apart = {rule_.group for rule_ in traffic(graph) if rule_.holder.kind != SECURITY}
    for group in graph.of(SECURITY):
        for key in ("ingress", "egress"):
            if group in apart and given(group.inputs.get(key)):
                yield group, key, f"inline {key} beside rules of their own"


def efa_groups(graph: Graph) -> Iterator[tuple[Resource, list[Resource]]]:
    """What has EFA, with its groups: interfaces of templates together, and file systems."""
    for template in graph.of(TEMPLATE):
        if has_efa(template):
            yield template, groups_of(graph, template)
    for system in graph.of("fsx:LustreFileSystem"):
        if flag(system.inputs.get("efaEnabled")):
            yield system, groups_of(graph, system)


@rule(
    "EFA-SELF",
    SECURITY,
    what="an EFA group without all traffic to and from itself",
    why="EFA is no IP and passes only between members of a group that allows all of it both ways, also outwards: "
    "the job hangs at its first collective, and an EFA file system is refused",
    remedy="a rule for all traffic (-1) from the group itself, and one to itself",
    example="the self rule for egress is missing, 0.0.0.0/0 stands in its place",
)
def efa_passes_both_ways(graph: Graph) -> Hits:
    rules = list(traffic(graph))
    seen: set[tuple[Resource, bool]] = set()
    for holder, groups in efa_groups(graph):
        for inwards in (True, False):
            own = [r for r in rules if r.inwards is inwards and r.protocol == "-1" and r.group in r.others(graph)]
            if not groups or any(r.group in groups for r in own) or (groups[0], inwards) in seen:
                continue
            seen.add((groups[0], inwards))
            way = ("ingress", "from") if inwards else ("egress", "to")
            yield groups[0], way[0], f"no rule for all traffic {way[1]} itself, and {holder.name} has EFA"


@rule(
    "SG-EGRESS",
    SECURITY,
    what="nodes that cannot get out on port 443",
    why="the provider takes AWS's allow-all egress away: without a rule, S3 and SSM are out of reach",
    remedy="an egress rule for tcp 443",
    example="a node group with a self rule alone",
)
def nodes_get_out(graph: Graph) -> Hits:
    out = {rule_.group for rule_ in traffic(graph) if not rule_.inwards and rule_.covers(443) and _leaves(graph, rule_)}
    seen: set[Resource] = set()
    for maker in [*node_makers(graph), *graph.of(TEMPLATE)]:
        groups = groups_of(graph, maker)
        if groups and not any(group in out for group in groups) and groups[0] not in seen:
            seen.add(groups[0])
            yield groups[0], "egress", f"no rule for tcp 443 outwards, and {maker.name} needs S3 and SSM"
    for template in graph.of(TEMPLATE):
        nics = many(template.inputs.get("networkInterfaces"))
        # what has an address carries IP: where every one of them is shut, another card's group does not help
        held = [
            graph.targets(nic.get("securityGroups"), SECURITY)
            for nic in nics
            if nic.get("interfaceType") not in EFA[1:]
        ]
        if len(nics) > 1 and held and all(held) and not any(group in out for groups in held for group in groups):
            first = held[0][0]
            if first not in seen:
                seen.add(first)
                yield template, "networkInterfaces[0].securityGroups", f"{first.name} lets nothing out on tcp 443"


def _leaves(graph: Graph, rule_: Traffic) -> bool:
    """Whether a rule leads out of its own group."""
    other = any(given(rule_.block.get(k)) for k in ("prefixListId", "prefixListIds")) or any(rule_.networks())
    systems = {group for system in graph.of("fsx:LustreFileSystem") for group in groups_of(graph, system)}
    return other or any(group is not rule_.group and group not in systems for group in rule_.others(graph))


@rule(
    "SG-PAIR",
    SECURITY,
    INGRESS,
    EGRESS,
    what="a way that is open at one end only",
    why="a packet must be let out by one group and in by the other: with one of the two rules missing it is dropped "
    "without a word, and a node waits for its storage until it times out",
    remedy="a rule for the same ports at the other group",
    example="an egress rule to the pool's group on 51080 without the ingress rule there",
)
def ways_have_two_ends(graph: Graph) -> Hits:
    rules = list(traffic(graph))
    for rule_ in rules:
        low, high = whole(rule_.block.get("fromPort")), whole(rule_.block.get("toPort"))
        if rule_.group is None or rule_.protocol not in ("tcp", "6") or low is None or high is None:
            continue
        for other in rule_.others(graph):
            far = [r for r in rules if r.group is other and r.inwards is not rule_.inwards]
            # a group whose rules stand elsewhere, or with a list of networks, is not known to drop anything
            if other.kind != SECURITY or _unknown(graph, other, far):
                continue
            meets = [r for r in far if any(r.networks()) or rule_.group in r.others(graph)]
            missing = next((port for port in (low, high) if not any(r.covers(port) for r in meets)), None)
            if missing is not None:
                way = "lets it out" if rule_.inwards else "lets it in"
                yield rule_.holder, rule_.where, f"port {missing:,}, and no rule of {other.name} {way}"


def _unknown(graph: Graph, group: Resource, rules: list[Traffic]) -> bool:
    """Whether rules of a group may be missing from what the graph tells."""
    listed = any(given(r.block.get(key)) for r in rules for key in ("prefixListId", "prefixListIds"))
    named = {r.group for r in traffic(graph)}
    return listed or None in named or (group not in named)


@rule(
    "SG-NAME",
    SECURITY,
    what="a group name that EC2 refuses",
    why="a group's name must not begin with sg-, nor be longer than 255 characters",
    remedy="another name",
    example="name: sg-nodes",
)
def group_name(graph: Graph) -> Hits:
    for group in graph.of(SECURITY):
        name = literal(group.inputs.get("name"))
        if name is not None and (name.lower().startswith("sg-") or len(name) > 255):
            yield group, "name", f"{name[:60]!r} is no name of a security group"
