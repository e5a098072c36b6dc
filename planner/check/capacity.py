"""The reservation or Capacity Block against the stack file: state, size, zone, times, type; or what is on offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from planner.account.offers import usd_of, utc
from planner.account.reservations import BEGUN, parse_reservation
from planner.check.line import BLOCKS, WARNS, Line, Matter, NotKnown
from planner.check.wanted import DRIFT, REPRICE, Wanted, dollars, waiting, waits
from planner.stack.spec import Block, is_known
from planner.stack.timestamps import parse_timestamp

PLATFORM = "Linux/UNIX"


def reservation_line(block: Block, reservations: Any, wanted: Wanted) -> Line:
    """One reservation. block: id, nodes and times in the stack file."""
    spec = wanted.spec
    asked = f"{block.reservation_id}: {block.nodes} x {spec.fleet.instance_type} in {spec.zone_id}, {spec.buying.kind}"
    mends = f"aws ec2 describe-capacity-reservations --region {spec.region} --capacity-reservation-ids "
    mends += f"{block.reservation_id}; then write what is right into the stack file, or planner reserve"
    matter = waits(f"reservation.{block.reservation_id}", asked, wanted, mends)
    if isinstance(reservations, NotKnown):
        if reservations.code.startswith("InvalidCapacityReservationId"):
            return matter.bad(BLOCKS, "this account has no such reservation in this Region")
        return matter.not_known(reservations)
    entry = next((one for one in reservations if one.get("CapacityReservationId") == block.reservation_id), None)
    if entry is None or not all(entry.get(key) for key in ("State", "InstanceType", "TotalInstanceCount")):
        return matter.half("the reservation, or its state, type or size, is missing")
    wrong = list(_wrong(entry, block, wanted))
    held = parse_reservation(entry)
    until = f", until {held.ends:%Y-%m-%dT%H:%MZ}" if held.ends else ""
    said = f"{held.state}, {held.instances} x {held.instance_type} in {held.zone_id or 'an unnamed zone'}{until}"
    if wrong:
        return matter.bad(BLOCKS, f"{said}: {'; '.join(wrong)}")
    over = wanted.now + timedelta(days=spec.guard.max_days)
    if held.kind == "reservation" and held.ends is not None and held.ends < over:
        usd, _ = waiting(spec, spec.fleet.nodes)
        means = (
            f"a node that is lost after its end may not come back; the stack costs {dollars(usd)} while the job waits"
        )
        mends = f"aws ec2 modify-capacity-reservation --region {spec.region} --capacity-reservation-id {held.id} "
        matter = replace(matter, means=means, usd_per_hour=usd, mends=f"{mends}--end-date-type unlimited")
        return matter.bad(WARNS, f"{said}; the run may last until {over:%Y-%m-%d}")
    free = entry.get("AvailableInstanceCount")
    if held.state == "active" and free is not None and free < block.nodes:
        usd, means = waiting(spec, free)
        said = f"{said}; {free} of {held.instances} are free, unless nodes of this stack have the rest"
        return replace(matter, means=means, usd_per_hour=usd).bad(WARNS, said)
    return matter.fine(said)


def _wrong(entry: dict[str, Any], block: Block, wanted: Wanted) -> Iterator[str]:
    held, spec = parse_reservation(entry), wanted.spec
    if not held.held:
        yield f"it is {held.state} and holds no capacity"
    if held.kind != spec.buying.kind:
        yield f"it is a {held.kind}: the launch template asks for a {spec.buying.kind}, and no node starts"
    if held.instance_type != spec.fleet.instance_type:
        yield f"its type is {held.instance_type}"
    if held.instances < block.nodes:
        yield f"it has {held.instances} of {block.nodes} nodes"
    if is_known(spec.zone_id) and held.zone_id and held.zone_id != spec.zone_id:
        yield f"its zone is {held.zone_id}"
    # EC2 User Guide, "Launch instances into an existing Capacity Reservation" and "Use Capacity Reservations with
    # placement groups": type, platform, zone and tenancy match, and so does the group that it was created in
    if entry.get("Tenancy", "default") != "default":
        yield f"its tenancy is {entry['Tenancy']}: nodes on shared hardware cannot use it"
    if not entry.get("InstancePlatform", PLATFORM).startswith(PLATFORM):
        yield f"it is for {entry['InstancePlatform']}, not {PLATFORM}"
    group, ours = entry.get("PlacementGroupArn", ""), spec.buying.placement_group_name
    if group.rpartition("placement-group/")[2] != ours:
        made = f"was made in placement group {group}" if group else "is in no placement group"
        yield f"it {made}, and the nodes start in {ours or 'none'}"
    if held.ends is not None and held.ends <= wanted.now:
        yield f"it ended on {held.ends:%Y-%m-%dT%H:%MZ}"
    if is_known(block.ends) and held.ends is not None and held.ends != parse_timestamp(block.ends):
        yield f"the stack file says that it ends at {block.ends}"
    starts = entry.get("StartDate")
    if not block.starts and starts is not None and held.state != BEGUN and utc(starts) > wanted.now:
        yield f"it begins at {utc(starts):%Y-%m-%dT%H:%MZ}, and the nodes are asked for before: every launch fails"
    if is_known(block.starts) and starts is not None and utc(starts) != parse_timestamp(block.starts):
        yield f"the stack file says that it starts at {block.starts}, AWS at {utc(starts):%Y-%m-%dT%H:%MZ}"


def block_offer_line(nodes: int, days: int, offers: Any, wanted: Wanted) -> Line:
    """A block that is not bought yet: whether AWS offers one, and its fee against the plan's."""
    spec = wanted.spec
    matter = Matter(
        id="block.offer",
        asked=f"a Capacity Block of {nodes} x {spec.fleet.instance_type} for {days} days",
        means="without a block the run does not start",
        mends=f"planner reserve --stack {spec.stack} --dry-run, with other days, or plan another purchase",
    )
    if isinstance(offers, NotKnown):
        return matter.not_known(offers)
    fees = [usd for one in offers if one.get("CurrencyCode") == "USD" and (usd := usd_of(one.get("UpfrontFee", "")))]
    if offers and len(fees) < len(offers):
        return matter.half("an offer without a fee in USD")
    if not fees:
        return matter.bad(BLOCKS, "no offer today")
    said = f"{len(fees)} offers, from ${min(fees):,.2f}"
    rate = spec.usd_per_hour.get("fleet.compute")
    planned = rate / spec.fleet.nodes * nodes * days * 24 if rate else None
    if planned and abs(min(fees) / planned - 1) > DRIFT:
        more = min(fees) - planned
        means = f"the fee is ${abs(more):,.2f} {'more' if more > 0 else 'less'} than planned"
        return replace(matter, means=means, mends=REPRICE).bad(WARNS, f"{said}; the plan has ${planned:,.2f}")
    return matter.fine(f"{said}; not bought yet: planner reserve")
