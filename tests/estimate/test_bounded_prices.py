"""A metered price that the book lacks in a Region lies between those of the others; the total says how much of it."""

from __future__ import annotations

import csv
import io
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.answer.gates import Gates, exit_code, violations
from planner.answer.recommend import SMALL
from planner.errors import ExitCode
from planner.estimate.bounded_prices import MOST_BOUNDED
from planner.estimate.result import Scenario
from planner.models.ledger import Ledger
from planner.models.quote import Quote
from planner.models.tiered_storage import tiered_storage, tiered_usd
from planner.report.data import comparison_csv
from planner.report.data.comparison_json import document
from planner.report.wording.answer import reasons
from pricing.book import PriceBook
from pricing.offers import MeteredPrice, Price
from tests.builders import book_of, by_id, compared, plan_of

NEWEST_BOOK = date(2026, 10, 10)
ENDPOINT = ("Interface endpoint, per availability zone", "us-east-1")
LINE = "network.interface-endpoints"
FEW = {"purchase": {"options": ["on-demand"]}, "storage": {"layouts": ["s3-stream", "converged"]}}


def without(*gone: tuple[str, str]) -> PriceBook:
    """The newest book without metered prices, each given by item and Region."""
    return book_of(NEWEST_BOOK).without(lambda table, row: table == "metered" and (row["item"], row["region"]) in gone)


def line_of(scenario: Scenario, name: str = LINE):
    return next(line for line in scenario.bill if line.line == name)


def test_the_middle_is_planned_and_the_line_is_marked() -> None:
    book = without(ENDPOINT)
    between = book.metered_bounds("AmazonVPC", *ENDPOINT)
    assert between is not None
    low, high = between.low.tiers[0].usd, between.high.tiers[0].usd
    assert low < high
    whole = by_id(compared(plan_of(**FEW), book=book_of(NEWEST_BOOK)))
    found = compared(plan_of(**FEW), book=book)
    for scenario in found.scenarios:
        line = line_of(scenario)
        assert scenario.complete
        assert (line.basis, line.bounded) == ("bounded", True)
        assert line.effective_unit_price == pytest.approx((low + high) / 2)
        assert line.bounds_usd == pytest.approx((low, high))
        assert scenario.bounded_fraction == pytest.approx(line.effective_cost / scenario.cost_usd.plan)
        known = line_of(whole[scenario.id])
        changed = line.quantity * (line.effective_unit_price - known.effective_unit_price)
        assert scenario.cost_usd.plan == pytest.approx(whole[scenario.id].cost_usd.plan + changed)
        (warning,) = [text for text in scenario.warnings if text.startswith("bounded")]
        assert "% of the total" in warning
        assert LINE in warning


def test_draws_lie_between_the_bounds_and_one_price_has_one_stream() -> None:
    book = without(ENDPOINT)
    asked: dict[str, np.ndarray] = {}

    def shares(stream: str):
        return asked.setdefault(stream, np.linspace(0.0, 1.0, 5))

    ledgers = [Ledger(book, "us-east-1", shares=shares) for _ in range(2)]
    for ledger in ledgers:
        ledger.metered(LINE, ("AmazonVPC", ENDPOINT[0]), equation="T3", quantity=10.0, inputs={})
    (first,), (second,) = (ledger.lines for ledger in ledgers)
    assert list(asked) == ["price/AmazonVPC/Interface endpoint, per availability zone/us-east-1/"]
    low, high = first.bounds_usd
    assert first.effective_unit_price == pytest.approx(np.linspace(low, high, 5))
    assert (first.effective_cost == second.effective_cost).all()


def test_the_range_of_a_total_holds_the_totals_at_both_bounds() -> None:
    plan = plan_of(**FEW, assumptions={})
    (one, *_) = compared(plan, book=without(ENDPOINT), draws=400).scenarios
    (known, *_) = compared(plan, book=book_of(NEWEST_BOOK), draws=400).scenarios
    low, high = (line_of(one).quantity * usd for usd in line_of(one).bounds_usd)
    # the same draws of everything else: the percentiles move by no more than the bounds allow
    moved = one.cost_usd.p50 - known.cost_usd.p50
    assert abs(moved) <= (high - low) * 2
    assert moved != 0


