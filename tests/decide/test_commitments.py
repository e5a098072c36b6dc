"""Commitments: what the break-even and the reuse share mean, checked by pricing the plan again."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from planner.answer.measure import cost_of
from planner.decide.commitments import CommitmentFamily, families_of
from planner.decide.comparison import Comparison
from planner.models.bill_lines import COMPUTE
from tests.builders import compared, plan_of

OPTIONS = ["on-demand", "ri-1y-standard-no-upfront", "sp-1y-instance-no-upfront", "sp-3y-instance-no-upfront"]


def priced(reuse: float = 0.0, **purchase) -> Comparison:
    plan = plan_of(storage={"layouts": ["s3-stream"]}, purchase={"options": OPTIONS, "reuse_value": reuse, **purchase})
    return compared(plan, draws=500)


def families(comparison: Comparison) -> dict[str, CommitmentFamily]:
    return {found.family: found for found in families_of(comparison, comparison.complete)}


def test_the_break_even_is_the_ratio_of_the_hourly_prices() -> None:
    comparison = priced()
    usd = {s.purchase: next(x.effective_unit_price for x in s.bill if x.line == COMPUTE) for s in comparison.complete}
    found = families(comparison)["ri"]
    hours = 8760 * usd["ri-1y-standard-no-upfront"] / usd["on-demand"]
    assert found.break_even_hours == pytest.approx(hours)
    # 5,554 hours are 231 days and 10 hours
    assert round(hours) == 5554
    assert found.break_even_day == date(2027, 5, 24).isoformat()


def test_a_lower_price_of_on_demand_moves_the_break_even() -> None:
    cheaper = families(priced(private_discount=0.2))["ri"]
    assert cheaper.break_even_hours == pytest.approx(families(priced())["ri"].break_even_hours / 0.8)
    assert families(priced(private_discount=0.5))["ri"].break_even_hours is None


@pytest.mark.parametrize("family", ["ri", "sp"])
def test_from_the_reuse_share_on_the_commitment_costs_less(family: str) -> None:
    """The plan priced again on both sides of the share."""
    base = priced()
    share = families(base)[family].reuse_fraction
    assert share is not None
    for reuse, less in ((share - 0.001, False), (share + 0.001, True)):
        by_id = {s.id: s for s in priced(reuse).complete}
        best = by_id[base.answer.recommended]
        own = by_id[families(base)[family].first.id]
        assert (cost_of(own, "p50") < cost_of(best, "p50")) is less


def test_a_share_that_the_plan_states_counts() -> None:
    """The median of the cost and that of the days are of two neighboring draws, hence the tolerance."""
    stated, none = (families(priced(share))["sp"].reuse_fraction for share in (0.5, 0.0))
    assert stated == pytest.approx(none, abs=1e-4)


def test_where_full_reuse_is_not_enough_there_is_no_share() -> None:
    comparison = priced()
    best = comparison.best
    assert best is not None
    assert best.cost_usd is not None
    cheap = replace(best, cost_usd=replace(best.cost_usd, p50=1.0))
    scenarios = (cheap, *(s for s in comparison.scenarios if s.id != best.id))
    assert families(replace(comparison, scenarios=scenarios))["ri"].reuse_fraction is None


def test_the_family_of_the_answer_is_not_folded() -> None:
    comparison = priced()
    named = next(s for s in comparison.complete if s.option.family == "sp")
    answer = replace(comparison.answer, recommended=named.id)
    assert set(families(replace(comparison, answer=answer))) == {"ri"}
