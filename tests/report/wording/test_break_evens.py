"""Changes of the answer: the nearest on each side of the planned value, in a sentence with the key behind it."""

from __future__ import annotations

from planner.decide.break_evens import BreakEven, Search
from planner.decide.parameters import Parameter
from planner.report.wording.break_evens import break_even_sentence, sides

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


def at(value: float, first: str) -> BreakEven:
    id = f"{first}/p5.48xlarge/on-demand"
    return BreakEven(
        parameter=DATA,
        value=value,
        keeps=value,
        before="converged/p5.48xlarge/on-demand",
        first=id,
        first_usd=1.0,
        before_usd=1.0,
        inside=True,
    )


def searched(*found: BreakEven) -> Search:
    return Search(parameter=DATA, break_evens=found, lowest=1.0, highest=40.0, runs=9)


def test_only_the_nearest_on_each_side_is_named() -> None:
    """A lead that goes back and forth further out is not what a reader decides by."""
    back_and_forth = searched(
        at(18.0, "s3-stream"), at(21.7, "converged"), at(29.4, "s3-stream"), at(4.0, "fsx-lustre")
    )
    assert [one.value for one in sides(back_and_forth)] == [4.0, 18.0]
    assert break_even_sentence(back_and_forth, "64 x p5.48xlarge") == (
        "If the size of the training data falls below 4 TB (planned: 10 TB; data.hot_dataset), FSx for Lustre with "
        "On-Demand nodes becomes the recommended choice; if it rises above 18 TB, S3 streaming with On-Demand nodes "
        "does."
    )


def test_where_fleets_differ_the_place_is_named() -> None:
    assert "S3 streaming with On-Demand nodes, p5.48xlarge becomes" in break_even_sentence(
        searched(at(18.0, "s3-stream"))
    )
