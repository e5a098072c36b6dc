"""Offers of Capacity Blocks, as botocore's own model has them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from planner.account.offers import block_offers, parse_offers
from planner.errors import AwsProblem
from tests.account.stubs import ZONES, Cloud, offering


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


def test_pages_are_read_to_the_end_and_the_lowest_fee_is_first(cloud):
    ec2 = cloud.stub("ec2")
    asked = {"InstanceType": "p4d.24xlarge", "InstanceCount": 4, "CapacityDurationHours": 144}
    after = datetime(2026, 11, 22, tzinfo=UTC)
    ec2.add_response("describe_availability_zones", ZONES, {"AllAvailabilityZones": False})
    first = {"CapacityBlockOfferings": [offering(1, "5000")], "NextToken": "more"}
    ec2.add_response("describe_capacity_block_offerings", first, {**asked, "StartDateRange": after})
    second = {"CapacityBlockOfferings": [offering(2, "4531.20", "us-east-1a")]}
    ec2.add_response(
        "describe_capacity_block_offerings", second, {**asked, "StartDateRange": after, "NextToken": "more"}
    )
    found = block_offers(ec2.client, instance_type="p4d.24xlarge", instances=4, hours=144, after=after)
    assert [(offer.fee_usd, offer.zone_id, offer.hours) for offer in found] == [
        (4531.2, "use1-az4", 144),
        (5000.0, "use1-az6", 144),
    ]
    cloud.done()


@pytest.mark.parametrize(
    "wrong", [{"CurrencyCode": "EUR"}, {"UpfrontFee": "free"}, {"UpfrontFee": "nan"}, {"UpfrontFee": "0"}]
)
def test_a_fee_that_is_no_dollars_is_refused(wrong):
    with pytest.raises(AwsProblem, match="not a fee in USD"):
        parse_offers({"CapacityBlockOfferings": [{**offering(), **wrong}]}, {})


def test_hours_of_an_offer_without_them_are_those_of_its_window():
    bare = offering()
    del bare["CapacityBlockDurationHours"]
    assert parse_offers({"CapacityBlockOfferings": [bare]}, {})[0].hours == 6 * 24
