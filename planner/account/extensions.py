"""Extensions of a Capacity Block: what AWS offers now, what was bought before, and the purchase of one.

Facts: EC2 User Guide, "Extend Capacity Blocks"; EC2 API Reference, CapacityBlockExtension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from planner.account.aws_client import RefusedRequest, aws_errors
from planner.account.offers import Offer, fee_of, usd_of, utc
from planner.account.patience import THROTTLED
from planner.account.reservations import Reservation, parse_reservation
from planner.errors import AwsProblem

PENDING, FAILED, PAID = "payment-pending", "payment-failed", "payment-succeeded"
UNSURE = ("InternalError", "InternalFailure", "ServiceUnavailable", "Unavailable")  # AWS may have acted all the same
_SLOWER = "AWS limits how often it is called. Wait a minute, then run the same command again"
_CHANGED = "The offer or the block has changed: `planner reserve --extend --dry-run` shows what AWS offers now"
_ACCOUNT = "`aws sts get-caller-identity` shows the account, and the stack file has the Region and the ids"
_REMEDIES = {
    **dict.fromkeys(THROTTLED, _SLOWER),
    "UnsupportedOperation": "AWS does not extend this block: not every type, Region and state allows it. "
    "`planner leave` continues the run On-Demand",
    "InvalidCapacityReservationId.NotFound": f"It is not in this account and Region: {_ACCOUNT}",
}


@dataclass(frozen=True, kw_only=True)
class Extension:
    """An extension that was bought.

    starts, ends: of the added time. fee_usd: for all instances, None if unknown. status: PENDING, FAILED or PAID; only
    a paid one moves the end of its block.
    """

    reservation_id: str
    offering_id: str
    status: str
    hours: float
    starts: datetime
    ends: datetime
    fee_usd: float | None
    bought: datetime | None


def blocks_with(ec2: Any, ids: Sequence[str]) -> list[Reservation]:
    """The blocks with these ids as AWS has them now. Raises AwsProblem for an id that the account does not have."""
    with _refusals(f"Capacity Block {', '.join(ids)}"):
        answer = ec2.describe_capacity_reservations(CapacityReservationIds=list(ids))
    found = [parse_reservation(entry) for entry in answer.get("CapacityReservations", ())]
    if missing := sorted(set(ids) - {one.id for one in found}):
        raise AwsProblem(f"AWS lists no Capacity Block {', '.join(missing)}: {_ACCOUNT}")
    return found


def extensions_of(ec2: Any, reservation_ids: Sequence[str]) -> list[Extension]:
    """Every extension that these blocks were bought, whatever became of its payment, the oldest first."""
    found: list[Extension] = []
    pages = ec2.get_paginator("describe_capacity_block_extension_history")
    with _refusals(f"earlier extensions of {', '.join(reservation_ids)}"):
        for page in pages.paginate(CapacityReservationIds=list(reservation_ids)):
            found += map(_extension, page.get("CapacityBlockExtensions", ()))
    return sorted(found, key=lambda one: (one.bought or one.starts, one.starts))


def extension_offers(ec2: Any, reservation_id: str, hours: int) -> list[Offer]:
    """Extensions of a block by so many hours that are on offer now, the lowest fee first. Raises AwsProblem."""
    found: list[Offer] = []
    pages = ec2.get_paginator("describe_capacity_block_extension_offerings")
    with _refusals(f"offers to extend {reservation_id}"):
        for page in pages.paginate(CapacityReservationId=reservation_id, CapacityBlockExtensionDurationHours=hours):
            found += map(_offer, page.get("CapacityBlockExtensionOfferings", ()))
    return sorted(found, key=lambda offer: (offer.fee_usd, offer.id))


def buy_extension(ec2: Any, offer: Offer, reservation_id: str) -> Extension:
    """Buy an extension. AWS accepts no idempotency token here, so the client must not retry.

    Raises AwsProblem, also where the payment has failed already; it says whether the purchase may have succeeded.
    """
    look = (
        f"`aws ec2 describe-capacity-block-extension-history --capacity-reservation-ids {reservation_id}` lists what "
        "was bought; `planner reserve --extend` reads it too, and does not buy again while a payment is pending"
    )
    unsure = f"The purchase may have succeeded. {look}"
    try:
        with _refusals(f"the extension of {reservation_id}"):
            answer = ec2.purchase_capacity_block_extension(
                CapacityBlockExtensionOfferingId=offer.id, CapacityReservationId=reservation_id
            )
    except RefusedRequest as error:
        raise AwsProblem(f"{error}\n{unsure}" if error.code in UNSURE else str(error)) from None
    except AwsProblem as error:
        raise AwsProblem(f"{error}\n{unsure}") from None
    made = [one for one in map(_extension, answer.get("CapacityBlockExtensions", ())) if one.offering_id == offer.id]
    if not made:
        raise AwsProblem(f"AWS answered the purchase for {reservation_id} without an extension. {unsure}")
    return made[0]


@contextmanager
def _refusals(what: str) -> Iterator[None]:
    """As aws_errors, with what to do about an error that AWS answers with before it acts."""
    try:
        with aws_errors(what):
            yield
    except RefusedRequest as error:
        if error.code in UNSURE:
            raise
        remedy = _REMEDIES.get(error.code, _CHANGED)
        raise RefusedRequest(f"{error}\nNothing bought. {remedy}", error.code) from None


def _offer(entry: Mapping[str, Any]) -> Offer:
    starts, ends = utc(entry["CapacityBlockExtensionStartDate"]), utc(entry["CapacityBlockExtensionEndDate"])
    return Offer(
        id=entry["CapacityBlockExtensionOfferingId"],
        instance_type=entry["InstanceType"],
        instances=entry["InstanceCount"],
        zone=entry.get("AvailabilityZone", ""),
        zone_id=entry.get("AvailabilityZoneId", ""),
        starts=starts,
        ends=ends,
        hours=entry.get("CapacityBlockExtensionDurationHours") or (ends - starts).total_seconds() / 3600,
        fee_usd=fee_of(entry),
    )


def _extension(entry: Mapping[str, Any]) -> Extension:
    starts, ends = utc(entry["CapacityBlockExtensionStartDate"]), utc(entry["CapacityBlockExtensionEndDate"])
    bought = entry.get("CapacityBlockExtensionPurchaseDate")
    return Extension(
        reservation_id=entry["CapacityReservationId"],
        offering_id=entry.get("CapacityBlockExtensionOfferingId", ""),
        status=entry.get("CapacityBlockExtensionStatus", ""),
        hours=entry.get("CapacityBlockExtensionDurationHours") or (ends - starts).total_seconds() / 3600,
        starts=starts,
        ends=ends,
        fee_usd=usd_of(entry.get("UpfrontFee", "")),
        bought=utc(bought) if bought is not None else None,
    )
