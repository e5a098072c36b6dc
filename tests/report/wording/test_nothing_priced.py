"""A plan in every Region of the book has a recommendation, or an answer that names the price or the limit."""

import pytest

from planner.decide.compare import compare
from planner.estimate.request import Request
from planner.report.wording.answer import nothing
from pricing.book import default_book
from tests.builders import plan_of

BOOK = default_book()
REGIONS = [region for region in BOOK.regions() if region[-1].isdigit()]  # no Local Zones
EVERY = ["capacity-block", "on-demand", "sp-1y-instance-no-upfront", "spot-fallback"]


def answered(region: str, options=EVERY):
    plan = plan_of(
        region=region,
        start="2026-12-07",
        run={"work": {"gpu_hours": 38_000}, "deadline": "21d"},
        data={"hot_dataset": "80TB", "read_per_gpu": None, "checkpoint": "140GB"},
        fleet={"instance_types": ["p5.48xlarge"], "nodes": [12, 20]},
        purchase={"options": options},
    )
    return compare(Request(plan=plan, plan_sha256="0" * 64, book=BOOK, draws=200, derivations=False))


@pytest.mark.parametrize("region", REGIONS)
def test_every_region_has_an_answer(region):
    found = answered(region)
    if found.best is None:
        told = nothing(found)
        missing = f"no price for p5.48xlarge on-demand in {region}" in told
        assert missing or "in at least 9 of 10 outcomes" in told, told


def test_of_several_missing_prices_on_demand_is_named_and_the_others_are_not_passed_over():
    told = nothing(answered("us-gov-west-1"))
    assert "p5.48xlarge on-demand in us-gov-west-1" in told
    assert "nor for any other way to buy nodes that the plan allows" in told


def test_the_only_way_to_buy_is_named_alone():
    told = nothing(answered("us-gov-west-1", ["capacity-block"]))
    assert "p5.48xlarge capacity-block in us-gov-west-1" in told
    assert "nor for" not in told
