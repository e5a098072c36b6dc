"""The GPU nodes: launch template with the interfaces of the type, and a group of fixed size in one zone; one of both
for each Capacity Block or instance type where there are several, because a template launches one type into one
reservation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pulumi
import pulumi_aws as aws

from infra import pcs
from infra.identity import Identity
from infra.launch import (
    AT_ITS_START,
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
from planner.stack.slurm_settings import NodeGroup, node_groups
from planner.stack.spec import Block, Buying, ClusterSpec, Fleet, suffixes, type_name

GRACE_SECONDS = 600  # a node with eight GPUs takes minutes to boot


@dataclass(frozen=True, kw_only=True)
class FleetArgs:
    """kinds: the nodes, of several instance types in a cluster of Slurm alone. buying, blocks, canary: of the spec.
    may_move: whether the nodes may change from spot to On-Demand later. cluster: of Slurm, whose node groups they are;
    None: Auto Scaling groups."""

    kinds: Sequence[NodesOfType]
    buying: Buying
    blocks: Sequence[Block]
    canary: bool
    may_move: bool
    cluster: NodesOfSlurm | None = None


@dataclass(frozen=True, kw_only=True)
class NodesOfType:
    """fleet: of the spec. nics: the interfaces of a node, in order. settings: of the environment, beside those of every
    node."""

    fleet: Fleet
    nics: Sequence[Nic]
    settings: Mapping[str, pulumi.Input[str]]


@dataclass(frozen=True, kw_only=True)
class NodesOfSlurm:
    """The cluster that launches the GPU nodes. spec: for what Slurm is told of them."""

    spec: ClusterSpec
    cluster_id: pulumi.Output[str]


class GpuFleet(Component):
    """Templates, placement and groups. The size of the groups is the plan's: they never grow by themselves."""

    def __init__(self, naming: Naming, nodes: NodeArgs, args: FleetArgs) -> None:
        super().__init__("fleet", naming)
        identity = identity_of(self, nodes)
        self.groups: list[aws.autoscaling.Group] = []
        self.slurm_groups: list[aws.cloudcontrol.Resource] = []
        for at, kind in enumerate(args.kinds):
            self._of_type(nodes, args, at, kind, identity)
        self.register_outputs({"groups": [group.name for group in self.groups]})

    def _of_type(self, nodes: NodeArgs, args: FleetArgs, at: int, kind: NodesOfType, identity: Identity) -> None:
        """at: place of the type in args.kinds."""
        fleet = kind.fleet
        machine = Machine(
            instance_type=fleet.instance_type,
            image=fleet.ami,
            root_device=fleet.root_device,
            root_volume_gib=fleet.root_volume_gib,
            nics=kind.nics,
        )
        of_type = f"-{type_name(fleet)}" if at else ""
        placement = self._placement(args.buying, of_type)
        blocks = args.blocks or [Block(nodes=fleet.nodes, reservation_id=args.buying.reservation_id)]
        variable = "PLANNER_FLEET" if args.cluster else "PLANNER_GROUP"
        of_slurm = [group for group in node_groups(args.cluster.spec) if group.of == at] if args.cluster else []
        for number, (of_block, block) in enumerate(zip(suffixes(args.blocks), blocks, strict=True)):
            suffix = of_block or of_type
            own = {**kind.settings, variable: self.physical(f"group{suffix}")}
            of_group = replace(nodes, settings={**nodes.settings, **own})
            template = launch_template(
                self,
                of_group,
                machine,
                identity,
                description=f"GPU nodes of stack {self.naming.stack}",
                placement_group=placement,
                suffix=suffix,
                node=f"node{of_type}",
                **_purchase(args.buying.kind, block),
            )
            waits_for = [*identity.ready, *nodes.waits_for]
            if args.cluster:
                # On-Demand nodes beside spot ones start from the same template: the group says how they are bought
                for group in of_slurm if len(blocks) == 1 else of_slurm[number : number + 1]:
                    made = self._slurm_group(of_group, args.cluster, group, template, identity, waits_for)
                    self.slurm_groups.append(made)
            else:
                self.groups.append(self._group(of_group, args, fleet, block, template, suffix, waits_for))

    def _slurm_group(
        self,
        nodes: NodeArgs,
        cluster: NodesOfSlurm,
        group: NodeGroup,
        template: aws.ec2.LaunchTemplate,
        identity: Identity,
        waits_for: list[pulumi.Resource],
    ) -> aws.cloudcontrol.Resource:
        """A compute node group of AWS PCS. It waits for a block by itself: AWS PCS keeps its nodes in a maintenance
        reservation until the block begins (User Guide, "FAQ for Capacity Blocks")."""
        given = pcs.ids_of(cluster.cluster_id, nodes, template, identity)
        return pcs.resource(
            self,
            f"group{group.suffix}",
            pcs.GROUP,
            given.apply(lambda ids: pcs.group_state(cluster.spec, group, ids)),
            depends_on=waits_for,
        )

    def _placement(self, buying: Buying, of_type: str) -> pulumi.Input[str] | None:
        """The cluster placement group of the nodes of a type: AWS finds room for one type in one group most easily (EC2
        User Guide, "Cluster placement groups").

        The nodes of a Capacity Block are close together without one. A Capacity Reservation is used only from the group
        that it was made in, which is not ours; or from none.
        """
        if buying.kind == "capacity-block":
            return None
        if buying.kind == "reservation":
            return buying.placement_group_name or None
        return cluster_placement(self, of_type).name

    def _group(
        self,
        nodes: NodeArgs,
        args: FleetArgs,
        fleet: Fleet,
        block: Block,
        template: aws.ec2.LaunchTemplate,
        suffix: str,
        waits_for: list[pulumi.Resource],
    ) -> aws.autoscaling.Group:
        kind, size = args.buying.kind, block.nodes
        spot, starts_later = kind == "spot", bool(block.starts)
        return node_group(
            self,
            nodes,
            size,
            suffix=suffix,
            # every launch fails before a block begins: the guard's schedule sets the size when it does
            smallest=0 if starts_later else 1 if args.canary else size,
            health_check_grace_period=GRACE_SECONDS,
            # with a policy the market is one number of it: moving to On-Demand changes the group in place
            launch_template=None if spot or args.may_move else latest(template),
            mixed_instances_policy=(
                _one_market(template, fleet.instance_type, spot) if spot or args.may_move else None
            ),
            # the job scheduler decides about an unhealthy node; interrupted spot nodes must be replaced automatically
            suspended_processes=["AZRebalance"] if spot else ["AZRebalance", "ReplaceUnhealthy"],
            # nodes must be given up before a block ends: protected ones would stay
            protect_from_scale_in=kind in ("on-demand", "reservation"),
            # the size that the schedule has set is not drift
            options=self.child(
                depends_on=waits_for,
                ignored=[*AT_ITS_START, *(["min_size", "desired_capacity"] if starts_later else [])],
                patience=PATIENCE,
            ),
        )


def _one_market(
    template: aws.ec2.LaunchTemplate, instance_type: str, spot: bool
) -> aws.autoscaling.GroupMixedInstancesPolicyArgs:
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
                launch_template_id=template.id, version=version_of(template)
            ),
            overrides=[
                aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateOverrideArgs(instance_type=instance_type)
            ],
        ),
    )


def _purchase(kind: str, block: Block) -> dict[str, Any]:
    """The template's arguments on how the nodes are bought: none for On-Demand; for spot the group has them."""
    found: dict[str, Any] = {}
    if kind == "capacity-block":
        found["instance_market_options"] = aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block")
    if kind in ("capacity-block", "reservation"):
        found["capacity_reservation_specification"] = aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
            capacity_reservation_target=aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
                capacity_reservation_id=block.reservation_id
            )
        )
    return found
