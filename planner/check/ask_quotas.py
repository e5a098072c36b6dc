"""Asks for each quota that a stack needs, and for what the account uses of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planner.check import quotas
from planner.check.calls import Ask
from planner.check.line import NOT_KNOWN, Line, NotKnown, half
from planner.check.wanted import Wanted
from planner.stack.spec import ClusterSpec, is_known


def quota_lines(wanted: Wanted, ask: Ask, hardware: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """A line for each quota. hardware: of the stack's types, from EC2."""
    spec = wanted.spec
    vcpu: dict[str, int] = {one.fleet.instance_type: one.fleet.vcpu for one in spec.by_type}
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
        (quotas.INTERFACES, float(wanted.interfaces), ask("ec2:DescribeNetworkInterfaces")),
    ):
        need = quotas.Need(quota=quota, needed=needed)
        yield quotas.quota_line(need, _quota(quota, ask), _count(listed, spec.stack), wanted)
    need = quotas.Need(
        quota=quotas.VOLUMES, needed=_roots_tib(spec), of_node=spec.fleet.root_volume_gib / quotas.GIB_IN_TIB
    )
    listed = ask("ec2:DescribeVolumes", Filters=[{"Name": "volume-type", "Values": ["gp3"]}])
    yield quotas.quota_line(need, _quota(quotas.VOLUMES, ask), _volumes_tib(listed, spec.stack), wanted)
    need = quotas.Need(quota=quotas.NAT, needed=1.0)
    yield quotas.quota_line(need, _quota(quotas.NAT, ask), _gateways(wanted, ask), wanted)
    if spec.lustre and (storage := quotas.LUSTRE.get(spec.lustre.deployment)):
        need = quotas.Need(quota=storage, needed=float(spec.lustre.capacity_gib))
        kinds = spec.lustre.deployment.replace("SCRATCH_2", "SCRATCH_")
        taken = _lustre_gib(ask("fsx:DescribeFileSystems"), spec.stack, kinds)
        yield quotas.quota_line(need, _quota(storage, ask), taken, wanted)
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


def _quota(quota: quotas.Quota, ask: Ask) -> Any:
    """The account's value, or AWS's default where the account has none of its own."""
    named = {"ServiceCode": quota.service, "QuotaCode": quota.code}
    answer = ask("servicequotas:GetServiceQuota", **named)
    if isinstance(answer, NotKnown) and answer.code == "NoSuchResourceException":
        return ask("servicequotas:GetAWSDefaultServiceQuota", **named)
    return answer


def _count(listed: Any, stack: str) -> float | NotKnown:
    return listed if isinstance(listed, NotKnown) else float(sum(not quotas.is_of(stack, entry) for entry in listed))


def _roots_tib(spec: ClusterSpec) -> float:
    """Root volumes of all nodes."""
    gib = sum(one.most_nodes * one.fleet.root_volume_gib for one in spec.by_type)
    gib += spec.control.count * spec.control.root_volume_gib
    gib += spec.nvme.nodes * spec.nvme.root_volume_gib if spec.nvme else 0
    return (gib + (spec.scheduler.login_volume_gib if spec.scheduler else 0)) / quotas.GIB_IN_TIB


def _volumes_tib(listed: Any, stack: str) -> float | NotKnown:
    """Of others. gp3 volumes, by the filter of the question."""
    if isinstance(listed, NotKnown):
        return listed
    others = [entry for entry in listed if not quotas.is_of(stack, entry)]
    if any("Size" not in entry for entry in others):
        return half("a volume without its size", "ec2:DescribeVolumes")
    return sum(entry["Size"] for entry in others) / quotas.GIB_IN_TIB


def _lustre_gib(systems: Any, stack: str, kinds: str) -> float | NotKnown:
    """Of others whose deployment type begins with `kinds`: both generations of scratch share one quota."""
    if isinstance(systems, NotKnown):
        return systems
    gib = 0.0
    for entry in systems:
        kind = entry.get("LustreConfiguration", {}).get("DeploymentType")
        if not str(kind).startswith(kinds) or quotas.is_of(stack, entry):
            continue
        if "StorageCapacity" not in entry:
            return half("a file system without its capacity", "fsx:DescribeFileSystems")
        gib += entry["StorageCapacity"]
    return gib


def _gateways(wanted: Wanted, ask: Ask) -> float | NotKnown:
    """NAT gateways of others in the stack's zone. AWS names their subnets, not their zones."""
    if not is_known(wanted.spec.zone_id):
        return NotKnown(why="no zone is chosen")
    filters = [{"Name": "availability-zone-id", "Values": [wanted.spec.zone_id]}]
    subnets = ask("ec2:DescribeSubnets", Filters=filters)
    states = [{"Name": "state", "Values": ["pending", "available"]}]
    gateways = ask("ec2:DescribeNatGateways", Filter=states)
    for answer in (subnets, gateways):
        if isinstance(answer, NotKnown):
            return answer
    here = {entry.get("SubnetId") for entry in subnets}
    return _count([entry for entry in gateways if entry.get("SubnetId") in here], wanted.spec.stack)
