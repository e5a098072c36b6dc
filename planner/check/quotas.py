"""Service quotas against what the stack needs beside what the account already uses.

Codes: pages of AWS's quota tables and listings of several accounts (collected 2026-11-27; docs/check.md). No source
agrees on spot P6, on types that are not below, or on whether Capacity Blocks count against a vCPU quota: those lines
are not known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.account.tagged_resources import tags_in
from planner.check.line import BLOCKS, NOT_KNOWN, WARNS, Line, NotKnown, half
from planner.check.wanted import Nodes, Wanted, nodes_of, waiting, waits
from planner.stack.deployed_resources import STACK_TAG

GIB_IN_TIB = 1024
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
    """needed: in the quota's unit, beside what the account uses already. of_node: what a GPU node takes of it, where
    nodes count. doubt: why a shortage is not sure to refuse anything."""

    quota: Quota
    needed: float
    must: bool = True
    of_node: float = 0
    doubt: str = ""


ADDRESSES = Quota(service="ec2", code="L-0263D0A3", name="Elastic IP addresses", unit="addresses")
VPCS = Quota(service="vpc", code="L-F678F1CE", name="VPCs per Region", unit="VPCs")
INTERFACES = Quota(service="vpc", code="L-DF5E4CA3", name="network interfaces per Region", unit="interfaces")
NAT = Quota(service="vpc", code="L-FE5A380F", name="NAT gateways per Availability Zone", unit="gateways")
# deployment type -> storage. AWS lists a quota of throughput for Lustre on Intelligent-Tiering alone (AWS General
# Reference, "Amazon FSx endpoints and quotas", read 2026-11-29), which no stack deploys
_NO_THROUGHPUT = "storage capacity (throughput has no quota)"
LUSTRE = {
    "PERSISTENT_2": Quota(service="fsx", code="L-8F1B9C74", name=f"Lustre Persistent_2 {_NO_THROUGHPUT}", unit="GiB"),
    "SCRATCH_2": Quota(service="fsx", code="L-AD2FC696", name=f"Lustre Scratch {_NO_THROUGHPUT}", unit="GiB"),
}
VOLUMES = Quota(service="ebs", code="L-7A658B76", name="storage of gp3 volumes", unit="TiB")
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
        key = quota.code, nodes.must and not block
        before = found.get(key) or Need(quota=quota, needed=0)
        found[key] = Need(
            quota=quota,
            needed=before.needed + nodes.count * each,
            must=nodes.must,
            of_node=each if nodes.instance_type == wanted.spec.fleet.instance_type else before.of_node,
            doubt="AWS does not say whether Capacity Blocks count against this quota" if block else "",
        )
    return [*found.values(), *unknown]


def is_of(stack: str, entry: Mapping[str, Any]) -> bool:
    """Whether what AWS lists is of this stack, by its tag; network interfaces have their tags in a TagSet."""
    return tags_in(entry.get("Tags") or entry.get("TagSet")).get(STACK_TAG) == stack


def used_vcpu(reservations: Sequence[Mapping[str, Any]] | NotKnown, stack: str) -> dict[str, float] | NotKnown:
    """Quota code -> vCPUs of instances that run or start, without those of this stack."""
    if isinstance(reservations, NotKnown):
        return reservations
    found: dict[str, float] = {}
    for entry in (one for group in reservations for one in group.get("Instances", ())):
        if is_of(stack, entry):
            continue
        market = entry.get("InstanceLifecycle") or "on-demand"
        quota = vcpu_quota(entry.get("InstanceType", ""), market) if market != "capacity-block" else None
        if quota is None:
            continue
        options = entry.get("CpuOptions", {})
        if "CoreCount" not in options or "ThreadsPerCore" not in options:
            return half(f"{entry.get('InstanceType')} has no CpuOptions", "ec2:DescribeInstances")
        found[quota.code] = found.get(quota.code, 0) + options["CoreCount"] * options["ThreadsPerCore"]
    return found


def quota_line(need: Need, quota: Any, used: float | NotKnown, wanted: Wanted) -> Line:
    """One quota. quota: AWS's entry of it. used: by others, in its unit."""
    of = need.quota
    matter = waits(
        f"quota.{of.code}", f"{of.name}: {_amount(need.needed)} {of.unit} more ({of.service} {of.code})", wanted
    )
    if isinstance(quota, NotKnown) or isinstance(used, NotKnown):
        unknown = quota if isinstance(quota, NotKnown) else used
        assert isinstance(unknown, NotKnown)  # one of the two
        return replace(matter, means=f"if it is too small: {matter.means}").not_known(unknown)
    value, unit = quota.get("Value"), quota.get("Unit", "None")
    if value is None:
        return replace(matter, means=f"if too small: {matter.means}").half("the quota has no value")
    said = f"{_amount(value)} {of.unit}, of which {_amount(used)} are in use"
    if unit not in ("None", "Count", "", of.unit):
        said = f"{said} (AWS's unit: {unit})"
    if need.needed + used <= value:
        return matter.fine(said)
    if need.of_node:
        usd, means = waiting(wanted.spec, int(max(0.0, value - used) // need.of_node))
        matter = replace(matter, means=means, usd_per_hour=usd)
    mends = increase(of, wanted.spec.region, need.needed + used)
    if quota.get("Adjustable") is False:
        mends = "AWS does not raise this quota: free some, or use another account"
    matter = replace(matter, mends=mends)
    if not need.must:
        matter = replace(matter, means=f"the later move finds no quota: {matter.means}")
    if need.doubt:
        return matter.bad(NOT_KNOWN, f"{said}; {need.doubt}")
    return matter.bad(BLOCKS if need.must else WARNS, said)


def _amount(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() or value >= 100 else f"{value:,.1f}"


def increase(quota: Quota, region: str, value: float) -> str:
    """The request that is prepared, for a person to send. value: in the quota's unit, for the account as a whole."""
    return (
        f"aws service-quotas request-service-quota-increase --region {region} --service-code {quota.service} "
        f"--quota-code {quota.code} --desired-value {math.ceil(value)}"
    )


def unknown_quota_line(nodes: Nodes, wanted: Wanted) -> Line:
    """Nodes whose quota or size nobody could name."""
    mends = (
        f"read it: aws service-quotas list-service-quotas --region {wanted.spec.region} --service-code ec2 "
        "--query \"Quotas[?contains(QuotaName, 'Instance')].[QuotaName,QuotaCode,Value]\" --output text"
    )
    asked = f"vCPU quota for {nodes.count} x {nodes.instance_type}, {nodes.market}"
    matter = waits(f"quota.{nodes.instance_type}.{nodes.market}", asked, wanted, mends)
    matter = replace(matter, means=f"if it is too small: {matter.means}")
    return matter.bad(NOT_KNOWN, "no confirmed quota code, or no vCPU count, of this type")
