"""Every branch of the checks: what each answer makes of a line. NotKnown never becomes fine."""

from __future__ import annotations

import inspect
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from planner.check import account, ask_quotas, buckets, capacity, image, places, prices, quotas, rights, services
from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown
from planner.check.wanted import Nodes, nodes_of, types_of, waiting, waiting_usd_per_hour
from planner.stack.spec import Block, Buying, Fallback
from tests.account.stubs import reservation
from tests.check.wanted import NOW, wanted
from tests.cluster.specs import P4D_USD, USD_PER_NODE_HOUR, mixed_spec
from tests.stack.specs import block, spec

SILENT = NotKnown(why="Throttling: slowly", code="Throttling")
DENIED = NotKnown(why="AccessDenied", code="AccessDenied", may=False)
W = wanted()
ARN = "arn:aws:iam::111122223333:role/team/deployer"


# dollars


def test_what_waits_bills_by_hand():
    """440.32 an hour for 8 nodes and 0.045 for NAT: three nodes are 165.12."""
    assert waiting_usd_per_hour(spec(), 3) == pytest.approx(165.165, abs=0.006)
    assert waiting_usd_per_hour(spec(), 0) == pytest.approx(0.045, abs=0.006)
    assert waiting_usd_per_hour(spec(), 99) == waiting_usd_per_hour(spec(), 8)


def test_a_block_that_is_paid_costs_all_its_nodes_although_none_starts():
    assert waiting_usd_per_hour(block(), 0) == pytest.approx(440.365, abs=0.006)


def test_without_a_price_the_dollars_are_unknown_and_not_zero():
    usd, text = waiting(spec(usd_per_hour={"network.nat-gateway": 0.045}), 8)
    assert usd is None
    assert "unknown" in text


# rights


def decision(action: str, said: str = "allowed", **more: object) -> dict[str, object]:
    return {"EvalActionName": action, "EvalDecision": said, **more}


QUESTION = [rights.Question(sid="S", actions=("ec2:RunInstances", "ec2:CreateVpc"), resources=("*",), context=())]


def judged(*answer: dict[str, object], must: bool = True) -> Line:
    return rights.rights_line("deployer", "the deployer", QUESTION, [list(answer)], W, must)


def test_rights():
    both = decision("ec2:RunInstances"), decision("ec2:CreateVpc")
    assert judged(*both).state == FINE
    assert judged(both[0]).state == NOT_KNOWN  # half: nothing about the other
    assert judged(both[0], decision("ec2:CreateVpc", "implicitDeny")).state == BLOCKS
    assert judged(both[0], decision("ec2:CreateVpc", "implicitDeny"), must=False).state == WARNS
    assert judged(*both, decision("ec2:CreateVpc", "explicitDeny")).state == BLOCKS  # of another resource
    unsure = judged(both[0], decision("ec2:CreateVpc", "implicitDeny", MissingContextValues=["aws:PrincipalOrgID"]))
    assert unsure.state == NOT_KNOWN
    assert "aws:PrincipalOrgID" in unsure.said
    by_org = decision("ec2:CreateVpc", "implicitDeny", OrganizationsDecisionDetail={"AllowedByOrganizations": False})
    assert "denied by the organization" in judged(both[0], by_org).said
    bound = decision(
        "ec2:CreateVpc", "implicitDeny", PermissionsBoundaryDecisionDetail={"AllowedByPermissionsBoundary": False}
    )
    assert "outside the permissions boundary" in judged(both[0], bound).said


def test_a_refusal_counts_although_another_question_was_not_answered():
    answers = [SILENT, [decision("ec2:RunInstances"), decision("ec2:CreateVpc", "explicitDeny")]]
    assert rights.rights_line("deployer", "it", QUESTION * 2, answers, W, True).state == BLOCKS
    answers = [SILENT, [decision("ec2:RunInstances"), decision("ec2:CreateVpc")]]
    assert rights.rights_line("deployer", "it", QUESTION * 2, answers, W, True).state == NOT_KNOWN


def test_questions_ask_every_action_on_resources_of_this_stack_within_each_condition():
    found = list(rights.questions(W.policies, "dev", "us-east-1", "111122223333"))
    files = {action for one in W.policies.values() for part in one["Statement"] for action in part["Action"]}
    assert {action for question in found for action in question.actions} == files
    for question in found:
        assert all(text == "*" or "*" not in text for text in question.resources), question
        assert len(question.actions) <= rights.MOST
    passed = [question for question in found if question.sid == "PassRole"]
    assert {entry["ContextKeyValues"][0] for question in passed for entry in question.context} >= {"ec2.amazonaws.com"}
    assert "arn:aws:sns:us-east-1:111122223333:planner-dev-check" in {
        text for question in found for text in question.resources
    }


