"""What the fleet and a storage cluster launch alike: templates, groups of fixed size, their tags."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from infra.naming import Component
from infra.nics import Nic

DRAIN_SECONDS = 300
# free, for the alarms
METRICS = [
    aws.autoscaling.Metric(f"Group{what}") for what in ("InServiceInstances", "PendingInstances", "DesiredCapacity")
]

# nodes with local drives and GPUs take AWS long to wipe, and a group goes after its last node
PATIENCE = pulumi.CustomTimeouts(delete="1h")


def imdsv2() -> aws.ec2.LaunchTemplateMetadataOptionsArgs:
    """Metadata by token only, one hop: no container and no server-side request reaches the role."""
    return aws.ec2.LaunchTemplateMetadataOptionsArgs(
        http_endpoint="enabled",
        http_tokens="required",
        http_put_response_hop_limit=1,
        instance_metadata_tags="enabled",
    )


def root_volume(device: str, gib: int) -> list[aws.ec2.LaunchTemplateBlockDeviceMappingArgs]:
    return [
        aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
            device_name=device,
            ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
                volume_type="gp3",
                volume_size=gib,
                encrypted="true",
                delete_on_termination="true",
            ),
        )
    ]


def interfaces(
    found: Sequence[Nic], groups: Sequence[pulumi.Input[str]]
) -> list[aws.ec2.LaunchTemplateNetworkInterfaceArgs]:
    """The table of interfaces. The group chooses the subnet. A public address is refused where AWS lets one say so:
    with one interface; with more none can be given, and an EFA-only one takes no such word."""
    return [
        aws.ec2.LaunchTemplateNetworkInterfaceArgs(
            network_card_index=nic.card,
            device_index=nic.device,
            interface_type=nic.kind,
            security_groups=list(groups),
            associate_public_ip_address="false" if len(found) == 1 else None,
            delete_on_termination="true",
        )
        for nic in found
    ]


def tagged(component: Component, part: str) -> list[aws.ec2.LaunchTemplateTagSpecificationArgs]:
    """Tags of everything that a launch makes."""
    return [
        aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=component.tags(part))
        for kind in ("instance", "volume", "network-interface")
    ]


def group_tags(component: Component, part: str) -> list[aws.autoscaling.GroupTagArgs]:
    """Of the group itself: its nodes have theirs from the template."""
    return [
        aws.autoscaling.GroupTagArgs(key=key, value=value, propagate_at_launch=False)
        for key, value in component.tags(part).items()
    ]


def cluster_placement(component: Component) -> aws.ec2.PlacementGroup:
    """Nodes close together, in one zone."""
    return aws.ec2.PlacementGroup(
        component.named("placement"),
        name=component.physical("placement"),
        strategy="cluster",
        tags=component.tags("placement"),
        opts=component.child(),
    )


def drain_hook(component: Component, group: aws.autoscaling.Group) -> aws.autoscaling.LifecycleHook:
    """A node that is taken down has time to leave the pool. A spot reclaim waits for nobody."""
    return aws.autoscaling.LifecycleHook(
        component.named("drain"),
        name="drain",
        autoscaling_group_name=group.name,
        lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
        heartbeat_timeout=DRAIN_SECONDS,
        default_result="CONTINUE",
        opts=component.child(),
    )


def whole(version: object) -> str:
    """A template's version as text; the engine hands numbers over as 1.0."""
    return str(int(version)) if isinstance(version, float) else str(version)
