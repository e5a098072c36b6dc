"""Capacity Blocks that AWS offers now, with their prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from planner.account.aws_client import aws_errors
from planner.errors import AwsProblem


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A Capacity Block as AWS offers it now. fee_usd: for all instances, paid upfront and not refundable."""

    id: str
    instance_type: str
    instances: int
    zone: str
    zone_id: str
    starts: datetime
    ends: datetime
    hours: float
    fee_usd: float


def zone_ids(ec2: Any) -> dict[str, str]:
    """Zone name -> zone id, in this account."""
    with aws_errors("its zones"):
        answer = ec2.describe_availability_zones(AllAvailabilityZones=False)
    return {entry["ZoneName"]: entry["ZoneId"] for entry in answer.get("AvailabilityZones", ())}


def block_offers(ec2: Any, *, instance_type: str, instances: int, hours: int, after: datetime | None) -> list[Offer]:
    """Blocks on offer now, the lowest fee first, then the earliest start."""
    wanted: dict[str, Any] = {"InstanceType": instance_type, "InstanceCount": instances, "CapacityDurationHours": hours}
    if after is not None:
        wanted["StartDateRange"] = after
    zones = zone_ids(ec2)
    found: list[Offer] = []
    with aws_errors("offers of Capacity Blocks"):
        for page in ec2.get_paginator("describe_capacity_block_offerings").paginate(**wanted):
            found += parse_offers(page, zones)
    return sorted(found, key=lambda offer: (offer.fee_usd, offer.starts, offer.id))


def parse_offers(answer: Mapping[str, Any], zones: Mapping[str, str]) -> list[Offer]:
    """The offers of one response. Raises AwsProblem for a fee that is not in USD."""
    found = []
    for entry in answer.get("CapacityBlockOfferings", ()):
        starts, ends = utc(entry["StartDate"]), utc(entry["EndDate"])
        found.append(
            Offer(
                id=entry["CapacityBlockOfferingId"],
                instance_type=entry["InstanceType"],
                instances=entry["InstanceCount"],
                zone=entry["AvailabilityZone"],
                zone_id=zones.get(entry["AvailabilityZone"], ""),
                starts=starts,
                ends=ends,
                # a segmented offer spans a longer window than it has hours
                hours=entry.get("CapacityBlockDurationHours") or (ends - starts).total_seconds() / 3600,
                fee_usd=fee_of(entry),
            )
        )
    return found


def fee_of(entry: Mapping[str, Any]) -> float:
    """The upfront fee of an offer or a purchase. Raises AwsProblem for one that is not in USD."""
    currency, fee = entry.get("CurrencyCode"), entry.get("UpfrontFee", "")
    usd = usd_of(fee)
    if currency != "USD" or usd is None:
        raise AwsProblem(f"an offer of {fee!r} {currency!r}: not a fee in USD")
    return usd


def usd_of(text: str) -> float | None:
    """A fee as AWS writes it; None for text that is not an amount."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if 0 < value < 1e12 else None


def utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
