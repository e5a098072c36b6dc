"""What components that launch nodes have in common: arguments, launch template, group of fixed size, tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws
from fleet_pool.node import lifecycle

from infra.artefacts import Artefacts
from infra.data_bucket import DataBucket
from infra.identity import Access, Identity, node_identity
from infra.naming import Component
from infra.nics import Nic
from infra.userdata import as_base64, as_multipart, user_data

DRAIN_SECONDS = 300
# of a node that cannot be ready: time for a person to look at it. The slowest start that succeeds, with a Lustre client
# to install and a file system to wait for, takes half of it
LAUNCH_SECONDS = lifecycle.LAUNCH_S
# a node counts once it has found itself ready (planner-ready); the group ends and replaces one that does not
_LAUNCH = {
    "lifecycle_transition": "autoscaling:EC2_INSTANCE_LAUNCHING",
    "heartbeat_timeout": LAUNCH_SECONDS,
    "default_result": lifecycle.ABANDON,
}
# time to leave the pool for a node that is scaled in; a spot interruption does not wait for it
_DRAIN = {
    "lifecycle_transition": "autoscaling:EC2_INSTANCE_TERMINATING",
    "heartbeat_timeout": DRAIN_SECONDS,
    "default_result": lifecycle.CONTINUE,
}
# free, for the alarms
METRICS = [
    aws.autoscaling.Metric(f"Group{what}") for what in ("InServiceInstances", "PendingInstances", "DesiredCapacity")
]
# AWS takes long to wipe nodes with local drives and GPUs, and a group is deleted after its last node
PATIENCE = pulumi.CustomTimeouts(delete="1h")


@dataclass(frozen=True, kw_only=True)
class NodeArgs:
    """Input of every component with nodes. access: to the data bucket. settings: environment of the bundle. waits_for:
    what must exist before the first node boots. by_pcs: whether AWS PCS launches them, and no Auto Scaling group."""

    data_bucket: DataBucket
    artefacts: Artefacts
    subnet_id: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    access: Access
    settings: Mapping[str, pulumi.Input[str]]
    waits_for: list[pulumi.Resource]
    by_pcs: bool = False

    @property
    def user_data(self) -> pulumi.Output[str]:
        """As a launch template takes it."""
        text = user_data(self.artefacts.bundle, self.settings)
        return as_base64(as_multipart(text) if self.by_pcs else text)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What is launched. image: id of the AMI. root_device: the image's name for its root volume."""

    instance_type: str
    image: str
    root_device: str
    root_volume_gib: int
    nics: Sequence[Nic]


def identity_of(component: Component, nodes: NodeArgs) -> Identity:
    """Role and instance profile of a component's nodes."""
    return node_identity(component, nodes.data_bucket, nodes.artefacts, nodes.access)


def launch_template(
    component: Component,
    nodes: NodeArgs,
    machine: Machine,
    identity: Identity,
    *,
    description: str,
    placement_group: pulumi.Input[str] | None,
    suffix: str = "",
    node: str = "node",
    **purchase: Any,
) -> aws.ec2.LaunchTemplate:
    """The template of a component's nodes. suffix: of its name, where the component has several. node: their name.
    purchase: its arguments on how the nodes are bought; none: On-Demand."""
    part = f"template{suffix}"
    return aws.ec2.LaunchTemplate(
        component.named(part),
        name=component.physical(part),
        description=description,
        update_default_version=True,
        image_id=machine.image,
        instance_type=machine.instance_type,
        ebs_optimized="true",
        iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(arn=identity.profile.arn),
        metadata_options=imdsv2(),
        monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=False),  # detailed metrics are billed
        block_device_mappings=[_root_volume(machine)],
        network_interfaces=_interfaces(machine.nics, nodes.security_group_id),
        placement=aws.ec2.LaunchTemplatePlacementArgs(group_name=placement_group) if placement_group else None,
        tag_specifications=launch_tags(component, node),
        user_data=nodes.user_data,
        tags=component.tags(part),
        opts=component.child(),
        **purchase,
    )


# of a group that stands another value would make the group, and its nodes, anew; the hook itself changes in place
AT_ITS_START = ["initial_lifecycle_hooks"]