@pytest.mark.parametrize("size", ["1TB", "2PB"])
def test_a_total_has_less_than_two_percent_bounded_at_the_upper_bounds(size: str) -> None:
    """1 TB in S3 for four nodes is little, 2 PB are most of the bill: then the line has no price, as without bounds."""
    standard = ("S3 Standard storage", "us-east-1")
    plan = plan_of(**FEW, data={"hot_dataset": "1TB", "kept_in_s3": size}, run={"work": {"gpu_hours": 40_000}})
    for scenario in compared(plan, book=without(standard)).scenarios:
        at_most = sum(line.highest_cost for line in scenario.bill if line.bounded)
        total = sum(line.highest_cost for line in scenario.bill)
        if scenario.complete:
            assert 0 < at_most < MOST_BOUNDED * total
        else:
            assert "storage.s3.standard" in {entry.line for entry in scenario.unpriced}
            assert at_most == scenario.bounded_fraction == 0
        assert scenario.complete == (size == "1TB")


def test_a_bounded_line_does_not_count_where_another_price_is_missing() -> None:
    """A midpoint may be above the true price, so it does not belong in a lower bound."""
    lost = without(ENDPOINT).without(lambda table, row: table == "on_demand" and row["instance_type"] == "p4d.24xlarge")
    for scenario in compared(plan_of(**FEW), book=lost).scenarios:
        assert not scenario.complete
        assert {LINE, "fleet.compute"} <= {entry.line for entry in scenario.unpriced}
        assert not any(line.bounded for line in scenario.bill)


def test_the_gpu_nodes_are_never_bounded() -> None:
    """p4d.24xlarge has an On-Demand price in many Regions, but not in this one."""
    lost = book_of(NEWEST_BOOK).without(
        lambda table, row: (
            table == "on_demand" and (row["instance_type"], row["region"]) == ("p4d.24xlarge", "us-east-1")
        )
    )
    assert lost.on_demand_bounds("p4d.24xlarge", "us-east-1") is not None
    for scenario in compared(plan_of(**FEW), book=lost).scenarios:
        assert [entry.line for entry in scenario.unpriced if entry.line == "fleet.compute"] == ["fleet.compute"]


def test_other_nodes_and_a_missing_upper_tier_are_bounded() -> None:
    lost = book_of(NEWEST_BOOK).without(
        lambda table, row: (
            (table == "on_demand" and (row["instance_type"], row["region"]) == ("m7i.xlarge", "us-east-1"))
            or (
                table == "metered"
                and row["item"] == "S3 Standard storage"
                and row["tier_from"] != "0"
                and row["region"] == "us-east-1"
            )
        )
    )
    plan = plan_of(
        purchase={"options": ["on-demand"]},
        storage={"layouts": ["converged"]},
        data={"hot_dataset": "4TB", "kept_in_s3": "60TB"},
        run={"work": {"gpu_hours": 4_000_000}},
        fleet={"nodes": 400},
    )
    (scenario,) = compared(plan, book=lost).scenarios
    assert {line.line for line in scenario.bill if line.bounded} == {
        "pool.control-nodes",
        "storage.s3.standard",
        "storage.s3.checkpoints",
    }
    standard = line_of(scenario, "storage.s3.standard")
    given = {entry.name: entry.value for entry in standard.inputs}
    assert given["tiers"][0] == (0, 51_200, 0.023), "the tier that the Region has keeps its price"
    assert tiered_storage(**given) == pytest.approx(standard.effective_cost), "as `planner explain` shows it"
    assert standard.bounds_usd[0] < standard.effective_unit_price < standard.bounds_usd[1]


