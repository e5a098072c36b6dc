"""Desired states of AWS PCS's resources, as AWS's own schemas have them (AWS::PCS::Cluster and the like).

pulumi-aws has no typed resources of AWS PCS: they are made by Cloud Control, which takes a type and its state as JSON.
`InstanceHealthChecks` is newer than the schemas that we can compare with: AWS PCS API reference, InstanceHealthChecks,
read 2026-11-28; it is sent only where the plan asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

from infra.identity import Identity
from infra.launch import NodeArgs, version_of
from infra.naming import Component
from planner.stack.slurm_settings import (
    NodeGroup,
    Queue,
    cluster_settings,
    gres_records,
    group_settings,
    plain,
    queue_settings,
)
from planner.stack.spec import Buying, ClusterSpec, Scheduler

CLUSTER, GROUP, QUEUE = (f"AWS::PCS::{name}" for name in ("Cluster", "ComputeNodeGroup", "Queue"))
# AWS's schemas: handlers of a cluster may take 130 minutes, those of a group and a queue 160
PATIENCE = pulumi.CustomTimeouts(create="3h", update="3h", delete="3h")
_PURCHASE = {"on-demand": "ONDEMAND", "spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}

State = dict[str, Any]


def resource(
    component: Component, part: str, kind: str, state: pulumi.Output[State], **options: Any
) -> aws.cloudcontrol.Resource:
    """A resource by Cloud Control. state: without tags, which every kind of AWS PCS takes as a mapping."""
    tags = component.tags(part)
    return aws.cloudcontrol.Resource(
        component.named(part),
        type_name=kind,
        desired_state=state.apply(lambda given: json.dumps({**given, "Tags": tags}, sort_keys=True)),
        opts=component.child(patience=PATIENCE, **options),
    )


def ids_of(
    cluster_id: pulumi.Output[str], nodes: NodeArgs, template: aws.ec2.LaunchTemplate, identity: Identity
) -> pulumi.Output[dict[str, Any]]:
    """What the state of a group of nodes names, by the words of `group_state` and `login_state`."""
    return pulumi.Output.all(
        cluster=cluster_id,
        template=template.id,
        version=version_of(template),
        profile=identity.profile.arn,
        subnet=nodes.subnet_id,
    )


def id_of(made: aws.cloudcontrol.Resource) -> pulumi.Output[str]:
    """pcs_...: the last part of the ARN, by which Cloud Control names it; a preview's reference stays whole."""
    return made.id.apply(lambda arn: arn.rpartition("/")[2] if arn.startswith("arn:") else arn)


def cluster_state(name: str, scheduler: Scheduler, subnet_id: str, security_group_id: str) -> State:
    """The controller, with accounting on."""
    return {
        "Name": name,
        "Size": scheduler.size,
        "Scheduler": {"Type": "SLURM", "Version": scheduler.version},
        "Networking": {"SubnetIds": [subnet_id], "SecurityGroupIds": [security_group_id]},
        "SlurmConfiguration": {
            "Accounting": {"Mode": "STANDARD"},
            "SlurmCustomSettings": plain(cluster_settings(scheduler)),
        },
    }


def group_state(spec: ClusterSpec, group: NodeGroup, given: Mapping[str, str]) -> State:
    """A group of GPU nodes. given: ids of cluster, template, version, profile and subnet."""
    own = spec.by_type[group.of]
    assert spec.scheduler is not None
    found = _group(group.name, own.fleet.instance_type, group.least, group.most, given)
    if spec.canary:  # a node for the job that the login node sends (fleet_pool.slurm.canary), and none without it
        found["ScalingConfiguration"] = {"MinInstanceCount": 0, "MaxInstanceCount": 1}
    found["PurchaseOption"] = _PURCHASE[group.kind]
    if group.kind == "spot":
        found["SpotOptions"] = {"AllocationStrategy": "price-capacity-optimized"}
    slurm: State = {"SlurmCustomSettings": plain(group_settings(spec, group))}
    if records := gres_records(own):
        slurm["GresCustomSettings"] = [dict(record) for record in records]
    found["SlurmConfiguration"] = slurm
    if spec.scheduler.health_check:
        found["InstanceHealthChecks"] = {
            "DeepHealthChecks": {"OnStart": {"Profile": spec.scheduler.health_check, "RepairAction": "AUTO"}}
        }
    return found


def login_state(scheduler: Scheduler, name: str, given: Mapping[str, str]) -> State:
    """The group of the one login node, which no queue has."""
    return {**_group(name, scheduler.login_type, 1, 1, given), "PurchaseOption": "ONDEMAND"}


def _group(name: str, instance_type: str, least: int, most: int, given: Mapping[str, str]) -> State:
    return {
        "Name": name,
        "ClusterId": given["cluster"],
        "CustomLaunchTemplate": {"TemplateId": given["template"], "Version": given["version"]},
        "IamInstanceProfileArn": given["profile"],
        "InstanceConfigs": [{"InstanceType": instance_type}],
        "ScalingConfiguration": {"MinInstanceCount": least, "MaxInstanceCount": most},
        "SubnetIds": [given["subnet"]],
    }


def queue_state(queue: Queue, scheduler: Scheduler, cluster_id: str, group_ids: list[str]) -> State:
    """A queue with its groups of GPU nodes."""
    return {
        "Name": queue.name,
        "ClusterId": cluster_id,
        "ComputeNodeGroupConfigurations": [{"ComputeNodeGroupId": one} for one in group_ids],
        "SlurmConfiguration": {"SlurmCustomSettings": plain(queue_settings(queue, scheduler))},
    }


def takes(buying: Buying) -> bool:
    """Whether AWS PCS buys nodes this way."""
    return buying.kind in _PURCHASE
