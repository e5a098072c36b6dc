"""The pool's control nodes: electable proxies with fixed addresses, which hold the cluster map on their volumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi_aws as aws

from infra.launch import NodeArgs, identity_of
from infra.naming import Component, Naming
from infra.userdata import user_data
from planner.stack.spec import Control


@dataclass(frozen=True, kw_only=True)
class PoolArgs:
    """control: number and type of the nodes. ami: the image, their own or the fleet's. addresses: a fixed one each."""

    control: Control
    ami: str
    addresses: Sequence[str]


class Pool(Component):
    """Control nodes. Each has a network interface that outlives it, so that its address stays. They are replaced one
    after the other, so that a new bundle does not stop all of them at once."""

    def __init__(self, naming: Naming, nodes: NodeArgs, args: PoolArgs) -> None:
        super().__init__("pool", naming)
        identity = identity_of(self, nodes)
        self.nodes: list[aws.ec2.Instance] = []
        for number, address in enumerate(args.addresses):
            slot = aws.ec2.NetworkInterface(
                self.named(f"address-{number}"),
                subnet_id=nodes.subnet_id,
                private_ips=[address],
                security_groups=[nodes.security_group_id],
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
                user_data=user_data(nodes.artefacts.bundle, {**nodes.settings, "PLANNER_NUMBER": str(number)}),
                user_data_replace_on_change=True,  # it runs only on the first boot
                tags=self.tags(f"node-{number}"),
                opts=self.child(depends_on=[*identity.ready, *nodes.waits_for, *self.nodes[-1:]], replaced_first=True),
            )
            self.nodes.append(node)
        self.register_outputs({"addresses": list(args.addresses)})
