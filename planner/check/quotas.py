"""Service quotas against what the stack needs beside what the account already uses.

Codes: pages of AWS's quota tables and listings of several accounts (collected 2026-11-27; docs/check.md). No source
agrees on spot P6, on types that are not below, or on whether Capacity Blocks count against a vCPU quota: those lines
are not known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown, not_known
from planner.check.wanted import Nodes, Wanted, nodes_of, waiting
from planner.stack.deployed_resources import STACK_TAG

_STANDARD = ("a", "c", "d", "h", "i", "im", "is", "m", "r", "t", "z")
# class of types -> quota of EC2 in vCPUs: On-Demand, spot (None: by family, below)
_VCPU = {
    "P": ("L-417A185B", None),
    "G and VT": ("L-DB2E81BA", "L-3819A6DF"),
    "Trn": ("L-2C3B7624", "L-6B0D517C"),
    "Inf": ("L-1945791B", "L-B5D1601B"),
    "Standard": ("L-1216C47A", "L-34B43A08"),
}
_SPOT_P = {"p2": "L-7212CCBC", "p3": "L-7212CCBC", "p4": "L-7212CCBC", "p5": "L-C4BD4855"}


@dataclass(frozen=True, kw_only=True)
class Quota:
    """service, code: of Service Quotas. unit: vCPUs, GiB or what is counted."""

    service: str
    code: str
    name: str
    unit: str


@dataclass(frozen=True, kw_only=True)
class Need:
    """needed: in the quota's unit, what stands already not counted. node_vcpu: vCPUs of a GPU node where they count.
    doubt: why a shortage is not sure to refuse anything."""

    quota: Quota
    needed: float
    must: bool = True
    node_vcpu: int = 0
    doubt: str = ""


ADDRESSES = Quota(service="ec2", code="L-0263D0A3", name="Elastic IP addresses", unit="addresses")
VPCS = Quota(service="vpc", code="L-F678F1CE", name="VPCs per Region", unit="VPCs")
INTERFACES = Quota(service="vpc", code="L-DF5E4CA3", name="network interfaces per Region", unit="interfaces")
LUSTRE = Quota(service="fsx", code="L-8F1B9C74", name="Lustre Persistent_2 storage capacity", unit="GiB")
ENVIRONMENTS = Quota(service="batch", code="L-144F0CA5", name="Batch compute environments", unit="environments")


def class_of(instance_type: str) -> str:
    """The class that quotas are by; empty where no source names one."""
    found = re.match("[a-z]+", instance_type)
    letters = found[0] if found else ""
    named = {"p": "P", "g": "G and VT", "gr": "G and VT", "vt": "G and VT", "trn": "Trn", "inf": "Inf"}
    return named.get(letters) or ("Standard" if letters in _STANDARD else "")


def vcpu_quota(instance_type: str, market: str) -> Quota | None:
    """The quota in vCPUs of a type on a market; None where its code is not known."""
    kind = class_of(instance_type)
    if not kind:
        return None
    on_demand, spot = _VCPU[kind]
    if market == "spot":
        code = spot or _SPOT_P.get(instance_type[:2])
        name = f"spot {instance_type[:2].upper() if kind == 'P' else kind} instances"
        return Quota(service="ec2", code=code, name=name, unit="vCPUs") if code else None
    return Quota(service="ec2", code=on_demand, name=f"On-Demand {kind} instances", unit="vCPUs")


def needs_in_vcpu(wanted: Wanted, vcpu: Mapping[str, int]) -> list[Need | Nodes]:
    """What the instances need, one need a quota; the nodes themselves where quota or vCPUs are not known."""
    found: dict[tuple[str, bool], Need] = {}
    unknown: list[Need | Nodes] = []
    for nodes in nodes_of(wanted.spec):
        quota, each = vcpu_quota(nodes.instance_type, nodes.market), vcpu.get(nodes.instance_type)
        if quota is None or each is None:
            unknown.append(nodes)
            continue
        block = nodes.market == "capacity-block"
        before = found.get((quota.code, nodes.must and not block))
        found[quota.code, nodes.must and not block] = Need(
            quota=quota,
            needed=nodes.count * each + (before.needed if before else 0),
            must=nodes.must,
            node_vcpu=each
            if nodes.instance_type == wanted.spec.fleet.instance_type
            else before.node_vcpu
            if before
            else 0,
            doubt="AWS does not say whether Capacity Blocks count against this quota" if block else "",
        )
    return [*found.values(), *unknown]


def used_vcpu(reservations: Sequence[Mapping[str, Any]] | NotKnown, stack: str) -> dict[str, float] | NotKnown:
    """Quota code -> vCPUs of instances that run or start, without those of this stack."""
    if isinstance(reservations, NotKnown):
        return reservations
    found: dict[str, float] = {}
    for entry in (one for group in reservations for one in group.get("Instances", ())):
        if any(tag.get("Key") == STACK_TAG and tag.get("Value") == stack for tag in entry.get("Tags", ())):
            continue
        market = entry.get("InstanceLifecycle") or "on-demand"
        quota = vcpu_quota(entry.get("InstanceType", ""), market) if market != "capacity-block" else None
        if quota is None:
            continue
        options = entry.get("CpuOptions", {})
        if "CoreCount" not in options or "ThreadsPerCore" not in options:
            return NotKnown(
                why=f"half an answer to ec2:DescribeInstances: {entry.get('InstanceType')} has no CpuOptions"
            )
        found[quota.code] = found.get(quota.code, 0) + options["CoreCount"] * options["ThreadsPerCore"]
    return found


def quota_line(need: Need, quota: Any, used: float | NotKnown, wanted: Wanted) -> Line:
    """One quota. quota: AWS's entry of it. used: by others, in its unit."""
    of = need.quota
    id, asked = f"quota.{of.code}", f"{of.name}: {need.needed:,.0f} {of.unit} more ({of.service} {of.code})"
    usd, means = waiting(wanted.spec, 0)
    if isinstance(quota, NotKnown) or isinstance(used, NotKnown):
        answer = quota if isinstance(quota, NotKnown) else used
        assert isinstance(answer, NotKnown)
        return not_known(id, asked, answer, f"if it is too small: {means}", usd)
    value, unit = quota.get("Value"), quota.get("Unit", "None")
    if value is None:
        return not_known(
            id, asked, NotKnown(why="half an answer: the quota has no value"), f"if too small: {means}", usd
        )
    said = f"{value:,.0f} {of.unit}, of which {used:,.0f} are in use"
    if unit not in ("None", "Count", "", of.unit):
        said = f"{said} (AWS's unit: {unit})"
    if need.needed + used <= value:
        return Line(id=id, state=FINE, asked=asked, said=said)
    if need.node_vcpu:
        usd, means = waiting(wanted.spec, int(max(0.0, value - used) // need.node_vcpu))
    fixed = quota.get("Adjustable") is False
    return Line(
        id=id,
        state=NOT_KNOWN if need.doubt else BLOCKS if need.must else WARNS,
        asked=asked,
        said=f"{said}; {need.doubt}" if need.doubt else said,
        means=means if need.must else f"the later move finds no quota: {means}",
        usd_per_hour=usd,
        mends="AWS does not raise this quota: free some, or use another account"
        if fixed
        else increase(of, wanted.spec.region, need.needed + used),
    )


def increase(quota: Quota, region: str, value: float) -> str:
    """The request that is prepared, for a person to send. value: in the quota's unit, for the account as a whole."""
    return (
        f"aws service-quotas request-service-quota-increase --region {region} --service-code {quota.service} "
        f"--quota-code {quota.code} --desired-value {math.ceil(value)}"
    )


def unknown_quota_line(nodes: Nodes, wanted: Wanted) -> Line:
    """Nodes whose quota or size nobody could name."""
    usd, means = waiting(wanted.spec, 0)
    region = wanted.spec.region
    return Line(
        id=f"quota.{nodes.instance_type}.{nodes.market}",
        state=NOT_KNOWN,
        asked=f"vCPU quota for {nodes.count} x {nodes.instance_type}, {nodes.market}",
        said="no confirmed quota code, or no vCPU count, of this type",
        means=f"if it is too small: {means}",
        usd_per_hour=usd,
        mends=f"read it: aws service-quotas list-service-quotas --region {region} --service-code ec2 "
        "--query \"Quotas[?contains(QuotaName, 'Instance')].[QuotaName,QuotaCode,Value]\" --output text",
    )
