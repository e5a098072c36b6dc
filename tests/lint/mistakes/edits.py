"""Building blocks of mistakes: small edits of any graph."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.lint.graphs import Document, drop, find

Edit = Callable[[Document], object]


@dataclass(frozen=True)
class Mistake:
    """caught: the rule. also: errors that the same mistake is too. only: graphs that have its subject; () for all."""

    name: str
    caught: str
    edit: Edit
    also: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


def of(kind: str, name: str = "") -> Callable[[Document], Document]:
    """The inputs of the first resource of a kind."""
    return lambda document: find(document, kind, name)["inputs"]


def fleet(document: Document) -> Document:
    return next(
        r
        for r in document["resources"]
        if r["type"].endswith(":Group") and ("fleet" in r["name"] or r["name"] == "GpuGroup")
    )


def template(document: Document) -> Document:
    found = [r for r in document["resources"] if r["type"].endswith(":LaunchTemplate")]
    return next(r for r in found if "fleet" in r["name"] or r["name"] == "GpuTemplate")


def nic(document: Document, i: int) -> Document:
    return template(document)["inputs"]["networkInterfaces"][i]


def block(value: object) -> Document:
    """A block that may be a list of one."""
    return value[0] if isinstance(value, list) else value  # type: ignore[return-value]


def put(where: Callable[[Document], Document], key: str, value: object) -> Edit:
    """where(document)[key] = value."""

    def edit(document: Document) -> None:
        where(document)[key] = value

    return edit


def cut(where: Callable[[Document], Document], key: str) -> Edit:
    def edit(document: Document) -> None:
        where(document).pop(key)

    return edit


def gone(kind: str, name: str = "") -> Edit:
    return lambda document: drop(document, find(document, kind, name))


def lt(document: Document) -> Document:
    return template(document)["inputs"]


def asg(document: Document) -> Document:
    return fleet(document)["inputs"]


def nic_at(i: int) -> Callable[[Document], Document]:
    return lambda document: nic(document, i)


def ebs(document: Document) -> Document:
    return block(block(lt(document)["blockDeviceMappings"])["ebs"])


def imds(document: Document) -> Document:
    return block(lt(document)["metadataOptions"])


def add(document: Document, kind: str, name: str, inputs: Document) -> None:
    document["resources"].append(
        {"type": kind, "name": name, "urn": f"added::{name}", "inputs": inputs, "usd_per_hour": 0}
    )


def both(*edits: Edit) -> Edit:
    def edit(document: Document) -> None:
        for one in edits:
            one(document)

    return edit


def node_group(document: Document) -> Document:
    return next(
        r
        for r in document["resources"]
        if r["type"].endswith(":SecurityGroup") and ("fleet" in r["name"] or r["name"] == "GpuSg")
    )


def nodes_subnet(document: Document) -> Document:
    found = [r for r in document["resources"] if r["type"].endswith(":Subnet")]
    return next(r for r in found if r["name"] in ("network-subnet-nodes", "Gpu"))["inputs"]


def data_bucket(document: Document) -> Document:
    found = [r for r in document["resources"] if r["type"].split(":")[-1] in ("Bucket", "BucketV2")]
    return next(r for r in found if r["name"] in ("tier-bucket", "Data"))


def part(prefix: str) -> Callable[[Document], Document]:
    """What configures the data bucket."""

    def found(document: Document) -> Document:
        names = [r for r in document["resources"] if r["type"].split(":")[-1].removesuffix("V2") == prefix]
        return next(r for r in names if r["name"].startswith(("tier-", "Data")))

    return found


def remove_part(prefix: str) -> Edit:
    return lambda document: drop(document, part(prefix)(document))


def s3_endpoint(document: Document) -> Document:
    found = [r for r in document["resources"] if r["type"].endswith(":VpcEndpoint")]
    return next(r for r in found if r["inputs"]["serviceName"].endswith(".s3"))


def again(resource: Callable[[Document], Document]) -> Edit:
    """A second resource like one that is there."""

    def edit(document: Document) -> None:
        held = resource(document)
        document["resources"].append({**copy.deepcopy(held), "name": f"{held['name']}2", "urn": f"{held['urn']}2"})

    return edit


def policy(held: Document, key: str = "policy") -> Document:
    """A policy as an object, put back as such: the next edit may go on."""
    found = held[key] if isinstance(held[key], dict) else json.loads(held[key])
    if not isinstance(found["Statement"], list):
        found["Statement"] = [found["Statement"]]
    held[key] = found
    return found


LUSTRE = ("fsx-lustre", "foreign p4d lustre")
POOLED = ("converged", "separate-nvme")
OURS = ("converged", "fsx-lustre", "separate-nvme", "s3-stream")
BLOCKED = {"capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}}
fs, alarm, budget, key = of("LustreFileSystem"), of("MetricAlarm"), of("Budget"), of("Key")
nat, eip, vpc = of("NatGateway"), of("Eip"), of("Vpc")
