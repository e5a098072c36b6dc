"""Specs for tests: one that can stand of every layout, and any that can, drawn by hypothesis."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from planner.models.block_sizes import block_sizes
from planner.stack.spec import (
    NIC_PROFILES,
    Block,
    Buying,
    ClusterSpec,
    Control,
    Data,
    Fleet,
    Guard,
    Lustre,
    NvmeCluster,
    Pool,
)

CONTROL = Control(instance_type="m7i.xlarge", count=3, root_volume_gib=50, ami="ami-00000000000000ff0")
LUSTRE = Lustre(deployment="PERSISTENT_2", capacity_gib=2400, mbps_per_tib=125)
NVME = NvmeCluster(instance_type="i4i.32xlarge", nodes=5, spares=1, drives=8, root_volume_gib=50)
EFA_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}  # FSx for Lustre User Guide
GROUP_ARN = "arn:aws:ec2:ap-southeast-2:000000000000:placement-group/close to others"
PURCHASES = {
    "on-demand": ("on-demand", "ri-1y-standard-no-upfront", "sp-3y-compute-all-upfront"),
    "reservation": ("on-demand", "sp-1y-instance-no-upfront"),
    "spot": ("spot",),
    "capacity-block": ("capacity-block",),
    "left": ("capacity-block",),  # On-Demand or reserved nodes, after their block
}
# name, vCPU, network cards, EFA interfaces, drives
TYPES = (
    ("p4d.24xlarge", 96, 4, 4, 8),
    ("p5.48xlarge", 192, 32, 32, 8),
    ("p5en.48xlarge", 192, 16, 16, 8),
    ("p6-b300.48xlarge", 192, 17, 16, 8),
    ("g6e.8xlarge", 32, 1, 0, 2),
)


def spec(layout: str = "converged", **changes: object) -> ClusterSpec:
    """A spec that can stand, with fields changed."""
    fleet = Fleet(
        instance_type="p5.48xlarge",
        nodes=8,
        nic_profile="ip-saving",
        ami="ami-0123456789abcdef0",
        root_volume_gib=200,
        gpus=8,
        drives=8,
        vcpu=192,
        network_cards=32,
        efa_interfaces=32,
        reserved_vcpu=12 if layout == "converged" else 0,
    )
    whole = ClusterSpec(
        stack="dev",
        plan_name="a plan",
        plan_sha256="0" * 64,
        scenario=f"{layout}/p5.48xlarge/on-demand",
        region="us-east-1",
        zone_id="use1-az4",
        layout=layout,
        fleet=fleet,
        buying=Buying(kind="on-demand"),
        guard=Guard(notify="oncall@example.org", budget_usd=1000.0, alarms=6, max_days=10.0),
        control=CONTROL if layout in ("converged", "separate-nvme") else Control(),
        pool=Pool() if layout in ("converged", "separate-nvme") else None,
        lustre=LUSTRE if layout == "fsx-lustre" else None,
        nvme=NVME if layout == "separate-nvme" else None,
        usd_per_hour={"fleet.compute": 440.32, "network.nat-gateway": 0.045},
        metered=("storage.s3.standard",),
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


@st.composite
def _further(draw: st.DrawFn, sizes: tuple[int, ...]) -> tuple[Block, ...]:
    """Bought or not, each with an id of its own."""
    ids = [
        draw(_hex.map(f"cr-{{:.15}}{number:x}e".format) | st.just(f"PLACEHOLDER-{number}"))
        for number in range(len(sizes))
    ]
    starts, ends = st.sampled_from(["", "2027-01-04T11:30:00Z"]), st.sampled_from(["2027-01-30T11:30:00Z"])
    return tuple(
        Block(nodes=size, reservation_id=id, starts=draw(starts), ends=draw(ends))
        for size, id in zip(sizes, ids, strict=True)
    )


def block(**changes: object) -> ClusterSpec:
    """The same in a Capacity Block."""
    buying = Buying(kind="capacity-block", reservation_id="cr-0123456789abcdef0", ends="2026-11-30T11:30:00Z")
    return spec(**{"scenario": "converged/p5.48xlarge/capacity-block", "buying": buying, **changes})  # type: ignore[arg-type]


_text = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp"]), min_size=1, max_size=40)
_hex = st.text("0123456789abcdef", min_size=17, max_size=17)
_usd = st.floats(0, 1e9, allow_nan=False)
_positive = st.floats(1e-6, 1e12, allow_nan=False)
_images = _hex.map("ami-{}".format) | st.just("PLACEHOLDER-ami")
_lines = (
    "fleet.compute",
    "fleet.ebs",
    "network.nat-gateway",
    "storage.s3.standard",
    "pool.control-ebs",
    "guard.alarms",
)


@st.composite
def lustres(draw: st.DrawFn, efa: bool) -> Lustre:
    tier, over_efa = draw(st.sampled_from(sorted(EFA_STEP_GIB))), efa and draw(st.booleans())
    sizes = st.integers(1, 50).map((EFA_STEP_GIB[tier] if over_efa else 2400).__mul__)
    return Lustre(
        deployment="PERSISTENT_2",
        capacity_gib=draw(sizes if over_efa else sizes | st.just(1200)),
        mbps_per_tib=tier,
        metadata_iops=draw(st.sampled_from([0, 1500, 3000, 6000, 12_000, 192_000])),
        efa=over_efa,
    )


@st.composite
def specs(draw: st.DrawFn) -> ClusterSpec:
    """Any spec that can stand."""
    layout = draw(st.sampled_from(["converged", "fsx-lustre", "separate-nvme", "s3-stream"]))
    purchase = draw(st.sampled_from(sorted(PURCHASES)))
    left = purchase == "left"
    kind = draw(st.sampled_from(["on-demand", "reservation"])) if left else purchase
    name, vcpu, cards, efa, drives = draw(st.sampled_from(TYPES))
    nodes = draw(st.sampled_from([1, 2, 8, 64, 72, 131]) if kind == "capacity-block" else st.integers(1, 5000))
    variant = draw(st.sampled_from(["", "+125"])) if layout == "fsx-lustre" else ""
    label = draw(st.sampled_from(["", f"x{nodes}"]))
    reserved = kind in ("reservation", "capacity-block")
    pooled = layout in ("converged", "separate-nvme")
    billed = draw(st.lists(st.sampled_from(_lines), unique=True))
    by_use = draw(
        st.lists(st.sampled_from([line for line in _lines if line not in billed] or ["transfer.ingest"]), unique=True)
    )
    return ClusterSpec(
        stack=draw(st.from_regex(r"[A-Za-z0-9_.-]{1,20}", fullmatch=True).filter(str.isascii)),
        plan_name=draw(_text),
        plan_sha256=draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
        scenario=f"{layout}{variant}/{name}{label}/{draw(st.sampled_from(PURCHASES[purchase]))}",
        region="ap-southeast-2",
        zone_id=draw(st.sampled_from(["apse2-az1", "PLACEHOLDER-zone-id"])),
        layout=layout,
        fleet=Fleet(
            instance_type=name,
            nodes=nodes,
            nic_profile=draw(st.sampled_from(NIC_PROFILES)) if cards > 1 else "ip-saving",
            ami=draw(_images),
            root_volume_gib=draw(st.integers(50, 16_384)),
            gpus=1 if name.endswith(".8xlarge") else 8,
            drives=drives,
            vcpu=vcpu,
            network_cards=cards,
            efa_interfaces=efa,
            reserved_vcpu=draw(st.integers(0, vcpu - 1)) if layout == "converged" else 0,
            root_device=draw(st.sampled_from(["/dev/sda1", "/dev/xvda"])),
        ),
        buying=Buying(
            kind=kind,
            reservation_id=draw(_hex.map("cr-{:.16}f".format) | st.just("PLACEHOLDER-reservation")) if reserved else "",
            placement_group=draw(st.sampled_from(["", "close", GROUP_ARN])) if kind == "reservation" else "",
            starts=draw(st.sampled_from(["", "2027-01-03T11:30:00Z"])) if kind == "capacity-block" else "",
            ends="2027-01-31T11:30:00Z" if kind == "capacity-block" else "",
            further_blocks=draw(_further(block_sizes(nodes)[1:])) if kind == "capacity-block" else (),
            left_blocks=tuple(draw(st.lists(_hex.map("cr-{}".format), min_size=1, max_size=2))) if left else (),
        ),
        guard=Guard(
            notify=draw(st.sampled_from(["a@example.org", "PLACEHOLDER-notify"])),
            budget_usd=draw(_positive),
            alarms=draw(st.integers(0, 50)),
            max_days=draw(_positive),
            roles=tuple(draw(st.lists(st.sampled_from(["planner-deployer", "team/a@b"]), unique=True))),
        ),
        data=Data(
            dataset_prefix=draw(st.sampled_from(["dataset/", "a b/ü#/"])),
            beside_hot_class=draw(st.sampled_from(["STANDARD", "GLACIER_IR"])),
            checkpoints_kept=draw(st.sampled_from(["3", "all", "1000000"])),
        ),
        control=CONTROL if pooled else Control(),
        pool=Pool(low_watermark_percent=draw(st.integers(20, 80)), tls=draw(st.booleans())) if pooled else None,
        lustre=draw(lustres(efa > 4)) if layout == "fsx-lustre" else None,
        nvme=NVME if layout == "separate-nvme" else None,
        interface_endpoints=draw(st.integers(0, 9)),
        usd_per_hour={line: draw(_usd) for line in billed},
        metered=tuple(by_use),
        canary=not reserved and nodes > 1 and draw(st.booleans()),
    )
