"""AWS without AWS: clients of botocore whose answers are given, and checked against botocore's own service model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
from botocore.config import Config
from botocore.stub import Stubber

REGION, ACCOUNT = "us-east-1", "111122223333"


class Cloud:
    """Clients by service and Region, each with a Stubber; used in place of planner.account.aws_client.client."""

    def __init__(self) -> None:
        self.stubs: dict[tuple[str, str], Stubber] = {}
        self.attempts: list[tuple[str, int]] = []

    def stub(self, service: str, region: str = REGION) -> Stubber:
        if (service, region) not in self.stubs:
            made = boto3.client(
                service,
                region_name=region,
                aws_access_key_id="testing",
                aws_secret_access_key="testing",
                config=Config(retries={"total_max_attempts": 1}),
            )
            self.stubs[service, region] = Stubber(made)
            self.stubs[service, region].activate()
        return self.stubs[service, region]

    def client(self, service: str, region: str, *, attempts: int = 4) -> Any:
        self.attempts.append((service, attempts))
        return self.stub(service, region).client

    def done(self) -> None:
        """Every answer was asked for, so every call was made."""
        for stub in self.stubs.values():
            stub.assert_no_pending_responses()


def offering(number: int = 1, fee: str = "4531.2", zone: str = "us-east-1d", **more: Any) -> dict[str, Any]:
    return {
        "CapacityBlockOfferingId": f"cb-{number:017x}",
        "InstanceType": "p4d.24xlarge",
        "AvailabilityZone": zone,
        "InstanceCount": 4,
        "StartDate": datetime(2026, 11, 24, 11, 30, tzinfo=UTC),
        "EndDate": datetime(2026, 11, 30, 11, 30, tzinfo=UTC),
        "CapacityBlockDurationHours": 144,
        "UpfrontFee": fee,
        "CurrencyCode": "USD",
        "Tenancy": "default",
        **more,
    }


def reservation(kind: str = "capacity-block", state: str = "payment-pending", **more: Any) -> dict[str, Any]:
    ends = {"EndDate": datetime(2026, 11, 30, 11, 30, tzinfo=UTC)} if kind == "capacity-block" else {}
    return {
        "CapacityReservationId": "cr-0abcdef0123456789",
        "OwnerId": ACCOUNT,
        "AvailabilityZoneId": "use1-az6",
        "InstanceType": "p4d.24xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-1d",
        "TotalInstanceCount": 4,
        "State": state,
        "StartDate": datetime(2026, 11, 24, 11, 30, tzinfo=UTC),
        "EndDateType": "limited" if ends else "unlimited",
        "InstanceMatchCriteria": "targeted",
        "ReservationType": kind,
        **ends,
        **more,
    }


def extension_offering(starts: datetime, days: int, fee: str = "4531.20", number: int = 1) -> dict[str, Any]:
    """To extend the block of `reservation`, which ends at `starts`."""
    return {
        "CapacityBlockExtensionOfferingId": f"cbe-{number:017x}",
        "InstanceType": "p4d.24xlarge",
        "InstanceCount": 4,
        "AvailabilityZone": "us-east-1d",
        "AvailabilityZoneId": "use1-az6",
        "StartDate": starts - timedelta(days=6),
        "CapacityBlockExtensionStartDate": starts,
        "CapacityBlockExtensionEndDate": starts + timedelta(days=days),
        "CapacityBlockExtensionDurationHours": days * 24,
        "UpfrontFee": fee,
        "CurrencyCode": "USD",
        "Tenancy": "default",
    }


def extension(offered: dict[str, Any], status: str, bought: datetime) -> dict[str, Any]:
    """The purchase of an `extension_offering`."""
    return {
        **{key: value for key, value in offered.items() if key not in ("StartDate", "Tenancy")},
        "CapacityReservationId": "cr-0abcdef0123456789",
        "CapacityBlockExtensionStatus": status,
        "CapacityBlockExtensionPurchaseDate": bought,
    }


ZONES = {
    "AvailabilityZones": [
        {"ZoneName": "us-east-1a", "ZoneId": "use1-az4", "State": "available"},
        {"ZoneName": "us-east-1d", "ZoneId": "use1-az6", "State": "available"},
    ]
}


def arn(service: str, rest: str, region: str = REGION) -> str:
    return f"arn:aws:{service}:{region}:{ACCOUNT}:{rest}"


def mapping(arn_: str, name: str, stack: str = "dev") -> dict[str, Any]:
    tags = [{"Key": "planner:stack", "Value": stack}]
    if name:
        tags.append({"Key": "planner:name", "Value": name})
    return {"ResourceARN": arn_, "Tags": tags}
