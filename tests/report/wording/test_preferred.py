"""What is said of choices that tie."""

from __future__ import annotations

from planner.answer.ranges import Range
from planner.answer.recommend import Answer
from planner.answer.row import Row
from planner.report.wording.preferred import apart_though_tied


def test_a_tie_says_how_much_less_its_first_choice_costs():
    best, first, near = (
        Row(
            id=name,
            feasible=True,
            why_not=(),
            complete=True,
            option=None,
            cost_usd=Range(plan=usd, p10=usd, p50=usd, p90=usd),
            below_best_fraction=0.62,
        )
        for name, usd in (("best", 100.0), ("first", 95.0), ("near", 98.5))
    )

    def said(ranks_first: str, *others: Row) -> str:
        answer = Answer(confidence=0.9, rank_by="p50", recommended="best", first=ranks_first)
        return apart_though_tied(answer, best, others, lambda row: f"the {row.id}", "runs")

    assert said("first", first, near) == " (the first costs 5% less at P50, and less in 62% of the runs)"
    assert said("first", first) == " (that one costs 5% less at P50, and less in 62% of the runs)"
    assert not said("near", first, near)
    assert not said("best", first, near)
