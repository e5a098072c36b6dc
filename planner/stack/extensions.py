"""When a Capacity Block can be extended, and the stack file with its new end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from planner.stack.spec import ClusterSpec, is_known
from planner.stack.timestamps import parse_timestamp, timestamp_text

# EC2 User Guide, "Extend Capacity Blocks": when AWS takes an extension, and until when it must be paid
EARLIEST, LATEST = timedelta(days=56), timedelta(hours=1)
PAYMENT, PAID_BEFORE_END = timedelta(hours=12), timedelta(minutes=35)
EXTENDABLE = ("active", "scheduled")
SHOWN_DAYS = (1, 2, 3, 7, 14)  # lengths that are asked for where none is given: AWS answers for one at a time


def why_not_extendable(id: str, state: str, ends: datetime, now: datetime, stack: str) -> str:
    """Why AWS does not extend a block now, with what to do; empty if it may."""
    leave = f"`planner leave --stack {stack}` continues the run On-Demand from its last checkpoint"
    at = f"{ends:%Y-%m-%d %H:%M} UTC"
    if ends <= now or state == "expired":
        return f"{id} ended at {at}: AWS extends a block only before its end. {leave}"
    if state not in EXTENDABLE:
        wait = "Run the command again when it is paid" if state == "payment-pending" else leave
        return f"{id} is {state or 'without a state'}: AWS extends a block only if it is active or scheduled. {wait}"
    if ends - now < LATEST:
        minutes = int((ends - now).total_seconds() // 60)
        return f"{id} ends at {at}, in {minutes} minutes: AWS extends it until one hour before its end. {leave}"
    if ends - now > EARLIEST:
        first = ends - EARLIEST
        return (
            f"{id} ends at {at}: AWS extends it from 56 days before its end. "
            f"Run the command again from {first:%Y-%m-%d %H:%M} UTC on"
        )
    return ""


def payment_due(bought: datetime, ends: datetime) -> datetime:
    """When the payment of an extension has failed, if it has not succeeded by then. ends: of the block before it."""
    return min(bought + PAYMENT, ends - PAID_BEFORE_END)


def with_ends(spec: ClusterSpec, ends: Mapping[str, datetime]) -> ClusterSpec:
    """The spec with the ends of its blocks as AWS has them, by reservation id. An end in other words stays as it is."""

    def end_of(id: str, text: str) -> str:
        if id not in ends or (is_known(text) and parse_timestamp(text) == ends[id]):
            return text
        return timestamp_text(ends[id])

    buying = spec.buying
    further = tuple(replace(one, ends=end_of(one.reservation_id, one.ends)) for one in buying.further_blocks)
    first = end_of(buying.reservation_id, buying.ends)
    return replace(spec, buying=replace(buying, ends=first, further_blocks=further))
