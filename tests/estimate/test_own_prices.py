"""Prices that a plan brings: they are billed, named with their source and date, and turned by studies."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from planner.decide.compare import compare
from planner.decide.parameters import plan_parameters_of, with_parameter
from planner.estimate.request import Request
from planner.plan.overrides import apply_overrides
from planner.plan.types import Plan
from planner.report.wording.break_evens import setting
from tests.builders import SMALL, book_of, by_id, compared, merged, plan_of

NEWEST_BOOK = date(2026, 10, 10)
BOOK = book_of(NEWEST_BOOK)
TYPE, REGION = "p4d.24xlarge", "us-east-1"
OPTIONS = ["on-demand", "spot", "capacity-block", "ri-3y-standard-no-upfront", "sp-1y-compute-no-upfront"]
FEW: dict[str, Any] = {"storage": {"layouts": ["s3-stream"]}, "purchase": {"options": OPTIONS}}
ENDPOINT = "Interface endpoint, per availability zone"


def own(**price: Any) -> dict[str, Any]:
    return {"unit": "Hrs", "source": "quote 4711", "date": "2026-11-15", **price}


def with_prices(*prices: dict[str, Any], **sections: Any) -> Plan:
    return plan_of(**merged({**FEW, "prices": {"own": list(prices)}}, sections))


def test_the_snippet_of_the_docs_is_billed() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reading-a-report.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```yaml\n(prices:\n.*?)```", page, re.DOTALL)
    prices = yaml.safe_load(snippet)["prices"]["own"]
    dated = [price | {"date": str(price["date"])} for price in prices]
    found = next(s for s in compared(with_prices(*dated), book=BOOK).scenarios if s.purchase == "capacity-block")
    rates = {line.line: round(line.effective_unit_price, 9) for line in found.bill if line.basis == "own"}
    block, stored = dict.fromkeys(("fleet.compute", "fleet.block-unused"), 19.5), "storage.s3.standard"
    assert rates == {**block, stored: 0.019, "storage.s3.checkpoints": 0.019}


@pytest.mark.parametrize("option", OPTIONS)
def test_each_purchase_option_is_billed_at_the_own_price(option: str) -> None:
    usd = 12.5
    found = by_id(compared(with_prices(own(purchase=option, usd=usd)), book=BOOK))
    whole = by_id(compared(plan_of(**FEW), book=BOOK))
    for id, scenario in found.items():
        line = next(line for line in scenario.bill if line.line == "fleet.compute")
        if id.endswith(f"/{option}"):
            assert line.effective_unit_price == usd
            assert (line.basis, line.price_grade) == ("own", None)
            assert line.price_source == "the plan, prices.own[0]: quote 4711"
            assert line.price_date == date(2026, 11, 15)
            assert scenario.complete
            assert not [text for text in found[id].warnings if "grade" in text]
        else:
            assert line.effective_unit_price == whole[id].bill[0].effective_unit_price
            assert scenario.cost_usd.plan == whole[id].cost_usd.plan


def test_the_bill_changes_by_the_difference_of_the_prices() -> None:
    """Second route: four nodes, the hours of the run, the two prices an hour."""
    (before,) = compared(plan_of(**merged(FEW, {"purchase": {"options": ["on-demand"]}})), book=BOOK).scenarios
    plan = with_prices(own(purchase="on-demand", usd=15.0), purchase={"options": ["on-demand"]})
    (after,) = compared(plan, book=BOOK).scenarios
    node_hours = 4 * before.days.plan * 24
    change = node_hours * (15.0 - BOOK.on_demand(TYPE, REGION).usd)
    assert after.cost_usd.plan - before.cost_usd.plan == pytest.approx(change)


def test_own_spot_prices_keep_the_range_of_the_observed_ones() -> None:
    planned = BOOK.spot(TYPE, REGION).planned.usd
    spot = {"purchase": {"options": ["spot"]}}
    (seen,) = compared(plan_of(**merged(FEW, spot)), book=BOOK, draws=2000).scenarios
    plan = with_prices(own(purchase="spot", usd=2 * planned), **spot)
    (mine,) = compared(plan, book=BOOK, draws=2000).scenarios
    assert mine.bill[0].effective_unit_price == pytest.approx(2 * planned)
    same = {"purchase": {"options": ["spot"], "spot_usd_per_hour": 2 * planned}}
    (other,) = compared(plan_of(**merged(FEW, same)), book=BOOK, draws=2000).scenarios
    assert mine.cost_usd.p90 == pytest.approx(other.cost_usd.p90), "as with purchase.spot_usd_per_hour"
    assert mine.cost_usd.p90 > seen.cost_usd.p90


def test_a_ladder_of_own_tiers_is_billed_tier_by_tier() -> None:
    tiers = [
        own(item="S3 Standard storage", unit="GB-Mo", usd=0.02, tier_to_gb=1000),
        own(item="S3 Standard storage", unit="GB-Mo", usd=0.01, tier_from_gb=1000),
    ]
    days = 31  # October has 744 hours
    plan = with_prices(
        *tiers,
        start="2026-10-01",
        purchase={"options": ["on-demand"]},
        run={"work": {"gpu_hours": 20_000}},
        data={"hot_dataset": "4TB"},
    )
    (scenario,) = compared(plan, book=BOOK).scenarios
    line = next(line for line in scenario.bill if line.line == "storage.s3.standard")
    assert scenario.days.plan < days
    gb_months = 4e12 / 2**30 * scenario.days.plan * 24 / 744
    assert line.quantity == pytest.approx(gb_months)
    expected = min(1000, gb_months) * 0.02 + max(0, gb_months - 1000) * 0.01
    assert line.effective_cost == pytest.approx(expected, rel=1e-6)
    assert line.price_source.startswith("the plan, prices.own[")


def test_a_price_that_the_region_lacks_is_known_once_the_plan_brings_it() -> None:
    """Bounded prices and unpriced GPU nodes give way to the plan's own, and --strict accepts it."""
    lost = BOOK.without(
        lambda table, row: row.get("region") == REGION and (table == "capacity_blocks" or row.get("item") == ENDPOINT)
    )
    options = {"purchase": {"options": ["capacity-block"]}}
    (bounded,) = compared(plan_of(**merged(FEW, options)), book=lost).scenarios
    assert not bounded.complete
    plan = with_prices(own(purchase="capacity-block", usd=11.0), own(item=ENDPOINT, usd=0.01), **options)
    found = compared(plan, book=lost)
    assert found.scenarios[0].complete
    assert found.scenarios[0].bounded_fraction == 0
    assert not [text for text in found.weak_lines if "fleet.compute" in text or "interface-endpoints" in text]


