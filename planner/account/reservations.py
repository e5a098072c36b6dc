"""Reservations of capacity: those that a stack has or had, and the two ways to buy one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from planner.account.aws_client import aws_errors
from planner.account.offers import Offer, utc
from planner.errors import AwsProblem
from planner.stack.deployed_resources import STACK_TAG

HELD = ("active", "pending", "scheduled", "payment-pending", "assessing", "delayed")  # states of what is still ours
BEGUN = "active"  # the state of a block from its start on; before it `scheduled`, and first `payment-pending`


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """A reservation of this account. starts: of a block that has not begun, else None. ends: None where it stands until
    it is cancelled."""

    id: str
    state: str
    instance_type: str
    instances: int
    zone_id: str
    kind: str
    starts: datetime | None
    ends: datetime | None

    @property
    def held(self) -> bool:
        """Whether it is still ours: bought or being bought, and not over."""
        return self.state in HELD


def reservations_of(ec2: Any, stack: str) -> list[Reservation]:
    """All that carry the stack's tag: what an earlier call bought, and what is over for as long as AWS shows it."""
    found: list[Reservation] = []
    filters = [{"Name": f"tag:{STACK_TAG}", "Values": [stack]}]
    with aws_errors("reservations of this stack"):
        for page in ec2.get_paginator("describe_capacity_reservations").paginate(Filters=filters):
            found += [parse_reservation(entry) for entry in page.get("CapacityReservations", ())]
    return found


def parse_reservation(entry: Mapping[str, Any]) -> Reservation:
    start, end = entry.get("StartDate"), entry.get("EndDate")
    block = entry.get("ReservationType") == "capacity-block"
    waits = block and entry.get("State") != BEGUN
    return Reservation(
        id=entry["CapacityReservationId"],
        state=entry.get("State", ""),
        instance_type=entry.get("InstanceType", ""),
        instances=entry.get("TotalInstanceCount", 0),
        zone_id=entry.get("AvailabilityZoneId", ""),
        kind="capacity-block" if block else "reservation",
        starts=utc(start) if start is not None and waits else None,
        ends=utc(end) if end is not None else None,
    )


def buy_block(ec2: Any, offer: Offer, tags: Mapping[str, str]) -> Reservation:
    """Buys. AWS takes no token by which a second call would be the first again, so the client must try but once.

    Raises AwsProblem, also where what AWS answers with is not held.
    """
    try:
        with aws_errors("the purchase of a Capacity Block"):
            answer = ec2.purchase_capacity_block(
                CapacityBlockOfferingId=offer.id, InstancePlatform="Linux/UNIX", TagSpecifications=[_tagged(tags)]
            )
    except AwsProblem as error:
        again = "`planner reserve` finds by its tag what was bought: run it again without --accept-usd to see"
        raise AwsProblem(f"{error}\nWhether it was bought is not known where no answer came; {again}") from None
    found = _held(parse_reservation(answer["CapacityReservation"]))
    # what the answer leaves out, the offer said
    return replace(
        found,
        zone_id=found.zone_id or offer.zone_id,
        starts=found.starts or (None if found.state == BEGUN else offer.starts),
        ends=found.ends or offer.ends,
    )


def reserve(
    ec2: Any,
    *,
    instance_type: str,
    instances: int,
    zone_id: str,
    group: str,
    tags: Mapping[str, str],
    over: Sequence[str] = (),
) -> Reservation:
    """An On-Demand Capacity Reservation for the nodes that name it; the same again gives the first.

    over: ids of the stack's earlier ones, after which the same is asked for anew. EC2 answers a token that it knows
    with the first reservation, also when that was cancelled since, and does not list a cancelled one for ever: one
    that comes back so joins `over`, once. Raises AwsProblem where what AWS answers with is not held.
    """
    wanted: dict[str, Any] = {
        "InstanceType": instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZoneId": zone_id,
        "InstanceCount": instances,
        "EndDateType": "unlimited",
        "InstanceMatchCriteria": "targeted",
        "TagSpecifications": [_tagged(tags)],
    }
    if group:
        wanted["PlacementGroupArn"] = group
    said = (instance_type, str(instances), zone_id, group, *sorted(map("=".join, tags.items())))
    found = _created(ec2, wanted, (*said, *sorted(over)))
    if not found.held:
        found = _created(ec2, wanted, (*said, *sorted({*over, found.id})))
    return _held(found)


def _created(ec2: Any, wanted: Mapping[str, Any], said: Sequence[str]) -> Reservation:
    token = hashlib.sha256("\n".join(said).encode()).hexdigest()[:48]
    with aws_errors("a Capacity Reservation"):
        answer = ec2.create_capacity_reservation(ClientToken=token, **wanted)
    return parse_reservation(answer["CapacityReservation"])


def _held(found: Reservation) -> Reservation:
    """Raises AwsProblem for one that is over or failed: nodes that target it never start."""
    if not found.held:
        raise AwsProblem(
            f"AWS answers with {found.id}, which is {found.state or 'in no state'}: it holds no capacity, and the "
            "stack file stays as it was. `aws ec2 describe-capacity-reservations` shows it; then run the same again"
        )
    return found


def _tagged(tags: Mapping[str, str]) -> dict[str, Any]:
    return {
        "ResourceType": "capacity-reservation",
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }
