"""The page to sign: what it must have, for every kind of plan, and that its figures are those of the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from planner.answer.futures import Future
from planner.decide.comparison import Comparison
from planner.decide.study import study
from planner.estimate.request import Request
from planner.report.html import page
from planner.report.html import sheet as html
from planner.report.markdown import sheet as markdown
from planner.report.wording import figures, rounding
from planner.report.wording.after_run import usd_per_month
from planner.report.wording.sheet import BUDGET, NOTHING, pool_sheet_of, sheet_of
from tests.builders import RESERVED, book_of, compared, plan_of
from tests.report.test_golden_pool import few

STAYS = ("storage.s3.standard", "storage.s3.checkpoints", "storage.kms.key")


@pytest.fixture(scope="module")
def comparison():
    return compared(plan_of(purchase={"options": ["capacity-block", "on-demand"]}, run={"deadline": "20d"}), draws=400)


def said(sheet) -> dict[str, str]:
    return {what: " ".join(texts) for what, texts in sheet.facts}


def test_the_budget_is_the_p90_and_cash_is_the_block_s_fee(comparison):
    best, facts = comparison.best, said(sheet_of(comparison))
    assert facts[BUDGET].startswith(f"{figures.usd(best.cost_usd.p90)} (P90): 9 of 10 outcomes cost less")
    assert "Covers GPU nodes; " in facts[BUDGET]
    assert "Does not cover tax, AWS Support, salaries, " in facts[BUDGET]
    assert figures.usd(best.cash[0].usd) in facts["Payments to AWS, as planned"]
    assert (
        f"at purchase, by {best.cash[0].due} (sold from {best.block_plan.sold_from}): "
        in facts["Payments to AWS, as planned"].lower()
    )
    assert f"sold from {best.block_plan.sold_from}" in next(text for what, text in facts.items() if "Buy" in what)
    assert comparison.plan_sha256[:12] in facts["Calculated from"]
    assert "`" not in str(sheet_of(comparison))


@pytest.mark.parametrize("kept", ["all", 3])
def test_what_stays_in_s3_after_the_run_is_named_by_the_month(kept):
    """It is what 30 days more of retention add to the bill."""
    data = {"checkpoints_kept": kept, "checkpoint": "140GB"}
    fleet = {"instance_types": ["p5.48xlarge"], "nodes": 4}
    options = {"options": ["on-demand"]}

    def lasting(retention) -> tuple[Comparison, float]:
        plan = plan_of(data=data, fleet=fleet, purchase=options, storage={"layouts": ["s3-stream"], **retention})
        found = compared(plan, draws=100)
        return found, sum(line.effective_cost for line in found.best.bill if line.line in STAYS)

    found, _ = lasting({})
    _, more = lasting({"retention": "60d"})
    _, less = lasting({"retention": "30d"})
    usd = usd_per_month(found, found.best)
    assert usd == pytest.approx((more - less) / 30 * 730 / 24, rel=0.03)
    text = said(sheet_of(found))[BUDGET]
    assert f"Does not cover S3 after the run: up to {figures.usd(usd)} a month until its data is deleted (at " in text


def test_a_screen_has_it_too_and_the_choice_says_how_many_blocks():
    """18 nodes are a block of 16 and one of 2."""
    fleet = {"instance_types": ["p5.48xlarge"], "nodes": 18}
    plan = plan_of(fleet=fleet, run={"work": {"gpu_hours": 38_000}}, purchase={"options": ["capacity-block"]})
    found = compared(plan, draws=100)
    sheet = sheet_of(found)
    assert sheet.lead.startswith("18 x p5.48xlarge, 2 Capacity Blocks; ")
    assert sheet.heading == "To approve: budget, payments, risk, what is not known"
    fold = page.render(found).partition('<section id="cover"')[2].partition("</section>")[0]
    assert '<details class="appendix">' in fold
    assert said(sheet)["Payments to AWS, as planned"].partition(",")[0] in fold


def test_a_pool_has_the_same_page():
    sheet = pool_sheet_of(few())
    assert {BUDGET, "Why this one", "Risk", "Prices", "Calculated from"} <= said(sheet).keys()
    assert sheet.signed


def test_where_nothing_is_recommended_there_is_nothing_to_sign():
    sheet = sheet_of(compared(plan_of(run={"deadline": "1h"}), draws=100))
    assert (sheet.title, sheet.signed) == (NOTHING, ())
    assert BUDGET not in said(sheet)


def test_a_run_that_may_not_finish_has_no_budget(comparison):
    best = comparison.best
    endless = replace(best, cost_usd=replace(best.cost_usd, p90=float("inf")))
    assert said(sheet_of(replace(comparison, scenarios=(endless,))))[BUDGET].startswith("There is no P90")


@pytest.mark.parametrize("render", [html.render, markdown.render])
def test_it_is_one_page_that_holds_against_hostile_names(comparison, render):
    name = "<script>alert(1)</script> | [x](y)"
    text = render(sheet_of(replace(comparison, plan_name=name)))
    assert "<script>" not in text
    assert len(text) < 30_000


def test_two_futures_are_in_the_lead_and_the_average_in_the_risk(comparison):
    two = (
        Future(fraction=0.7, p10_usd=9e3, p50_usd=1e4, p90_usd=1.1e4),
        Future(fraction=0.3, p10_usd=1.9e4, p50_usd=2e4, p90_usd=2.4e4),
    )
    best = replace(comparison.best, futures=two)
    block = replace(best.block_plan, outlast_fraction=0.31)
    sheet = sheet_of(replace(comparison, scenarios=(replace(best, block_plan=block), *comparison.scenarios[1:])))
    assert "about $10.0k within the block" in sheet.lead
    assert "(70% of the outcomes)" in sheet.lead
    assert "the average is" in said(sheet)["Risk"]
    # where all outlast the block, its end is not what divides them
    block = replace(block, outlast_fraction=1.0)
    sheet = sheet_of(replace(comparison, scenarios=(replace(best, block_plan=block), *comparison.scenarios[1:])))
    assert "about $10.0k (70% of the outcomes)" in sheet.lead


def test_a_cheaper_choice_that_is_not_chosen_is_named_with_the_reason():
    options = {"options": ["capacity-block", "on-demand", "spot-fallback"]}
    found = compared(plan_of(purchase=options, run={"deadline": "20d"}), draws=300)
    told = said(sheet_of(found))["Not chosen"]
    assert told.startswith("Cheaper: ")
    assert "spot" in told
    assert "unproven" in told
    assert "Rule:" not in told


def test_the_days_the_rest_of_the_budget_on_demand_and_the_price_to_stop_at():
    sections = {
        "start": "2026-12-07",
        "fleet": {"instance_types": ["p5.48xlarge"], "nodes": [16, 20]},
        "run": {"work": {"gpu_hours": 38_000}, "deadline": "28d"},
        "purchase": {"options": ["capacity-block", "on-demand"]},
        "storage": {"layouts": ["converged"]},
        "assumptions": RESERVED,
    }
    plan = plan_of(**sections)
    found = compared(plan, draws=300)
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=300)
    best, told = found.best, said(sheet_of(found, study(request, found, grid=False)))
    assert told["Dates"].startswith("Starts on 2026-12-07; half of the outcomes end by 2026-12-")
    assert "the deadline is 2027-01-04" in told["Dates"]
    assert f"ends on {date(2026, 12, 7) + timedelta(days=best.block_plan.days)}, 11:30 UTC" in told["Dates"]
    rest = rounding.usd_apart(best.cost_usd.plan, best.cost_usd.p90)
    assert f"{rest} of the budget, for a run that takes longer" in told["Payments to AWS, as planned"]
    assert "On-Demand: #" in told["Not chosen"]
    # at that price the plan's own comparison recommends the other one
    usd = float(told["Prices"].partition("From $")[2].partition("/h")[0])
    assert usd > 41.53
    for price, option in ((usd * 0.98, "capacity-block"), (usd * 1.02, "on-demand")):
        own = {"purchase": "capacity-block", "usd": price, "unit": "Hrs", "source": "a quote", "date": "2026-12-01"}
        turned = compared(plan_of(**{**sections, "prices": {"own": [own]}}), draws=300)
        assert turned.best.option.id == option
