"""A storage cluster of its own: nodes with instance-store drives that run the pool's targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from infra.artefacts import Artefacts
from infra.identity import Access, node_identity
from infra.launch import (
    METRICS,
    PATIENCE,
    cluster_placement,
    drain_hook,
    group_tags,
    imdsv2,
    interfaces,
    root_volume,
    tagged,
    whole,
)
from infra.naming import Component, Naming
from infra.nics import Nic
from infra.tier import Tier
from infra.userdata import as_base64, user_data
from planner.stack.spec import NvmeCluster


@dataclass(frozen=True, kw_only=True)
class NvmeArgs:
    """cluster: how many of what, spares among them. ami, root_device: the image and its name of the root."""

    cluster: NvmeCluster
    ami: str
    root_device: str
    subnet_id: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    access: Access
    settings: Mapping[str, pulumi.Input[str]]
    waits_for: list[pulumi.Resource]


class Nvme(Component):
    """Template, placement and group of the storage nodes, on-demand. A lost node is a cache miss: it is replaced."""

    def __init__(self, naming: Naming, tier: Tier, artefacts: Artefacts, args: NvmeArgs) -> None:
        super().__init__("nvme", naming)
        identity = node_identity(self, tier, artefacts, args.access)
        placement = cluster_placement(self)
        template = aws.ec2.LaunchTemplate(
            self.named("template"),
            name=self.physical("template"),
            description=f"Storage nodes of stack {naming.stack}",
            update_default_version=True,
            image_id=args.ami,
            instance_type=args.cluster.instance_type,
            ebs_optimized="true",
            iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(arn=identity.profile.arn),
            metadata_options=imdsv2(),
            monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=False),
            block_device_mappings=root_volume(args.root_device, args.cluster.root_volume_gib),
            network_interfaces=interfaces([Nic(card=0, device=0, kind="interface")], [args.security_group_id]),
            placement=aws.ec2.LaunchTemplatePlacementArgs(group_name=placement.name),
            tag_specifications=tagged(self, "node"),
            user_data=as_base64(user_data(artefacts.bundle, args.settings)),
            tags=self.tags("template"),
            opts=self.child(),
        )
        self.group = aws.autoscaling.Group(
            self.named("group"),
            name=self.physical("group"),
            min_size=args.cluster.nodes,
            desired_capacity=args.cluster.nodes,
            max_size=args.cluster.nodes,
            vpc_zone_identifiers=[args.subnet_id],
            health_check_type="EC2",
            launch_template=aws.autoscaling.GroupLaunchTemplateArgs(
                id=template.id, version=template.latest_version.apply(whole)
            ),
            suspended_processes=["AZRebalance"],
            protect_from_scale_in=True,
            wait_for_capacity_timeout="0",
            enabled_metrics=METRICS,
            tags=group_tags(self, "group"),
            opts=self.child(depends_on=[*identity.ready, *args.waits_for], patience=PATIENCE),
        )
        drain_hook(self, self.group)
        self.register_outputs({"group": self.group.name})
