"""Asks the account everything that a stack needs, and gives the lines in the order of what a mistake costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from planner.check import account, ask_quotas, buckets, capacity, image, places, prices, rights, services
from planner.check.calls import Ask
from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown, half
from planner.check.wanted import Wanted, types_of
from planner.stack.deployed_resources import STACK_TAG
from planner.stack.spec import Block, ClusterSpec, is_known

RUNS = ["pending", "running"]


def check(wanted: Wanted, ask: Ask, started: Callable[[str], None] = lambda _: None) -> list[Line]:
    """All lines. started: called with the name of each part before it asks."""
    # what several parts need is asked once
    hardware = cache(partial(_types, wanted, ask))
    who = cache(lambda: ask("sts:GetCallerIdentity"))
    zones = cache(lambda: ask("ec2:DescribeAvailabilityZones", AllAvailabilityZones=False))
    tags = [{"Name": f"tag:{STACK_TAG}", "Values": [wanted.spec.stack]}]
    subnets = cache(lambda: ask("ec2:DescribeSubnets", Filters=tags))
    parts: tuple[tuple[str, Callable[[], Iterator[Line]]], ...] = (
        ("rights", lambda: _rights(wanted, ask, who())),
        ("Region and zone", lambda: _places(wanted, ask, zones(), subnets())),
        ("endpoints", lambda: _services(wanted, ask, zones())),
        ("quotas", lambda: ask_quotas.quota_lines(wanted, ask, hardware())),
        ("capacity", lambda: _capacity(wanted, ask)),
        ("images", lambda: _images(wanted, ask, hardware())),
        ("the account", lambda: _account(wanted, ask)),
        ("buckets", lambda: _buckets(wanted, ask, who(), subnets())),
        ("prices", lambda: _prices(wanted, ask)),
    )
    found: list[Line] = []
    for name, part in parts:
        started(name)
        found += part()
    return found


def counts(lines: list[Line]) -> dict[str, int]:
    """State -> lines in it."""
    return {state: sum(line.state == state for line in lines) for state in (BLOCKS, NOT_KNOWN, WARNS, FINE)}


def _rights(wanted: Wanted, ask: Ask, arn: Any) -> Iterator[Line]:
    yield rights.identity_line(arn)
    for id, who, policies, must in (
        ("deployer", wanted.deployer or arn, wanted.policies, True),
        ("operator", wanted.operator, wanted.operating, False),
    ):
        if not who:
            said = "not asked: name its role or user with --operator ARN"
            asked = "may the operator do what infra/operator-policy.json lists"
            yield Line(id=id, state=NOT_KNOWN, asked=asked, said=said, mends="--operator ARN")
            continue
        source = _principal(who, ask)
        if isinstance(source, NotKnown):
            yield rights.rights_line(id, f"the {id}", _one(), [source], wanted, must)
            continue
        spec = wanted.spec
        asked_all = list(rights.questions(policies, spec.stack, spec.region, rights.account_of(source)))
        answers = [
            ask(
                "iam:SimulatePrincipalPolicy",
                PolicySourceArn=source,
                ActionNames=list(question.actions),
                ResourceArns=list(question.resources),
                **({"ContextEntries": list(question.context)} if question.context else {}),
            )
            for question in asked_all
        ]
        yield rights.rights_line(id, f"the {id}", asked_all, answers, wanted, must)


def _one() -> list[rights.Question]:
    return [rights.Question(sid="who", actions=(), resources=(), context=())]


def _principal(who: Any, ask: Ask) -> str | NotKnown:
    """The ARN whose policies IAM simulates."""
    if isinstance(who, NotKnown):
        return who
    if who.endswith(":root"):
        return NotKnown(why="the root user's policies cannot be simulated")
    name = rights.role_name(who)
    if not name:
        return who
    role = ask("iam:GetRole", RoleName=name)
    if isinstance(role, NotKnown):
        return role
    return role.get("Arn") or half("the role has no ARN", "iam:GetRole")


def _places(wanted: Wanted, ask: Ask, zones: Any, subnets: Any) -> Iterator[Line]:
    spec = wanted.spec
    yield places.region_line(ask("ec2:DescribeRegions", RegionNames=[spec.region], AllRegions=True), wanted)
    yield places.zone_line(spec.zone_id, zones, wanted)
    more = spec.workers.more_zones if spec.workers else ()
    for zone in more:
        yield places.zone_line(zone, zones, wanted)
    for name in types_of(spec):
        filters = [{"Name": "instance-type", "Values": [name]}]
        offered = ask("ec2:DescribeInstanceTypeOfferings", LocationType="availability-zone-id", Filters=filters)
        yield places.offering_line(name, offered, wanted)
        for zone in more:
            yield places.more_zone_line(name, zone, offered)
    tags = [{"Name": f"tag:{STACK_TAG}", "Values": [spec.stack]}, {"Name": "instance-state-name", "Values": RUNS}]
    yield places.stack_line(subnets, ask("ec2:DescribeInstances", Filters=tags), wanted)
    yield places.subnet_line(subnets, wanted)
    yield places.internet_line(ask("ec2:DescribeVpcBlockPublicAccessOptions"), subnets, wanted)


def _services(wanted: Wanted, ask: Ask, zones: Any) -> Iterator[Line]:
    filters = [{"Name": "service-name", "Values": services.names_of(wanted)}]
    details = ask("ec2:DescribeVpcEndpointServices", Filters=filters)
    yield services.endpoint_line(details, zones, wanted)
    yield from services.service_lines(details, wanted)


def _buckets(wanted: Wanted, ask: Ask, who: Any, subnets: Any) -> Iterator[Line]:
    account = who if isinstance(who, NotKnown) else rights.account_of(who)
    deployed = subnets if isinstance(subnets, NotKnown) else bool(subnets)
    listed = account if isinstance(account, NotKnown) else ask("s3:ListAllMyBuckets")
    yield buckets.names_line(buckets.names_of(wanted, str(account)), listed, deployed, wanted)
    closed = account if isinstance(account, NotKnown) else ask("s3:GetAccountPublicAccessBlock", AccountId=account)
    for name in wanted.spec.extra_buckets:
        yield buckets.region_line(name, ask("s3:GetBucketLocation", Bucket=name), wanted)
    each = {name: ask("s3:GetBucketPublicAccessBlock", Bucket=name) for name in wanted.spec.extra_buckets}
    yield from buckets.public_lines(closed, each)


def _types(wanted: Wanted, ask: Ask) -> list[dict[str, Any]]:
    """Hardware of the stack's types, each asked for alone: EC2 refuses a list that has one unknown name."""
    found: list[dict[str, Any]] = []
    for name in types_of(wanted.spec):
        answer = ask("ec2:DescribeInstanceTypes", InstanceTypes=[name])
        found += [] if isinstance(answer, NotKnown) else answer
    return found


