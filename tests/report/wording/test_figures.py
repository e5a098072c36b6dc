"""Numbers and names in words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.answer.price_age import StalePrice
from planner.answer.ranges import Range
from planner.decide.comparison import Comparison
from planner.report.data.comparison_json import document
from planner.report.diff.comparisons import changes
from planner.report.terminal.columns import fitted, rows, whole
from planner.report.wording import alternatives, answer, figures, recommendation
from planner.report.wording.stale_prices import aged, json_texts, sentences
from planner.report.wording.table import Column
from planner.report.wording.wrapping import cells, cut, wrap
from pricing.offers import PurchaseOption
from tests.builders import compared, plan_of
from tests.report.scenes import HOSTILE, answered, first, ranged, small, unfinished


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0.00"), (0.5, "0.50"), (99.99, "99.99"), (99.999, "100"), (1234.4, "1,234"), (9999.4, "9,999"),
        (9999.6, "10.0k"), (78_202, "78.2k"), (999_499, "999k"), (999_500, "1.00M"), (4_568_183, "4.57M"),
        (13_210_200, "13.2M"), (999_600_000, "1.00B"), (2_021_202_322, "2.02B"), (3e12, "3.00T"), (-4568.2, "-4,568"),
    ],
)  # fmt: skip
def test_dollars_at_a_glance(value: float, shown: str) -> None:
    assert figures.dollars(value) == shown


@given(st.floats(min_value=0, max_value=1e30))
def test_dollars_keep_three_digits_and_stay_short(value: float) -> None:
    shown = figures.dollars(value)
    assert len(shown) <= 9
    scale = {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}.get(shown[-1], 1.0)
    assert float(shown.rstrip("kMBT").replace(",", "")) * scale == pytest.approx(value, rel=5.1e-3, abs=0.0051)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(21.957642, "21.957642"), (0.0000004, "0.0000004"), (445_067.156621, "445,067.16"), (11.8, "11.8"), (0, "0")],
)
def test_unit_prices_are_exact_and_without_exponent(value: float, shown: str) -> None:
    assert figures.plain(value, 8) == shown


def test_a_safest_choice_is_said_beside_one_whose_p90_is_never_reached() -> None:
    best, other = small().complete[:2]
    assert best.cost_usd is not None
    never = replace(best, cost_usd=replace(best.cost_usd, p90=math.inf))
    found = replace(small(), scenarios=(never, other), answer=answered(best.id, (other.id, "safest")))
    ((_, title, text),) = alternatives.alternatives(found)
    assert title == "Safer"
    assert text.endswith(" at P90, where the recommended choice does not finish.")


@given(st.text())
def test_visible_text_cannot_act(text: str) -> None:
    assert figures.visible(text).isprintable()


def test_every_purchase_has_words() -> None:
    assert figures.purchase_words(PurchaseOption.parse("ri-3y-convertible-all-upfront")) == (
        "Reserved Instances, 3 years, convertible, all upfront"
    )
    assert (
        figures.purchase_words(PurchaseOption.parse("sp-1y-compute-no-upfront"))
        == "Compute Savings Plan, 1 year, no upfront"
    )
    assert figures.short_purchase(PurchaseOption.parse("sp-1y-instance-partial-upfront")) == "SP 1y inst part"
    short = {figures.short_purchase(s.option) for s in small().scenarios}
    assert len(short) == len({s.purchase for s in small().scenarios})


def test_answer_names_both_and_says_what_does_not_finish() -> None:
    said = [line.text for line in answer.sentences(unfinished(0.2))]
    assert said[0].startswith("Recommended: #1 S3 streaming on a Capacity Block, 4 x p4d.24xlarge. ")
    assert said[0].endswith("It costs about $6,844 and takes 5.4 days.")
    assert said[2] == "Capacity Block: Buy 6 days ($6,797, sold from 2026-08-10). No outcome outlasts it."
    assert said[3].startswith("Risk: 1 in 10 outcomes costs more than $6,861; 1 in 10 takes more than 5.")
    assert said[-2].startswith("Planned cost: GPU nodes ")
    assert said[-1].startswith("Cheaper: #")
    assert "does not finish in more than half of the outcomes" in said[-1]
    assert "Right if you accept that it does not finish in 20% of the outcomes. It is unproven: " in said[-1]


ON_DEMAND = PurchaseOption.parse("on-demand")
ENDLESS = Range(plan=1.0, p10=1.0, p50=1.0, p90=math.inf)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"unfinished_fraction": 0.03, "option": ON_DEMAND}, "3% never finish"),
        ({"unfinished_fraction": 0.03}, "3% outlast the Capacity Block"),
        (
            {"unfinished_fraction": 0.03, "on_time_fraction": 0.88, "limit_is_assumed": False},
            "3% outlast the Capacity Block; 9% more miss the deadline",
        ),
        ({"on_time_fraction": 0.88, "limit_is_assumed": False}, "12% miss the deadline"),
        ({"on_time_fraction": 0.88, "limit_is_assumed": True}, None),
        ({"cost_usd": ENDLESS, "unfinished_fraction": 0.12, "option": ON_DEMAND}, "12% never"),
    ],
)
def test_the_risk_says_what_is_known(known: dict[str, Any], said: str | None) -> None:
    text = answer.risk(small(), replace(first(small()), **known))
    assert text.startswith("Risk: ")
    assert said in text if said else "deadline" not in text
    assert "inf" not in text


def test_without_draws_the_risk_is_not_known() -> None:
    said = [line.text for line in answer.sentences(compared(plan_of(), draws=0))]
    assert "It is planned at $" in said[0]
    assert said[2].startswith("Capacity Block: Buy 6 days ($6,797, sold from 2026-08-10).")
    assert said[3] == "The risk is not known: no outcomes were simulated (--draws)."


@pytest.mark.parametrize(("share", "said"), [(0, "0%"), (0.001, "1%"), (0.5, "50%"), (0.9999, "99%"), (1, "100%")])
def test_only_what_is_certain_is_said_to_be(share: float, said: str) -> None:
    assert figures.percent(share) == said


def test_stale_prices_of_one_line_and_day_are_one_sentence() -> None:
    old = "price of 2025-11-30 is 309 days old; the limit is 120"
    purchases = ("ri-1y-standard-no-upfront", "sp-1y-compute-no-upfront")
    options = tuple(map(PurchaseOption.parse, purchases))
    aged = StalePrice(
        line="fleet.compute", purchases=options, price_date=date(2025, 11, 30), age_days=309, limit_days=120
    )
    stale = (aged, replace(aged, line="storage.kms.key", purchases=()))
    assert sentences(stale) == [f"fleet.compute (RI 1y std, SP 1y comp): {old}", f"storage.kms.key: {old}"]
    assert json_texts(stale) == sorted(f"{thing}: {old}" for thing in (*purchases, "storage.kms.key"))
    assert (figures.many(1, "price"), figures.many(2, "price")) == ("1 price", "2 prices")


def test_staff_cost_names_its_assumption() -> None:
    staffed = compared(plan_of(people={"engineers": 2}), draws=50)
    assert recommendation.staff(staffed)[0].startswith("The totals include staff: ")
    assert recommendation.staff(small()) == []


def test_the_safest_is_eligible_and_no_other_has_a_lower_p90() -> None:
    safe = small().safest
    assert safe is not None
    assert safe.cost_usd is not None
    assert all(safe.cost_usd.p90 <= s.cost_usd.p90 for s in small().scenarios if s.eligible and s.cost_usd)
    assert changes(document(small()), document(small())).safest_after == safe.id


def led(second_usd: float, below: float | None, tied: bool = False) -> Comparison:
    """Two scenarios, of which the first costs 1,000 USD in every outcome."""
    base = small()
    one = replace(ranged(base.scenarios[0], cost=(1000.0, 900.0, 1100.0), run=(4, 3, 5)), eligible=True)
    two = ranged(base.scenarios[1], cost=(second_usd, second_usd, second_usd), run=(4, 3, 5))
    above = None if below is None else 0.9 - below  # and in one of ten both cost the same
    two = replace(two, eligible=True, below_best_fraction=below, above_best_fraction=above)
    found = replace(answered(one.id), tied=(one.id, two.id) if tied else ())
    return replace(base, scenarios=(one, two), answer=found)


@pytest.mark.parametrize(
    ("below", "said"),
    [
        (0.4, ", costs $100 (10%) more and is costlier in 50% of the outcomes, and costs the same in 10%."),
        (None, ", costs $100 (10%) more."),
    ],
)
def test_a_lead_is_named_below_the_first_sentence(below: float | None, said: str) -> None:
    second = answer.sentences(led(1100.0, below))[1].text
    assert second.startswith("It is the cheapest choice that finishes within ")
    assert "in at least 9 of 10 outcomes (assumed limit: the plan has no run.deadline)" in second
    assert second.endswith(f"; the next, #2 FSx for Lustre on a Capacity Block{said}")


def test_a_tie_is_named_with_what_decides_it() -> None:
    second = answer.sentences(led(1030.0, 0.4, tied=True))[1].text
    assert "It costs as much as #2 FSx for Lustre on a Capacity Block ($" in second
    assert second.endswith("and is chosen for its lower P50.")


def test_the_only_scenario_is_no_lead() -> None:
    one = led(1100.0, None)
    alone = replace(one, scenarios=one.scenarios[:1], answer=replace(one.answer, compared=1))
    assert answer.sentences(alone)[1].text.startswith("It is the only choice with a complete price; it finishes ")
    no_rival = replace(one, scenarios=one.scenarios[:1])
    assert answer.sentences(no_rival)[1].text.startswith("It is the only choice that finishes ")


def test_a_budget_is_part_of_the_condition() -> None:
    best = replace(first(small()), budget_usd=9000.0)
    found = replace(small(), scenarios=(best, *(s for s in small().scenarios if s.id != best.id)))
    assert " and for at most $9,000 in at least 9 of 10 outcomes" in answer.condition(found, best)


def test_what_never_ends_has_no_figure() -> None:
    assert (figures.dollars(math.inf), figures.days(math.inf), figures.usd(math.inf)) == ("never",) * 3


@pytest.mark.parametrize(
    ("days", "said"),
    [(34, "34 days old on 2026-10-05"), (0, "0 days old on 2026-09-01"), (-968, "968 days younger than 2024-01-07")],
)
def test_the_age_of_prices_names_the_day_that_it_is_counted_to(days: int, said: str) -> None:
    prices = replace(small().prices, as_of=date(2026, 9, 1), age_days=days)
    assert aged(prices) == f", {said}"
    assert aged(replace(prices, age_days=None)) == ""


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_wrapped_lines_fit(text: str, width: int) -> None:
    shown = figures.visible(text)
    assert all(cells(line) <= width for line in wrap(shown, width))
    assert "".join(wrap(shown, width)).replace(" ", "") == "".join(shown.split()).replace(" ", "")


@pytest.mark.parametrize("name", HOSTILE)
def test_cut_fits(name: str) -> None:
    for room in (1, 2, 5, 30):
        assert cells(cut(figures.visible(HOSTILE[name]), room)) <= room


class TestColumns:
    TEXT = Column(title="Layout", values=["fsx-lustre+1000", "converged"], text=True)
    NUMBER = Column(title="Cost", values=["1,234,567", "8"])
    EXTRA = Column(title="Useful", values=["90.0%", "80.0%"], keep=1)

    def test_extra_columns_leave_before_text_is_cut(self) -> None:
        placed = fitted([self.TEXT, self.NUMBER, self.EXTRA], 28)
        assert placed is not None
        assert [column.title for column, _ in placed] == ["Layout", "Cost"]
        assert "fsx-lustre+1000" in "\n".join(rows(placed))

    def test_text_is_cut_before_numbers(self) -> None:
        placed = fitted([self.TEXT, self.NUMBER, self.EXTRA], 20)
        assert placed is not None
        assert rows(placed)[2] == "fsx-lust…  1,234,567"

    def test_numbers_that_do_not_fit_are_refused(self) -> None:
        assert fitted([self.TEXT, self.NUMBER], 15) is None

    def test_a_table_in_which_nothing_is_cut(self) -> None:
        """As wide as it needs where there is room; from 80 cells on texts go on below; else records."""
        columns = [self.TEXT, self.NUMBER, self.EXTRA]
        assert whole(columns, 40) == rows(fitted(columns, 40) or [])
        assert whole(columns, 20) == [
            "fsx-lustre+1000",
            "  Cost 1,234,567;",
            "  Useful 90.0%",
            "converged",
            "  Cost 8;",
            "  Useful 80.0%",
        ]
        long = Column(title="Name", values=["one two " + "three" * 13, "four"], text=True)
        one, _, *body = whole([long, self.NUMBER], 80)
        assert one.split() == ["Name", "Cost"]
        assert body == [f"{'one two':<69}  1,234,567", "  " + "three" * 13, f"{'four':<69}  {8:>9}"]

    @given(
        names=st.lists(st.text(min_size=1).map(figures.visible), min_size=1, max_size=4),
        width=st.integers(min_value=32, max_value=120),
    )
    def test_nothing_is_lost_at_any_width(self, names: list[str], width: int) -> None:
        numbers = Column(title="USD", values=[f"{i:,.2f}" for i, _ in enumerate(names)])
        lines = whole([Column(title="Name", values=names, text=True), numbers], width)
        assert all(cells(line) <= width for line in lines)
        shown = sorted("".join(lines).replace(" ", ""))
        for text in (*names, *numbers.values):
            assert not Counter("".join(text.split())) - Counter(shown)


def test_a_choice_that_is_better_in_all_and_not_recommended_is_named_with_the_reason():
    """Where no alternative names it: cheaper, less at P90 and earlier, and unproven."""
    found = compared(plan_of(purchase={"options": ["on-demand", "capacity-block"]}, run={"deadline": "30d"}), draws=100)
    best, other = found.best, next(s for s in found.complete if s.eligible and s.id != found.best.id)
    cost, days = best.cost_usd, best.days
    better = replace(
        other,
        unproven="nothing public shows it",
        effort_usd=best.effort_usd,
        cost_usd=replace(cost, p50=cost.p50 * 0.99, p90=cost.p90 * 0.99),
        days=replace(days, p50=days.p50 * 0.9),
    )
    changed = replace(
        found,
        scenarios=tuple(better if s.id == other.id else s for s in found.scenarios),
        answer=replace(found.answer, alternatives=()),
    )
    (said,) = answer.passed_over(changed, best)
    assert said.startswith(
        f"Not {alternatives.named(changed, better)}, though it costs less and ends earlier: it is unp"
    )
    assert said in answer.reasons(changed, best)
    # one that is later, or that an alternative names, is not said here
    later = replace(better, days=replace(days, p50=days.p50 * 1.1))
    scenarios = tuple(later if s.id == other.id else s for s in found.scenarios)
    assert answer.passed_over(replace(changed, scenarios=scenarios), best) == []