@given(
    known=st.tuples(st.floats(1, 1e9), st.floats(1, 1e9)),
    share=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    width=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_a_lead_that_reverses_inside_the_bounds_is_within_a_tie(
    known: tuple[float, float], share: tuple[float, float], width: tuple[float, float]
) -> None:
    """The worst case: the bounded prices of the two totals move against each other."""
    # the most that a bounded line may cost beside the known ones, a part of it, and how far below its lower end is
    high = [usd * MOST_BOUNDED / (1 - MOST_BOUNDED) * part for usd, part in zip(known, share, strict=True)]
    half = [usd * part / 2 for usd, part in zip(high, width, strict=True)]
    first, other = sorted(
        (usd + top - side, side) for usd, top, side in zip(known, high, half, strict=True)
    )  # the planned total, and how far it may move
    if other[0] - other[1] < first[0] + first[1]:
        assert other[0] / first[0] - 1 < SMALL * 1.03


def test_a_layout_without_a_total_is_named_beside_the_recommendation() -> None:
    """Of PERSISTENT_2 storage only other Regions have a price, and it is much more than 2 % of a total."""
    capacity = {
        (row["item"], "us-east-1")
        for row in book_of(NEWEST_BOOK).rows("metered")
        if row["item"].startswith("PERSISTENT_2")
    }
    plan = plan_of(purchase={"options": ["on-demand"]}, storage={"layouts": ["s3-stream", "fsx-lustre"]})
    found = compared(plan, book=without(*capacity))
    assert found.best is not None
    (named,) = [text for text in reasons(found, found.best) if "no total" in text]
    assert named.startswith("fsx-lustre has no total: this Region's price of storage.")


def test_strict_counts_bounded_lines_as_unpriced() -> None:
    found = compared(plan_of(**FEW, start="2026-10-12"), book=without(ENDPOINT))
    weak = [text for text in found.weak_lines if LINE in text]
    assert len(weak) == len(found.scenarios)
    assert all("bounded" in text for text in weak)
    assert exit_code(violations(found, Gates(strict=True))) == ExitCode.UNPRICED
    assert exit_code(violations(found, Gates(max_unpriced=0))) == ExitCode.OK


def test_json_and_csv_have_the_bounds() -> None:
    found = compared(plan_of(**FEW), book=without(ENDPOINT), draws=20)
    (written, *_) = document(found)["scenarios"]
    assert written["bounded_fraction"] == pytest.approx(found.scenarios[0].bounded_fraction)
    (line,) = [entry for entry in written["bill"] if entry["line"] == LINE]
    assert line["price_basis"] == "bounded"
    assert line["effective_unit_price_low"] < line["effective_unit_price"] < line["effective_unit_price_high"]
    others = [entry for entry in written["bill"] if entry["line"] != LINE]
    assert {entry["effective_unit_price_low"] for entry in others} == {None}
    rows = list(csv.DictReader(io.StringIO(comparison_csv.render(found))))
    (row, *_) = [row for row in rows if row["x_Line"] == LINE]
    assert float(row["x_EffectiveUnitPriceLow"]) == pytest.approx(line["effective_unit_price_low"])
    assert row["x_PriceBasis"] == "bounded"


def price(*tiers: tuple[float, float, float]) -> MeteredPrice:
    found = tuple(
        Price(usd=usd, unit="GB", observed=NEWEST_BOOK, grade="A", source="s", tier_from=start, tier_to=end)
        for start, end, usd in tiers
    )
    return MeteredPrice(service="s", region="r", item="i", offering="", tiers=found)


def test_the_tiers_of_a_bounded_price_give_its_cost() -> None:
    """Second route: the mean of the two bills is the bill at the mean of the tiers."""
    low, high = price((0, 10, 2.0), (10, float("inf"), 1.0)), price((0, 10, 4.0), (10, float("inf"), 3.0))
    quote = Quote(price=low, high=high, share=0.25)
    assert quote.tiers == ((0, 10, 2.5), (10, float("inf"), 1.5))
    assert quote.usd(lambda tiers: tiered_usd(30.0, tiers)) == pytest.approx(tiered_usd(30.0, quote.tiers))


@pytest.mark.parametrize("region", ["us-west-2", "us-east-2", "eu-west-1"])
@pytest.mark.parametrize("instance_type", ["p4d.24xlarge", "p5.48xlarge"])
def test_eight_nodes_have_a_total_in_other_regions(region: str, instance_type: str) -> None:
    """Issue: every Region gives an answer, wherever the price of the nodes is known."""
    plan = plan_of(region=region, fleet={"instance_types": [instance_type], "nodes": 8})
    found = compared(plan, book=book_of(NEWEST_BOOK), draws=100)
    for scenario in found.scenarios:
        if not scenario.feasible:
            continue
        nodes = any(entry.line == "fleet.compute" for entry in scenario.unpriced)
        assert scenario.complete != nodes, scenario.id
    if (instance_type, region) == ("p5.48xlarge", "eu-west-1"):
        assert found.best is None, "AWS lists no p5.48xlarge in eu-west-1 in these sources"
    else:
        assert found.best is not None
        assert found.best.bounded_fraction < 0.001
        assert {scenario.layout for scenario in found.scenarios if scenario.complete} == {
            "s3-stream",
            "converged",
            "fsx-lustre",
            "separate-nvme",
        }
