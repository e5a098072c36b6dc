"""Reads `pulumi preview --json` and `pulumi stack export` as a resource graph.

In both, references are resolved to ids or still unknown, and each argument lists the resources that it came from.
Secrets, assets and unknown values are wrapped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from planner.lint.read.values import UNKNOWN, Json, leaves

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET, RESOURCE = "1b47061264138c4ac30d75fd1eb44270", "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
ASSETS = ("c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7")
MASKED = "[secret]"  # a secret in the output of a preview
STAYS = "same"
GONE = ("delete", "delete-replaced", "discard", "remove-pending-replace", "read-discard")
REPLACED = ("replace", "create-replacement", "import-replacement")
# argument -> type and output, for values that a preview traces only to resources
CAME_FROM: dict[str, tuple[str, str]] = {
    "vpcId": ("Vpc", "id"),
    "subnetId": ("Subnet", "id"),
    "subnetIds": ("Subnet", "id"),
    "vpcZoneIdentifiers": ("Subnet", "id"),
    "routeTableId": ("RouteTable", "id"),
    "routeTableIds": ("RouteTable", "id"),
    "natGatewayId": ("NatGateway", "id"),
    "gatewayId": ("InternetGateway", "id"),
    "internetGatewayId": ("InternetGateway", "id"),
    "allocationId": ("Eip", "id"),
    "securityGroupId": ("SecurityGroup", "id"),
    "securityGroupIds": ("SecurityGroup", "id"),
    "securityGroups": ("SecurityGroup", "id"),
    "vpcSecurityGroupIds": ("SecurityGroup", "id"),
    "referencedSecurityGroupId": ("SecurityGroup", "id"),
    "sourceSecurityGroupId": ("SecurityGroup", "id"),
    "networkInterfaceId": ("NetworkInterface", "id"),
    "launchTemplate": ("LaunchTemplate", "id"),
    "launchTemplateId": ("LaunchTemplate", "id"),
    "version": ("LaunchTemplate", "latestVersion"),
    "groupName": ("PlacementGroup", "name"),
    "iamInstanceProfile": ("InstanceProfile", "name"),
    "autoscalingGroupName": ("Group", "name"),
    "AutoScalingGroupName": ("Group", "name"),
    "InstanceId": ("Instance", "id"),
    "NatGatewayId": ("NatGateway", "id"),
    "FileSystemId": ("LustreFileSystem", "id"),
    "fileSystemId": ("LustreFileSystem", "id"),
    "role": ("Role", "name"),
    "iamRoleArn": ("Role", "arn"),
    "executionRoleArn": ("Role", "arn"),
    "bucket": ("Bucket", "id"),
    "kmsMasterKeyId": ("Key", "arn"),
    "kmsKeyId": ("Key", "arn"),
    "logDestination": ("LogGroup", "arn"),
    "topic": ("Topic", "arn"),
    "alarmActions": ("Topic", "arn"),
    "okActions": ("Topic", "arn"),
    "budgetName": ("Budget", "name"),
    "policyArn": ("Policy", "arn"),
    "groups": ("Group", "name"),
}
# for these the previous part of the path decides
PLAIN = ("id", "arn", "name")


def entries_of(document: Json) -> list[object] | None:
    """The resources of a Pulumi document in the form of `planner preview -f json`; None for other documents."""
    deployment = document.get("deployment")
    states: object = None
    if isinstance(deployment, dict):
        states = deployment.get("resources", [])
    elif isinstance(document.get("steps"), list):
        states = list(_planned(document["steps"]))
    if not isinstance(states, list):
        return None
    return [_entry(state) if isinstance(state, dict) else state for state in states if not _leaving(state)]


def ending_of(document: Json) -> list[tuple[str, Json]]:
    """What the steps of a preview end: "replaced" or "deleted", and the resource as it stands before."""
    steps = document.get("steps")
    found: list[tuple[str, Json]] = []
    for step in steps if isinstance(steps, list) else ():
        op, old = (step.get("op"), step.get("oldState")) if isinstance(step, dict) else (None, None)
        how = "replaced" if op in REPLACED else "deleted" if op == "delete" else ""
        if not how or not isinstance(old, dict) or _leaving(old):
            continue
        if all(isinstance(old.get(key), str) for key in ("type", "urn")) and isinstance(old.get("inputs"), dict):
            found.append((how, _entry(old)))
    return found


def left_out(document: Json) -> int:
    """How many unchanged resources a preview counts but does not print."""
    summary, steps = document.get("changeSummary"), document.get("steps")
    counted = summary.get(STAYS) if isinstance(summary, dict) else 0
    if not isinstance(counted, int) or not isinstance(steps, list):
        return 0
    return max(0, counted - sum(isinstance(step, dict) and step.get("op") == STAYS for step in steps))


def _planned(steps: object) -> Iterator[object]:
    """The state after each step of a preview."""
    for step in steps if isinstance(steps, list) else ():
        if not isinstance(step, dict):
            yield step
            continue
        op, old, new = step.get("op"), step.get("oldState"), step.get("newState")
        if op in GONE or not isinstance(new, dict):
            continue
        # a preview omits the id and outputs of unchanged resources
        kept = old if op in (STAYS, "update") and isinstance(old, dict) else {}
        yield {**{key: kept[key] for key in ("id", "outputs") if key in kept}, **new}


def _leaving(state: object) -> bool:
    return isinstance(state, dict) and (state.get("delete") is True or state.get("type") == "pulumi:pulumi:Stack")


def _entry(state: Json) -> Json:
    """A resource of a Pulumi state. Missing protect and retainOnDelete mean false."""
    inputs = state.get("inputs")
    plain = unwrapped(inputs)
    if isinstance(plain, dict):
        plain = _traced(plain, state.get("propertyDependencies"))
    return {
        "type": state.get("type"),
        "urn": state.get("urn"),
        "parent": state.get("parent"),
        "inputs": plain,
        "outputs": unwrapped(state.get("outputs")),
        "id": state.get("id"),
        "depends_on": state.get("dependencies"),
        "protect": state.get("protect") is True,
        "retain_on_delete": state.get("retainOnDelete") is True,
    }


def unwrapped(value: object) -> object:
    """A value without Pulumi's wrappers. Encrypted secrets become unknown, and null arguments are removed."""
    # the root is wrapped in a list so that it can be replaced too; not recursive, since a file may be very deep
    root: list[object] = [value]
    waiting: list[dict[str, object] | list[object]] = [root]
    while waiting:
        holder = waiting.pop()
        places = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
        for place, found in places:
            plain = _plain(found)
            if isinstance(plain, dict):
                plain = {key: below for key, below in plain.items() if below is not None}
            elif isinstance(plain, list):
                plain = list(plain)
            holder[place] = plain  # type: ignore[index]
            if isinstance(plain, dict | list):
                waiting.append(plain)
    return root[0]


