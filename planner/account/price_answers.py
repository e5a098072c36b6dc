"""What AWS says about prices, as its APIs give it: whole answers over all pages, read only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from planner.account.aws_client import aws_errors
from planner.account.patience import Patience
from planner.errors import AwsProblem

POLICY = "infra/prices-policy.json"
PRICE_LIST_REGION = "us-east-1"  # the Price List API has few endpoints; each has all Regions
LINUX = "Linux/UNIX"
Entry = Mapping[str, Any]


def pages(
    client: Any, operation: str, token: str, what: str, patience: Patience, **arguments: Any
) -> Iterator[Mapping[str, Any]]:
    """Every page of an answer. token: name of the field that leads to the next one.

    Raises CredentialsProblem or AwsProblem; also where a page leads to itself.
    """
    asked = arguments
    seen: set[str] = set()
    while True:
        with aws_errors(what, POLICY):
            page = patience.call(what, getattr(client, operation), **asked)
        yield page
        following = page.get(token) or page.get(token[0].lower() + token[1:])
        if not following:
            return
        if following in seen:
            raise AwsProblem(f"{what}: AWS gives the same page again and again")
        seen.add(following)
        asked = {**arguments, token: following}


def products(pricing: Any, service: str, filters: Mapping[str, str], what: str, patience: Patience) -> Iterator[Entry]:
    """Documents of GetProducts. Raises AwsProblem for one that is not JSON."""
    terms = [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in filters.items()]
    for page in pages(
        *(pricing, "get_products", "NextToken", what, patience),
        ServiceCode=service,
        Filters=terms,
        FormatVersion="aws_v1",
        MaxResults=100,
    ):
        for text in page.get("PriceList", ()):
            try:
                yield json.loads(text) if isinstance(text, str) else text
            except ValueError:
                raise AwsProblem(f"{what}: a document of the price list is not JSON") from None


def savings_plan_rates(
    savingsplans: Any, region: str, types: Sequence[str], what: str, patience: Patience
) -> Iterator[Entry]:
    """Entries of DescribeSavingsPlansOfferingRates for Linux on shared hardware."""
    filters = {"region": [region], "instanceType": list(types), "productDescription": [LINUX], "tenancy": ["shared"]}
    for page in pages(
        *(savingsplans, "describe_savings_plans_offering_rates", "nextToken", what, patience),
        savingsPlanTypes=["Compute", "EC2Instance"],
        products=["EC2"],
        serviceCodes=["AmazonEC2"],
        filters=[{"name": name, "values": values} for name, values in filters.items()],
        maxResults=1000,
    ):
        yield from page.get("searchResults", ())


def spot_history(
    ec2: Any, types: Sequence[str], begin: datetime, end: datetime, what: str, patience: Patience
) -> Iterator[Entry]:
    """Entries of DescribeSpotPriceHistory for Linux; with each zone's price at the beginning of the window."""
    for page in pages(
        *(ec2, "describe_spot_price_history", "NextToken", what, patience),
        InstanceTypes=list(types),
        ProductDescriptions=[LINUX],
        StartTime=begin,
        EndTime=end,
        MaxResults=1000,
    ):
        yield from page.get("SpotPriceHistory", ())


def block_offerings(
    ec2: Any, instance_type: str, instances: int, hours: int, what: str, patience: Patience
) -> Iterator[Entry]:
    """Entries of DescribeCapacityBlockOfferings for any start that AWS offers."""
    for page in pages(
        *(ec2, "describe_capacity_block_offerings", "NextToken", what, patience),
        InstanceType=instance_type,
        InstanceCount=instances,
        CapacityDurationHours=hours,
    ):
        yield from page.get("CapacityBlockOfferings", ())


def placement_scores(
    ec2: Any, instance_type: str, instances: int, regions: Sequence[str], what: str, patience: Patience
) -> Iterator[Entry]:
    """Entries of GetSpotPlacementScores by zone id: 1 to 10, how likely spot is to be granted. Never a price."""
    for page in pages(
        *(ec2, "get_spot_placement_scores", "NextToken", what, patience),
        InstanceTypes=[instance_type],
        TargetCapacity=instances,
        TargetCapacityUnitType="units",
        SingleAvailabilityZone=True,
        RegionNames=list(regions),
    ):
        yield from page.get("SpotPlacementScores", ())
