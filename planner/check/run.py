"""Asks the account everything that a stack needs, and gives the lines in the order of what a mistake costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from planner.check import account, capacity, image, places, prices, quotas, rights
from planner.check.calls import Ask
from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown, half
from planner.check.wanted import Wanted, types_of
from planner.stack.deployed_resources import STACK_TAG
from planner.stack.spec import Block, is_known


def check(wanted: Wanted, ask: Ask, started: Callable[[str], None] = lambda _: None) -> list[Line]:
    """All lines. started: called with the name of each part before it asks."""
    hardware = cache(partial(_types, wanted, ask))  # two parts need it, and it is asked once
    parts: tuple[tuple[str, Callable[[], Iterator[Line]]], ...] = (
        ("rights", lambda: _rights(wanted, ask)),
        ("Region and zone", lambda: _places(wanted, ask)),
        ("quotas", lambda: _quotas(wanted, ask, hardware())),
        ("capacity", lambda: _capacity(wanted, ask)),
        ("images", lambda: _images(wanted, ask, hardware())),
        ("the account", lambda: _account(wanted, ask)),
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


def _rights(wanted: Wanted, ask: Ask) -> Iterator[Line]:
    arn = ask("sts:GetCallerIdentity")
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


def _places(wanted: Wanted, ask: Ask) -> Iterator[Line]:
    region = wanted.spec.region
    yield places.region_line(ask("ec2:DescribeRegions", RegionNames=[region], AllRegions=True), wanted)
    yield places.zone_line(ask("ec2:DescribeAvailabilityZones", AllAvailabilityZones=False), wanted)
    for name in types_of(wanted.spec):
        filters = [{"Name": "instance-type", "Values": [name]}]
        offered = ask("ec2:DescribeInstanceTypeOfferings", LocationType="availability-zone-id", Filters=filters)
        yield places.offering_line(name, offered, wanted)
    tags = [{"Name": f"tag:{STACK_TAG}", "Values": [wanted.spec.stack]}]
    yield places.subnet_line(ask("ec2:DescribeSubnets", Filters=tags), wanted)


def _quotas(wanted: Wanted, ask: Ask, hardware: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    spec = wanted.spec
    vcpu: dict[str, int] = {spec.fleet.instance_type: spec.fleet.vcpu}
    for entry in hardware:
        if count := entry.get("VCpuInfo", {}).get("DefaultVCpus"):
            vcpu[entry["InstanceType"]] = count
    states = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    used = quotas.used_vcpu(ask("ec2:DescribeInstances", Filters=states), spec.stack)
    for need in quotas.needs_in_vcpu(wanted, vcpu):
        if not isinstance(need, quotas.Need):
            yield quotas.unknown_quota_line(need, wanted)
            continue
        taken = used if isinstance(used, NotKnown) else used.get(need.quota.code, 0.0)
        yield quotas.quota_line(need, _quota(need.quota, ask), taken, wanted)
    for quota, needed, listed in (
        (quotas.ADDRESSES, 1.0, ask("ec2:DescribeAddresses")),
        (quotas.VPCS, 1.0, ask("ec2:DescribeVpcs")),
        (quotas.INTERFACES, float(spec.fleet.nodes * wanted.interfaces), ask("ec2:DescribeNetworkInterfaces")),
    ):
        need = quotas.Need(quota=quota, needed=needed)
        yield quotas.quota_line(need, _quota(quota, ask), _count(listed, spec.stack), wanted)
    if spec.lustre and spec.lustre.deployment == "PERSISTENT_2" and not spec.lustre.throughput_mbps:
        need = quotas.Need(quota=quotas.LUSTRE, needed=float(spec.lustre.capacity_gib))
        taken = _lustre_gib(ask("fsx:DescribeFileSystems"), spec.stack)
        yield quotas.quota_line(need, _quota(quotas.LUSTRE, ask), taken, wanted)
    elif spec.lustre:
        asked = f"FSx quota of {spec.lustre.deployment}"
        said = "no confirmed quota code of this deployment type"
        mends = f"aws service-quotas list-service-quotas --region {spec.region} --service-code fsx"
        yield Line(id="quota.fsx", state=NOT_KNOWN, asked=asked, said=said, mends=mends)
    if spec.workers:
        made = ask("batch:DescribeComputeEnvironments")
        taken = made if isinstance(made, NotKnown) else float(len(made))
        need = quotas.Need(quota=quotas.ENVIRONMENTS, needed=2.0 if spec.workers.tail_type else 1.0)
        yield quotas.quota_line(need, _quota(quotas.ENVIRONMENTS, ask), taken, wanted)


def _types(wanted: Wanted, ask: Ask) -> list[dict[str, Any]]:
    """Hardware of the stack's types, each asked for alone: EC2 refuses a list that has one unknown name."""
    found: list[dict[str, Any]] = []
    for name in types_of(wanted.spec):
        answer = ask("ec2:DescribeInstanceTypes", InstanceTypes=[name])
        found += [] if isinstance(answer, NotKnown) else answer
    return found


def _quota(quota: quotas.Quota, ask: Ask) -> Any:
    """The account's value, or AWS's default where the account has none of its own."""
    named = {"ServiceCode": quota.service, "QuotaCode": quota.code}
    answer = ask("servicequotas:GetServiceQuota", **named)
    if isinstance(answer, NotKnown) and answer.code == "NoSuchResourceException":
        return ask("servicequotas:GetAWSDefaultServiceQuota", **named)
    return answer


def _count(listed: Any, stack: str) -> float | NotKnown:
    return listed if isinstance(listed, NotKnown) else float(sum(not quotas.is_of(stack, entry) for entry in listed))


def _lustre_gib(systems: Any, stack: str) -> float | NotKnown:
    if isinstance(systems, NotKnown):
        return systems
    gib = 0.0
    for entry in systems:
        kind = entry.get("LustreConfiguration", {}).get("DeploymentType")
        if kind != "PERSISTENT_2" or quotas.is_of(stack, entry):
            continue
        if "StorageCapacity" not in entry:
            return half("a file system without its capacity", "fsx:DescribeFileSystems")
        gib += entry["StorageCapacity"]
    return gib


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
    for what, part, name in (
        ("fleet", spec.fleet, spec.fleet.instance_type),
        ("control", spec.control, spec.control.instance_type),
    ):
        if what == "control" and not (spec.control.count and spec.control.ami):
            continue
        images = ask("ec2:DescribeImages", ImageIds=[part.ami], IncludeDeprecated=True) if is_known(part.ami) else None
        size, device = part.root_volume_gib, part.root_device
        yield image.image_line(what, part.ami, size, device, processors.get(name, ()), images, wanted)


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
