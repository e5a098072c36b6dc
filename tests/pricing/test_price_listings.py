"""Complete listings: what their silence proves, and what it does not."""

from __future__ import annotations

from datetime import date

from pricing.build.days import Observation, parse_day
from pricing.build.listings import listings

TYPES = frozenset({"p5.48xlarge", "p4d.24xlarge"})
REGIONS = frozenset({"us-east-1", "eu-west-1", "us-east-1-atl-2a"})
FULL = date(2026, 7, 20)


def seen(day: str, *key: str) -> Observation:
    return Observation(key=key, usd="1", unit="Hrs", day=parse_day(day), grade="A", source="list")


def test_a_type_that_left_the_full_list_is_gone_even_if_its_hardware_is_not_known() -> None:
    old = seen("2025-04-28", "on_demand", "m1.small", "us-east-1")
    rows = [old, seen("2026-07-20", "on_demand", "p5.48xlarge", "us-east-1")]
    newest = listings(rows, date(2026, 9, 1), TYPES, REGIONS)[0]
    assert newest.when == FULL
    assert newest.misses(old.key, any_type=True)
    assert newest.misses(("on_demand", "p4d.24xlarge", "us-east-1"))
    assert not newest.misses(("on_demand", "m1.small", "us-east-1"))  # nobody asked about it
    assert not newest.misses(("on_demand", "p5.48xlarge", "us-east-1"))
    assert not newest.misses(("on_demand", "p4d.24xlarge", "eu-west-1"))  # another Region's list


def test_a_listing_later_than_the_book_proves_nothing() -> None:
    rows = [seen("2026-07-20", "on_demand", "p5.48xlarge", "us-east-1")]
    assert listings(rows, date(2026, 7, 19), TYPES, REGIONS) == ()


def test_a_block_page_speaks_about_regions_and_not_about_local_zones() -> None:
    rows = [seen("2026-07-22", "capacity_blocks", "p5.48xlarge", "us-east-1")]
    (page,) = listings(rows, date(2026, 9, 1), TYPES, REGIONS)
    assert page.misses(("capacity_blocks", "p5.48xlarge", "eu-west-1"))
    assert not page.misses(("capacity_blocks", "p5.48xlarge", "us-east-1-atl-2a"))


def test_a_part_of_the_block_page_is_no_listing() -> None:
    rows = [seen("2026-05-25", "capacity_blocks", "p5.48xlarge", "us-east-1")]
    assert listings(rows, date(2026, 9, 1), TYPES, REGIONS) == ()


def test_a_reserved_feed_speaks_only_about_types_that_it_lists() -> None:
    option = "ri-3y-standard-no-upfront"
    rows = [seen("2025-11-30", "commitments", "p5.48xlarge", "us-east-1", option)]
    (feed,) = listings(rows, date(2026, 9, 1), TYPES, REGIONS)
    one_year = "ri-1y-standard-no-upfront"
    assert feed.misses(("commitments", "p5.48xlarge", "us-east-1", one_year))
    assert not feed.misses(("commitments", "p4d.24xlarge", "us-east-1", one_year))
    assert not feed.misses(("commitments", "p4d.24xlarge", "us-east-1", one_year), any_type=True)
    assert not feed.misses(("commitments", "p5.48xlarge", "us-east-1", "sp-1y-instance-no-upfront"))
