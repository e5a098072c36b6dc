"""What a group and an instance launch: nodes, volumes and interfaces, which bill, carry tags and hold other things."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Fresh = Callable[[dict[str, Any]], dict[str, Any]]
_ARN = "arn:aws:ec2:{region}:{account}:{kind}/{id}"
_PREFIX = {"instance": "i", "volume": "vol", "network-interface": "eni"}


def settle(state: dict[str, Any], thing: dict[str, Any], fresh: Fresh) -> None:
    """As many nodes as a group wants, and the root volume of an instance."""
    if thing["type"] == "aws:autoscaling/group:Group":
        wanted = int(thing["inputs"].get("desiredCapacity", thing["inputs"]["minSize"]))
        _group(state, thing, fresh, wanted, _template(state, thing), thing["inputs"]["vpcZoneIdentifiers"])
    elif thing["inputs"].get("typeName") == "AWS::PCS::ComputeNodeGroup":
        asked = json.loads(thing["inputs"]["desiredState"])
        template = _inputs(state, asked["CustomLaunchTemplate"]["TemplateId"])
        _group(state, thing, fresh, asked["ScalingConfiguration"]["MinInstanceCount"], template, asked["SubnetIds"])
    elif thing["type"] == "aws:ec2/instance:Instance" and not _launched(state, thing, "volume"):
        tags = (thing["inputs"].get("rootBlockDevice") or {}).get("tags") or {}
        _add(state, thing, fresh, "volume", tags, [], thing["id"])


def _group(
    state: dict[str, Any],
    group: dict[str, Any],
    fresh: Fresh,
    wanted: int,
    template: Mapping[str, Any],
    subnets: list[str],
) -> None:
    nodes = _launched(state, group, "instance")
    for node in nodes[wanted:]:
        for part in [one for one in state["things"].values() if one.get("node") == node["id"]]:
            del state["things"][f"launched {part['id']}"]
    tags = {one["resourceType"]: one["tags"] for one in template.get("tagSpecifications") or ()}
    placement = (template.get("placement") or {}).get("groupName")
    profile = (template.get("iamInstanceProfile") or {}).get("arn", "")
    for _ in range(wanted - len(nodes)):
        holds = [placement, profile.rpartition("/")[2]]
        node = _add(state, group, fresh, "instance", tags.get("instance", {}), holds, "")
        for _ in template.get("blockDeviceMappings") or ():
            _add(state, group, fresh, "volume", tags.get("volume", {}), [], node["id"])
        for nic in template.get("networkInterfaces") or ():
            holds = [*subnets, *nic.get("securityGroups", ())]
            _add(state, group, fresh, "network-interface", tags.get("network-interface", {}), holds, node["id"])


def _template(state: dict[str, Any], group: dict[str, Any]) -> Mapping[str, Any]:
    inputs = group["inputs"]
    mixed = (inputs.get("mixedInstancesPolicy") or {}).get("launchTemplate") or {}
    wanted = (inputs.get("launchTemplate") or {}).get("id")
    wanted = wanted or (mixed.get("launchTemplateSpecification") or {}).get("launchTemplateId")
    return _inputs(state, wanted)


def _inputs(state: dict[str, Any], template: Any) -> Mapping[str, Any]:
    return state["things"][f"aws:ec2/launchTemplate:LaunchTemplate {template}"]["inputs"]


def _launched(state: dict[str, Any], by: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    key = f"{by['type']} {by['id']}"
    found = [one for one in state["things"].values() if one.get("by") == key and one["kind"] == kind]
    return sorted(found, key=lambda one: one["made"])


def _add(
    state: dict[str, Any],
    by: dict[str, Any],
    fresh: Fresh,
    kind: str,
    tags: Mapping[str, str],
    holds: list[str | None],
    node: str,
) -> dict[str, Any]:
    words = fresh(state)
    id = f"{_PREFIX[kind]}-{words['hex']}"
    thing = {
        "type": "launched",
        "kind": kind,
        "id": id,
        "arn": _ARN.format(region=words["region"], account=words["account"], kind=kind, id=id),
        "inputs": {"tags": dict(tags)},
        "outputs": {},
        "made": state["made"],
        "by": f"{by['type']} {by['id']}",
        "node": node or id,
        "holds": [one for one in holds if one],
    }
    state["things"][f"launched {id}"] = thing
    return thing
