"""What to do about a Capacity Block, in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from planner.estimate.block_length import Nearly
from planner.estimate.result import BlockPlan, FirstAlone
from planner.report.wording import block

PLAN = BlockPlan(
    days=14,
    usd=31_700,
    sold_from=date(2026, 9, 7),
    tail="extend",
    outlast_fraction=0.79,
    decide_day=11,
    decide_on=date(2026, 11, 13),
    parts=(14,),
    ask_from=date(2026, 9, 28),
    done_fraction=0.79,
    left_days=3.5,
    extension_days=4,
    extension_usd=9_060,
    extension_p90_days=13,
    extension_p90_usd=29_500,
    on_demand_usd=13_300,
    extension_granted=0.5,
    on_demand_found=0.6,
    later_wait_days=14,
)


def said(plan: BlockPlan = PLAN) -> str:
    return " ".join(block.sentences(plan))


def test_an_extension_is_named_for_half_and_for_nine_of_ten():
    assert block.sentences(PLAN) == [
        "Buy 14 days ($31.7k, sold from 2026-09-07).",
        "79% of the outcomes outlast it; a longer one costs more on average: half of these need up to 4 days more "
        "($9,060 at the same price), 1 in 10 of these more than 13 ($29.5k).",
        "Decide by day 11 (2026-11-13): if less than 79% is done, extend by the rest (planner reserve --extend, sold "
        "from 2026-09-28, assumed chance 50%).",
        "If AWS has none: On-Demand for as long (planner leave, $13.3k, assumed chance 60%); if not that either, a "
        "later block (assumed: 14 days on).",
    ]
    certain = said(replace(PLAN, extension_is_certain=True))
    assert certain.endswith(
        "extend by the rest (planner reserve --extend, sold from 2026-09-28, on which the plan counts)."
    )


def test_a_screen_has_the_second_and_third_way_in_a_few_words():
    assert block.short(PLAN).endswith("assumed chance 50%); else On-Demand (60%) or a later block.")


def test_where_all_need_the_same_it_is_named_once():
    assert ": these need up to 4 days more ($9,060 at the same price)." in said(replace(PLAN, extension_p90_days=4))


def test_of_a_length_that_the_plan_sets_nothing_is_claimed():
    assert "a longer one" not in said(replace(PLAN, is_given=True))


def test_cash_names_what_most_outcomes_pay_later():
    assert block.more_cash(PLAN) == (
        "2026-11-13: $9,060 more where the run outlasts the block (79% of the outcomes), for an extension by 4 days "
        "if AWS has it, enough in half of these"
    )
    assert block.more_cash(replace(PLAN, outlast_fraction=0.0, extension_usd=None)) == ""
    assert block.more_cash(replace(PLAN, tail="on-demand")) == ""


def test_without_an_extension_the_day_is_the_last():
    assert "Decide on day 11 (2026-11-13): if less than 79% is done, On-Demand" in said(replace(PLAN, tail="on-demand"))


def test_two_parts_are_bought_on_the_same_day():
    plan = replace(PLAN, days=19, parts=(14, 5))
    bought = "Buy 14 days ($23.4k, sold from 2026-09-07) and 5 more the same day ($8,342"
    assert said(plan).startswith(f"{bought}). 79%")
    alone = FirstAlone(fraction=0.54, mean_usd=192_000, p90_usd=272_000)
    none = "; in the 54% where AWS has none, the run costs $192k on average, P90 $272k). 79%"
    assert said(replace(plan, first_alone=alone)).startswith(f"{bought}{none}")


def test_a_cheaper_length_that_is_on_time_too_seldom_is_named():
    nearly = Nearly(days=28, usd_less=64_000, on_time_fraction=0.898)
    less = " 28 days would cost $64.0k less on average, on time in 89.8% of the outcomes."
    assert said(replace(PLAN, nearly=nearly)).endswith(less)


def test_beyond_182_days_in_all_it_is_another_block():
    longest = replace(PLAN, days=182, extension_days=7, extension_p90_days=42)
    assert "done, buy another block from its last day for the rest (" in said(longest)
    assert "a longer one" not in said(longest)
    assert "for another block of 7 days" in block.more_cash(longest)
    shorter = said(replace(PLAN, days=161, extension_days=21, extension_p90_days=28))
    assert "), or buy another block where that exceeds 182 days in all. If AWS has none: On-Demand" in shorter
