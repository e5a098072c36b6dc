"""A look-up answers with a price or says why there is none: never zero, never a neighbour's price."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from pricing import snapshot, spot
from pricing.book import NotOffered, PriceBook, PriceNotFound, load_as_of
from pricing.offers import Basis, Price, PurchaseOption
from pricing.spot import median

NEW, OLD, OLDEST = date(2026, 9, 1), date(2025, 5, 31), date(2023, 12, 31)
RI_1Y = PurchaseOption.parse("ri-1y-standard-no-upfront")


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_as_of(NEW)


def test_a_commitment_carries_its_own_date_grade_and_source(book: PriceBook) -> None:
    price = book.commitment("p4d.24xlarge", "us-east-1", RI_1Y).price
    assert (price.usd, price.observed, price.grade, price.basis) == (
        13.921094,
        date(2025, 11, 30),
        "A",
        Basis.CARRIED,
    )
    assert "2025-11-30" in price.source


def test_a_derived_savings_plan_is_grade_c_and_says_derived(book: PriceBook) -> None:
    price = book.commitment("p4d.24xlarge", "us-east-1", PurchaseOption.parse("sp-1y-instance-no-upfront")).price
    assert price.grade == "C"
    assert price.note.startswith("derived")


def test_a_reserved_instance_of_2025_is_not_carried_across_the_cut_of_that_june() -> None:
    # 2025-04-05 is 56 days before the book; the cut came a day after it
    price = load_as_of(OLD).commitment("p4d.24xlarge", "us-east-1", RI_1Y).price
    assert (price.usd, price.basis) == (20.1754983, Basis.CARRIED)


def test_what_the_feed_lists_without_is_not_offered(book: PriceBook) -> None:
    three_years = PurchaseOption.parse("ri-3y-standard-no-upfront")
    assert book.commitment("p5.48xlarge", "us-east-1", three_years).price.usd == 23.77728
    with pytest.raises(NotOffered, match="2025-11-30") as caught:
        book.commitment("p5.48xlarge", "us-east-1", RI_1Y)
    assert caught.value.because
    assert "p5.48xlarge ri-3y-standard-no-upfront in us-east-1" in caught.value.nearest


@pytest.mark.parametrize(
    ("day", "name", "offered"),
    [(NEW, "p5e.48xlarge", False), (OLDEST, "p5en.48xlarge", False), (OLD, "p5en.48xlarge", True)],
)
def test_absent_from_the_full_list_is_not_offered_on_demand(day: date, name: str, offered: bool) -> None:
    book = load_as_of(day)
    if offered:
        assert book.on_demand(name, "us-east-1").usd == 84.8
    else:
        with pytest.raises(NotOffered, match="complete listing"):
            book.on_demand(name, "us-east-1")


def test_a_region_without_a_full_list_is_not_known_rather_than_not_offered(book: PriceBook) -> None:
    with pytest.raises(PriceNotFound) as caught:
        book.on_demand("p5e.48xlarge", "eu-west-1")
    assert not isinstance(caught.value, NotOffered)


def test_capacity_blocks_by_the_page_of_their_date(book: PriceBook) -> None:
    assert book.capacity_block("p4d.24xlarge", "us-east-1").price.usd == 11.8
    with pytest.raises(NotOffered, match="2026-07-22"):
        book.capacity_block("p4d.24xlarge", "eu-west-1")
    with pytest.raises(NotOffered):
        book.capacity_block("g5.48xlarge", "us-east-1")
    # a Local Zone is a place of its own: its parent's price is not its price
    assert book.capacity_block("p5.48xlarge", "us-east-1-atl-2a").price.usd == 41.528
    for day in (OLDEST, OLD):  # before the first page that was read whole
        with pytest.raises(PriceNotFound) as caught:
            load_as_of(day).capacity_block("p4d.24xlarge", "us-east-1")
        assert not isinstance(caught.value, NotOffered)


def test_a_typo_gets_near_names_and_a_wrong_region_gets_regions(book: PriceBook) -> None:
    with pytest.raises(PriceNotFound) as typo:
        book.on_demand("p4d.24xlrge", "us-east-1")
    assert typo.value.nearest[0] == "p4d.24xlarge"
    assert typo.value.as_of == NEW
    with pytest.raises(PriceNotFound) as far:
        book.on_demand("p4d.24xlarge", "sa-east-1")
    assert far.value.nearest
    assert all(one.startswith("p4d.24xlarge in ") for one in far.value.nearest)
    with pytest.raises(PriceNotFound) as never:  # a machine that exists is not a slip of the finger
        book.commitment("p6-b200.48xlarge", "us-east-1", RI_1Y)
    assert never.value.nearest == ()
    with pytest.raises(PriceNotFound) as machine:
        book.instance("p4d.24")
    assert "p4d.24xlarge" in machine.value.nearest
    with pytest.raises(PriceNotFound) as item:
        book.metered("AmazonS3", "S3 Standard storge", "us-east-1")
    assert item.value.nearest[0] == "S3 Standard storage"


def test_spot_plans_with_the_median_of_the_zones_never_with_the_minimum(book: PriceBook) -> None:
    # T5; zones of 2026-08: 8.0087, 6.5323, 13.9933, 11.787 -> (8.0087 + 11.787) / 2
    offer = book.spot("p4d.24xlarge", "us-east-1")
    assert offer.planned.usd == pytest.approx((8.0087 + 11.787) / 2, abs=1e-6)
    assert offer.zone_id is None
    newest = [price.usd for zone, price in offer.observations if price.observed == offer.planned.observed]
    assert min(newest) < offer.planned.usd < max(newest)
    assert {price.observed for _, price in offer.observations} > {offer.planned.observed}, "older dates give the range"


def test_spot_of_a_named_zone_and_of_an_accounts_zone_name(book: PriceBook) -> None:
    assert book.spot("p4d.24xlarge", "us-east-1", "use1-az2").planned.usd == 6.5323
    with pytest.raises(PriceNotFound, match="use1-az") as caught:  # T12
        book.spot("p4d.24xlarge", "us-east-1", "us-east-1a")
    assert caught.value.nearest[0].startswith("p4d.24xlarge in zone use1-az")


def test_a_lowest_spot_price_alone_is_no_price() -> None:
    with pytest.raises(PriceNotFound, match="not a price to plan with"):
        load_as_of(OLDEST).spot("p4d.24xlarge", "us-east-1")


@pytest.mark.parametrize(("days", "planned"), [(0, 3.0), (45, 3.0), (46, 20.0)])
def test_zones_of_about_the_same_time_go_before_a_mean_which_one_zone_at_its_cap_moves(
    days: int, planned: float
) -> None:
    day = date(2026, 4, 30)

    def price(usd: float, observed: date) -> Price:
        return Price(usd=usd, unit="Hrs", observed=observed, grade="B", source="s")

    zones = [(f"use1-az{n}", "zone", price(usd, day)) for n, usd in enumerate((2.0, 3.0, 55.0))]
    found = spot.offer([*zones, ("", "mean", price(20.0, day + timedelta(days)))], "p5.48xlarge", "us-east-1", None)
    assert found is not None
    assert found.planned.usd == planned


def test_a_mean_stands_in_where_no_zone_is_known(book: PriceBook) -> None:
    without_zones = book.without(lambda table, row: table == "spot" and row["item"] == "zone")
    offer = without_zones.spot("p4d.24xlarge", "us-east-1")
    assert (offer.planned.usd, offer.planned.observed) == (14.091725, date(2026, 5, 12))
    assert offer.planned.note.startswith("mean over zones")


@pytest.mark.parametrize(("values", "middle"), [([3.0], 3.0), ([9.0, 1.0, 5.0], 5.0), ([4.0, 1.0, 2.0, 9.0], 3.0)])
def test_median(values: list[float], middle: float) -> None:
    assert median(values) == middle


def test_interruption_band(book: PriceBook) -> None:
    row = next(row for row in book.rows("interruptions") if row["label"] == ">20%")
    band = book.interruption(row["instance_type"], row["region"])
    assert (band.lower_fraction, band.upper_fraction) == (0.20, 1.0)
    assert band.observed == date(2025, 6, 28)
    with pytest.raises(PriceNotFound):
        book.interruption("p5.48xlarge", "mars-north-1")


def test_the_top_tier_of_egress_comes_with_its_own_grade(book: PriceBook) -> None:
    tiers = book.metered("AWSDataTransfer", "Data transfer out to internet", "us-east-1").tiers
    assert [tier.usd for tier in tiers] == [0.09, 0.085, 0.07, 0.05]
    assert [tier.grade for tier in tiers] == ["A", "A", "A", "C"]


def test_s3_in_2023_is_marked_as_carried_back() -> None:
    tiers = load_as_of(OLDEST).metered("AmazonS3", "S3 Standard storage", "us-east-1").tiers
    assert [(tier.tier_from, tier.usd) for tier in tiers] == [(0, 0.023), (51200, 0.022), (512000, 0.021)]
    assert all(tier.carried_back for tier in tiers)
    assert "also seen on 2023-06-19" in tiers[0].note


def test_a_price_that_began_in_april_2025_is_not_in_the_book_of_2023(book: PriceBook) -> None:
    item = ("AmazonS3", "S3 Express One Zone storage", "us-east-1")
    assert book.metered(*item).tiers[0].usd == 0.11
    with pytest.raises(PriceNotFound):
        load_as_of(OLDEST).metered(*item)


@pytest.mark.parametrize(
    ("gib", "iops"),
    # 72,000 / 24,000 = 3 steps of 12,000; FSx ends at 192,000
    [(1200, 1500), (2400, 3000), (9600, 6000), (45600, 12000), (48000, 24000), (72000, 36000), (480000, 192000)],
)
def test_included_metadata_iops(book: PriceBook, gib: int, iops: int) -> None:
    assert book.fsx_included_metadata_iops(gib) == iops


def test_a_size_that_fsx_does_not_sell(book: PriceBook) -> None:
    with pytest.raises(PriceNotFound):
        book.fsx_included_metadata_iops(600)


def test_fsx_performance(book: PriceBook) -> None:
    tiers = {(one.deployment, one.tier): one for one in book.fsx_performance()}
    fastest = tiers["PERSISTENT_2", 1000]
    assert (fastest.network_baseline, fastest.disk_read, fastest.network_burst) == (2600, 1000, None)
    scratch = tiers["SCRATCH_2", 200]
    assert (scratch.disk_read, scratch.disk_write) == (200, 100)


# --- take any row away ------------------------------------------------------------------------------


def _ask(book: PriceBook, table: str, row: snapshot.Row) -> object:
    if table == "on_demand":
        return book.on_demand(row["instance_type"], row["region"])
    if table == "commitments":
        return book.commitment(row["instance_type"], row["region"], PurchaseOption.parse(row["option"]))
    if table == "capacity_blocks":
        return book.capacity_block(row["instance_type"], row["region"])
    if table == "interruptions":
        return book.interruption(row["instance_type"], row["region"])
    return book.metered(row["service"], row["item"], row["region"], row["offering"])


@pytest.mark.parametrize("table", ["on_demand", "commitments", "capacity_blocks", "interruptions", "metered"])
def test_take_any_row_away_and_its_price_is_not_known(book: PriceBook, table: str) -> None:
    """T1, T2: neither zero nor a default nor a neighbour, and "not known", not "not offered"."""
    rows = book.rows(table)
    for row in rows[:: max(1, len(rows) // 12)]:
        assert _ask(book, table, row)
        less = book.without(lambda name, one, row=row: name == table and one == row)
        if table == "metered" and row["tier_from"] != "0":
            tiers = less.metered(row["service"], row["item"], row["region"], row["offering"]).tiers
            assert tiers[-1].tier_to == float(row["tier_from"])
            continue
        with pytest.raises(PriceNotFound) as caught:
            _ask(less, table, row)
        assert type(caught.value) is PriceNotFound


def test_a_middle_tier_taken_away_leaves_no_price_rather_than_a_gap(book: PriceBook) -> None:
    less = book.without(lambda table, row: table == "metered" and row["tier_from"] == "51200")
    with pytest.raises(PriceNotFound):
        less.metered("AmazonS3", "S3 Standard storage", "us-east-1")
    assert not less.intact
    assert less.sha256 != book.sha256
    assert book.metered("AmazonS3", "S3 Standard storage", "us-east-1").tiers[1].usd == 0.022


def test_a_row_for_every_region_says_nothing_about_local_zones(book: PriceBook) -> None:
    """`*` in not_offered means commercial Regions: a Local Zone of the same type is not known, rather than refused."""
    # a type with a `*` row, whose price in the Region is taken away
    proofs = [row for row in book.rows("not_offered") if row["region"] == "*"]
    assert proofs
    row = proofs[0]
    kind, local_zone, region = row["instance_type"], "us-west-2-lax-1", "us-west-2"
    alone = book.without(lambda table, other: table == row["table"] and other["instance_type"] == kind)

    def looked_up(where: str) -> object:
        if row["table"] == "capacity_blocks":
            return alone.capacity_block(kind, where)
        if row["table"] == "on_demand":
            return alone.on_demand(kind, where)
        return alone.commitment(kind, where, PurchaseOption.parse(row["option"]))

    with pytest.raises(NotOffered):
        looked_up(region)
    with pytest.raises(PriceNotFound) as caught:
        looked_up(local_zone)
    assert not isinstance(caught.value, NotOffered)


@pytest.mark.parametrize("grades", ["AB", "BA", "ABC", "CBA", "BCA"])
def test_a_median_of_zones_carries_the_worst_grade_of_the_rows_it_uses(grades: str) -> None:
    day = date(2026, 8, 31)
    seen = [
        (f"use1-az{n}", "zone", Price(usd=5.0 + n, unit="Hrs", observed=day, grade=grade, source=f"source {n}"))
        for n, grade in enumerate(grades, 1)
    ]
    found = spot.offer(seen, "p4d.24xlarge", "us-east-1", None)
    assert found is not None
    assert found.planned.grade == max(grades)


def test_a_median_of_zones_does_not_carry_the_grade_of_an_older_row() -> None:
    """Only the rows of the newest date are used, so an older grade C says nothing about the median."""
    new, old = date(2026, 8, 31), date(2026, 8, 1)
    seen = [
        ("use1-az1", "zone", Price(usd=5.0, unit="Hrs", observed=new, grade="A", source="new")),
        ("use1-az2", "zone", Price(usd=9.0, unit="Hrs", observed=old, grade="C", source="old")),
    ]
    found = spot.offer(seen, "p4d.24xlarge", "us-east-1", None)
    assert found is not None
    assert (found.planned.usd, found.planned.grade) == (5.0, "A")
