"""Security group rules in one form, whether inline or separate resources."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import SECURITY, VPC, network
from planner.lint.read.values import Json, flag, many, texts, whole

INGRESS, EGRESS = "vpc:SecurityGroupIngressRule", "vpc:SecurityGroupEgressRule"
OLD = "ec2:SecurityGroupRule"
PORTED = ("tcp", "udp", "6", "17")
ALL_TRAFFIC = ("-1", "all", -1)
SOURCES = (
    "cidrIpv4",
    "cidrIpv6",
    "prefixListId",
    "referencedSecurityGroupId",
    "cidrBlocks",
    "ipv6CidrBlocks",
    "prefixListIds",
    "securityGroups",
    "sourceSecurityGroupId",
    "self",
)


@dataclass(frozen=True)
class Traffic:
    """One security group rule, inline or a separate resource."""

    holder: Resource
    where: str
    group: Resource | None
    inwards: bool
    block: Json

    def place(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    @property
    def protocol(self) -> str:
        value = self.block.get("ipProtocol", self.block.get("protocol"))
        return "-1" if value in ALL_TRAFFIC else str(value).lower()

    def covers(self, port: int) -> bool:
        """Whether the rule allows TCP on a port."""
        if self.protocol == "-1":
            return True
        low, high = whole(self.block.get("fromPort")), whole(self.block.get("toPort"))
        return self.protocol in ("tcp", "6") and low is not None and high is not None and low <= port <= high

    def networks(self) -> Iterator[tuple[str, str]]:
        for key in ("cidrIpv4", "cidrIpv6", "cidrBlocks", "ipv6CidrBlocks"):
            for text in texts(self.block.get(key)):
                yield key, text

    def others(self, graph: Graph) -> list[Resource]:
        """The security groups that the rule refers to."""
        keys = ("referencedSecurityGroupId", "securityGroups", "sourceSecurityGroupId")
        found = [other for key in keys for other in graph.targets(self.block.get(key), SECURITY)]
        return [*found, self.group] if self.group and flag(self.block.get("self")) else found


def traffic(graph: Graph) -> Iterator[Traffic]:
    """Every rule of every security group."""
    for kind, inwards in ((INGRESS, True), (EGRESS, False)):
        for resource in graph.of(kind):
            group = graph.target(resource.inputs.get("securityGroupId"), SECURITY)
            yield Traffic(resource, "", group, inwards, resource.inputs)
    for resource in graph.of(OLD):
        group = graph.target(resource.inputs.get("securityGroupId"), SECURITY)
        yield Traffic(resource, "", group, resource.inputs.get("type") != "egress", resource.inputs)
    for group in graph.of(SECURITY, "ec2:DefaultSecurityGroup"):
        for key in ("ingress", "egress"):
            for i, block in enumerate(many(group.inputs.get(key))):
                yield Traffic(group, f"{key}[{i}]", group, key == "ingress", block)


# private ranges: RFC 1918, 6598, 3927, 4193 and loopback
PRIVATE = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8"),
        *("fc00::/7", "fe80::/10", "::1/128"),
    )
)
WIDE = {4: 16, 6: 32}  # a public range of this prefix length or shorter counts as open to the internet


@dataclass(frozen=True)
class Source:
    """A source of a rule. public: outside private ranges and the graph's VPCs. wide: too large for one organization."""

    where: str
    text: str
    public: bool
    wide: bool
    single: bool


def sources(graph: Graph, rule_: Traffic) -> Iterator[Source]:
    """The valid address ranges of a rule."""
    own = [found for vpc in graph.of(VPC) if (found := network(vpc.inputs.get("cidrBlock")))]
    for key, text in rule_.networks():
        try:
            found = ipaddress.ip_network(text, strict=False)
        except ValueError:
            continue
        inside = any(found.version == one.version and found.subnet_of(one) for one in [*PRIVATE, *own])  # type: ignore[arg-type]
        yield Source(
            where=rule_.place(key),
            text=text,
            public=not inside,
            wide=not inside and found.prefixlen <= WIDE[found.version],
            single=found.num_addresses == 1,
        )
