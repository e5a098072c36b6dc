"""Choices and numbers as sentences name them."""

from __future__ import annotations

import pytest

from planner.layouts.registry import ROOMS
from planner.plan.assumptions import default_assumptions
from planner.report.wording.number_names import number_name
from planner.report.wording.spoken_choice import spoken_id, way
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("converged/p4d.24xlarge/capacity-block", "pooled NVMe on a Capacity Block"),
        ("fsx-lustre+250/p5.48xlargex64/spot", "FSx for Lustre (250 MB/s per TiB) on spot"),
        ("s3-stream/p5.48xlarge/sp-1y-compute-no-upfront", "S3 streaming on a 1-year Compute Savings Plan"),
        (
            "s3-stream/p5.48xlarge/ri-3y-convertible-all-upfront",
            "S3 streaming on 3-year convertible Reserved Instances, all upfront",
        ),
    ],
)
def test_an_id_in_words(id: str, said: str) -> None:
    assert spoken_id(id) == said


def test_a_place_is_said_as_nodes_of_a_type() -> None:
    said = "FSx for Lustre (250 MB/s per TiB) on spot, 1,064 x p5.48xlarge"
    assert spoken_id("fsx-lustre+250/p5.48xlargex1064/spot", place=True) == said
    for type_name in ("g5.xlarge", "p4d.24xlarge", "m8gd.metal-48xl"):
        assert spoken_id(f"s3-stream/{type_name}/spot", place=True) == f"S3 streaming on spot, {type_name}"
        assert spoken_id(f"s3-stream/{type_name}x2/spot", place=True) == f"S3 streaming on spot, 2 x {type_name}"


def test_every_layout_and_purchase_option_has_words_of_its_own() -> None:
    assert len({way(PurchaseOption.parse(one)) for one in ALL_PURCHASE_OPTIONS}) == len(ALL_PURCHASE_OPTIONS)
    assert len({room.brief for room in ROOMS.values()}) == len(ROOMS)


def test_every_assumption_has_words() -> None:
    """A new assumption needs a line in planner/report/wording/number_names.py."""
    said = {key: number_name(key) for key in default_assumptions()}
    assert [key for key, words in said.items() if words == key] == []
    assert len(set(said.values())) == len(said)


def test_prices_have_words() -> None:
    assert number_name("prices.on-demand") == "the On-Demand price of a node"
    assert number_name("prices.sp-1y-compute-no-upfront") == "the price of a node on a 1-year Compute Savings Plan"
    assert number_name("prices.own.0.usd") == "your own price no. 1"
