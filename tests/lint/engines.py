"""A graph of ours as Pulumi's own commands would print it: `pulumi stack export`, `pulumi preview --json`.

The shapes are those of pulumi 3: what stands has ids in place of references, what is planned has unknown values that
say which resources they came from.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Callable
from typing import Any

from planner.lint.read.pulumi_json import SECRET, SIGNATURE
from planner.lint.read.values import UNKNOWN
from tests.lint.graphs import Document

PREFIXES = {
    "Vpc": "vpc",
    "Subnet": "subnet",
    "RouteTable": "rtb",
    "SecurityGroup": "sg",
    "InternetGateway": "igw",
    "NatGateway": "nat",
    "Eip": "eipalloc",
    "NetworkInterface": "eni",
    "LaunchTemplate": "lt",
    "VpcEndpoint": "vpce",
    "LustreFileSystem": "fs",
    "Instance": "i",
}
NAMES = ("name", "bucket")
WHOLE = re.compile(r"\$\{(urn:[^{}]*)\}")


def exported(document: Document) -> Document:
    """`pulumi stack export` of the stack: references are ids, protect and retainOnDelete stand where they are true."""
    ids = {resource["urn"]: _id(resource) for resource in document["resources"]}
    states = [_state(resource, ids, _resolve(ids)) for resource in copy.deepcopy(document["resources"])]
    for state in states:
        if not state["custom"]:
            continue
        named = state["inputs"].get("name") or state["inputs"].get("bucket")
        state["outputs"] = {**state["inputs"], "arn": _output(ids, state["urn"], "arn"), "id": state["id"]}
        state["outputs"] |= {"name": named} if named else {}
    old = {**copy.deepcopy(states[-1]), "delete": True}
    stack = {"urn": "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev", "type": "pulumi:pulumi:Stack", "custom": False}
    return {"version": 3, "deployment": {"manifest": {}, "resources": [stack, *states, old]}}


def previewed(document: Document) -> Document:
    """`pulumi preview --json` of a stack that does not stand: what comes of other resources is not known."""
    ids = {resource["urn"]: _id(resource) for resource in document["resources"]}
    steps = []
    for resource in copy.deepcopy(document["resources"]):
        urns = {
            key: sorted({body.rpartition(".")[0] for body in WHOLE.findall(str(value))})
            for key, value in resource["inputs"].items()
        }
        state = _state(resource, ids, lambda _: UNKNOWN)
        state["propertyDependencies"] = urns
        del state["id"]
        steps.append({"op": "create", "urn": resource["urn"], "newState": state})
    gone = {"op": "delete", "urn": "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::old", "oldState": {"inputs": {}}}
    return {"config": {}, "steps": [*steps, gone], "changeSummary": {"create": len(steps)}}


def _state(resource: Document, ids: dict[str, str], put: Callable[[str], str]) -> Document:
    state = {"urn": resource["urn"], "type": resource["type"], "custom": resource["type"].startswith("aws:")}
    state |= {"id": ids[resource["urn"]], "dependencies": resource["depends_on"]}
    state["inputs"] = {**_walk(resource["inputs"], put), "__defaults": []}
    if resource["parent"]:
        state["parent"] = resource["parent"]
    for ours, theirs in (("protect", "protect"), ("retain_on_delete", "retainOnDelete")):
        state |= {theirs: True} if resource[ours] else {}
    description = state["inputs"].get("description")
    if isinstance(description, str):
        state["inputs"]["description"] = {SIGNATURE: SECRET, "ciphertext": "AAAB"}
    return state


def _walk(value: Any, put: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {key: _walk(below, put) for key, below in value.items()}
    if isinstance(value, list):
        return [_walk(below, put) for below in value]
    return put(value) if isinstance(value, str) and WHOLE.search(value) else value


def _resolve(ids: dict[str, str]) -> Callable[[str], str]:
    def put(text: str) -> str:
        return WHOLE.sub(lambda found: _output(ids, *_split(found[1])), text)

    return put


def _split(body: str) -> tuple[str, str]:
    urn, _, output = body.rpartition(".")
    return urn, output


def _output(ids: dict[str, str], urn: str, output: str) -> str:
    kind = urn.split("::")[-2].rpartition(":")[2]
    if output == "arn" and "aws:" in urn:
        service = urn.split("aws:")[1].split("/")[0]
        place = ("", "") if service in ("iam", "s3") else ("us-east-1", "000000000000")
        place = ("", "000000000000") if service == "iam" else place
        return f"arn:aws:{service}:{':'.join(place)}:{_named(service, kind)}{ids[urn]}"
    return "1" if output == "latestVersion" else ids[urn]


def _named(service: str, kind: str) -> str:
    if service == "iam":
        return {"InstanceProfile": "instance-profile/", "Role": "role/", "Policy": "policy/", "Group": "group/"}.get(
            kind, ""
        )
    return {"Key": "key/", "LogGroup": "log-group:"}.get(kind, "")


def _id(resource: Document) -> str:
    """An id as AWS would give it: the name, where the type goes by name."""
    kind, digest = resource["type"].rpartition(":")[2], hashlib.sha256(resource["urn"].encode()).hexdigest()
    if kind == "Key":
        return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
    if kind in PREFIXES:
        return f"{PREFIXES[kind]}-0{digest[:16]}"
    return next((resource["inputs"][key] for key in NAMES if key in resource["inputs"]), f"{kind}-{digest[:8]}")