def test_who_asks():
    assert rights.identity_line(ARN).state == FINE
    assert rights.identity_line("arn:aws:iam::111122223333:root").state == WARNS
    assert "111122223333" not in str(rights.identity_line(ARN).as_json())
    assert rights.role_name("arn:aws:sts::111122223333:assumed-role/deployer/me") == "deployer"
    assert rights.role_name(ARN) == ""


# quotas


@pytest.mark.parametrize(
    ("instance_type", "market", "code"),
    [
        ("p5.48xlarge", "on-demand", "L-417A185B"),
        ("p6-b200.48xlarge", "reservation", "L-417A185B"),
        ("p4d.24xlarge", "spot", "L-7212CCBC"),
        ("p5en.48xlarge", "spot", "L-C4BD4855"),
        ("p6-b200.48xlarge", "spot", None),  # sources disagree
        ("g6e.8xlarge", "on-demand", "L-DB2E81BA"),
        ("g6e.8xlarge", "spot", "L-3819A6DF"),
        ("gr6.8xlarge", "spot", "L-3819A6DF"),
        ("trn2.48xlarge", "on-demand", "L-2C3B7624"),
        ("i3en.24xlarge", "on-demand", "L-1216C47A"),
        ("im4gn.16xlarge", "on-demand", "L-1216C47A"),
        ("m7i.xlarge", "spot", "L-34B43A08"),
        ("inf2.xlarge", "spot", "L-B5D1601B"),
        ("x2idn.32xlarge", "on-demand", None),
        ("u-6tb1.metal", "on-demand", None),
    ],
)
def test_codes(instance_type, market, code):
    quota = quotas.vcpu_quota(instance_type, market)
    assert (quota and quota.code) == code


VCPU = {"p5.48xlarge": 192, "m7i.xlarge": 4, "i4i.32xlarge": 128}


def needed(of, vcpu=VCPU):
    return quotas.needs_in_vcpu(wanted(of), vcpu)


def test_needs_add_up_by_quota():
    found = {need.quota.code: need.needed for need in needed(spec("separate-nvme"))}
    assert found == {"L-417A185B": 8 * 192, "L-1216C47A": 3 * 4 + 5 * 128}


def test_a_rule_that_may_leave_spot_needs_on_demand_later():
    rule = Fallback(threshold_hours=1, nodes=8, restart_hours=0.1, checkpoint_interval_hours=1)
    found = {need.quota.code: need.must for need in needed(spec(buying=Buying(kind="spot"), fallback=rule))}
    assert found == {"L-C4BD4855": True, "L-417A185B": False, "L-1216C47A": True}


def test_what_has_no_code_or_size_is_not_left_out():
    assert Nodes(instance_type="m7i.xlarge", count=3, market="on-demand") in needed(spec(), {"p5.48xlarge": 192})
    line = quotas.unknown_quota_line(nodes_of(spec())[0], W)
    assert line.state == NOT_KNOWN
    assert line.mends


def test_quotas():
    need = quotas.Need(quota=quotas.vcpu_quota("p5.48xlarge", "on-demand"), needed=1536, of_node=192)
    line = quotas.quota_line(need, {"Value": 1920.0}, 384.0, W)
    assert line.state == FINE
    line = quotas.quota_line(need, {"Value": 960.0, "Adjustable": True}, 384.0, W)
    assert line.state == BLOCKS
    assert "3 of 8 nodes start" in line.means  # 576 vCPUs are left
    assert line.usd_per_hour == waiting_usd_per_hour(spec(), 3)
    assert line.mends == (
        "aws service-quotas request-service-quota-increase --region us-east-1 --service-code ec2 "
        "--quota-code L-417A185B --desired-value 1920"
    )
    assert "AWS does not raise" in quotas.quota_line(need, {"Value": 1.0, "Adjustable": False}, 0.0, W).mends
    assert quotas.quota_line(need, {}, 0.0, W).state == NOT_KNOWN
    assert quotas.quota_line(replace(need, must=False), {"Value": 0.0}, 0.0, W).state == WARNS
    assert quotas.quota_line(replace(need, doubt="who knows"), {"Value": 0.0}, 0.0, W).state == NOT_KNOWN


def test_a_capacity_blocks_shortage_of_on_demand_quota_is_not_known():
    (of_p,) = [need for need in needed(block()) if need.quota.code == "L-417A185B"]
    assert quotas.quota_line(of_p, {"Value": 0.0}, 0.0, wanted(block())).state == NOT_KNOWN


