"""Everything in a spec that cannot be deployed, each with the reason and the remedy.

Types have been checked before. This checks for values that contradict each other, or that AWS does not offer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace

from planner.layouts.registry import ROOMS
from planner.plan.wording import did_you_mean, shown
from planner.plan.zone_ids import is_zone, zone_prefix
from planner.stack.canary import why_none
from planner.stack.check_buying import buying_findings
from planner.stack.check_scheduler import scheduler_findings
from planner.stack.check_storage import storage_findings
from planner.stack.check_workers import worker_findings
from planner.stack.component import component_of
from planner.stack.finding import Finding
from planner.stack.spec import (
    BUDGET_ACTION,
    FLEET,
    GUARDS,
    LAYOUTS,
    NIC_PROFILES,
    PLACEHOLDER,
    SECTIONS,
    WORKERS,
    ClusterSpec,
    Control,
)

_INSTANCE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+", re.ASCII)
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]", re.ASCII)
_AMI = re.compile(r"ami-[0-9a-f]{8,17}", re.ASCII)
_STACK = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
_ADDRESS = re.compile(r"[^@\s,]+@[^@\s,]+\.[^@\s,]+")
# AWS Budgets API Reference, IamActionDefinition; IAM User Guide, quotas of names
_ROLE = re.compile(r"([A-Za-z0-9_+=,.@-]+/)*[A-Za-z0-9_+=,.@-]+", re.ASCII)
_POLICY = re.compile(r"arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[!-~]{1,1024}", re.ASCII)
MOST_OF_A_ROLE, MOST_ROLES = 64, 100
GP3_MAX_GIB = 16_384  # EBS User Guide: gp3 volumes until the raise to 64 TiB, which root volumes do not need


def findings_of(spec: ClusterSpec, *, preview: bool = False) -> tuple[Finding, ...]:
    """Everything that keeps this spec from being deployed. Placeholders are allowed: a preview accepts them.

    preview: whether a layout is accepted that is only priced, and not deployed yet.
    """
    layouts = SECTIONS if preview else LAYOUTS
    parts = (
        _names(spec, layouts),
        _place(spec),
        _fleet(spec),
        *(_further(one, number) for number, one in enumerate(spec.by_type[1:])),
        buying_findings(spec),
        storage_findings(spec),
        worker_findings(spec),
        scheduler_findings(spec),
        _reach(spec),
        _dollars(spec),
    )
    return tuple(finding for part in parts for finding in part)


def _names(spec: ClusterSpec, layouts: Container[str]) -> Iterator[Finding]:
    if not _STACK.fullmatch(spec.stack):
        yield Finding(
            path=("stack",),
            message=f"{shown(spec.stack)} is not a stack name: Pulumi takes letters, digits, '_', '-' and '.'",
            remedy="write one like dev",
        )
    if not _SHA256.fullmatch(spec.plan_sha256):
        yield Finding(
            path=("plan_sha256",),
            message="not a plan's hash: 64 hexadecimal digits identify the plan of this stack",
            remedy="`planner stack` writes it",
        )
    if spec.layout in SECTIONS and spec.layout not in layouts:
        message = f"{spec.layout} is {ROOMS[spec.layout].not_deployed}"
        yield Finding(path=("layout",), message=message, remedy=f"choose a scenario of {', '.join(LAYOUTS)}")
    elif spec.layout not in SECTIONS:
        yield Finding(
            path=("layout",),
            message=f"unknown layout {shown(spec.layout)}",
            remedy=did_you_mean(spec.layout, LAYOUTS) or f"one of {', '.join(LAYOUTS)}",
        )
        return
    parts = spec.scenario.split("/")
    if len(parts) != 3:
        message = f"{shown(spec.scenario)} is not a scenario id, which has a layout, an instance type and a purchase"
        yield Finding(path=("scenario",), message=message, remedy="like converged/p4d.24xlarge/on-demand")
        return
    of_fleet = parts[0] == FLEET and spec.scheduler is not None  # whose plan has one layout for every choice
    if parts[0].split("+")[0] != spec.layout and not of_fleet:
        message = f"layout {spec.layout} is not that of scenario {shown(spec.scenario)}, whose prices this file has"
        yield Finding(path=("layout",), message=message, remedy="choose a scenario of that layout with `planner stack`")
    instance = spec.fleet.instance_type
    if spec.layout == WORKERS:
        return  # of workers the plan gives the name
    sized = [f"{one.fleet.instance_type}x{one.fleet.nodes}" for one in spec.by_type]
    if parts[1] != instance and sorted(parts[1].split("+")) != sorted(sized):
        nodes = " and ".join(f"{one.fleet.nodes} x {shown(one.fleet.instance_type)[1:-1]}" for one in spec.by_type)
        message = f"{nodes} is not the fleet of scenario {shown(spec.scenario)}"
        yield Finding(
            path=("fleet", "instance_type"), message=message, remedy="change the plan, then run `planner stack`"
        )


def _place(spec: ClusterSpec) -> Iterator[Finding]:
    if not _REGION.fullmatch(spec.region):
        message = f"{shown(spec.region)} is not a region"
        yield Finding(path=("region",), message=message, remedy="like us-east-1")
        return
    if PLACEHOLDER in spec.zone_id:
        return
    prefix = zone_prefix(spec.region)
    if not is_zone(spec.zone_id, spec.region):
        yield Finding(
            path=("zone_id",),
            message=f"zone {shown(spec.zone_id)} is not in {spec.region}; the whole stack is in one zone of its region",
            remedy=f"write a zone id, like {prefix}-az1; a name like {spec.region}a is another zone in each account",
        )


def _fleet(spec: ClusterSpec) -> Iterator[Finding]:
    fleet = spec.fleet
    if not _INSTANCE.fullmatch(fleet.instance_type):
        message = f"{shown(fleet.instance_type)} is not an instance type"
        yield Finding(path=("fleet", "instance_type"), message=message, remedy="like p5.48xlarge")
    if fleet.nodes < 1:
        message = f"a fleet of {fleet.nodes} nodes: it needs at least one"
        yield Finding(path=("fleet", "nodes"), message=message, remedy="to remove the stack, run pulumi destroy")
    if spec.canary and (why := why_none(spec)):
        remedy = "remove the key, or write the file again with `planner stack` without --canary"
        yield Finding(path=("canary",), message=f"a canary: {why}", remedy=remedy)
    images = [("fleet", fleet)] + ([("control", spec.control)] if spec.control.ami else [])
    for section, nodes in images:
        if section == "fleet" and spec.layout == WORKERS and not nodes.ami:
            continue
        if PLACEHOLDER not in nodes.ami and not _AMI.fullmatch(nodes.ami):
            message = f"{shown(nodes.ami)} is not an image id: all nodes start from one pinned image"
            yield Finding(path=(section, "ami"), message=message, remedy="like ami-0123456789abcdef0")
        if not nodes.root_device.startswith("/dev/"):
            message = f"{shown(nodes.root_device)} is not a device name: each image names its root volume"
            yield Finding(
                path=(section, "root_device"),
                message=message,
                remedy="write /dev/sda1 for Ubuntu, /dev/xvda for Amazon Linux",
            )
    yield from _interfaces(spec)
    yield from _volume(("fleet", "root_volume_gib"), fleet.root_volume_gib)
    if fleet.vcpu < 1:
        message = f"{fleet.vcpu} vCPU: every instance type has at least one"
        yield Finding(path=("fleet", "vcpu"), message=message, remedy="`planner stack` takes it from the catalogue")
    if not 0 <= fleet.reserved_vcpu < max(fleet.vcpu, 1):
        message = f"{fleet.reserved_vcpu} of {fleet.vcpu} vCPU reserved for the pool: none is left for training"
        yield Finding(path=("fleet", "reserved_vcpu"), message=message, remedy="reserve fewer; 8 of 96 is usual")
    if fleet.reserved_vcpu and (not spec.layout_has("pool") or spec.layout_has("nvme")):
        message = f"{fleet.reserved_vcpu} vCPU reserved for a pool that {spec.layout} does not have on the GPU nodes"
        yield Finding(path=("fleet", "reserved_vcpu"), message=message, remedy="write 0")


def _further(spec: ClusterSpec, number: int) -> Iterator[Finding]:
    """Nodes of a further instance type, as of the first one; they hold no pool. spec: with these nodes alone."""
    at = ("scheduler", "others", number)
    for finding in _fleet(replace(spec, control=Control(), canary=False, pool=None)):
        yield replace(finding, path=(*at, *finding.path))
    if spec.fleet.reserved_vcpu:
        message = f"{spec.fleet.reserved_vcpu} vCPU reserved for a pool that is on the first instance type alone"
        yield Finding(path=(*at, "fleet", "reserved_vcpu"), message=message, remedy="write 0")


def _interfaces(spec: ClusterSpec) -> Iterator[Finding]:
    fleet, at = spec.fleet, ("fleet", "nic_profile")
    if fleet.network_cards < 1 or not 0 <= fleet.efa_interfaces <= fleet.network_cards:
        yield Finding(
            path=("fleet", "network_cards"),
            message=f"{fleet.efa_interfaces} EFA interfaces on {fleet.network_cards} cards: a card has at most one",
            remedy="`planner stack` takes both from the catalogue",
        )
    if fleet.nic_profile not in NIC_PROFILES:
        near = did_you_mean(fleet.nic_profile, NIC_PROFILES)
        message = f"unknown NIC profile {shown(fleet.nic_profile)}"
        yield Finding(path=at, message=message, remedy=near or f"one of {', '.join(NIC_PROFILES)}")
    elif fleet.nic_profile != "ip-saving" and (fleet.network_cards < 2 or not fleet.efa_interfaces):
        yield Finding(
            path=at,
            message=f"{fleet.nic_profile} is not for {shown(fleet.instance_type)[1:-1]}: it spreads IP traffic over "
            f"several cards with EFA, and this type has {fleet.network_cards} cards, {fleet.efa_interfaces} with EFA",
            remedy="write ip-saving",
        )


def _volume(path: tuple[str, ...], gib: int) -> Iterator[Finding]:
    if not 1 <= gib <= GP3_MAX_GIB:
        message = f"a root volume of {gib} GiB: gp3 volumes have 1 to {GP3_MAX_GIB:,} GiB"
        yield Finding(
            path=path, message=message, remedy="200 GiB is enough for a Deep Learning AMI and container images"
        )


def _reach(spec: ClusterSpec) -> Iterator[Finding]:
    """What GPU nodes reach beside the stack's own things."""
    for number, port in enumerate(spec.egress):
        if not 1 <= port <= 65_535:
            message = f"{port} is not a TCP port"
            yield Finding(path=("egress", number), message=message, remedy="write 1 to 65535, such as 80")
    for number, name in enumerate(spec.extra_buckets):
        if not _BUCKET.fullmatch(name):
            message = f"{shown(name)} is not the name of a bucket"
            yield Finding(path=("extra_buckets", number), message=message, remedy="write it without s3:// or arn:")