def _capacity(wanted: Wanted, ask: Ask) -> Iterator[Line]:
    spec = wanted.spec
    blocks = spec.blocks
    if spec.buying.kind == "reservation":
        blocks = (Block(nodes=spec.fleet.nodes, reservation_id=spec.buying.reservation_id),)
    for block in blocks:
        if is_known(block.reservation_id):
            held = ask("ec2:DescribeCapacityReservations", CapacityReservationIds=[block.reservation_id])
            yield capacity.reservation_line(block, held, wanted)
        elif spec.buying.block_days:
            days = spec.buying.block_parts[0]
            offers = ask(
                "ec2:DescribeCapacityBlockOfferings",
                InstanceType=spec.fleet.instance_type,
                InstanceCount=block.nodes,
                CapacityDurationHours=days * 24,
            )
            yield capacity.block_offer_line(block.nodes, days, offers, wanted)
        else:
            mends = f"planner reserve --stack {spec.stack}"
            yield Line(id="block", state=BLOCKS, asked="which Capacity Block", said="none is bought", mends=mends)


def _images(wanted: Wanted, ask: Ask, hardware: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    spec = wanted.spec
    processors = {
        entry["InstanceType"]: tuple(entry.get("ProcessorInfo", {}).get("SupportedArchitectures", ()))
        for entry in hardware
    }
    allowed = ask("ec2:GetAllowedImagesSettings")
    for what, part, name in (
        *((_image_id(at, one), one.fleet, one.fleet.instance_type) for at, one in enumerate(spec.by_type)),
        ("control", spec.control, spec.control.instance_type),
    ):
        if what == "control" and not (spec.control.count and spec.control.ami):
            continue
        images = ask("ec2:DescribeImages", ImageIds=[part.ami], IncludeDeprecated=True) if is_known(part.ami) else None
        size, device = part.root_volume_gib, part.root_device
        yield image.image_line(what, part.ami, size, device, processors.get(name, ()), images, wanted)
        yield image.allowed_line(what, part.ami, allowed, images, wanted)
        if what == "fleet" and spec.lustre:
            yield image.lustre_line(part.ami, images, wanted)
    if spec.workers:
        named = image.of_ecr(spec.workers.image, spec.region)
        there = ask("ecr:DescribeImages", **named) if named else NotKnown(why="it is not in ECR of this Region")
        yield image.job_image_line(spec.workers.image, there, wanted)


def _image_id(at: int, spec: ClusterSpec) -> str:
    """fleet, and fleet.p5.48xlarge of a further instance type."""
    return f"fleet.{spec.fleet.instance_type}" if at else "fleet"


def _account(wanted: Wanted, ask: Ask) -> Iterator[Line]:
    key = ask("ec2:GetEbsDefaultKmsKeyId")
    own = not isinstance(key, NotKnown) and not key.endswith(account.AWS_KEY)
    yield account.ebs_key_line(key, ask("kms:DescribeKey", KeyId=key) if own else None, wanted)
    for role, service in account.service_roles(wanted):
        yield account.service_role_line(role, service, ask("iam:GetRole", RoleName=role), wanted)
    tags = ask("ce:ListCostAllocationTags", TagKeys=list(account.TAGS))
    yield account.cost_tags_line(tags, wanted)
    bundle = account.bundle_line(wanted)
    if bundle is not None:
        yield bundle


def _prices(wanted: Wanted, ask: Ask) -> Iterator[Line]:
    region = wanted.spec.region
    for name in types_of(wanted.spec):
        filters = prices.filters_of(name, region)
        listed = ask("pricing:GetProducts", ServiceCode="AmazonEC2", Filters=filters, FormatVersion="aws_v1")
        today = prices.usd_of_answer(listed, name, region, wanted.now.date())
        yield prices.price_line(name, today, wanted)