def instance(instance_type: str, cores: int, **more: object) -> dict[str, object]:
    return {"InstanceType": instance_type, "CpuOptions": {"CoreCount": cores, "ThreadsPerCore": 2}, **more}


def test_used_vcpu():
    ours = {"Tags": [{"Key": "planner:stack", "Value": "dev"}]}
    of_another = {"Tags": [{"Key": "planner:stack", "Value": "prod"}]}
    listed = [
        {"Instances": [instance("p5.48xlarge", 96), instance("p4d.24xlarge", 48, **of_another)]},
        {"Instances": [instance("p5.48xlarge", 96, InstanceLifecycle="spot"), instance("p5.48xlarge", 96, **ours)]},
        {"Instances": [instance("p5.48xlarge", 96, InstanceLifecycle="capacity-block"), instance("m7i.xlarge", 2)]},
    ]
    assert quotas.used_vcpu(listed, "dev") == {"L-417A185B": 288, "L-C4BD4855": 192, "L-1216C47A": 4}
    assert isinstance(quotas.used_vcpu([{"Instances": [{"InstanceType": "p5.48xlarge"}]}], "dev"), NotKnown)
    assert quotas.used_vcpu(SILENT, "dev") is SILENT


# places


def test_region():
    named = {"RegionName": "us-east-1"}
    assert places.region_line([{**named, "OptInStatus": "opt-in-not-required"}], W).state == FINE
    off = places.region_line([{**named, "OptInStatus": "not-opted-in"}], W)
    assert (off.state, "enable-region" in off.mends) == (BLOCKS, True)
    assert places.region_line([named], W).state == places.region_line([], W).state == NOT_KNOWN


def test_zone():
    entry = {"ZoneId": "use1-az4", "ZoneName": "us-east-1a", "State": "available"}
    assert places.zone_line("use1-az4", [entry], W).state == FINE
    assert places.zone_line("use1-az4", [{**entry, "State": "impaired"}], W).state == BLOCKS
    assert places.zone_line("use1-az4", [{**entry, "OptInStatus": "not-opted-in"}], W).state == BLOCKS
    assert places.zone_line("use1-az4", [{"ZoneId": "use1-az4"}], W).state == NOT_KNOWN
    assert "use1-az6" in places.zone_line("use1-az4", [{**entry, "ZoneId": "use1-az6"}], W).said
    unchosen = "PLACEHOLDER-zone-id"
    assert places.zone_line(unchosen, [entry], wanted(spec(zone_id=unchosen))).state == BLOCKS


def test_offering():
    def sold(*zones: str) -> list[dict[str, str]]:
        return [{"InstanceType": "p5.48xlarge", "Location": zone} for zone in zones]

    assert places.offering_line("p5.48xlarge", sold("use1-az4", "use1-az6"), W).state == FINE
    elsewhere = places.offering_line("p5.48xlarge", sold("use1-az6"), W)
    assert (elsewhere.state, "--zone-id use1-az6" in elsewhere.mends) == (BLOCKS, True)
    assert places.offering_line("p5.48xlarge", [], W).state == BLOCKS


def test_another_zone_of_a_worker_pool_without_the_type_is_a_market_less():
    sold = [{"InstanceType": "p5.48xlarge", "Location": "use1-az4"}]
    assert places.more_zone_line("p5.48xlarge", "use1-az4", sold).state == FINE
    assert places.more_zone_line("p5.48xlarge", "use1-az6", sold).state == WARNS


def test_internet():
    def state(mode: str | None, subnets: object = ()) -> str:
        return places.internet_line({"InternetGatewayBlockMode": mode} if mode else {}, subnets, W).state

    assert state("off") == state("block-ingress") == FINE  # NAT gateways only let out
    assert state("block-bidirectional") == BLOCKS
    assert state("block-bidirectional", [{"SubnetId": "subnet-1"}]) == NOT_KNOWN  # its VPC may be excluded
    assert state(None) == NOT_KNOWN


def test_addresses():
    assert places.stack_line([], [], W).said == "nothing"
    left = places.stack_line([{}, {}], [], W)
    assert (left.state, left.said) == (WARNS, "2 subnets, 0 instances that run")
    assert "teardown-check --stack dev" in left.mends
    assert places.stack_line([{}], [{"Instances": [{}, {}]}, {"Instances": [{}]}], W).state == FINE
    assert places.subnet_line([], W).state == FINE
    assert places.subnet_line([{"AvailableIpAddressCount": 8}], W).state == FINE
    few = places.subnet_line([{"AvailableIpAddressCount": 20}], wanted(addresses=64))
    assert few.state == WARNS
    assert "2 of 8 nodes start" in few.means
    assert places.subnet_line([{}], W).state == NOT_KNOWN


