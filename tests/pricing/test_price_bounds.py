"""Bounds of a price that a Region lacks: the lowest and the highest of the other Regions, tier by tier."""

from __future__ import annotations

import csv
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import snapshot
from pricing.book import PriceBook, load_as_of
from pricing.bounds import bounds
from pricing.offers import Basis, Price

INF = float("inf")
NEW = date(2026, 10, 10)


def ladder(*tiers: tuple[float, float, float], grade: str = "A") -> tuple[Price, ...]:
    return tuple(
        Price(usd=usd, unit="GB", observed=NEW, grade=grade, source="s", tier_from=start, tier_to=end)
        for start, end, usd in tiers
    )


def shown(tiers: tuple[Price, ...]) -> list[tuple[float, float, float]]:
    return [(tier.tier_from, tier.tier_to, tier.usd) for tier in tiers]


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_as_of(NEW)


def test_worked_example_with_tiers_that_end_at_different_quantities() -> None:
    others = {
        "us-east-1": ladder((0, 100, 0.10), (100, INF, 0.05)),
        "eu-west-1": ladder((0, 50, 0.12), (50, INF, 0.07), grade="B"),
        "ap-south-1": ladder((0, 200, 0.09)),
    }
    found = bounds((), others, "s", "i", "eu-west-3")
    assert found is not None
    assert shown(found.low.tiers) == [(0, 50, 0.09), (50, 100, 0.07), (100, 200, 0.05), (200, INF, 0.05)]
    assert shown(found.high.tiers) == [(0, 50, 0.12), (50, 100, 0.10), (100, 200, 0.09), (200, INF, 0.07)]
    assert {tier.basis for tier in (*found.low.tiers, *found.high.tiers)} == {Basis.BOUNDED}
    assert found.low.tiers[0].grade == "B", "the worse of the two prices that are the bounds"
    assert "0.09 USD in ap-south-1 and 0.12 USD in eu-west-1" in found.low.tiers[0].source


def test_tiers_that_the_region_has_keep_their_price() -> None:
    others = {"a-b-1": ladder((0, 10, 3.0), (10, INF, 2.0)), "a-b-2": ladder((0, INF, 1.0))}
    found = bounds(ladder((0, 10, 2.5)), others, "s", "i", "eu-west-3")
    assert found is not None
    assert shown(found.low.tiers) == [(0, 10, 2.5), (10, INF, 1.0)]
    assert shown(found.high.tiers) == [(0, 10, 2.5), (10, INF, 2.0)]
    assert found.low.tiers[0].basis == Basis.OBSERVED


@pytest.mark.parametrize("others", [{}, {"us-east-1": ladder((0, INF, 1.0))}])
def test_one_region_shows_no_range(others: dict[str, tuple[Price, ...]]) -> None:
    assert bounds((), others, "s", "i", "eu-west-3") is None


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 1000), st.floats(0.001, 10)), min_size=1, max_size=4),
        min_size=2,
        max_size=5,
    ),
    st.integers(0, 3000),
)
def test_every_region_lies_between_the_bounds_at_every_quantity(
    regions: list[list[tuple[int, float]]], quantity: int
) -> None:
    others = {}
    for number, steps in enumerate(regions):
        ends, tiers = 0.0, []
        for width, usd in steps:
            tiers.append((ends, ends + width, usd))
            ends += width
        others[f"us-east-{number}"] = ladder(*tiers[:-1], (tiers[-1][0], INF, tiers[-1][2]))
    found = bounds((), others, "s", "i", "eu-west-3")
    assert found is not None

    def cost(tiers: tuple[Price, ...]) -> float:
        return sum(max(0.0, min(quantity, tier.tier_to) - tier.tier_from) * tier.usd for tier in tiers)

    low, high = cost(found.low.tiers), cost(found.high.tiers)
    assert [(t.tier_from, t.tier_to) for t in found.low.tiers] == [(t.tier_from, t.tier_to) for t in found.high.tiers]
    for tiers in others.values():
        assert low <= cost(tiers) * (1 + 1e-9)
        assert cost(tiers) <= high * (1 + 1e-9)


@pytest.mark.parametrize(
    ("service", "item", "region"),
    [
        ("AmazonVPC", "Interface endpoint, per availability zone", "us-east-2"),
        ("awskms", "Customer managed key", "eu-west-1"),
        ("AmazonEBS", "gp3 storage", "eu-south-2"),
    ],
)
def test_a_second_route_reads_the_same_bounds_from_the_table(
    book: PriceBook, service: str, item: str, region: str
) -> None:
    with (snapshot.DATA / str(NEW) / "metered.csv").open(newline="") as file:
        prices = [
            float(row["usd"])
            for row in csv.DictReader(file)
            if (row["service"], row["item"]) == (service, item) and row["region"].count("-") == 2
        ]
    found = book.metered_bounds(service, item, region)
    assert found is not None
    assert (found.low.tiers[0].usd, found.high.tiers[0].usd) == (min(prices), max(prices))
    assert found.low.tiers[0].unit == book.metered(service, item, "us-east-1").unit


def test_the_lowest_and_the_highest_on_demand_price_of_other_regions(book: PriceBook) -> None:
    regions = {row["region"] for row in book.rows("on_demand") if row["instance_type"] == "p5.48xlarge"}
    found = book.on_demand_bounds("p5.48xlarge", "eu-west-1")
    assert found is not None
    others = [book.on_demand("p5.48xlarge", region).usd for region in regions]
    assert (found.low.tiers[0].usd, found.high.tiers[0].usd) == (min(others), max(others))
    assert book.lowest_on_demand_elsewhere("p5.48xlarge", "eu-west-1") == min(others)
    assert book.lowest_on_demand_elsewhere("no.such", "eu-west-1") is None


def test_a_price_of_all_regions_gives_no_bounds(book: PriceBook) -> None:
    """Public IPv4 has one price, listed for `all`: it is known everywhere."""
    everywhere = ("AmazonVPC", "Public IPv4 address, in use")
    assert book.metered(*everywhere, "eu-west-3").tiers[0].usd > 0
    assert book.metered_bounds(*everywhere, "eu-west-3") is None
