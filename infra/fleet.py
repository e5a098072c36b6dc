"""The GPU nodes: launch template with the interfaces of the type, and a group of fixed size in one zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from infra.launch import (
    PATIENCE,
    Machine,
    NodeArgs,
    cluster_placement,
    identity_of,
    latest,
    launch_template,
    node_group,
    version_of,
)
from infra.naming import Component, Naming
from infra.nics import Nic
from planner.stack.spec import Buying, Fleet

GRACE_SECONDS = 600  # a node with eight GPUs takes minutes to boot


@dataclass(frozen=True, kw_only=True)
class FleetArgs:
    """fleet, buying: of the spec. may_move: whether the nodes may change from spot to On-Demand later. nics: the
    interfaces of a node, in order."""

    fleet: Fleet
    buying: Buying
    may_move: bool
    nics: Sequence[Nic]


class GpuFleet(Component):
    """Template, placement and group. The group's size is the plan's: it never grows by itself."""

    def __init__(self, naming: Naming, nodes: NodeArgs, args: FleetArgs) -> None:
        super().__init__("fleet", naming)
        identity = identity_of(self, nodes)
        machine = Machine(
            instance_type=args.fleet.instance_type,
            image=args.fleet.ami,
            root_device=args.fleet.root_device,
            root_volume_gib=args.fleet.root_volume_gib,
            nics=args.nics,
        )
        self.template = launch_template(
            self,
            nodes,
            machine,
            identity,
            description=f"GPU nodes of stack {naming.stack}",
            placement_group=self._placement(args.buying),
            **_purchase(args.buying),
        )
        self.group = self._group(nodes, args, [*identity.ready, *nodes.waits_for])
        self.register_outputs({"group": self.group.name, "template": self.template.id})

    def _placement(self, buying: Buying) -> pulumi.Input[str] | None:
        """The cluster placement group of the nodes.

        The nodes of a Capacity Block are close together without one. A Capacity Reservation is used only from the group
        that it was made in, which is not ours; or from none.
        """
        if buying.kind == "capacity-block":
            return None
        if buying.kind == "reservation":
            return buying.placement_group_name or None
        return cluster_placement(self).name

    def _group(self, nodes: NodeArgs, args: FleetArgs, waits_for: list[pulumi.Resource]) -> aws.autoscaling.Group:
        kind, size = args.buying.kind, args.fleet.nodes
        spot, starts_later = kind == "spot", bool(args.buying.starts)
        return node_group(
            self,
            nodes,
            size,
            # every launch fails before a block begins: the guard's schedule sets the size when it does
            smallest=0 if starts_later else size,
            health_check_grace_period=GRACE_SECONDS,
            # with a policy the market is one number of it: moving to On-Demand changes the group in place
            launch_template=None if spot or args.may_move else latest(self.template),
            mixed_instances_policy=self._one_market(args.fleet.instance_type, spot) if spot or args.may_move else None,
            capacity_rebalance=True if spot else None,
            # the job scheduler decides about an unhealthy node; interrupted spot nodes must be replaced automatically
            suspended_processes=["AZRebalance"] if spot else ["AZRebalance", "ReplaceUnhealthy"],
            # nodes must be given up before a block ends: protected ones would stay
            protect_from_scale_in=kind in ("on-demand", "reservation"),
            # the size that the schedule has set is not drift
            options=self.child(
                depends_on=waits_for,
                ignored=["min_size", "desired_capacity"] if starts_later else None,
                patience=PATIENCE,
            ),
        )

    def _one_market(self, instance_type: str, spot: bool) -> aws.autoscaling.GroupMixedInstancesPolicyArgs:
        """Spot alone, where interruptions are least likely, or On-Demand alone. One type: the template's interfaces fit
        no other."""
        return aws.autoscaling.GroupMixedInstancesPolicyArgs(
            instances_distribution=aws.autoscaling.GroupMixedInstancesPolicyInstancesDistributionArgs(
                on_demand_base_capacity=0,
                on_demand_percentage_above_base_capacity=0 if spot else 100,
                spot_allocation_strategy="price-capacity-optimized" if spot else None,
            ),
            launch_template=aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateArgs(
                launch_template_specification=aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateLaunchTemplateSpecificationArgs(
                    launch_template_id=self.template.id, version=version_of(self.template)
                ),
                overrides=[
                    aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateOverrideArgs(instance_type=instance_type)
                ],
            ),
        )


def _purchase(buying: Buying) -> dict[str, Any]:
    """The template's arguments on how the nodes are bought: none for On-Demand; for spot the group has them."""
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
