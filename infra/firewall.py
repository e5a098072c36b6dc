"""Security groups: who talks to whom, as one table, and the rules that follow from it.

Rules are resources of their own, so that two groups can name each other. AWS's rule that everything may go out is
removed by the provider: what a node may reach is in the table as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
from fleet_pool.settings import FIRST_PORT, LAST_PORT

from infra.naming import Component
from infra.network import Network

ALL = ("-1", None, None)
HTTPS = ("tcp", 443, 443)
POOL = ("tcp", FIRST_PORT, LAST_PORT)  # AIStore: public and intra-cluster listeners of proxies and targets
LUSTRE = (("tcp", 988, 988), ("tcp", 1018, 1023))  # FSx for Lustre User Guide: clients and file servers

Ports = tuple[str, int | None, int | None]
Rule = aws.vpc.SecurityGroupIngressRule | aws.vpc.SecurityGroupEgressRule


@dataclass(frozen=True, kw_only=True)
class Way:
    """One direction that is open. source, target: groups; target `anywhere` is 0.0.0.0/0."""

    source: str
    target: str
    ports: Ports
    why: str


def ways(layout: str, *, control: bool, efa_on_lustre: bool) -> tuple[Way, ...]:
    """Everything that may talk, of a layout. The fleet's own way is open to all protocols: EFA needs it so."""
    found = [
        Way(source="fleet", target="fleet", ports=ALL, why="EFA between the nodes"),
        Way(source="fleet", target="anywhere", ports=HTTPS, why="S3, Systems Manager, images"),
    ]
    served = ["nvme"] if layout == "separate-nvme" else ["fleet"]
    if layout == "separate-nvme":
        found += [
            Way(source="nvme", target="nvme", ports=POOL, why="targets of the storage cluster"),
            Way(source="nvme", target="anywhere", ports=HTTPS, why="S3, Systems Manager, packages"),
            Way(source="fleet", target="nvme", ports=POOL, why="training reads the storage cluster"),
        ]
    if control:
        found += [
            Way(source="pool", target="pool", ports=POOL, why="proxies among themselves"),
            Way(source="pool", target="anywhere", ports=HTTPS, why="S3, Systems Manager, packages"),
            Way(source="fleet", target="pool", ports=POOL, why="clients and targets reach the proxies"),
        ]
        for group in served:
            found.append(Way(source="pool", target=group, ports=POOL, why="proxies reach the targets"))
            if group != "fleet":
                found.append(Way(source=group, target="pool", ports=POOL, why="targets reach the proxies"))
    if layout == "fsx-lustre":
        among = (ALL,) if efa_on_lustre else LUSTRE
        found += [Way(source="lustre", target="lustre", ports=ports, why="file servers") for ports in among]
        for ports in among:
            found.append(Way(source="fleet", target="lustre", ports=ports, why="clients mount the file system"))
            found.append(Way(source="lustre", target="fleet", ports=ports, why="file servers call clients back"))
    return tuple(found)


DESCRIPTIONS = {
    "fleet": "GPU nodes",
    "pool": "Control nodes of the storage pool",
    "nvme": "Nodes of the storage cluster",
    "lustre": "FSx for Lustre file system",
}


class Firewall(Component):
    """A group for every part of the stack that has nodes or servers, and the rules between them."""

    def __init__(self, network: Network, open_ways: tuple[Way, ...]) -> None:
        super().__init__("firewall", network.naming)
        names = dict.fromkeys(way.source for way in open_ways)
        self.groups = {
            name: aws.ec2.SecurityGroup(
                self.named(name),
                name=self.physical(name),
                description=DESCRIPTIONS[name],
                vpc_id=network.vpc.id,
                revoke_rules_on_delete=True,  # groups that name each other could not be deleted otherwise
                tags=self.tags(name),
                opts=self.child(),
            )
            for name in names
        }
        self.rules: list[pulumi.Resource] = [rule for way in open_ways for rule in self._rules(way)]
        self.register_outputs({})

    def _rules(self, way: Way) -> list[Rule]:
        protocol, first, last = way.ports
        ending = f"{way.source}-to-{way.target}" + (f"-{first}" if first is not None else "")
        source, anywhere = self.groups[way.source].id, way.target == "anywhere"
        made: list[Rule] = [
            aws.vpc.SecurityGroupEgressRule(
                self.named(f"out-{ending}"),
                security_group_id=source,
                description=way.why,
                ip_protocol=protocol,
                from_port=first,
                to_port=last,
                cidr_ipv4="0.0.0.0/0" if anywhere else None,
                referenced_security_group_id=None if anywhere else self.groups[way.target].id,
                tags=self.tags(f"out-{ending}"),
                opts=self.child(),
            )
        ]
        if not anywhere:
            made.append(
                aws.vpc.SecurityGroupIngressRule(
                    self.named(f"in-{ending}"),
                    security_group_id=self.groups[way.target].id,
                    description=way.why,
                    ip_protocol=protocol,
                    from_port=first,
                    to_port=last,
                    referenced_security_group_id=source,
                    tags=self.tags(f"in-{ending}"),
                    opts=self.child(),
                )
            )
        return made