# endpoints and services

ZONES = [{"ZoneId": "use1-az4", "ZoneName": "us-east-1a"}]


def endpoint(name: str, kind: str = "Interface", zones: tuple[str, ...] = ("us-east-1a",)) -> dict[str, object]:
    return {
        "ServiceName": f"com.amazonaws.us-east-1.{name}",
        "ServiceType": [{"ServiceType": kind}],
        "AvailabilityZones": list(zones),
    }


S3 = [endpoint("s3", "Gateway"), endpoint("s3")]


def test_endpoints():
    both = [*S3, endpoint("ssm"), endpoint("ssmmessages")]
    assert services.endpoint_line(both, ZONES, W).state == FINE
    assert "no gateway endpoint of s3" in services.endpoint_line(both[1:], ZONES, W).said
    assert "no interface endpoint of ssmmessages" in services.endpoint_line(both[:3], ZONES, W).said
    elsewhere = services.endpoint_line([*both[:3], endpoint("ssmmessages", zones=("us-east-1e",))], ZONES, W)
    assert (elsewhere.state, elsewhere.said) == (BLOCKS, "ssmmessages is in us-east-1e alone")
    assert services.endpoint_line([*both[:3], endpoint("ssmmessages", zones=())], ZONES, W).state == NOT_KNOWN
    assert services.endpoint_line(both, SILENT, W).state == NOT_KNOWN
    assert services.endpoint_line([], ZONES, wanted(spec(gateway_endpoint=False), endpoints=())).state == FINE


def test_services_that_not_every_region_has():
    of = wanted(spec("fsx-lustre"))
    assert services.names_of(of)[-1] == "com.amazonaws.us-east-1.fsx"
    assert [line.state for line in services.service_lines([endpoint("fsx")], of)] == [FINE]
    assert [line.state for line in services.service_lines(S3, of)] == [NOT_KNOWN]
    assert list(services.service_lines([], W)) == []


# buckets

NAMES = buckets.names_of(W, "111122223333")


def test_names_of_buckets():
    assert NAMES == ("planner-dev-data-111122223333-us-east-1", "planner-dev-artefacts-111122223333-us-east-1")
    assert buckets.names_line(NAMES, [{"Name": "other"}], False, W).state == FINE
    kept = buckets.names_line(NAMES, [{"Name": NAMES[0]}], False, W)
    assert (kept.state, "111122223333" in str(kept.as_json())) == (BLOCKS, False)
    assert buckets.names_line(NAMES, [{"Name": NAMES[0]}], True, W).state == FINE
    assert buckets.names_line(NAMES, [], SILENT, W).state == NOT_KNOWN


OPEN = NotKnown(why="none", code=buckets.NONE_SET)
CLOSED = dict.fromkeys(buckets.FOUR, True)


def test_regions_of_buckets_that_nodes_read():
    priced = replace(W, nat_usd_per_gb=0.045)
    assert buckets.region_line("corpus", "us-east-1", W).state == FINE
    far = buckets.region_line("corpus", "eu-central-1", priced)
    assert (far.state, "$45.00 a TB" in far.means, "--source-region eu-central-1" in far.mends) == (WARNS, True, True)
    assert "an unknown amount" in buckets.region_line("corpus", "eu-central-1", W).means
    gone = buckets.region_line("corpus", NotKnown(why="no", code="NoSuchBucket"), W)
    assert (gone.state, gone.usd_per_hour) == (BLOCKS, waiting_usd_per_hour(spec(), 8))
    ireland = wanted(spec(region="eu-west-1"))
    assert buckets.region_line("corpus", "EU", ireland).state == FINE


def test_public_access():
    def states(account: object, **each: object) -> list[str]:
        return [line.state for line in buckets.public_lines(account, each)]

    assert states(CLOSED, corpus=OPEN) == [FINE]
    assert states(OPEN) == [FINE]  # the stack closes its own
    assert states(OPEN, corpus=CLOSED) == [WARNS, FINE]
    assert states({**CLOSED, "BlockPublicPolicy": False}, corpus=OPEN) == [WARNS, WARNS]
    assert states(OPEN, corpus=DENIED) == [WARNS, NOT_KNOWN]


# capacity

