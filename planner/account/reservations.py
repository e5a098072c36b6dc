"""Capacity reservations that a stack has or had, and the two ways to buy one."""

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

HELD = (
    "active",
    "pending",
    "scheduled",
    "payment-pending",
    "assessing",
    "delayed",
)  # states of a reservation that is ours or is being bought
BEGUN = "active"  # state of a block after its start; before that it is `payment-pending`, then `scheduled`


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """A reservation of this account. starts: of a block that has not begun, else None. ends: None for one that lasts
    until it is cancelled."""

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
        """Whether it is bought or being bought, and has not ended."""
        return self.state in HELD


def reservations_of(ec2: Any, stack: str) -> list[Reservation]:
    """All with the stack's tag: bought by earlier calls, and ended ones for as long as AWS lists them."""
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
    """Buy a block. AWS accepts no idempotency token here, so the client must not retry.

    Raises AwsProblem, also where AWS returns a reservation that is not held.
    """
    try:
        with aws_errors("the purchase of a Capacity Block"):
            answer = ec2.purchase_capacity_block(
                CapacityBlockOfferingId=offer.id, InstancePlatform="Linux/UNIX", TagSpecifications=[_tagged(tags)]
            )
    except AwsProblem as error:
        again = "run `planner reserve` again without --accept-usd: it finds a purchase by its tag"
        raise AwsProblem(f"{error}\nWithout a response from AWS, the purchase may have succeeded; {again}") from None
    found = _held(parse_reservation(answer["CapacityReservation"]))
    # the offer has what the response leaves out
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
    """Create an On-Demand Capacity Reservation for the nodes that target it. The same call again returns the first one.

    over: ids of the stack's earlier reservations that have ended; they change the idempotency token. EC2 returns the
    first reservation for a known token even after it was cancelled, and stops listing cancelled ones some day: such a
    one is added to `over`, once. Raises AwsProblem where AWS returns a reservation that is not held.
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
    """Raises AwsProblem for a reservation that ended or failed: nodes that target it never start."""
    if not found.held:
        raise AwsProblem(
            f"{found.id} is {found.state or 'without a state'} and holds no capacity; the stack file is unchanged. "
            "Look at it with `aws ec2 describe-capacity-reservations`, then run the same command again"
        )
    return found


def _tagged(tags: Mapping[str, str]) -> dict[str, Any]:
    return {
        "ResourceType": "capacity-reservation",
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }
