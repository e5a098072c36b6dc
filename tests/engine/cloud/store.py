"""The cloud: things in one JSON file, locked while it is read and written, so that a test may change it beside us."""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from tests.engine.cloud import nodes
from tests.engine.cloud.kinds import kind_of
from tests.engine.cloud.names import GOES_WITH, Names, names_of, values_at

ACCOUNT = "111122223333"
NOW = "2026-11-21T12:00:00Z"  # of this cloud, whose tests have Capacity Blocks of the days after it
Thing = dict[str, Any]  # type, id, arn, inputs, outputs, made: how many came before, by: what launched it
State = dict[str, Any]  # world, things by "type id", made

# what others of our account name: ids by prefix, and anything of it by ARN
_IDS = re.compile(
    r"\b(?:vpc|subnet|sg|sgr|rtb|rtbassoc|igw|nat|eni|eipalloc|lt|i|fs|dra|fl|vpce|vol|ami|cr)-[0-9a-f]{17}\b"
)


class Refused(Exception):
    """AWS says no: its code, and why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Cloud:
    """The things of one account in one Region."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def new(
        cls, path: Path, *, region: str, zones: tuple[str, ...], given: tuple[str, ...], member: bool = False
    ) -> Cloud:
        """An empty one. given: ids of images and reservations that are there before any stack. member: whether the
        account is one of an organization that another account manages."""
        path.parent.mkdir(parents=True, exist_ok=True)
        world = {"account": ACCOUNT, "region": region, "zones": list(zones), "given": list(given), "member": member}
        path.write_text(json.dumps({"world": world, "things": {}, "made": 0}))
        return cls(path)

    @property
    def region(self) -> str:
        with self.open() as state:
            return state["world"]["region"]

    @contextmanager
    def open(self, *, write: bool = False) -> Iterator[State]:
        """The whole state; what is changed in it is kept where it is opened to write and nothing is raised."""
        with (self.path.parent / f"{self.path.name}.lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX if write else fcntl.LOCK_SH)
            state = json.loads(self.path.read_text())
            yield state
            if write:
                new = self.path.with_suffix(".new")
                new.write_text(json.dumps(state))
                os.replace(new, self.path)

    def create(self, token: str, inputs: Mapping[str, Any]) -> Thing:
        """Makes a thing. Raises Refused as AWS would; something may stand all the same."""
        kind = kind_of(token)
        stray = None
        with self.open(write=True) as state:
            _references(state, token, inputs)
            _rules(state, token, inputs)
            _starts_later(token, inputs)
            _managed_elsewhere(state, token)
            first = _same(state, token, inputs)
            if first is not None and kind.again == "adopted":
                first["inputs"], first["outputs"] = dict(inputs), {**first["outputs"], **_echo(inputs)}
                return first
            if first is not None and kind.again == "refused":
                raise Refused(kind.code, f"{token} is there already: {first['id']}")
            thing = _made(state, token, inputs)
            if first is not None:
                # it stands, attached to nothing, and nobody will have its id
                thing["inputs"].pop("vpcId", None)
                stray = Refused(kind.code, f"{thing['id']} cannot be attached, one is there already: {first['id']}")
            state["things"][_key(token, thing["id"])] = thing
            nodes.settle(state, thing, _fresh)
        if stray is not None:
            raise stray
        return thing

    def read(self, token: str, id: str) -> Thing | None:
        with self.open() as state:
            return state["things"].get(_key(token, id))

    def update(self, token: str, id: str, inputs: Mapping[str, Any]) -> Thing:
        """Raises Refused."""
        with self.open(write=True) as state:
            thing = state["things"].get(_key(token, id))
            if thing is None:
                raise Refused("NotFound", f"{token} {id} is not there")
            _references(state, token, inputs)
            changed = {name for name in {*inputs, *thing["inputs"]} if inputs.get(name) != thing["inputs"].get(name)}
            if "startTime" in changed:
                _starts_later(token, inputs)
            thing["inputs"] = dict(inputs)
            gone = {name: None for name in changed if name not in inputs}
            thing["outputs"] = {**thing["outputs"], **gone, **_echo(inputs)}
            if token.endswith(":LaunchTemplate") and changed - {"tags", "updateDefaultVersion"}:
                thing["outputs"]["latestVersion"] += 1
                thing["outputs"]["defaultVersion"] = thing["outputs"]["latestVersion"]
            nodes.settle(state, thing, _fresh)
            return thing

    def delete(self, token: str, id: str) -> None:
        """Raises Refused while others hold it. What is not there is gone."""
        with self.open(write=True) as state:
            thing = state["things"].get(_key(token, id))
            if thing is None:
                return
            _held(state, thing)
            del state["things"][_key(token, id)]
            if token.endswith(":Key"):
                # its tags are listed until it is gone
                state["things"][f"pending {id}"] = {**thing, "type": "pending", "inputs": {"tags": tags_of(thing)}}
            for other in list(state["things"].values()):
                owner = GOES_WITH.get(other["type"].removeprefix("aws:"))
                bound = [name for name in names_of(other["type"]) if name.path == owner]
                if any(_named(other, name, thing) for name in bound) or other.get("by") == _key(token, id):
                    state["things"].pop(_key(other["type"], other["id"]), None)

    def standing(self, *, pending: bool = False) -> list[Thing]:
        """Everything, launched nodes and their parts too, in the order in which it was made. pending: also keys whose
        deletion is."""
        with self.open() as state:
            found = [thing for thing in state["things"].values() if pending or thing["type"] != "pending"]
        return sorted(found, key=lambda thing: thing["made"])


def tags_of(thing: Thing) -> dict[str, str]:
    """Tags as a map; a group of Auto Scaling has a list of them, and what Cloud Control makes has them in its state."""
    if "desiredState" in thing["inputs"]:
        return dict(json.loads(thing["inputs"]["desiredState"]).get("Tags") or {})
    tags = thing["inputs"].get("tags") or {}
    return {tag["key"]: tag["value"] for tag in tags} if isinstance(tags, list) else tags


# as RDS names it (RDS User Guide, "Password management with Amazon RDS and AWS Secrets Manager")
_SECRET = "arn:aws:secretsmanager:{region}:{account}:secret:rds!db-{uuid}-{hex8}"


def _key(token: str, id: str) -> str:
    return f"{token} {id}"


def _fresh(state: State) -> dict[str, Any]:
    """What an id is made of, and where it stands."""
    state["made"] += 1
    world = state["world"]
    hex17 = secrets.token_hex(9)[:17]
    return {
        "hex": hex17,
        "hex8": hex17[:8],
        "uuid": str(uuid.uuid4()),
        "account": world["account"],
        "region": world["region"],
    }


def _made(state: State, token: str, inputs: Mapping[str, Any]) -> Thing:
    kind = kind_of(token)
    words = {"path": "/", **{k: v for k, v in inputs.items() if isinstance(v, str)}, **_fresh(state)}
    words["id"] = kind.id.format_map(words)
    outputs: dict[str, Any] = {**_echo(inputs)}
    if kind.arn:
        words["arn"] = outputs["arn"] = kind.arn.format_map(words)
    outputs |= {name: text.format_map(words) for name, text in kind.outputs.items()}
    if token.endswith(":LaunchTemplate"):
        outputs |= {"latestVersion": 1, "defaultVersion": 1}
    if inputs.get("manageMasterUserPassword"):
        outputs["masterUserSecrets"] = [{"secretArn": _SECRET.format_map(words), "secretStatus": "active"}]
    return {
        "type": token,
        "id": words["id"],
        "arn": words.get("arn", ""),
        "inputs": dict(inputs),
        "outputs": outputs,
        "made": state["made"],
    }


def _echo(inputs: Mapping[str, Any]) -> dict[str, Any]:
    tags = inputs.get("tags")
    return {**inputs, **({"tagsAll": tags} if isinstance(tags, Mapping) else {})}


def _of(state: State, type_: str) -> list[Thing]:
    return [thing for thing in state["things"].values() if thing["type"] == f"aws:{type_}"]


def _called(thing: Thing, by: str) -> Any:
    return thing["id"] if by == "id" else thing["outputs"].get(by)


def _named(thing: Thing, name: Names, other: Thing) -> bool:
    """Whether a thing names another by this input."""
    return f"aws:{name.type}" == other["type"] and _called(other, name.by) in values_at(thing["inputs"], name.path)


def _same(state: State, token: str, inputs: Mapping[str, Any]) -> Thing | None:
    unique = kind_of(token).unique
    if not unique:
        return None
    wanted = [inputs.get(name) for name in unique]
    for thing in state["things"].values():
        if thing["type"] == token and [thing["inputs"].get(name) for name in unique] == wanted:
            return thing
    return None


def _references(state: State, token: str, inputs: Mapping[str, Any]) -> None:
    """Everything that is named stands: by the table, and any id or ARN of this account in any text."""
    for name in names_of(token):
        for value in values_at(inputs, name.path):
            # AWS's own default group has no type of its own to be named by
            if not any(_called(other, name.by) == value for other in _of(state, name.type)):
                raise Refused("NotFound", f"{token}: {name.path} names {value}, which is no {name.type}")
    known = {thing["id"] for thing in state["things"].values()} | set(state["world"]["given"])
    for text in texts(inputs):
        for found in _IDS.findall(text):
            if found not in known:
                raise Refused("NotFound", f"{token} names {found}, which is not there")


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def _rules(state: State, token: str, inputs: Mapping[str, Any]) -> None:
    """What AWS asks of one type besides."""
    if token.endswith("subnet:Subnet") and inputs.get("availabilityZoneId") not in state["world"]["zones"]:
        raise Refused("InvalidParameterValue", f"no zone {inputs.get('availabilityZoneId')}")
    if token.endswith("subnet:Subnet"):
        for other in _of(state, "ec2/subnet:Subnet"):
            cidr = other["inputs"]["cidrBlock"]
            same = cidr == inputs["cidrBlock"] or other["inputs"]["vpcId"] != inputs["vpcId"]
            if not same and ip_network(cidr).overlaps(ip_network(inputs["cidrBlock"])):
                raise Refused("InvalidSubnet.Conflict", f"{inputs['cidrBlock']} overlaps {cidr} of {other['id']}")
    if token.endswith(":NatGateway"):
        subnet = next(thing for thing in _of(state, "ec2/subnet:Subnet") if thing["id"] == inputs["subnetId"])
        vpc = subnet["inputs"]["vpcId"]
        if not any(
            gateway["inputs"].get("vpcId") == vpc for gateway in _of(state, "ec2/internetGateway:InternetGateway")
        ):
            raise Refused("Gateway.NotAttached", f"network {vpc} has no Internet gateway attached")
    if token.endswith("autoscaling/group:Group") and not (
        inputs["minSize"] <= inputs.get("desiredCapacity", inputs["minSize"]) <= inputs["maxSize"]
    ):
        raise Refused("ValidationError", "desired capacity is not between min and max")
    if token.endswith(":DataRepositoryAssociation"):
        bucket = inputs["dataRepositoryPath"].removeprefix("s3://").partition("/")[0]
        if not any(thing["id"] == bucket for thing in _of(state, "s3/bucket:Bucket")):
            raise Refused("BadRequest", f"no bucket {bucket}")


def _starts_later(token: str, inputs: Mapping[str, Any]) -> None:
    """terraform-provider-aws pull request 3033 has AWS's answer. Times of one form are in the order of their text."""
    if token.endswith("autoscaling/schedule:Schedule") and inputs.get("startTime", NOW) <= NOW:
        raise Refused("ValidationError", "Given start time is in the past")


def _managed_elsewhere(state: State, token: str) -> None:
    """Monitors by tag are the management account's (AWS Cost Anomaly Detection, "Getting started"); the words are AWS's
    own, as terraform-provider-aws issue 37636 has them."""
    if state["world"].get("member") and ":costexplorer/" in token.replace("aws:", ":", 1):
        raise Refused("AccessDeniedException", "Linked account doesn't have access to cost allocation tags.")


def _held(state: State, thing: Thing) -> None:
    """Raises Refused while something that stands needs it."""
    for other in state["things"].values():
        if other is thing or other.get("by") == _key(thing["type"], thing["id"]):
            continue
        held = other.get("holds", ())
        if thing["id"] in held:
            raise Refused("DependencyViolation", f"{thing['id']} is in use by {other['id']}")
        for name in names_of(other["type"]):
            own = other["inputs"].get("securityGroupId") == thing["id"]  # a group's own rules go with it
            if name.holds and not own and _named(other, name, thing):
                raise Refused("DependencyViolation", f"{thing['id']} is in use by {other['type']} {other['id']}")
    if thing["inputs"].get("deletionProtection"):
        raise Refused("InvalidParameterCombination", f"Cannot delete protected DB Instance {thing['id']}")
    if thing["type"].endswith("bucket:Bucket") and not thing["inputs"].get("forceDestroy"):
        inside = [
            one for one in _of(state, "s3/bucketObjectv2:BucketObjectv2") if one["inputs"]["bucket"] == thing["id"]
        ]
        if inside or thing.get("objects"):
            raise Refused("BucketNotEmpty", f"{thing['id']} is not empty")
    if thing["type"].endswith(":InternetGateway"):
        vpc = thing["inputs"].get("vpcId")
        subnets = {one["id"] for one in _of(state, "ec2/subnet:Subnet") if one["inputs"]["vpcId"] == vpc}
        if any(one["inputs"]["subnetId"] in subnets for one in _of(state, "ec2/natGateway:NatGateway")):
            raise Refused("DependencyViolation", f"network {vpc} has some mapped public address")