HELD = Block(nodes=8, reservation_id="cr-0abcdef0123456789", ends="2026-11-30T11:30:00Z")
IN_BLOCK = wanted(block(zone_id="use1-az6"))


def reserved(**more: object) -> dict[str, object]:
    return reservation(**{"state": "active", "InstanceType": "p5.48xlarge", "TotalInstanceCount": 8, **more})


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        (reserved(), FINE, "active"),
        (reserved(AvailableInstanceCount=8), FINE, "active"),
        (reserved(AvailableInstanceCount=3), WARNS, "3 of 8 are free"),
        (reserved(state="expired"), BLOCKS, "holds no capacity"),
        (reserved(state="payment-failed"), BLOCKS, "holds no capacity"),
        (reserved(InstanceType="p4d.24xlarge"), BLOCKS, "its type is p4d"),
        (reserved(TotalInstanceCount=4), BLOCKS, "it has 4 of 8"),
        (reserved(AvailabilityZoneId="use1-az1"), BLOCKS, "its zone is use1-az1"),
        (reserved(ReservationType="default"), BLOCKS, "the launch template asks for a capacity-block"),
        (reserved(EndDate=datetime(2025, 11, 30, 11, 30, tzinfo=UTC)), BLOCKS, "it ended on 2025-11-30"),
        (reserved(EndDate=datetime(2026, 12, 7, 11, 30, tzinfo=UTC)), BLOCKS, "the stack file says that it ends"),
        (reserved(Tenancy="dedicated"), BLOCKS, "its tenancy is dedicated"),
        (reserved(InstancePlatform="Windows"), BLOCKS, "it is for Windows, not Linux/UNIX"),
        (reserved(State=""), NOT_KNOWN, "half an answer"),
    ],
)
def test_reservation(answer, state, said):
    line = capacity.reservation_line(HELD, [answer], IN_BLOCK)
    assert (line.state, said in line.said) == (state, True), line.said
    assert state in (FINE, NOT_KNOWN, WARNS) or line.usd_per_hour == pytest.approx(440.365, abs=0.006)


def test_reservation_that_is_not_there():
    gone = NotKnown(why="none", code="InvalidCapacityReservationId.NotFound")
    assert capacity.reservation_line(HELD, gone, IN_BLOCK).state == BLOCKS
    assert capacity.reservation_line(HELD, [], IN_BLOCK).state == NOT_KNOWN


def test_start_of_a_block():
    later = replace(HELD, starts="2026-11-25T11:30:00Z")
    assert "AWS at 2026-11-24" in capacity.reservation_line(later, [reserved(state="scheduled")], IN_BLOCK).said


def test_a_block_that_begins_later_than_its_nodes_are_asked_for():
    begins = datetime(2026, 11, 29, 11, 30, tzinfo=UTC)
    line = capacity.reservation_line(HELD, [reserved(state="scheduled", StartDate=begins)], IN_BLOCK)
    assert (line.state, "begins at 2026-11-29T11:30Z, and the nodes are asked for before" in line.said) == (
        BLOCKS,
        True,
    )
    starts = replace(HELD, starts="2026-11-29T11:30:00Z")
    assert capacity.reservation_line(starts, [reserved(state="scheduled", StartDate=begins)], IN_BLOCK).state == FINE


OPEN_ENDED = {"ReservationType": "default", "EndDate": None}
GROUP = "arn:aws:ec2:us-east-1:111122223333:placement-group/close"


@pytest.mark.parametrize(
    ("answer", "ours", "state", "said"),
    [
        ({}, "", FINE, "active"),
        ({"PlacementGroupArn": GROUP}, "close", FINE, "active"),
        ({"PlacementGroupArn": GROUP}, "", BLOCKS, f"made in placement group {GROUP}, and the nodes start in none"),
        ({"PlacementGroupArn": GROUP}, "far", BLOCKS, "and the nodes start in far"),
        ({}, "close", BLOCKS, "is in no placement group, and the nodes start in close"),
        ({"EndDate": datetime(2026, 12, 4, tzinfo=UTC)}, "", WARNS, "the run may last until 2026-12-27"),
        ({"EndDate": datetime(2027, 12, 4, tzinfo=UTC)}, "", FINE, "until 2027-12-04"),
        ({"State": "expired"}, "", BLOCKS, "holds no capacity"),
    ],
)
def test_capacity_reservation(answer, ours, state, said):
    """The run lasts 30 days at most, from 27 November on."""
    block = Block(nodes=8, reservation_id=HELD.reservation_id)
    buying = Buying(kind="reservation", reservation_id=HELD.reservation_id, placement_group=ours)
    of = spec(buying=buying, zone_id="use1-az6")
    held = {key: value for key, value in reserved(**{**OPEN_ENDED, **answer}).items() if value is not None}
    line = capacity.reservation_line(block, [held], wanted(replace(of, guard=replace(of.guard, max_days=30.0))))
    assert (line.state, said in line.said) == (state, True), line.said
    if state == WARNS:
        assert line.usd_per_hour == waiting_usd_per_hour(of, 8)
        assert "--end-date-type unlimited" in line.mends


