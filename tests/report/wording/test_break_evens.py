"""Changes of the answer: the nearest on each side of the planned value, in a sentence with the key behind it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

from planner.decide.again import Decision
from planner.decide.break_evens import BreakEven, Search
from planner.decide.parameters import Parameter
from planner.decide.study import Study
from planner.report.wording.break_evens import break_even_sentence, lengths, unmoved

DATA = Parameter(
    key="data.hot_dataset",
    unit="TB",
    low=10.0,
    value=10.0,
    high=10.0,
    path="data.hot_dataset",
    reach=(1.0, 40.0),
    source="",
)


PLANNED = Decision(id="converged/p5.48xlarge/capacity-block", usd=1e5, block_days=21.0)


def at(value: float, first: str) -> BreakEven:
    then = Decision(id=f"{first}/p5.48xlarge/on-demand", usd=94_000.0)
    return BreakEven(parameter=DATA, value=value, keeps=value, before=PLANNED.id, then=then)


def searched(*found: BreakEven, low: Decision = PLANNED, high: Decision = PLANNED) -> Search:
    return Search(parameter=DATA, planned=PLANNED, low=low, high=high, break_evens=found, runs=9)


def studied(*searches: Search) -> Study:
    return cast(Study, SimpleNamespace(searches=searches))


def test_the_nearest_on_each_side_with_its_cost() -> None:
    assert break_even_sentence(searched(at(4.0, "fsx-lustre"), at(18.0, "s3-stream")), "64 x p5.48xlarge") == (
        "If the size of the training data falls to 4 TB (planned: 10 TB; data.hot_dataset), FSx for Lustre with "
        "On-Demand nodes becomes the recommended choice, at $94.0k; if it rises to 18 TB, S3 streaming with On-Demand "
        "nodes does, at $94.0k."
    )


def test_after_nothing_meets_the_limits_the_verb_is_said_again() -> None:
    nothing = replace(at(4.0, "fsx-lustre"), then=Decision(id=""))
    assert break_even_sentence(searched(nothing, at(18.0, "s3-stream")), "64 x p5.48xlarge").endswith(
        "nothing meets the limits; if it rises to 18 TB, S3 streaming with On-Demand nodes becomes the recommended "
        "choice, at $94.0k."
    )


def test_where_fleets_differ_the_place_is_named() -> None:
    assert "S3 streaming with On-Demand nodes, p5.48xlarge becomes" in break_even_sentence(
        searched(at(18.0, "s3-stream"))
    )


def test_what_changes_a_length_alone_is_neither_a_change_nor_none() -> None:
    longer = searched(high=replace(PLANNED, block_days=28.0))
    assert lengths(studied(longer, searched())) == (
        "1 more number changes only how long the Capacity Block should be, which is 21 days as planned and 28 at an "
        "end of the range: the size of the training data."
    )
    assert unmoved(studied(longer, searched())) == [searched()]


def test_knowing_the_assumed_number_may_change_the_answer():
    rate = replace(DATA, key="data.read_mb_per_s_per_gpu", unit="MB/s", low=1.0, high=40.0)
    known = replace(at(10.0, "s3-stream"), parameter=rate)
    assert break_even_sentence(replace(searched(known), parameter=rate), "64 x p5.48xlarge") == (
        "If the data that each GPU reads is exactly 10 MB/s, which is assumed in a range (data.read_mb_per_s_per_gpu), "
        "S3 streaming with On-Demand nodes becomes the recommended choice, at $94.0k."
    )
