"""Security groups and their rules, from the allowed flows of a layout.

Rules are resources of their own, so that two groups can name each other. The provider removes AWS's default rule that
allows all outgoing traffic, so the table of flows also lists what a node may reach.
"""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from infra.allowed_flows import ANYWHERE, AllowedFlow, Ports
from infra.naming import Component
from infra.network import Network

Rule = aws.vpc.SecurityGroupIngressRule | aws.vpc.SecurityGroupEgressRule

# AWS replaces a group whose description changes
DESCRIPTIONS = {
    "fleet": "GPU nodes",
    "pool": "Control nodes of the storage pool",
    "nvme": "Nodes of the storage cluster",
    "files": "Metadata database of files over the pool",
    "lustre": "FSx for Lustre file system",
    "scheduler": "Slurm controller of AWS PCS",
    "login": "Login node",
}


class Firewall(Component):
    """A security group for each part of the stack that has nodes or servers, and the rules between them."""

    def __init__(self, network: Network, flows: tuple[AllowedFlow, ...]) -> None:
        super().__init__("firewall", network.naming)
        ends = (name for flow in flows for name in (flow.source, flow.target))
        names = dict.fromkeys(name for name in ends if name != ANYWHERE)
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
        self.rules: list[pulumi.Resource] = [
            rule for flow in flows for ports in flow.ports for rule in self._rules(flow, ports)
        ]
        self.register_outputs({})

    def _rules(self, flow: AllowedFlow, ports: Ports) -> list[Rule]:
        """The rule at the source, and that at the target where it is a group of ours."""
        protocol, first, last = ports
        ending = f"{flow.source}-to-{flow.target}" + (f"-{first}" if first is not None else "")
        source, anywhere = self.groups[flow.source].id, flow.target == ANYWHERE
        rules: list[Rule] = [
            aws.vpc.SecurityGroupEgressRule(
                self.named(f"out-{ending}"),
                security_group_id=source,
                description=flow.why,
                ip_protocol=protocol,
                from_port=first,
                to_port=last,
                cidr_ipv4="0.0.0.0/0" if anywhere else None,
                referenced_security_group_id=None if anywhere else self.groups[flow.target].id,
                tags=self.tags(f"out-{ending}"),
                opts=self.child(),
            )
        ]
        if not anywhere:
            rules.append(
                aws.vpc.SecurityGroupIngressRule(
                    self.named(f"in-{ending}"),
                    security_group_id=self.groups[flow.target].id,
                    description=flow.why,
                    ip_protocol=protocol,
                    from_port=first,
                    to_port=last,
                    referenced_security_group_id=source,
                    tags=self.tags(f"in-{ending}"),
                    opts=self.child(),
                )
            )
        return rules
