"""Specs for tests of the program: one that stands for each layout, and all that a plan could ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from infra.graph import resource_graph
from planner.stack.spec import (
    GUARDS,
    LAYOUTS,
    NIC_PROFILES,
    WORKERS,
    Buying,
    ClusterSpec,
    Control,
    Data,
    Files,
    Fleet,
    Guard,
    Lustre,
    NvmeCluster,
    Pool,
    Workers,
)

GANGS = tuple(layout for layout in LAYOUTS if layout != WORKERS)  # with a fleet of nodes that work together
# type -> network cards, EFA interfaces, vCPU, drives
TYPES = {
    "p4d.24xlarge": (4, 4, 96, 8),
    "p4de.24xlarge": (4, 4, 96, 8),
    "p5.48xlarge": (32, 32, 192, 8),
    "p5e.48xlarge": (32, 32, 192, 8),
    "p5en.48xlarge": (16, 16, 192, 8),
    "p6-b200.48xlarge": (8, 8, 192, 8),
    "p6-b300.48xlarge": (17, 16, 192, 8),
    "g6e.48xlarge": (4, 4, 192, 4),
    "g5.48xlarge": (1, 1, 192, 2),
    "g6.xlarge": (1, 0, 4, 1),
}
BUYING = {
    "on-demand": Buying(kind="on-demand"),
    "spot": Buying(kind="spot"),
    "reservation": Buying(kind="reservation", reservation_id="cr-0123456789abcdef0"),
    "capacity-block": Buying(kind="capacity-block", reservation_id="cr-0123456789abcdef0", ends="2026-12-01T11:30:00Z"),
}
_HOURLY = {
    "fleet.compute": 880.32,
    "fleet.ebs": 0.18,
    "network.nat-gateway": 0.045,
    "network.public-ipv4": 0.005,
    "network.interface-endpoints": 0.03,
    "guard.alarms": 0.000822,
    "guard.metrics": 0.006849,
    "storage.kms.key": 0.00137,
}
_METERED = (
    "network.nat-data",
    "network.endpoint-data",
    "network.flow-logs",
    "storage.s3.standard",
    "storage.s3.checkpoints",
    "storage.s3.get-requests",
    "storage.s3.put-requests",
    "storage.kms.requests",
)
_POOL = {"pool.control-nodes": 0.6048, "pool.control-ebs": 0.016438}


def spec_of(layout: str = "converged", **changes: Any) -> ClusterSpec:
    """A spec of a layout, eight p5 bought on demand, with the lines that its bill has."""
    usd, control, pool, lustre, nvme = dict(_HOURLY), Control(), None, None, None
    workers, metered = None, _METERED
    if layout in ("converged", "separate-nvme"):
        control = Control(instance_type="m7i.xlarge", count=3, root_volume_gib=50, ami="ami-0c0000000000000c1")
        pool = Pool()
        usd |= _POOL
    if layout == "fsx-lustre":
        lustre = Lustre(deployment="PERSISTENT_2", capacity_gib=4800, mbps_per_tib=250)
        usd |= {"storage.lustre.capacity": 1.38}
    if layout == "separate-nvme":
        nvme = NvmeCluster(instance_type="i3en.24xlarge", nodes=9, spares=1, drives=8, root_volume_gib=50)
        usd |= {"storage.nvme.nodes": 97.6, "storage.nvme.ebs": 0.05}
    if layout == "workers":
        workers = Workers(image="111122223333.dkr.ecr.us-east-1.amazonaws.com/t:1", memory_mib=1_800_000, limit_hours=6)
        metered = (*_METERED, "fleet.compute", "fleet.ebs", "fleet.logs")
        usd = {line: dollars for line, dollars in _HOURLY.items() if line not in metered}
    spec = ClusterSpec(
        stack="dev",
        plan_name="small",
        plan_sha256="5" * 64,
        scenario=f"{layout}/p5.48xlarge/on-demand",
        region="us-east-1",
        zone_id="use1-az4",
        layout=layout,
        fleet=fleet_of("p5.48xlarge", 8),
        buying=BUYING["on-demand"],
        guard=Guard(notify="gpu@example.org", budget_usd=100_000.0, alarms=8, max_days=30.0, more=GUARDS),
        control=control,
        pool=pool,
        lustre=lustre,
        nvme=nvme,
        workers=workers,
        usd_per_hour=usd,
        metered=metered,
    )
    return replace(spec, **changes)


def with_files(spec: ClusterSpec) -> ClusterSpec:
    """The same stack of a pool, whose jobs open files."""
    files = Files(instance_class="db.r8g.xlarge", storage_gib=20, second_zone_id="use1-az6")
    usd = {**spec.usd_per_hour, "storage.files.database": 0.96, "storage.files.database-storage": 0.0063}
    return replace(spec, files=files, usd_per_hour=usd)


def fleet_of(instance_type: str, nodes: int, profile: str = "ip-saving") -> Fleet:
    cards, efa, vcpu, drives = TYPES[instance_type]
    return Fleet(
        instance_type=instance_type,
        nodes=nodes,
        nic_profile=profile,
        ami="ami-0a0000000000000a1",
        root_volume_gib=200,
        gpus=1 if instance_type == "g6.xlarge" else 8,
        drives=drives,
        vcpu=vcpu,
        network_cards=cards,
        efa_interfaces=efa,
    )


@st.composite
def specs(draw: st.DrawFn) -> ClusterSpec:
    """Layout x instance type x nodes x purchase x profile, and what a plan can turn off."""
    fleet = fleet_of(
        draw(st.sampled_from(sorted(TYPES))),
        draw(st.integers(1, 400)),
        draw(st.sampled_from(NIC_PROFILES)),
    )
    spec = spec_of(
        draw(st.sampled_from(GANGS)),
        fleet=fleet,
        buying=BUYING[draw(st.sampled_from(sorted(BUYING)))],
        gateway_endpoint=draw(st.booleans()),
        interface_endpoints=draw(st.integers(0, 12)),
        stack=draw(st.sampled_from(("dev", "Prod_2026.Q4", "a" * 90))),
        data=Data(beside_hot_class=draw(st.sampled_from(("STANDARD", "INTELLIGENT_TIERING", "GLACIER_IR")))),
    )
    return replace(spec, guard=replace(spec.guard, alarms=draw(st.integers(1, 8))))


_BUILT: dict[str, dict[str, Any]] = {}


def graph_of(spec: ClusterSpec | str) -> dict[str, Any]:
    """Graph of a spec, or of a layout's own; built once for all tests. Not to be changed."""
    spec = spec_of(spec) if isinstance(spec, str) else spec
    if repr(spec) not in _BUILT:
        _BUILT[repr(spec)] = resource_graph(spec)
    return _BUILT[repr(spec)]


def named(graph: dict[str, Any], name: str) -> dict[str, Any]:
    """The resource of a logical name."""
    return next(entry for entry in graph["resources"] if entry["name"] == name)


def inputs(graph: dict[str, Any], name: str) -> dict[str, Any]:
    return named(graph, name)["inputs"]


def names(graph: dict[str, Any]) -> set[str]:
    return {entry["name"] for entry in graph["resources"]}
