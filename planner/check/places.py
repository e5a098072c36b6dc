"""Region, zone, what is sold there, and addresses in a subnet that stands."""

from __future__ import annotations

from typing import Any

from planner.check.line import BLOCKS, FINE, WARNS, Line, NotKnown, not_known
from planner.check.wanted import Wanted, waiting
from planner.stack.spec import is_known


def region_line(regions: Any, wanted: Wanted) -> Line:
    """Whether the account may use the Region."""
    region = wanted.spec.region
    asked = f"is {region} enabled in this account"
    usd, means = waiting(wanted.spec, 0)
    if isinstance(regions, NotKnown):
        return not_known("region", asked, regions, means, usd)
    state = next((entry.get("OptInStatus") for entry in regions if entry.get("RegionName") == region), None)
    if state in ("opt-in-not-required", "opted-in"):
        return Line(id="region", state=FINE, asked=asked, said=state)
    if state is None:
        return not_known(
            "region", asked, NotKnown(why="half an answer: AWS names no such Region or no status"), means, usd
        )
    mends = f"aws account enable-region --region-name {region}"
    return Line(id="region", state=BLOCKS, asked=asked, said=state, means=means, usd_per_hour=usd, mends=mends)


def zone_line(zones: Any, wanted: Wanted) -> Line:
    """Whether the zone id is one of this Region, and in order."""
    zone = wanted.spec.zone_id
    asked = f"is {zone} a zone of {wanted.spec.region}"
    usd, means = waiting(wanted.spec, 0)
    if isinstance(zones, NotKnown):
        return not_known("zone", asked, zones, means, usd)
    states = {entry.get("ZoneId"): entry for entry in zones}
    mends = "planner stack PLAN --scenario ID --zone-id ZONE"
    if not is_known(zone):
        said = f"no zone chosen; the Region has {', '.join(sorted(filter(None, states)))}"
        return Line(id="zone", state=BLOCKS, asked="which zone", said=said, means=means, usd_per_hour=usd, mends=mends)
    if zone not in states:
        said = f"no; it has {', '.join(sorted(filter(None, states)))}"
        return Line(id="zone", state=BLOCKS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)
    entry = states[zone]
    said = f"{entry.get('ZoneName')}, {entry.get('State')}, {entry.get('OptInStatus', 'opt-in-not-required')}"
    if entry.get("State") == "available" and entry.get("OptInStatus") != "not-opted-in":
        return Line(id="zone", state=FINE, asked=asked, said=said)
    if entry.get("State") is None:
        return not_known("zone", asked, NotKnown(why="half an answer: the zone has no state"), means, usd)
    return Line(id="zone", state=BLOCKS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)


def offering_line(instance_type: str, offerings: Any, wanted: Wanted) -> Line:
    """Whether the type is sold in the zone. An offering is no promise of capacity."""
    zone, id = wanted.spec.zone_id, f"offering.{instance_type}"
    asked = f"is {instance_type} offered in {zone if is_known(zone) else wanted.spec.region}"
    usd, means = waiting(wanted.spec, 0)
    if isinstance(offerings, NotKnown):
        return not_known(id, asked, offerings, means, usd)
    zones = sorted(entry["Location"] for entry in offerings if entry.get("InstanceType") == instance_type)
    if not zones or (is_known(zone) and zone not in zones):
        said = f"no; it is in {', '.join(zones)}" if zones else f"no zone of {wanted.spec.region} has it"
        mends = f"planner stack PLAN --scenario ID --zone-id {zones[0]}" if zones else "plan another type or Region"
        return Line(id=id, state=BLOCKS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)
    return Line(id=id, state=FINE, asked=asked, said=f"yes: {', '.join(zones)}")


def subnet_line(subnets: Any, wanted: Wanted) -> Line:
    """Whether the nodes' subnet of a stack that stands has addresses for all nodes and one round of replacements."""
    spec = wanted.spec
    needed = spec.fleet.nodes * wanted.addresses
    asked = f"{needed:,} addresses ({wanted.addresses} for each of {spec.fleet.nodes} nodes) in the nodes' subnet"
    usd, means = waiting(spec, 0)
    if isinstance(subnets, NotKnown):
        return not_known("addresses", asked, subnets, means, usd)
    if not subnets:
        said = "the stack has no subnet yet: `pulumi up` makes one of the size it needs"
        return Line(id="addresses", state=FINE, asked=asked, said=said)
    free = [entry.get("AvailableIpAddressCount") for entry in subnets]
    if any(count is None for count in free):
        return not_known("addresses", asked, NotKnown(why="half an answer: a subnet without its count"), means, usd)
    most = max(free)
    if most >= needed:
        return Line(id="addresses", state=FINE, asked=asked, said=f"{most:,} are free")
    usd, means = waiting(spec, most // max(wanted.addresses, 1))
    # nodes of the stack that run hold some of them
    said = f"{most:,} are free; nodes of this stack that run already hold some"
    mends = "planner stack PLAN --scenario ID --nic-profile ip-saving, or fewer nodes"
    return Line(id="addresses", state=WARNS, asked=asked, said=said, means=means, usd_per_hour=usd, mends=mends)