def test_block_on_offer():
    def offered(fee: str, currency: str = "USD") -> dict[str, str]:
        return {"UpfrontFee": fee, "CurrencyCode": currency}

    planned = 440.32 * 24 * 6  # 63,406.08
    assert capacity.block_offer_line(8, 6, [offered("63406.08"), offered("90000")], W).state == FINE
    line = capacity.block_offer_line(8, 6, [offered("70000")], W)
    assert (line.state, f"${70000 - planned:,.2f} more" in line.means) == (WARNS, True)
    assert capacity.block_offer_line(8, 6, [], W).state == BLOCKS
    assert capacity.block_offer_line(8, 6, [offered("1", "EUR")], W).state == NOT_KNOWN
    assert capacity.block_offer_line(8, 6, [offered("")], W).state == NOT_KNOWN


# images

AMI = "ami-0123456789abcdef0"
IMAGE = {
    "ImageId": AMI,
    "Name": "Deep Learning Base OSS Nvidia Driver GPU AMI (Ubuntu 24.04) 20261101",
    "Architecture": "x86_64",
    "State": "available",
    "ImageOwnerAlias": "amazon",
    "RootDeviceName": "/dev/sda1",
    "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 75}}],
    "DeprecationTime": "2028-11-01T00:00:00.000Z",
}


def imaged(processors=("x86_64",), **more: object) -> Line:
    return image.image_line("fleet", AMI, 200, "/dev/sda1", processors, [{**IMAGE, **more}], W)


def test_image():
    assert imaged().state == FINE
    assert imaged(Architecture="arm64").state == BLOCKS
    assert imaged(State="disabled").state == BLOCKS
    assert imaged(Platform="windows").state == imaged(PlatformDetails="Windows with SQL Server").state == BLOCKS
    assert imaged(RootDeviceType="instance-store").state == BLOCKS
    assert imaged(EnaSupport=False).state == BLOCKS
    assert imaged(EnaSupport=True, RootDeviceType="ebs", PlatformDetails="Linux/UNIX").state == FINE
    assert imaged(RootDeviceName="/dev/xvda").state == BLOCKS
    assert imaged(BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 300}}]).state == BLOCKS
    assert imaged(DeprecationTime="2026-11-01T00:00:00.000Z").state == WARNS
    assert imaged(ImageOwnerAlias="self").state == WARNS
    assert imaged(Name="ours").state == NOT_KNOWN  # nothing published about driver and EFA
    assert imaged(Architecture="").state == NOT_KNOWN
    assert imaged(processors=()).state == NOT_KNOWN
    gone = NotKnown(why="no", code="InvalidAMIID.NotFound")
    assert image.image_line("fleet", AMI, 200, "/dev/sda1", ("x86_64",), gone, W).state == BLOCKS
    assert image.image_line("fleet", "PLACEHOLDER-ami", 200, "/dev/sda1", (), None, W).state == BLOCKS
    assert image.image_line("fleet", AMI, 200, "/dev/sda1", ("x86_64",), [], W).state == NOT_KNOWN


def test_allowed_amis():
    """EC2 shows no image that an enabled setting does not allow."""

    def allowed(state: object, images: object = [IMAGE], ami: str = AMI) -> Line:
        return image.allowed_line("fleet", ami, state, images, W)

    gone = NotKnown(why="x", code="InvalidAMIID.NotFound")
    assert allowed("disabled").state == FINE
    assert allowed("enabled", [{**IMAGE, "ImageAllowed": True}]).state == FINE
    assert allowed("enabled", [{**IMAGE, "ImageAllowed": False}]).state == allowed("enabled", gone).state == BLOCKS
    assert allowed("audit-mode", [{**IMAGE, "ImageAllowed": False}]).state == WARNS
    assert allowed("audit-mode", [{**IMAGE, "ImageAllowed": True}]).state == FINE
    for line in (
        allowed("enabled"),  # the image does not say
        allowed("enabled", []),
        allowed("audit-mode", gone),
        allowed("enabled", SILENT),
        allowed("else"),
        allowed("enabled", None, "PLACEHOLDER-ami"),
    ):
        assert line.state == NOT_KNOWN, line


