"""What cannot stand: every impossible mix of a spec, each with why and what to write instead. All at once.

The types have been read by then; here is what does not go together, or what AWS does not sell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from planner.plan.wording import did_you_mean, shown
from planner.stack.check_buying import buying_findings
from planner.stack.check_storage import storage_findings
from planner.stack.component import component_of
from planner.stack.finding import Finding
from planner.stack.spec import LAYOUTS, NIC_PROFILES, PLACEHOLDER, ClusterSpec

_INSTANCE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+", re.ASCII)
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]", re.ASCII)
_AMI = re.compile(r"ami-[0-9a-f]{8,17}", re.ASCII)
_STACK = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_ADDRESS = re.compile(r"[^@\s,]+@[^@\s,]+\.[^@\s,]+")
# AWS Budgets API Reference, IamActionDefinition; IAM User Guide, quotas of names
_ROLE = re.compile(r"([A-Za-z0-9_+=,.@-]+/)*[A-Za-z0-9_+=,.@-]+", re.ASCII)
MOST_OF_A_ROLE, MOST_ROLES = 64, 100
_SHORT = {
    "north": "n",
    "south": "s",
    "east": "e",
    "west": "w",
    "central": "c",
    "northeast": "ne",
    "northwest": "nw",
    "southeast": "se",
    "southwest": "sw",
    "gov": "g",
}
GP3_MAX_GIB = 16_384  # EBS User Guide: gp3 volumes until the raise to 64 TiB, which root volumes do not need


def findings_of(spec: ClusterSpec) -> tuple[Finding, ...]:
    """Everything that keeps this spec from standing. Placeholders are no fault: a preview takes them."""
    parts = (_names(spec), _place(spec), _fleet(spec), buying_findings(spec), storage_findings(spec), _dollars(spec))
    return tuple(finding for part in parts for finding in part)


def zone_prefix(region: str) -> str:
    """What the zone ids of a region begin with: `use1` of us-east-1, `apse2` of ap-southeast-2."""
    area, *directions, number = region.split("-")
    return area + "".join(_SHORT.get(word, word[:1]) for word in directions) + number


def _names(spec: ClusterSpec) -> Iterator[Finding]:
    if not _STACK.fullmatch(spec.stack):
        yield Finding(
            path=("stack",),
            message=f"{shown(spec.stack)} is not a stack name: Pulumi takes letters, digits, '_', '-' and '.'",
            remedy="write one like dev",
        )
    if not _SHA256.fullmatch(spec.plan_sha256):
        yield Finding(
            path=("plan_sha256",),
            message="not a plan's hash: 64 hexadecimal digits tell which plan this stack stands for",
            remedy="`planner stack` writes it",
        )
    if spec.layout not in LAYOUTS:
        yield Finding(
            path=("layout",),
            message=f"unknown layout {shown(spec.layout)}",
            remedy=did_you_mean(spec.layout, LAYOUTS) or f"one of {', '.join(LAYOUTS)}",
        )
        return
    parts = spec.scenario.split("/")
    if len(parts) != 3:
        message = f"{shown(spec.scenario)} is not a scenario id: those have a layout, an instance type and a purchase"
        yield Finding(path=("scenario",), message=message, remedy="like converged/p4d.24xlarge/on-demand")
        return
    if parts[0].split("+")[0] != spec.layout:
        message = f"layout {spec.layout} is not that of scenario {shown(spec.scenario)}, whose dollars stand here"
        yield Finding(path=("layout",), message=message, remedy="choose the scenario of that layout by `planner stack`")
    instance = spec.fleet.instance_type
    if parts[1] not in (instance, f"{instance}x{spec.fleet.nodes}"):
        message = f"{spec.fleet.nodes} x {shown(instance)[1:-1]} are not the fleet of scenario {shown(spec.scenario)}"
        yield Finding(path=("fleet", "instance_type"), message=message, remedy="change the plan, then `planner stack`")


def _place(spec: ClusterSpec) -> Iterator[Finding]:
    if not _REGION.fullmatch(spec.region):
        message = f"{shown(spec.region)} is not a region"
        yield Finding(path=("region",), message=message, remedy="like us-east-1")
        return
    if PLACEHOLDER in spec.zone_id:
        return
    prefix = zone_prefix(spec.region)
    if not re.fullmatch(rf"{prefix}(-[a-z0-9]+)*-az[0-9]+", spec.zone_id, re.ASCII):
        yield Finding(
            path=("zone_id",),
            message=f"zone {shown(spec.zone_id)} is not in {spec.region}: everything stands in one zone of the region",
            remedy=f"a zone id, like {prefix}-az1; names like {spec.region}a mean another zone in every account",
        )


def _fleet(spec: ClusterSpec) -> Iterator[Finding]:
    fleet = spec.fleet
    if not _INSTANCE.fullmatch(fleet.instance_type):
        message = f"{shown(fleet.instance_type)} is not an instance type"
        yield Finding(path=("fleet", "instance_type"), message=message, remedy="like p5.48xlarge")
    if fleet.nodes < 1:
        message = f"a fleet of {fleet.nodes} nodes: a gang has at least one"
        yield Finding(path=("fleet", "nodes"), message=message, remedy="to take a stack down: pulumi destroy")
    images = [("fleet", fleet)] + ([("control", spec.control)] if spec.control.ami else [])
    for section, nodes in images:
        if PLACEHOLDER not in nodes.ami and not _AMI.fullmatch(nodes.ami):
            message = f"{shown(nodes.ami)} is not an image id: nodes start from one pinned image"
            yield Finding(path=(section, "ami"), message=message, remedy="like ami-0123456789abcdef0")
        if not nodes.root_device.startswith("/dev/"):
            message = f"{shown(nodes.root_device)} is not a device: the image has its own name for its root"
            yield Finding(path=(section, "root_device"), message=message, remedy="/dev/sda1 on Ubuntu")
    yield from _interfaces(spec)
    yield from _volume(("fleet", "root_volume_gib"), fleet.root_volume_gib)
    if fleet.vcpu < 1:
        message = f"{fleet.vcpu} vCPU: not an instance of any type"
        yield Finding(path=("fleet", "vcpu"), message=message, remedy="`planner stack` takes it from the catalogue")
    if not 0 <= fleet.reserved_vcpu < max(fleet.vcpu, 1):
        message = f"{fleet.reserved_vcpu} of {fleet.vcpu} vCPU kept for the pool: nothing is left to train with"
        yield Finding(path=("fleet", "reserved_vcpu"), message=message, remedy="keep fewer; 8 of 96 are usual")
    if fleet.reserved_vcpu and (not spec.layout_has("pool") or spec.layout_has("nvme")):
        message = f"{fleet.reserved_vcpu} vCPU kept for a pool that {spec.layout} does not have on the GPU nodes"
        yield Finding(path=("fleet", "reserved_vcpu"), message=message, remedy="write 0")


def _interfaces(spec: ClusterSpec) -> Iterator[Finding]:
    fleet, at = spec.fleet, ("fleet", "nic_profile")
    if fleet.network_cards < 1 or not 0 <= fleet.efa_interfaces <= fleet.network_cards:
        yield Finding(
            path=("fleet", "network_cards"),
            message=f"{fleet.efa_interfaces} EFA interfaces on {fleet.network_cards} network cards: a card carries one",
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
            f"several network cards with EFA, and this type has {fleet.network_cards} and {fleet.efa_interfaces} EFA",
            remedy="write ip-saving",
        )


def _volume(path: tuple[str, ...], gib: int) -> Iterator[Finding]:
    if not 1 <= gib <= GP3_MAX_GIB:
        message = f"a root volume of {gib} GiB: gp3 has 1 to {GP3_MAX_GIB:,} GiB"
        yield Finding(path=path, message=message, remedy="200 GiB hold a Deep Learning AMI with containers")


def _dollars(spec: ClusterSpec) -> Iterator[Finding]:
    guard = spec.guard
    if PLACEHOLDER not in guard.notify and not _ADDRESS.fullmatch(guard.notify):
        message = f"{shown(guard.notify)} is not an e-mail address: budget and alarms tell one"
        yield Finding(path=("guard", "notify"), message=message, remedy="like gpu-oncall@example.org")
    if guard.budget_usd <= 0:
        message = f"a budget of {guard.budget_usd:g} USD: AWS takes no budget of nothing"
        yield Finding(path=("guard", "budget_usd"), message=message, remedy="`planner stack` writes the forecast")
    for number, role in enumerate(guard.roles):
        if not _ROLE.fullmatch(role) or len(role.rpartition("/")[2]) > MOST_OF_A_ROLE:
            message = f"{shown(role)} is not the name of an IAM role, which the budget's action asks for"
            remedy = "the name, after its path where it has one: team/deployer; no ARN"
            yield Finding(path=("guard", "roles", number), message=message, remedy=remedy)
    if len(guard.roles) > MOST_ROLES:
        message = f"{len(guard.roles)} roles: a budget's action takes {MOST_ROLES}"
        yield Finding(path=("guard", "roles"), message=message, remedy="attach the Deny policy to the others yourself")
    if guard.max_days <= 0:
        message = f"{guard.max_days:g} days: the stack would be overdue at once"
        yield Finding(path=("guard", "max_days"), message=message, remedy="`planner stack` writes the plan's")
    if guard.alarms < 0:
        message = f"{guard.alarms} alarms"
        yield Finding(path=("guard", "alarms"), message=message, remedy="0 or more; the bill has 6")
    if spec.interface_endpoints < 0:
        message = f"{spec.interface_endpoints} interface endpoints"
        yield Finding(path=("interface_endpoints",), message=message, remedy="0 or more; the bill has 3")
    for line, usd in spec.usd_per_hour.items():
        if usd < 0:
            message = f"{usd:g} USD an hour: nothing that stands earns money"
            yield Finding(path=("usd_per_hour", line), message=message, remedy="`planner stack` writes the bill's")
    every = [*(("usd_per_hour", line) for line in spec.usd_per_hour)]
    every += [(name, i) for name in ("metered", "unpriced") for i in range(len(getattr(spec, name)))]
    counted = Counter([*spec.usd_per_hour, *spec.metered, *spec.unpriced])
    for name, key in every:
        line = key if isinstance(key, str) else getattr(spec, name)[key]
        try:
            component_of(line)
        except KeyError:
            message = f"{shown(line)} is no line of a bill that a stack carries"
            yield Finding(path=(name, key), message=message, remedy="remove it, or let `planner stack` write the bill")
        if counted[line] > 1:
            message = f"{shown(line)} stands more than once: a line bills by the hour, by use, or has no price"
            yield Finding(path=(name, key), message=message, remedy="keep one")
