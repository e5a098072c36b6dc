"""The pool's control nodes: electable proxies with fixed addresses, which hold the cluster map on their volumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.artefacts import Artefacts
from infra.identity import Access, node_identity
from infra.naming import Component, Naming
from infra.tier import Tier
from infra.userdata import user_data
from planner.stack.spec import Control


@dataclass(frozen=True, kw_only=True)
class PoolArgs:
    """control: how many of what. ami: the image, its own or the fleet's. addresses: one for each, fixed.
    access: what it may do in the data bucket. settings: environment of the bundle. waits_for: what stands before."""

    control: Control
    ami: str
    addresses: Sequence[str]
    subnet_id: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    access: Access
    settings: Mapping[str, pulumi.Input[str]]
    waits_for: list[pulumi.Resource]


class Pool(Component):
    """Control nodes, each on a network interface that outlives it, so that its address stays, and one after the other,
    so that a new bundle does not take all of them at once."""

    def __init__(self, naming: Naming, tier: Tier, artefacts: Artefacts, args: PoolArgs) -> None:
        super().__init__("pool", naming)
        identity = node_identity(self, tier, artefacts, args.access)
        self.nodes: list[aws.ec2.Instance] = []
        for number, address in enumerate(args.addresses):
            slot = aws.ec2.NetworkInterface(
                self.named(f"address-{number}"),
                subnet_id=args.subnet_id,
                private_ips=[address],
                security_groups=[args.security_group_id],
                description=f"Control node {number} of stack {naming.stack}",
                tags=self.tags(f"address-{number}"),
                opts=self.child(replaced_first=True),
            )
            node = aws.ec2.Instance(
                self.named(f"node-{number}"),
                ami=args.ami,
                instance_type=args.control.instance_type,
                primary_network_interface=aws.ec2.InstancePrimaryNetworkInterfaceArgs(network_interface_id=slot.id),
                iam_instance_profile=identity.profile.name,
                ebs_optimized=True,
                monitoring=False,
                metadata_options=aws.ec2.InstanceMetadataOptionsArgs(
                    http_endpoint="enabled",
                    http_tokens="required",
                    http_put_response_hop_limit=1,
                    instance_metadata_tags="enabled",
                ),
                root_block_device=aws.ec2.InstanceRootBlockDeviceArgs(
                    volume_type="gp3",
                    volume_size=args.control.root_volume_gib,
                    encrypted=True,
                    delete_on_termination=True,
                    tags=self.tags(f"volume-{number}"),
                ),
                user_data=user_data(artefacts.bundle, {**args.settings, "PLANNER_NUMBER": str(number)}),
                user_data_replace_on_change=True,  # it runs once in an instance's life: another bundle is another one
                tags=self.tags(f"node-{number}"),
                opts=self.child(depends_on=[*identity.ready, *args.waits_for, *self.nodes[-1:]], replaced_first=True),
            )
            self.nodes.append(node)
        self.register_outputs({"addresses": list(args.addresses)})