def test_the_lustre_client_of_the_day():
    """An image of one's own has what it has on every start; Amazon's may install another one each day."""
    amazon = image.lustre_line(AMI, [IMAGE], W)
    assert (amazon.state, "aws-parallelcluster" in amazon.said, "--ami" in amazon.mends) == (WARNS, True, True)
    for ami, images in ((AMI, [{**IMAGE, "ImageOwnerAlias": "self"}]), (AMI, DENIED), ("PLACEHOLDER-ami", None)):
        assert image.lustre_line(ami, images, W).state == NOT_KNOWN


def test_the_container_image_of_jobs():
    ours = "111122223333.dkr.ecr.us-east-1.amazonaws.com/team/train"
    assert image.of_ecr(f"{ours}:1", "us-east-1") == {
        "registryId": "111122223333",
        "repositoryName": "team/train",
        "imageIds": [{"imageTag": "1"}],
    }
    assert image.of_ecr(ours, "us-east-1")["imageIds"] == [{"imageTag": "latest"}]
    digest = f"sha256:{'0' * 64}"
    assert image.of_ecr(f"{ours}:1@{digest}", "us-east-1")["imageIds"] == [{"imageDigest": digest}]
    assert image.of_ecr(f"{ours}:1", "eu-west-1") == image.of_ecr("python:3.12", "us-east-1") == {}
    gone = NotKnown(why="no", code="ImageNotFoundException")
    assert image.job_image_line(ours, gone, W).state == BLOCKS
    assert image.job_image_line("PLACEHOLDER-image", DENIED, W).state == BLOCKS
    pinned = f"{ours}@{digest}"
    assert image.job_image_line(pinned, [{"imageDigest": digest}], W).state == FINE
    for tagged in (ours, f"{ours}:1"):
        line = image.job_image_line(tagged, [{"imageTags": ["1"], "imageDigest": digest}], W)
        assert (line.state, line.mends) == (WARNS, f"planner stack PLAN --image {pinned}")
    assert image.job_image_line(ours, [], W).state == NOT_KNOWN


# the account


def test_ebs_key():
    assert account.ebs_key_line("alias/aws/ebs", None, W).state == FINE
    enabled = {"KeyState": "Enabled", "KeyManager": "CUSTOMER"}
    assert account.ebs_key_line("arn:k", enabled, W).state == NOT_KNOWN  # its policy is not read
    assert account.ebs_key_line("arn:k", {**enabled, "KeyManager": "AWS"}, W).state == FINE
    assert account.ebs_key_line("arn:k", {**enabled, "KeyState": "PendingDeletion"}, W).state == BLOCKS
    assert account.ebs_key_line("arn:k", {}, W).state == account.ebs_key_line("arn:k", DENIED, W).state == NOT_KNOWN


def test_service_roles():
    assert account.service_role_line("R", "s", {"Arn": "x"}, W).state == FINE
    missing = account.service_role_line("R", "s", NotKnown(why="no", code="NoSuchEntity"), W)
    assert (missing.state, "create-service-linked-role" in missing.mends) == (WARNS, True)
    assert account.SPOT in account.service_roles(wanted(spec(buying=Buying(kind="spot"))))
    assert account.LUSTRE in account.service_roles(wanted(spec("fsx-lustre")))
    assert list(account.service_roles(W)) == [account.AUTO_SCALING]


def test_cost_tags():
    active = [{"TagKey": tag, "Status": "Active"} for tag in account.TAGS]
    assert account.cost_tags_line(active, W).state == FINE
    idle = account.cost_tags_line([active[0], {"TagKey": account.TAGS[1], "Status": "Inactive"}], W)
    assert (idle.state, idle.usd_per_hour) == (WARNS, waiting_usd_per_hour(spec(), 8))
    assert "never used" in account.cost_tags_line([], W).said
    member = NotKnown(why="AccessDenied: Linked account doesn't have access to cost allocation tags", may=False)
    assert account.cost_tags_line(member, W).mends.startswith("run it in the management account")


def test_bundle():
    assert account.bundle_line(W) is None
    built, missing = account.bundle_line(wanted(bundle="")), account.bundle_line(wanted(bundle="x is not built"))
    assert (built.state, missing.state) == (FINE, BLOCKS)


# prices


