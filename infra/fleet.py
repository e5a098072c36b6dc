"""The GPU nodes: launch template with the interfaces of the type, and a group of fixed size in one zone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.operate.canary import FOLDER as CANARY

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
from planner.stack.spec import Buying, ClusterSpec, Fleet

GRACE_SECONDS = 600  # a node with eight GPUs takes minutes to boot


@dataclass(frozen=True, kw_only=True)
class FleetArgs:
    """nodes, buying: of the spec. nics: the interfaces of a node, in order. subnet_id: of the one zone.
    security_group_id: EFA's. access: what a node may do in the data bucket. settings: environment of the bundle.
    waits_for: what must stand before the first node boots."""

    nodes: Fleet
    buying: Buying
    nics: Sequence[Nic]
    subnet_id: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    access: Access
    settings: Mapping[str, pulumi.Input[str]]
    waits_for: list[pulumi.Resource]


class GpuFleet(Component):
    """Template, placement and group. The group's size is the plan's: it never grows by itself."""

    def __init__(self, naming: Naming, tier: Tier, artefacts: Artefacts, args: FleetArgs) -> None:
        super().__init__("fleet", naming)
        identity = node_identity(self, tier, artefacts, args.access)
        placement = self._placement(args.buying)
        self.template = aws.ec2.LaunchTemplate(
            self.named("template"),
            name=self.physical("template"),
            description=f"GPU nodes of stack {naming.stack}",
            update_default_version=True,
            image_id=args.nodes.ami,
            instance_type=args.nodes.instance_type,
            ebs_optimized="true",
            iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(arn=identity.profile.arn),
            metadata_options=imdsv2(),
            monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=False),  # detailed metrics are billed
            block_device_mappings=root_volume(args.nodes.root_device, args.nodes.root_volume_gib),
            network_interfaces=interfaces(args.nics, [args.security_group_id]),
            placement=aws.ec2.LaunchTemplatePlacementArgs(group_name=placement) if placement else None,
            **_bought(args.buying),
            tag_specifications=tagged(self, "node"),
            user_data=as_base64(user_data(artefacts.bundle, args.settings)),
            tags=self.tags("template"),
            opts=self.child(),
        )
        self.group = self._group(args, [*identity.ready, *args.waits_for])
        drain_hook(self, self.group)
        self.register_outputs({"group": self.group.name, "template": self.template.id})

    def _placement(self, buying: Buying) -> pulumi.Input[str] | None:
        """The cluster group of the nodes. A Capacity Block lies close together by itself and takes none. A reservation
        is used only from the group that it was made in, which is not ours: there it is, or in none."""
        if buying.kind == "capacity-block":
            return None
        if buying.kind == "reservation":
            return buying.placement_group_name or None
        return cluster_placement(self).name

    def _group(self, args: FleetArgs, waits_for: list[pulumi.Resource]) -> aws.autoscaling.Group:
        kind, size = args.buying.kind, args.nodes.nodes
        spot, waits = kind == "spot", bool(args.buying.starts)
        return aws.autoscaling.Group(
            self.named("group"),
            name=self.physical("group"),
            # before a block begins every launch fails: the guard's schedule sets the size when it does
            min_size=0 if waits else size,
            desired_capacity=0 if waits else size,
            max_size=size,
            vpc_zone_identifiers=[args.subnet_id],
            health_check_type="EC2",
            health_check_grace_period=GRACE_SECONDS,
            launch_template=None if spot else self._plain(),
            mixed_instances_policy=self._mixed(args.nodes.instance_type) if spot else None,
            capacity_rebalance=True if spot else None,
            # a gang's scheduler decides about a sick node; spot nodes that are taken must come back by themselves
            suspended_processes=["AZRebalance"] if spot else ["AZRebalance", "ReplaceUnhealthy"],
            # a block must be let go of before it ends: protected nodes would stay
            protect_from_scale_in=kind in ("on-demand", "reservation"),
            # GPUs that AWS is short of are waited for by the operator, not by `pulumi up`
            wait_for_capacity_timeout="0",
            enabled_metrics=METRICS,
            tags=group_tags(self, "group"),
            # what the schedule has set is no drift
            opts=self.child(
                depends_on=waits_for, ignored=["min_size", "desired_capacity"] if waits else None, patience=PATIENCE
            ),
        )

    def _plain(self) -> aws.autoscaling.GroupLaunchTemplateArgs:
        # the number, not "$Latest": a change of the template is seen in the preview
        return aws.autoscaling.GroupLaunchTemplateArgs(
            id=self.template.id, version=self.template.latest_version.apply(whole)
        )

    def _mixed(self, instance_type: str) -> aws.autoscaling.GroupMixedInstancesPolicyArgs:
        """Spot alone, from where it is least likely to be taken. One type: the template's interfaces fit no other."""
        return aws.autoscaling.GroupMixedInstancesPolicyArgs(
            instances_distribution=aws.autoscaling.GroupMixedInstancesPolicyInstancesDistributionArgs(
                on_demand_base_capacity=0,
                on_demand_percentage_above_base_capacity=0,
                spot_allocation_strategy="price-capacity-optimized",
            ),
            launch_template=aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateArgs(
                launch_template_specification=aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateLaunchTemplateSpecificationArgs(
                    launch_template_id=self.template.id, version=self.template.latest_version.apply(whole)
                ),
                overrides=[
                    aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateOverrideArgs(instance_type=instance_type)
                ],
            ),
        )


def _bought(buying: Buying) -> dict[str, Any]:
    """The template's words about how the nodes are bought: none for on-demand; spot is said by the group."""
    found: dict[str, Any] = {}
    if buying.kind == "capacity-block":
        found["instance_market_options"] = aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block")
    if buying.kind in ("capacity-block", "reservation"):
        found["capacity_reservation_specification"] = aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
            capacity_reservation_target=aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
                capacity_reservation_id=buying.reservation_id
            )
        )
    return found


def data_access(spec: ClusterSpec, group: str, daemon: str = "") -> Access:
    """Nodes read the data set and read and write checkpoints; what lies beside is not theirs. daemon: of the pool,
    whose canary has a place of its own."""
    return Access(
        reads=(spec.data.dataset_prefix,),
        writes=(spec.data.checkpoint_prefix, *((CANARY,) if daemon else ())),
        group=group,
        daemon=daemon,
        authority=spec.pool is not None and spec.pool.tls,
    )