def test_a_price_of_another_region_or_option_is_not_used_and_said_to_be_unused() -> None:
    plan = with_prices(
        own(purchase="on-demand", usd=12.0),
        own(purchase="on-demand", usd=1.0, region="eu-west-1"),
        own(purchase="on-demand", instance_type="m7i.xlarge", usd=0.1),
    )
    found = compared(plan, book=BOOK)
    assert "3 prices are the plan's own (prices.own)" in found.notes
    assert any("no bill uses prices.own[1], prices.own[2]" in note for note in found.notes)
    assert not any("own" in note for note in compared(plan_of(**FEW), book=BOOK).notes)


def test_other_nodes_take_an_own_price() -> None:
    plan = with_prices(
        own(purchase="on-demand", instance_type="i3en.24xlarge", usd=9.0),
        storage={"layouts": ["separate-nvme"], "separate-nvme": {"instance_type": "i3en.24xlarge"}},
        purchase={"options": ["capacity-block"]},
    )
    (scenario,) = compared(plan, book=BOOK).scenarios
    nodes = next(line for line in scenario.bill if line.line == "storage.nvme.nodes")
    assert nodes.effective_unit_price == 9.0
    assert nodes.price_source == "the plan, prices.own[0]: quote 4711"


def test_the_book_itself_is_not_changed() -> None:
    plan = with_prices(own(purchase="on-demand", usd=1.0))
    request = Request(plan=plan, plan_sha256="0", book=BOOK)
    assert request.book.on_demand(TYPE, REGION).usd == 1.0
    assert BOOK.on_demand(TYPE, REGION).usd != 1.0
    assert request.book.sha256 == BOOK.sha256
    assert replace(request, plan=plan_of(**FEW)).book.on_demand(TYPE, REGION) == BOOK.on_demand(TYPE, REGION)


def parameters(plan: Plan) -> dict[str, Any]:
    return {entry.key: entry for entry in plan_parameters_of(Request(plan=plan, plan_sha256="0", book=BOOK))}


@pytest.mark.parametrize(
    ("prices", "key"),
    [
        (None, "prices.capacity-block"),
        (None, "prices.ri-3y-standard-no-upfront"),
        ("2026-10-10", "prices.on-demand"),
        ({"own": [own(purchase="capacity-block", usd=10.0)]}, "prices.sp-1y-compute-no-upfront"),
        ({"own": [own(purchase="capacity-block", usd=10.0)]}, "prices.own.0.usd"),
        (
            {
                "own": [
                    own(item="S3 Standard storage", unit="GB-Mo", usd=0.02, tier_to_gb=10),
                    own(item="S3 Standard storage", unit="GB-Mo", usd=0.01, tier_from_gb=10),
                ]
            },
            "prices.own.1.usd",
        ),
    ],
)
def test_every_price_can_be_turned_and_set_on_the_command_line(prices: Any, key: str) -> None:
    """The study's plan at another price, and the plan with the printed `--set`, cost the same."""
    data = merged(SMALL, {**FEW, "prices": prices})
    plan = Plan.model_validate(data, by_alias=True, by_name=False)
    parameter = parameters(plan)[key]
    value = parameter.value * 0.8
    request = Request(plan=plan, plan_sha256="0", book=BOOK, draws=0)
    turned = compare(with_parameter(request, parameter, value)).scenarios
    typed = setting(parameter, value).removeprefix("--set ").strip("'")
    changed, _, problems = apply_overrides(data, [typed])
    assert not problems
    again = compare(replace(request, plan=Plan.model_validate(changed, by_alias=True, by_name=False))).scenarios
    before = {scenario.id: scenario.cost_usd.plan for scenario in compare(request).scenarios if scenario.cost_usd}
    costs = {scenario.id: scenario.cost_usd.plan for scenario in turned if scenario.cost_usd}
    typed_costs = {scenario.id: scenario.cost_usd.plan for scenario in again if scenario.cost_usd}
    assert costs == pytest.approx(typed_costs, rel=1e-12), "15 digits are typed"
    assert any(costs[id] < before[id] for id in costs)
    assert all(costs[id] <= before[id] for id in costs)


def test_keys_that_exclude_an_own_price_are_not_turned() -> None:
    plan = with_prices(own(purchase="on-demand", usd=20.0), own(purchase="spot", usd=9.0))
    keys = set(parameters(plan))
    assert {"prices.own.0.usd", "prices.own.1.usd"} <= keys
    assert not keys & {"purchase.private_discount", "purchase.spot_usd_per_hour", "prices.on-demand"}
    assert {"purchase.private_discount", "purchase.spot_usd_per_hour"} <= set(parameters(plan_of(**FEW)))
