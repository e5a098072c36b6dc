"""A run that is longer than its commitment: whole terms, and On-Demand for what is left. p4d in us-east-1 costs
21.957642 On-Demand, 13.921094 on 1-year standard Reserved Instances, 13.258202 with a part upfront."""

from __future__ import annotations

from datetime import date

import pytest

from planner.estimate.charge_months import charges_of, payments_of
from planner.report.wording.answer import bought
from planner.report.wording.held import risks
from planner.report.wording.spoken_choice import spoken
from tests.builders import by_id, compared, plan_of

ON_DEMAND_USD, RESERVED_USD, PARTIAL_USD = 21.957642, 13.921094, 13.258202
RESERVED, PARTIAL = "ri-1y-standard-no-upfront", "ri-1y-standard-partial-upfront"
START = date(2026, 10, 5)


def held(months: float, *options: str, **purchase: object):
    plan = plan_of(
        run={"work": {"gpu_hours": None, "months": months}},
        purchase={"options": ["on-demand", *options], **purchase},
        storage={"layouts": ["s3-stream"]},
    )
    return compared(plan)


def lines_of(comparison, option: str) -> dict[str, float]:
    found = by_id(comparison)[f"s3-stream/p4d.24xlarge/{option}"]
    return {line.line: line.effective_cost for line in found.bill if line.line.startswith("fleet.com")}


def test_thirteen_months_are_a_term_and_a_month_on_demand():
    """4 nodes: 8,760 h reserved and 730 h On-Demand, 551,911 USD where all of it On-Demand costs 833,512."""
    found = held(13, RESERVED)
    lines = lines_of(found, RESERVED)
    assert lines["fleet.compute"] == pytest.approx(4 * 8760 * RESERVED_USD)
    assert lines["fleet.compute-on-demand"] == pytest.approx(4 * 730 * ON_DEMAND_USD)
    assert lines["fleet.commitment-unused"] == 0
    assert sum(lines.values()) == pytest.approx(551_911, abs=1)
    assert lines_of(found, "on-demand")["fleet.compute"] == pytest.approx(833_512, abs=1)
    assert found.best.purchase == RESERVED
    assert spoken(found.best) == "S3 streaming on 1-year Reserved Instances, then On-Demand"
    assert "1 year, standard, no upfront, then On-Demand;" in bought(found.best)


@pytest.mark.parametrize(("months", "terms"), [(12, 1), (19, 1), (20, 2), (24, 2), (25, 2)])
def test_another_term_is_bought_where_it_costs_less_than_what_is_left(months, terms):
    """It breaks even at 13.921094 / 21.957642 x 12 = 7.61 months."""
    lines = lines_of(held(months, RESERVED), RESERVED)
    within = 12 * terms if months >= 12 * terms else months
    assert lines["fleet.compute"] == pytest.approx(4 * 730 * within * RESERVED_USD)
    assert lines["fleet.commitment-unused"] == pytest.approx(4 * 730 * (12 * terms - within) * RESERVED_USD)
    assert lines.get("fleet.compute-on-demand", 0) == pytest.approx(4 * 730 * (months - within) * ON_DEMAND_USD)


def test_each_upfront_part_is_due_when_its_term_begins():
    found = by_id(held(25, PARTIAL))[f"s3-stream/p4d.24xlarge/{PARTIAL}"]
    year = 4 * 8760 * PARTIAL_USD
    first, second, monthly, rest = found.cash
    assert [(c.due, c.usd) for c in (first, second)] == [
        ("2026-10-05", pytest.approx(year / 2)),
        ("2027-10-05", pytest.approx(year / 2)),
    ]
    assert (monthly.due, monthly.usd) == ("monthly", pytest.approx(year))
    assert rest.usd == pytest.approx(found.cost_usd.plan - 2 * year)
    paid = payments_of(found, START)
    assert [p.billed.date().isoformat() for p in paid if not p.recurring] == ["2026-10-05", "2027-10-05"]
    assert sum(p.usd for p in paid) == pytest.approx(2 * year)
    assert not monthly.what.endswith("also after the run")


def test_what_is_left_is_billed_in_the_months_after_the_term():
    found = by_id(held(13, RESERVED))[f"s3-stream/p4d.24xlarge/{RESERVED}"]
    after = [c for c in charges_of(found, START, 0.0) if c.line.line == "fleet.compute-on-demand"]
    assert [c.begin.date().isoformat() for c in after] == ["2027-10-05", "2027-11-01"]
    reserved = [c for c in charges_of(found, START, 0.0) if c.line.line == "fleet.compute"]
    assert max(c.end for c in reserved) == min(c.begin for c in after)


def test_a_private_discount_and_reuse_move_when_another_term_is_bought():
    """At half the On-Demand price 11 more months cost 88,158 a node On-Demand and 121,949 with another term; other work
    that uses all of what is unused makes each hour of it free."""
    cheap = lines_of(held(23, RESERVED, private_discount="50%"), RESERVED)
    assert cheap["fleet.compute-on-demand"] == pytest.approx(4 * 11 * 730 * ON_DEMAND_USD / 2)
    reused = lines_of(held(13, RESERVED, reuse_value="100%"), RESERVED)
    assert "fleet.compute-on-demand" not in reused
    assert reused["fleet.compute"] == pytest.approx(4 * 9490 * RESERVED_USD)


def test_the_price_cut_that_a_commitment_risks_is_of_the_hours_of_its_term():
    """What follows the term would be cheaper too, so it is that of 12 months: 1 - 13.92 / 21.96, a little less with
    storage."""
    (year,), (longer,) = (risks(found, found.best) for found in (held(12, RESERVED), held(13, RESERVED)))
    assert year == longer
    assert "if On-Demand became 36% cheaper" in year


def test_what_paying_upfront_saves_is_named():
    """12 months of 4 nodes at 13.921094 are 487,795 USD; the book's price all upfront is 6 % or so lower."""
    plan = by_id(held(12, RESERVED, RESERVED.replace("no-", "all-")))
    none, every = (plan[f"s3-stream/p4d.24xlarge/{option}"] for option in (RESERVED, RESERVED.replace("no-", "all-")))
    saved = sum(line.effective_cost for line in none.bill) - sum(line.effective_cost for line in every.bill)
    (said,) = (warning for warning in none.warnings if "committed" in warning)
    assert saved > 0
    assert f"% less, {saved:,.0f} USD, due on the first day" in said
    assert not any("all upfront" in warning for warning in every.warnings)
