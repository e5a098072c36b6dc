"""Region, zone, what is sold there, and free addresses in the subnets of a deployed stack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planner.check.line import BLOCKS, NOT_KNOWN, WARNS, Line, Matter, NotKnown
from planner.check.wanted import Wanted, dollars, gpu_nodes, waiting, waits
from planner.stack.spec import is_known


def region_line(regions: Any, wanted: Wanted) -> Line:
    """Whether the account may use the Region."""
    region = wanted.spec.region
    mends = f"aws account enable-region --region-name {region}"
    matter = waits("region", f"is {region} enabled in this account", wanted, mends)
    if isinstance(regions, NotKnown):
        return matter.not_known(regions)
    state = next((entry.get("OptInStatus") for entry in regions if entry.get("RegionName") == region), None)
    if state in ("opt-in-not-required", "opted-in"):
        return matter.fine(state)
    if state is None:
        return matter.half("AWS names no such Region or no status")
    return matter.bad(BLOCKS, state)


def zone_line(zone: str, zones: Any, wanted: Wanted) -> Line:
    """Whether the zone id is one of this Region, and in order. zone: of the stack, or another of a worker pool."""
    id = "zone" if zone == wanted.spec.zone_id else f"zone.{zone}"
    mends = "planner stack PLAN --scenario ID --zone-id ZONE"
    matter = waits(id, f"is {zone} a zone of {wanted.spec.region}", wanted, mends)
    if isinstance(zones, NotKnown):
        return matter.not_known(zones)
    states = {entry.get("ZoneId"): entry for entry in zones}
    listed = ", ".join(sorted(filter(None, states)))
    if not is_known(zone):
        return replace(matter, asked="which zone").bad(BLOCKS, f"no zone chosen; the Region has {listed}")
    if zone not in states:
        return matter.bad(BLOCKS, f"no; it has {listed}")
    entry = states[zone]
    said = f"{entry.get('ZoneName')}, {entry.get('State')}, {entry.get('OptInStatus', 'opt-in-not-required')}"
    if entry.get("State") == "available" and entry.get("OptInStatus") != "not-opted-in":
        return matter.fine(said)
    if entry.get("State") is None:
        return matter.half("the zone has no state")
    return matter.bad(BLOCKS, said)


def offering_line(instance_type: str, offerings: Any, wanted: Wanted) -> Line:
    """Whether the type is sold in the zone. An offering is no promise of capacity."""
    region, zone = wanted.spec.region, wanted.spec.zone_id
    asked = f"is {instance_type} offered in {zone if is_known(zone) else region}"
    matter = waits(f"offering.{instance_type}", asked, wanted)
    if isinstance(offerings, NotKnown):
        return matter.not_known(offerings)
    zones = sorted(entry["Location"] for entry in offerings if entry.get("InstanceType") == instance_type)
    if not zones:
        return replace(matter, mends="plan another type or Region").bad(BLOCKS, f"no zone of {region} has it")
    listed = ", ".join(zones)
    if is_known(zone) and zone not in zones:
        mends = f"planner stack PLAN --scenario ID --zone-id {zones[0]}"
        return replace(matter, mends=mends).bad(BLOCKS, f"no; it is in {listed}")
    return matter.fine(f"yes: {listed}")


def more_zone_line(instance_type: str, zone: str, offerings: Any) -> Line:
    """Whether another zone of a worker pool has the type; the pool takes its nodes elsewhere where it has not."""
    matter = Matter(
        id=f"offering.{instance_type}.{zone}",
        asked=f"is {instance_type} offered in {zone}",
        means="the pool has a market less than planned: longer waits, more interruptions",
        mends="plan other zones",
    )
    if isinstance(offerings, NotKnown):
        return matter.not_known(offerings)
    sold = any((entry.get("InstanceType"), entry.get("Location")) == (instance_type, zone) for entry in offerings)
    return matter.fine("yes") if sold else matter.bad(WARNS, "no")


def internet_line(options: Any, subnets: Any, wanted: Wanted) -> Line:
    """Whether a setting of the account (VPC Block Public Access) lets the stack's NAT gateway out. subnets: of a stack
    that is deployed, whose network may be excluded from it."""
    mends = f"aws ec2 modify-vpc-block-public-access-options --region {wanted.spec.region} "
    mends += "--internet-gateway-block-mode block-ingress, which lets NAT gateways out; or exclude the stack's VPC"
    matter = waits("internet", "may the NAT gateway reach the internet", wanted, mends)
    usd, _ = waiting(wanted.spec, gpu_nodes(wanted.spec))
    matter = replace(
        matter,
        means=f"nodes cannot tell their group that they are ready; the stack costs {dollars(usd)} until it gives up",
        usd_per_hour=usd,
    )
    for answer in (options, subnets):
        if isinstance(answer, NotKnown):
            return matter.not_known(answer)
    mode = options.get("InternetGatewayBlockMode")
    if mode is None:
        return matter.half("the setting has no mode")
    if mode != "block-bidirectional":
        return matter.fine(f"yes: {mode}")
    if subnets:
        return matter.bad(NOT_KNOWN, f"{mode}; the check does not read which VPCs are excluded")
    return matter.bad(BLOCKS, f"{mode}, for every VPC that is not excluded")


def stack_line(subnets: Any, instances: Any, wanted: Wanted) -> Line:
    """What carries the stack's tags already: an update that was killed leaves it in no output. instances: that run."""
    spec = wanted.spec
    matter = Matter(
        id="stack",
        asked=f"what exists with the tags of stack {spec.stack}",
        means="the network bills without nodes: a fleet at zero, or an update that was cut off, and the next one may "
        "make parts of it twice",
        mends=f"planner teardown-check --stack {spec.stack} lists it; docs/operations.md, a killed `up`",
    )
    for answer in (subnets, instances):
        if isinstance(answer, NotKnown):
            return matter.not_known(answer)
    count = sum(len(entry.get("Instances", ())) for entry in instances)
    said = f"{len(subnets)} subnets, {count} instances that run"
    if subnets and not count:
        return matter.bad(WARNS, said)
    return matter.fine(said if subnets or count else "nothing")


def subnet_line(subnets: Any, wanted: Wanted) -> Line:
    """Whether the nodes' subnet of a deployed stack has addresses for all nodes and one round of replacements."""
    spec = wanted.spec
    needed = wanted.addresses
    asked = f"{needed:,} addresses for {spec.most_nodes} nodes in the nodes' subnet"
    mends = "planner stack PLAN --scenario ID --nic-profile ip-saving, or fewer nodes"
    matter = waits("addresses", asked, wanted, mends)
    if isinstance(subnets, NotKnown):
        return matter.not_known(subnets)
    if not subnets:
        return matter.fine("the stack has no subnet yet: `pulumi up` makes one of the size it needs")
    free = [entry.get("AvailableIpAddressCount") for entry in subnets]
    if any(count is None for count in free):
        return matter.half("a subnet without its count")
    most = max(free)
    if most >= needed:
        return matter.fine(f"{most:,} are free")
    usd, means = waiting(spec, most * spec.most_nodes // max(needed, 1))
    # nodes of the stack that run hold some of them
    said = f"{most:,} are free; nodes of this stack that run already hold some"
    return replace(matter, means=means, usd_per_hour=usd).bad(WARNS, said)