def node_group(
    component: Component,
    nodes: NodeArgs,
    size: int,
    *,
    smallest: int,
    options: pulumi.ResourceOptions,
    suffix: str = "",
    **others: Any,
) -> aws.autoscaling.Group:
    """The Auto Scaling group of a component's nodes in the one subnet, with time for a node to leave the pool.

    size: at most so many nodes. smallest: as many from the start. suffix: of its name, where the component has several.
    others: further arguments of the group.
    """
    part = f"group{suffix}"
    group = aws.autoscaling.Group(
        component.named(part),
        name=component.physical(part),
        min_size=smallest,
        desired_capacity=smallest,
        max_size=size,
        vpc_zone_identifiers=[nodes.subnet_id],
        health_check_type="EC2",
        # the operator waits for nodes without capacity, not `pulumi up`
        wait_for_capacity_timeout="0",
        enabled_metrics=METRICS,
        tags=_group_tags(component, part),
        # nodes start as soon as there is a group: a hook that is made after it would miss the first ones
        initial_lifecycle_hooks=[aws.autoscaling.GroupInitialLifecycleHookArgs(name=lifecycle.LAUNCH, **_LAUNCH)],
        opts=options,
        **others,
    )
    _hook(component, group, lifecycle.LAUNCH, suffix, _LAUNCH)
    _hook(component, group, lifecycle.DRAIN, suffix, _DRAIN)
    return group


def latest(template: aws.ec2.LaunchTemplate) -> aws.autoscaling.GroupLaunchTemplateArgs:
    """The template by version number, not as "$Latest", so that a preview shows when it changes."""
    return aws.autoscaling.GroupLaunchTemplateArgs(id=template.id, version=version_of(template))


def version_of(template: aws.ec2.LaunchTemplate) -> pulumi.Output[str]:
    """The latest version as text: the engine passes whole numbers as 1.0."""
    return template.latest_version.apply(lambda found: str(int(found)) if isinstance(found, float) else str(found))


def cluster_placement(component: Component, suffix: str = "") -> aws.ec2.PlacementGroup:
    """A placement group for nodes close together, in one zone. suffix: as in launch_template."""
    part = f"placement{suffix}"
    return aws.ec2.PlacementGroup(
        component.named(part),
        name=component.physical(part),
        strategy="cluster",
        tags=component.tags(part),
        opts=component.child(),
    )


def imdsv2() -> aws.ec2.LaunchTemplateMetadataOptionsArgs:
    """Metadata by token only and within one hop, so that no container and no forged request gets the role."""
    return aws.ec2.LaunchTemplateMetadataOptionsArgs(
        http_endpoint="enabled",
        http_tokens="required",
        http_put_response_hop_limit=1,
        instance_metadata_tags="enabled",
    )


def _root_volume(machine: Machine) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgs:
    return aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
        device_name=machine.root_device,
        ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
            volume_type="gp3",
            volume_size=machine.root_volume_gib,
            encrypted="true",
            delete_on_termination="true",
        ),
    )


def _interfaces(
    nics: Sequence[Nic], security_group_id: pulumi.Input[str]
) -> list[aws.ec2.LaunchTemplateNetworkInterfaceArgs]:
    """The interfaces without their subnet, which the group chooses.

    A public address is refused explicitly on a node with one interface. EC2 does not accept that argument on nodes with
    several, and gives those none.
    """
    return [
        aws.ec2.LaunchTemplateNetworkInterfaceArgs(
            network_card_index=nic.card,
            device_index=nic.device,
            interface_type=nic.kind,
            security_groups=[security_group_id],
            associate_public_ip_address="false" if len(nics) == 1 else None,
            delete_on_termination="true",
        )
        for nic in nics
    ]


def launch_tags(component: Component, node: str = "node") -> list[aws.ec2.LaunchTemplateTagSpecificationArgs]:
    """Tags of everything that a launch creates."""
    return [
        aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=component.tags(node))
        for kind in ("instance", "volume", "network-interface")
    ]


def _group_tags(component: Component, part: str) -> list[aws.autoscaling.GroupTagArgs]:
    """Tags of the group alone: its nodes get theirs from the template."""
    return [
        aws.autoscaling.GroupTagArgs(key=key, value=value, propagate_at_launch=False)
        for key, value in component.tags(part).items()
    ]


def _hook(
    component: Component, group: aws.autoscaling.Group, name: str, suffix: str, settings: Mapping[str, Any]
) -> None:
    """A hook of a group. The launch hook is in the group's own arguments too, which AWS reads only when the group is
    made. This one can change, and `pulumi destroy` deletes it first, which abandons the nodes that still wait."""
    aws.autoscaling.LifecycleHook(
        component.named(f"{name}{suffix}"),
        name=name,
        autoscaling_group_name=group.name,
        opts=component.child(),
        **settings,
    )
