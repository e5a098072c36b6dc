"""Every spec that cannot be deployed is refused at the key that is wrong, and a valid one is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.plan.zone_ids import zone_prefix
from planner.stack.check import findings_of
from planner.stack.spec import Block, Buying, ClusterSpec, Control, Pool
from tests.stack.specs import EFA_STEP_GIB, LUSTRE, NVME, block, spec, specs

CR = "cr-0123456789abcdef0"
ENDS = "2026-11-30T11:30:00Z"


def fleet(layout="converged", **changes):
    whole = spec(layout)
    return replace(whole, fleet=replace(whole.fleet, **changes))


def two(further: Block, nodes: int = 12) -> ClusterSpec:
    """A fleet whose first Capacity Block has eight nodes."""
    whole = block()
    buying = replace(whole.buying, further_blocks=(further,))
    return replace(whole, fleet=replace(whole.fleet, nodes=nodes), buying=buying)


def guard(**changes):
    return spec(guard=replace(spec().guard, **changes))


def lustre(**changes):
    return spec("fsx-lustre", lustre=replace(LUSTRE, **changes))


def nvme(**changes):
    return spec("separate-nvme", nvme=replace(NVME, **changes))


def data(**changes):
    return spec(data=replace(spec().data, **changes))


def p4d(layout, **changes):
    whole = spec(layout, scenario=f"{layout}/p4d.24xlarge/on-demand", **changes)
    return replace(
        whole, fleet=replace(whole.fleet, instance_type="p4d.24xlarge", network_cards=4, efa_interfaces=4, vcpu=96)
    )


SPOT = "converged/p5.48xlarge/spot"
WRONG = {
    "spot with a reservation": (
        spec(scenario=SPOT, buying=Buying(kind="spot", reservation_id=CR)),
        "buying.reservation_id",
        "spot capacity cannot be reserved",
    ),
    "on-demand with a reservation": (
        spec(buying=Buying(kind="on-demand", reservation_id=CR)),
        "buying.reservation_id",
        "would not use it",
    ),
    "reservation without id": (spec(buying=Buying(kind="reservation")), "buying.reservation_id", "without its id"),
    "reservation of another form": (
        spec(buying=Buying(kind="reservation", reservation_id="r-1")),
        "buying.reservation_id",
        "not the id",
    ),
    "reservation on spot's dollars": (
        spec(scenario=SPOT, buying=Buying(kind="reservation", reservation_id=CR)),
        "buying.kind",
        "priced as spot",
    ),
    "spot on on-demand's dollars": (spec(buying=Buying(kind="spot")), "buying.kind", "priced as on-demand"),
    "block on on-demand's dollars": (
        spec(buying=Buying(kind="capacity-block", reservation_id=CR, ends=ENDS)),
        "buying.kind",
        "priced as on-demand",
    ),
    "on-demand on a block's dollars": (
        block(buying=Buying(kind="on-demand")),
        "buying.kind",
        "priced as capacity-block",
    ),
    "a block that was left, in a scenario without one": (
        spec(buying=Buying(kind="on-demand", left_blocks=(CR,))),
        "buying.left_blocks",
        "left a Capacity Block, in a scenario priced as on-demand",
    ),
    "in the block that was left": (
        block(buying=replace(block().buying, left_blocks=(CR,))),
        "buying.left_blocks",
        "capacity-block nodes that left a Capacity Block",
    ),
    "unknown kind": (spec(buying=Buying(kind="reserved")), "buying.kind", "unknown purchase"),
    "block without id": (
        block(buying=Buying(kind="capacity-block", ends=ENDS)),
        "buying.reservation_id",
        "without its",
    ),
    "block without end": (
        block(buying=Buying(kind="capacity-block", reservation_id=CR)),
        "buying.ends",
        "30 minutes before",
    ),
    "end without offset": (
        block(buying=Buying(kind="capacity-block", reservation_id=CR, ends="2026-11-30T11:30:00")),
        "buying.ends",
        "not a time in UTC",
    ),
    "end on no day": (
        block(buying=Buying(kind="capacity-block", reservation_id=CR, ends="2026-02-30T11:30:00Z")),
        "buying.ends",
        "not a time in UTC",
    ),
    "end without block": (spec(buying=Buying(kind="on-demand", ends=ENDS)), "buying.ends", "only a Capacity Block"),
    "start without block": (
        spec(buying=Buying(kind="on-demand", starts=ENDS)),
        "buying.starts",
        "only a Capacity Block starts later",
    ),
    "start without offset": (
        block(buying=replace(block().buying, starts="2026-11-24T11:30:00")),
        "buying.starts",
        "not a time in UTC",
    ),
    "start after the end": (
        block(buying=replace(block().buying, starts="2026-11-30T10:45:00Z")),
        "buying.starts",
        "scales to zero 45 minutes before its end",
    ),
    "block in a placement group": (
        block(buying=replace(block().buying, placement_group="close")),
        "buying.placement_group",
        "cannot use a placement group",
    ),
    "on-demand in another's placement group": (
        spec(buying=Buying(kind="on-demand", placement_group="close")),
        "buying.placement_group",
        "creates its own placement group",
    ),
    "reservation in no group's name": (
        spec(buying=Buying(kind="reservation", reservation_id=CR, placement_group="arn:aws:ec2:us-east-1:vpc/a")),
        "buying.placement_group",
        "neither the name nor the ARN",
    ),
    "block of 128": (block(fleet=fleet(nodes=128).fleet), "fleet.nodes", "in the first Capacity Block"),
    "block of 3": (block(fleet=fleet(nodes=3).fleet), "fleet.nodes", "in the first Capacity Block"),
    "a further block of 3": (
        two(Block(nodes=3, reservation_id="cr-0123456789abcdef1", ends=ENDS), nodes=11),
        "buying.further_blocks.0.nodes",
        "AWS sells blocks of",
    ),
    "one block twice": (
        two(Block(nodes=4, reservation_id=CR, ends=ENDS)),
        "buying.further_blocks.0.reservation_id",
        "two blocks",
    ),
    "blocks of different weeks": (
        two(Block(nodes=4, reservation_id="cr-0123456789abcdef1", starts=ENDS, ends="2026-12-30T11:30:00Z")),
        "buying.further_blocks",
        "never there together",
    ),
    "no port": (spec(egress=(80, 70_000)), "egress.1", "is not a TCP port"),
    "a canary in a Capacity Block": (
        block(canary=True),
        "canary",
        "the Capacity Block is paid whether its nodes run or not",
    ),
    "a canary in a reservation": (
        spec(canary=True, buying=Buying(kind="reservation", reservation_id=CR)),
        "canary",
        "the Capacity Reservation is paid",
    ),
    "a canary of one node": (replace(fleet(nodes=1), canary=True), "canary", "the fleet is one node"),
    "giving up before the start": (guard(give_up_hours=-1.0), "guard.give_up_hours", "cannot give up before it starts"),
    "an unknown guard": (guard(more=("cost-anomaly",)), "guard.more.0", "unknown guard 'cost-anomaly'"),
    "roles without the action": (guard(more=(), roles=("deployer",)), "guard.roles", "roles without budget-action"),
    "a boundary by name": (spec(permissions_boundary="boundary"), "permissions_boundary", "is not the ARN"),
    "an address of a bucket": (spec(extra_buckets=("s3://a",)), "extra_buckets.0", "is not the name of a bucket"),
    "no nodes": (fleet(nodes=0), "fleet.nodes", "at least one"),
    "unknown profile": (fleet(nic_profile="ip_saving"), "fleet.nic_profile", "unknown NIC profile"),
    "bandwidth on one card": (
        fleet(nic_profile="bandwidth", network_cards=1, efa_interfaces=1),
        "fleet.nic_profile",
        "not for p5.48xlarge",
    ),
    "bandwidth without EFA": (fleet(nic_profile="bandwidth", efa_interfaces=0), "fleet.nic_profile", "not for"),
    "EFA on every card of one": (
        fleet(nic_profile="efa-every-card", network_cards=1, efa_interfaces=1),
        "fleet.nic_profile",
        "efa-every-card is not for p5.48xlarge",
    ),
    "more EFA than cards": (fleet(efa_interfaces=33), "fleet.network_cards", "a card has at most one"),
    "image": (fleet(ami="ubuntu"), "fleet.ami", "not an image id"),
    "root volume": (fleet(root_volume_gib=0), "fleet.root_volume_gib", "gp3 volumes have"),
    "root device": (fleet(root_device="sda1"), "fleet.root_device", "not a device name"),
    "all vCPU kept": (fleet(reserved_vcpu=192), "fleet.reserved_vcpu", "none is left"),
    "vCPU kept without a pool": (fleet("s3-stream", reserved_vcpu=12), "fleet.reserved_vcpu", "does not have"),
    "another type than the scenario's": (fleet(instance_type="p4d.24xlarge"), "fleet.instance_type", "not the fleet"),
    "no type": (fleet(instance_type="p5"), "fleet.instance_type", "not an instance type"),
    "layout of another scenario": (replace(spec(), layout="s3-stream"), "layout", "not that of scenario"),
    "unknown layout": (replace(spec(), layout="conveged"), "layout", "unknown layout"),
    "no scenario id": (spec(scenario="converged"), "scenario", "not a scenario id"),
    "lustre missing": (spec("fsx-lustre", lustre=None), "", "nothing to read from"),
    "lustre on another layout": (spec("s3-stream", lustre=LUSTRE), "lustre", "nothing reads"),
    "nvme missing": (spec("separate-nvme", nvme=None), "", "nothing to read from"),
    "nvme on another layout": (spec(nvme=NVME), "nvme", "nothing reads"),
    "control missing": (spec(control=Control()), "control.count", "has no proxies"),
    "control without a pool": (spec("s3-stream", control=spec().control), "control", "no pool to control"),
    "control without type": (spec(control=Control(count=3)), "control", "need an instance type"),
    "control image too large": (
        spec(control=replace(spec().control, ami="")),
        "control",
        "may not fit the control nodes' root volume",
    ),
    "pool missing": (spec(pool=None), "", "no engine would serve the drives"),
    "pool on another layout": (spec("s3-stream", pool=Pool()), "pool", "s3-stream has no pool"),
    "another engine": (spec(pool=Pool(engine="weka")), "pool.engine", "the nodes' bundle holds aistore"),
    "another release of the engine": (
        spec(pool=Pool(engine_version="v1.4.0")),
        "pool.engine_version",
        "the nodes' bundle holds v1.5.0",
    ),
    "Lustre over EFA on p4d": (
        p4d("fsx-lustre", lustre=replace(LUSTRE, efa=True, capacity_gib=38_400)),
        "lustre.efa",
        "Nitro v4",
    ),
    "Lustre over EFA without EFA": (
        replace(lustre(efa=True, capacity_gib=38_400), fleet=replace(spec("fsx-lustre").fleet, efa_interfaces=0)),
        "lustre.efa",
        "Nitro v4",
    ),
    "Lustre tier": (lustre(mbps_per_tib=200), "lustre.mbps_per_tib", "PERSISTENT_2 has"),
    "Lustre of the whole": (lustre(throughput_mbps=4000), "lustre.throughput_mbps", "a setting of Intelligent-Tiering"),
    "Lustre kind": (lustre(deployment="SCRATCH_2"), "lustre.deployment", "but not deployed"),
    "Lustre size": (lustre(capacity_gib=3600), "lustre.capacity_gib", "multiples of 2,400"),
    "Lustre of nothing": (lustre(capacity_gib=0), "lustre.capacity_gib", "multiples of 2,400"),
    "Lustre 1,200 with EFA": (lustre(capacity_gib=1200, efa=True), "lustre.capacity_gib", "38,400"),
    "metadata IOPS": (lustre(metadata_iops=5000), "lustre.metadata_iops", "multiples of 12,000"),
    "metadata IOPS beyond": (lustre(metadata_iops=204_000), "lustre.metadata_iops", "192,000"),
    "all storage nodes spare": (nvme(spares=5), "nvme.nodes", "at least one must not be a spare"),
    "storage without drives": (nvme(drives=0), "nvme.drives", "needs instance storage"),
    "no gateway endpoint, not on the bill": (spec(gateway_endpoint=False), "gateway_endpoint", "is not on the bill"),
    "gateway endpoint, and NAT on the bill": (
        spec(metered=("network.nat-s3-data",)),
        "gateway_endpoint",
        "does not pass",
    ),
    "zone of another region": (spec(zone_id="usw2-az1"), "zone_id", "not in us-east-1"),
    "zone by name": (spec(zone_id="us-east-1a"), "zone_id", "not in us-east-1"),
    "no region": (spec(region="useast1"), "region", "not a region"),
    "no budget": (guard(budget_usd=0.0), "guard.budget_usd", "accepts only positive budgets"),
    "role as an ARN": (guard(roles=("arn:aws:iam::000000000000:role/a",)), "guard.roles.0", "not the name of an IAM"),
    "role of too many letters": (guard(roles=("ok", "a" * 65)), "guard.roles.1", "not the name of an IAM"),
    "roles beyond what an action takes": (
        guard(roles=tuple(f"r{number}" for number in range(101))),
        "guard.roles",
        "accepts at most 100",
    ),
    "no days": (guard(max_days=0.0), "guard.max_days", "overdue immediately"),
    "no address": (guard(notify="#alerts"), "guard.notify", "not an e-mail"),
    "stack name": (spec(stack="a/b"), "stack", "not a stack name"),
    "hash": (spec(plan_sha256="abc"), "plan_sha256", "not a plan's hash"),
    "prefix": (data(dataset_prefix="/dataset"), "data.dataset_prefix", "not a prefix"),
    "prefixes overlap": (data(checkpoint_prefix="dataset/ckpt/"), "data.checkpoint_prefix", "overlap"),
    "storage class": (data(beside_hot_class="COLD"), "data.beside_hot_class", "unknown storage class"),
    "checkpoints": (data(checkpoints_kept="0"), "data.checkpoints_kept", "not a number"),
    "checkpoints beyond what a plan may say": (data(checkpoints_kept="1000001"), "data.checkpoints_kept", "1,000,000"),
    "more digits than Python reads": (data(checkpoints_kept="9" * 5000), "data.checkpoints_kept", "not a number"),
    "dollars earned": (spec(usd_per_hour={"fleet.ebs": -1.0}), "usd_per_hour.fleet.ebs", "negative price"),
    "people": (spec(usd_per_hour={"people.staff": 1.0}), "usd_per_hour.people.staff", "not a line of a stack's bill"),
    "a line twice": (spec(metered=("fleet.compute",)), "metered.0", "more than once"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_invalid_spec_is_refused_at_the_wrong_key(name):
    wrong, path, words = WRONG[name]
    found = {".".join(map(str, f.path)): f for f in findings_of(wrong)}
    assert path in found, f"found only {list(found)}"
    assert words in found[path].message
    assert found[path].remedy


@pytest.mark.parametrize("good", [spec(), spec("fsx-lustre"), spec("separate-nvme"), spec("s3-stream"), block()])
def test_a_valid_spec_is_not_refused(good):
    assert findings_of(good) == ()


@settings(deadline=None)
@given(specs())
def test_any_valid_spec_is_not_refused(good):
    assert findings_of(good) == ()


@settings(deadline=None)
@given(specs(), st.text(max_size=12), st.text(max_size=12))
def test_a_pool_runs_one_engine_in_one_release(good, engine, version):
    """Layouts without a pool have no engine."""
    if good.pool is None:
        assert good.layout in ("fsx-lustre", "s3-stream")
        return
    assert (good.pool.engine, good.pool.engine_version) == ("aistore", "v1.5.0")
    for key, value in (("engine", engine), ("engine_version", version)):
        if value not in ("aistore", "v1.5.0"):
            (found,) = findings_of(replace(good, pool=replace(good.pool, **{key: value})))
            assert found.path == ("pool", key)


def test_all_findings_are_reported_together():
    wrong = replace(guard(budget_usd=0.0, max_days=0.0), zone_id="usw2-az1", control=Control())
    assert len(findings_of(wrong)) == 4


@given(st.sampled_from(sorted(EFA_STEP_GIB)), st.booleans(), st.integers(1, 400_000))
def test_the_next_size_that_a_finding_names_is_valid_and_larger(tier, efa, gib):
    wrong = lustre(mbps_per_tib=tier, efa=efa, capacity_gib=gib)
    for finding in findings_of(wrong):
        following = int(finding.remedy.rpartition(" ")[2])
        assert following > gib
        assert findings_of(lustre(mbps_per_tib=tier, efa=efa, capacity_gib=following)) == ()


@pytest.mark.parametrize(
    ("region", "prefix"),
    [("us-east-1", "use1"), ("ap-southeast-2", "apse2"), ("eu-central-1", "euc1"), ("us-gov-west-1", "usgw1")],
)
def test_zone_ids_begin_with_their_region(region, prefix):
    assert zone_prefix(region) == prefix