def test_prices():
    assert prices.price_line("p5.48xlarge", 55.04 * 1.019, W).state == FINE
    up = prices.price_line("p5.48xlarge", 60.0, W)
    assert (up.state, up.usd_per_hour) == (WARNS, pytest.approx(8 * 4.96))
    down = prices.price_line("p5.48xlarge", 50.0, W)
    assert (down.state, "less than planned" in down.means) == (WARNS, True)
    assert prices.price_line("i3.large", 1.0, W).state == NOT_KNOWN
    assert isinstance(prices.usd_of_answer([], "p5.48xlarge", "us-east-1", NOW.date()), NotKnown)
    assert isinstance(prices.usd_of_answer(["{"], "p5.48xlarge", "us-east-1", NOW.date()), NotKnown)
    assert prices.usd_of_answer(SILENT, "p5.48xlarge", "us-east-1", NOW.date()) is SILENT


# the law


def every(answer: NotKnown) -> list[Line]:
    need = quotas.Need(quota=quotas.VPCS, needed=1)
    return [
        rights.identity_line(answer),
        rights.rights_line("deployer", "it", QUESTION, [answer], W, True),
        quotas.quota_line(need, answer, 0.0, W),
        quotas.quota_line(need, {"Value": 9.0}, answer, W),
        places.region_line(answer, W),
        places.zone_line("use1-az4", answer, W),
        places.more_zone_line("p5.48xlarge", "use1-az6", answer),
        services.endpoint_line(answer, ZONES, W),
        services.endpoint_line([], answer, W),
        *services.service_lines(answer, wanted(spec("fsx-lustre"))),
        buckets.names_line(NAMES, answer, False, W),
        buckets.names_line(NAMES, [], answer, W),
        *buckets.public_lines(answer, {"corpus": answer}),
        buckets.region_line("corpus", answer, W),
        places.offering_line("p5.48xlarge", answer, W),
        places.subnet_line(answer, W),
        places.stack_line(answer, [], W),
        places.stack_line([], answer, W),
        places.internet_line(answer, [], W),
        places.internet_line({"InternetGatewayBlockMode": "off"}, answer, W),
        capacity.reservation_line(HELD, answer, W),
        capacity.block_offer_line(8, 6, answer, W),
        image.image_line("fleet", AMI, 200, "/dev/sda1", ("x86_64",), answer, W),
        image.job_image_line("image", answer, W),
        image.lustre_line(AMI, answer, W),
        image.allowed_line("fleet", AMI, answer, [IMAGE], W),
        image.allowed_line("fleet", AMI, "enabled", answer, W),
        account.ebs_key_line(answer, None, W),
        account.ebs_key_line("arn:k", answer, W),
        account.service_role_line("R", "s", answer, W),
        account.cost_tags_line(answer, W),
        prices.price_line("p5.48xlarge", answer, W),
    ]


@pytest.mark.parametrize("answer", [SILENT, DENIED, NotKnown(why="half an answer")])
def test_no_answer_is_never_fine(answer):
    for line in every(answer):
        assert line.state == NOT_KNOWN, line
        assert answer.why in line.said
        assert ("check-policy" in line.mends) == (not answer.may)


def test_the_law_has_every_check():
    called = inspect.getsource(every)
    rooms = (buckets, services, rights, quotas, places, capacity, image, account, prices)
    names = {name for room in rooms for name in vars(room) if name.endswith("_line") and name[0] != "_"}
    without_answer = {"unknown_quota_line", "bundle_line"}
    assert {name for name in names - without_answer if name not in called} == set()


def test_two_instance_types_need_the_quotas_interfaces_and_images_of_both():
    """4 x 96 + 2 x 192 vCPU of one quota; 4 x 5 + 2 x 33 interfaces."""
    asking = replace(wanted(mixed_spec()), interfaces=4 * 5 + 2 * 33)
    found = list(ask_quotas.quota_lines(asking, lambda action, **_: NotKnown(why=action), []))
    asked = {line.id: line.asked for line in found}
    assert "768 vCPUs more" in asked["quota.L-417A185B"]
    assert "86" in asked[f"quota.{quotas.INTERFACES.code}"]
    assert types_of(mixed_spec()) == ("p4d.24xlarge", "p5.48xlarge")
    # all nodes and the rest, an hour; and three of six, at their mean price
    rest = sum(usd for line, usd in mixed_spec().usd_per_hour.items() if not line.startswith("fleet.compute"))
    whole = 4 * P4D_USD + 2 * USD_PER_NODE_HOUR
    assert waiting_usd_per_hour(mixed_spec(), 6) == pytest.approx(whole + rest, abs=0.01)
    assert waiting_usd_per_hour(mixed_spec(release=True), 3) == pytest.approx(whole / 2 + rest, abs=0.01)