def _plain(value: object) -> object:
    while isinstance(value, dict) and SIGNATURE in value:
        mark = value[SIGNATURE]
        if mark == SECRET:
            text = value.get("plaintext")
            try:
                value = json.loads(text) if isinstance(text, str) else value.get("value", UNKNOWN)
            except (ValueError, RecursionError):
                return UNKNOWN
        elif mark == OUTPUT:
            value = value.get("value", UNKNOWN)
        elif mark == RESOURCE:
            value = value.get("id") or UNKNOWN
        elif mark in ASSETS:
            return value.get("text") or value.get("path") or value.get("uri") or value.get("hash") or UNKNOWN
        else:
            return UNKNOWN
    return UNKNOWN if value == MASKED else value


def _traced(inputs: Json, sources: object) -> Json:
    """Replaces unknown values by references, where the argument came from one resource of the right kind, or from as
    many as there are values."""
    if not isinstance(sources, dict):
        return inputs
    for key, urns in sources.items():
        known = [urn for urn in urns if isinstance(urn, str)] if isinstance(urns, list) else []
        places: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for where, leaf in leaves(inputs.get(key), key) if known else ():
            wanted = _wanted(where)
            if leaf == UNKNOWN and wanted:
                places.setdefault((where.split("[")[0] if "." not in where else where, wanted[0]), []).append(
                    (where, wanted[1])
                )
        for (_, kind), found in places.items():
            urns_of_kind = [urn for urn in known if urn.split("::")[-2:-1] and _kind(urn) == kind]
            if len(urns_of_kind) != 1 and len(urns_of_kind) != len(found):
                continue
            for i, (where, output) in enumerate(sorted(found)):
                _put(inputs, where, f"${{{urns_of_kind[i % len(urns_of_kind)]}.{output}}}")
    return inputs


def _wanted(where: str) -> tuple[str, str] | None:
    """The type and output that an argument refers to."""
    words = [word.split("[")[0] for word in where.split(".")]
    if words[-1] in PLAIN and len(words) > 1:
        found = CAME_FROM.get(words[-2])
        return (found[0], words[-1]) if found else None
    return CAME_FROM.get(words[-1])


def _kind(urn: str) -> str:
    return urn.split("::")[-2].rpartition(":")[2].removesuffix("V2")


def _put(inputs: object, where: str, value: str) -> None:
    """Sets the value at a path as `leaves` writes it. Keys that hold dots or brackets are left alone."""
    steps: list[str | int] = []
    for word in where.split("."):
        name, *places = word.split("[")
        steps.append(name)
        steps += [int(place[:-1]) for place in places if place[:-1].isdigit()]
    for step in steps[:-1]:
        inputs = _below(inputs, step)
    last = steps[-1]
    if _below(inputs, last) == UNKNOWN:
        inputs[last] = value  # type: ignore[index]


def _below(value: object, step: str | int) -> object:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None
