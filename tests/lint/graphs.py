"""Graphs for lint's tests: one per layout of our program, and graphs of other programs."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from infra.graph import resource_graph
from planner.stack.spec import GUARDS, Buying, ClusterSpec, Control, Fleet, Guard, Lustre, NvmeCluster, Pool
from tests.lint.foreign import Document, foreign_p4d_lustre, foreign_p5

CARDS = {"p4d.24xlarge": (4, 4, 96), "p5.48xlarge": (32, 32, 192), "p6-b300.48xlarge": (17, 16, 192)}
LAYOUTS = ("converged", "fsx-lustre", "separate-nvme", "s3-stream")
BUYING = {
    "on-demand": Buying(kind="on-demand"),
    "spot": Buying(kind="spot"),
    "reservation": Buying(kind="reservation", reservation_id="cr-0123456789abcdef0"),
    "capacity-block": Buying(kind="capacity-block", reservation_id="cr-0123456789abcdef0", ends="2027-01-31T11:30:00Z"),
    "reservation in a group": Buying(
        kind="reservation", reservation_id="cr-0123456789abcdef0", placement_group="acme-close"
    ),
    "capacity-block that starts later": Buying(
        kind="capacity-block",
        reservation_id="cr-0123456789abcdef0",
        starts="2027-01-10T11:30:00Z",
        ends="2027-01-31T11:30:00Z",
    ),
}
EFA_LUSTRE = Lustre(deployment="PERSISTENT_2", capacity_gib=76_800, mbps_per_tib=125, metadata_iops=12_000, efa=True)
PLAIN_LUSTRE = Lustre(deployment="PERSISTENT_2", capacity_gib=4800, mbps_per_tib=250)
HOURLY = {
    "fleet.compute": 440.32,
    "fleet.ebs": 0.5,
    "network.nat-gateway": 0.045,
    "network.public-ipv4": 0.005,
    "network.interface-endpoints": 0.03,
    "storage.kms.key": 0.0014,
    "guard.alarms": 0.001,
    "guard.metrics": 0.007,
}
EXTRA = {
    "converged": {"pool.control-nodes": 0.6},
    "separate-nvme": {"pool.control-nodes": 0.6, "storage.nvme.nodes": 54.0},
    "fsx-lustre": {"storage.lustre.capacity": 30.0},
    "s3-stream": {},
}


def spec(
    layout: str, buying: str = "on-demand", instance_type: str = "p5.48xlarge", profile: str = "ip-saving"
) -> ClusterSpec:
    """A cluster of 16 nodes."""
    cards, efa, vcpu = CARDS[instance_type]
    pooled = layout in ("converged", "separate-nvme")
    lustre = PLAIN_LUSTRE if instance_type.startswith("p4") else EFA_LUSTRE
    return ClusterSpec(
        stack="dev",
        plan_name="a plan",
        plan_sha256="ab" * 32,
        scenario=f"{layout}/{instance_type}/{buying}",
        region="us-east-1",
        zone_id="use1-az4",
        layout=layout,
        fleet=Fleet(
            instance_type=instance_type,
            nodes=16,
            nic_profile=profile,
            ami="ami-0123456789abcdef0",
            root_volume_gib=200,
            gpus=8,
            drives=8,
            vcpu=vcpu,
            network_cards=cards,
            efa_interfaces=efa,
            reserved_vcpu=8 if layout == "converged" else 0,
        ),
        buying=BUYING[buying],
        guard=Guard(notify="oncall@example.org", budget_usd=1e6, alarms=8, max_days=30.0, more=GUARDS),
        control=Control(instance_type="m7i.xlarge", count=3, root_volume_gib=50) if pooled else Control(),
        pool=Pool() if pooled else None,
        lustre=lustre if layout == "fsx-lustre" else None,
        nvme=NvmeCluster(instance_type="i3en.24xlarge", nodes=5, spares=1, drives=8, root_volume_gib=50)
        if layout == "separate-nvme"
        else None,
        usd_per_hour=HOURLY | EXTRA[layout],
        metered=("storage.s3.standard",),
    )


@cache
def _ours(layout: str, buying: str, instance_type: str, profile: str) -> str:
    return json.dumps(resource_graph(spec(layout, buying, instance_type, profile)))


def ours(
    layout: str, buying: str = "on-demand", instance_type: str = "p5.48xlarge", profile: str = "ip-saving"
) -> Document:
    """The graph of our own program, a fresh copy."""
    return json.loads(_ours(layout, buying, instance_type, profile))


def without_gateway(layout: str) -> Document:
    """Our program without the S3 gateway endpoint, which a plan may leave out."""
    return json.loads(json.dumps(resource_graph(replace(spec(layout), gateway_endpoint=False))))


def find(document: Document, kind: str, name: str = "") -> Document:
    """The first resource whose type ends so and whose name has `name` in it."""
    found = [
        r for r in document["resources"] if r["type"].endswith(f":{kind}") and name in r.get("name", r.get("urn", ""))
    ]
    assert found, f"no {kind} {name}"
    return found[0]


def drop(document: Document, *dropped: Document) -> None:
    """Take resources away, and from what depended on them."""
    gone = {id(one) for one in dropped}
    urns = {one["urn"] for one in dropped}
    document["resources"] = [r for r in document["resources"] if id(r) not in gone]
    for resource in document["resources"]:
        if "depends_on" in resource:
            resource["depends_on"] = [urn for urn in resource["depends_on"] if urn not in urns]


FOREIGN: dict[str, Callable[[], Document]] = {"foreign p5": foreign_p5, "foreign p4d lustre": foreign_p4d_lustre}
EACH = [  # what holds for every graph is tested with two of them in `make test`
    name if name in ("converged", "foreign p5") else pytest.param(name, marks=pytest.mark.thorough)
    for name in (*LAYOUTS, *FOREIGN)
]


def every() -> dict[str, Document]:
    """Unbroken graphs by name: each layout, and the foreign ones."""
    return {layout: ours(layout) for layout in LAYOUTS} | {name: make() for name, make in FOREIGN.items()}


def copied(document: Document) -> Document:
    return copy.deepcopy(document)