def _dollars(spec: ClusterSpec) -> Iterator[Finding]:
    guard = spec.guard
    if PLACEHOLDER not in guard.notify and not _ADDRESS.fullmatch(guard.notify):
        message = f"{shown(guard.notify)} is not an e-mail address, which budget and alarms need"
        yield Finding(path=("guard", "notify"), message=message, remedy="like gpu-oncall@example.org")
    if guard.budget_usd <= 0:
        message = f"a budget of {guard.budget_usd:g} USD: AWS accepts only positive budgets"
        yield Finding(path=("guard", "budget_usd"), message=message, remedy="`planner stack` writes the forecast")
    for number, role in enumerate(guard.roles):
        if not _ROLE.fullmatch(role) or len(role.rpartition("/")[2]) > MOST_OF_A_ROLE:
            message = f"{shown(role)} is not the name of an IAM role, which the budget's action needs"
            remedy = "write its name with its path, like team/deployer; not its ARN"
            yield Finding(path=("guard", "roles", number), message=message, remedy=remedy)
    if guard.give_up_hours < 0:
        message = f"{guard.give_up_hours:g} hours: a fleet cannot give up before it starts"
        yield Finding(path=("guard", "give_up_hours"), message=message, remedy="write hours, or 0 to wait for ever")
    for number, name in enumerate(guard.more):
        if name not in GUARDS:
            message, near = f"unknown guard {shown(name)}", did_you_mean(name, GUARDS)
            yield Finding(path=("guard", "more", number), message=message, remedy=near or f"one of {', '.join(GUARDS)}")
    if guard.roles and BUDGET_ACTION not in guard.more:
        message = f"roles without {BUDGET_ACTION}: nothing would stop them from buying"
        yield Finding(path=("guard", "roles"), message=message, remedy=f"remove them, or add {BUDGET_ACTION} to more")
    boundary = spec.permissions_boundary
    if boundary and not _POLICY.fullmatch(boundary):
        message = f"{shown(boundary)} is not the ARN of an IAM policy: AWS refuses every role that names it"
        remedy = "write it like arn:aws:iam::111122223333:policy/boundary"
        yield Finding(path=("permissions_boundary",), message=message, remedy=remedy)
    if len(guard.roles) > MOST_ROLES:
        message = f"{len(guard.roles)} roles: a budget's action accepts at most {MOST_ROLES}"
        yield Finding(path=("guard", "roles"), message=message, remedy="attach the Deny policy to the others yourself")
    if guard.max_days <= 0:
        message = f"{guard.max_days:g} days: the stack would be overdue immediately"
        yield Finding(
            path=("guard", "max_days"), message=message, remedy="`planner stack` writes the limit of the plan"
        )
    if guard.alarms < 0:
        message = f"{guard.alarms} alarms: a count cannot be negative"
        yield Finding(
            path=("guard", "alarms"), message=message, remedy="write 0 or more; the bill pays for 8 by default"
        )
    if spec.interface_endpoints < 0:
        message = f"{spec.interface_endpoints} interface endpoints: a count cannot be negative"
        yield Finding(
            path=("interface_endpoints",), message=message, remedy="write 0 or more; the bill pays for 3 by default"
        )
    for line, usd in spec.usd_per_hour.items():
        if usd < 0:
            message = f"{usd:g} USD per hour: no resource has a negative price"
            yield Finding(
                path=("usd_per_hour", line), message=message, remedy="`planner stack` writes the price of the bill"
            )
    every = [*(("usd_per_hour", line) for line in spec.usd_per_hour)]
    every += [(name, i) for name in ("metered", "unpriced") for i in range(len(getattr(spec, name)))]
    counted = Counter([*spec.usd_per_hour, *spec.metered, *spec.unpriced])
    for name, key in every:
        line = key if isinstance(key, str) else getattr(spec, name)[key]
        try:
            component_of(line)
        except KeyError:
            message = f"{shown(line)} is not a line of a stack's bill"
            yield Finding(
                path=(name, key), message=message, remedy="remove it, or write the bill again with `planner stack`"
            )
        if counted[line] > 1:
            message = f"{shown(line)} is listed more than once: a line is billed by the hour or by use, or has no price"
            yield Finding(path=(name, key), message=message, remedy="keep one of them")
