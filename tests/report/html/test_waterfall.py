"""The difference between two choices: from one total to the other, part by part."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.decide import leaders
from planner.report.html.waterfall import StepView, steps, waterfall_view
from planner.report.wording.figures import plan_usd
from tests.report.scenes import answered, first, small, unfinished

PARTS = st.dictionaries(
    st.sampled_from(["GPU nodes", "storage", "salaries", "network"]),
    st.floats(0, 1e9, allow_subnormal=False),
    max_size=4,
)


def usd(step: StepView) -> float:
    return float(step.exact.replace("$", "").replace(",", ""))


@given(PARTS, PARTS)
def test_the_parts_lead_from_one_total_to_the_other(first_: dict[str, float], second: dict[str, float]) -> None:
    start, *between, end = steps("a", first_, "b", second)
    assert usd(start) == pytest.approx(sum(first_.values()), abs=0.01)
    assert usd(end) == pytest.approx(sum(second.values()), abs=0.01)
    # each part is printed to the cent, and what is below half a cent has no step
    assert usd(start) + sum(map(usd, between)) == pytest.approx(usd(end), abs=0.05)
    sizes = [abs(usd(step)) for step in between]
    assert sizes == sorted(sizes, reverse=True)
    for step in (start, *between, end):
        assert 0 <= round(step.left, 6) <= 100.01
        assert step.left + step.width <= 100.4


def test_each_bar_begins_where_the_one_above_ends() -> None:
    found = steps("a", {"x": 100.0, "y": 50.0}, "b", {"x": 20.0, "y": 90.0, "z": 5.0})
    assert [(s.name, s.kind, s.usd) for s in found] == [
        ("a", "total", "$150"),
        ("x", "less", "-$80"),
        ("y", "more", "+$40"),
        ("z", "more", "+$5"),
        ("b", "total", "$115"),
    ]
    level = found[0].width
    for before, step in pairwise(found[:-1]):
        edge = step.left + step.width if step.kind == "less" else step.left
        assert edge == pytest.approx(level, abs=0.02), (before.name, step.name)
        level = step.left if step.kind == "less" else step.left + step.width
    assert level == pytest.approx(found[-1].width, abs=0.02)


def test_the_default_pair_is_the_answer_and_its_first_alternative() -> None:
    found = waterfall_view(unfinished())
    assert found is not None
    best, other = leaders.leaders_of(unfinished())
    data = json.loads(found.data)
    assert data["pair"] == [unfinished().complete.index(best), unfinished().complete.index(other)]
    assert found.steps[0].name.startswith("#1 ")
    alone = replace(small(), answer=answered(first(small()).id))
    beside = waterfall_view(alone)
    assert beside is not None
    assert json.loads(beside.data)["pair"] == [0, 1]


def test_the_data_of_every_choice_adds_up_to_its_planned_cost() -> None:
    found = waterfall_view(small())
    assert found is not None
    data = json.loads(found.data)
    assert len(data["rows"]) == len(small().complete)
    for scenario, (name, parts) in zip(small().complete, data["rows"], strict=True):
        assert name == f"#{leaders.rank_of(small(), scenario)} {scenario.layout}, {scenario.purchase}"
        assert len(parts) == len(data["parts"])
        assert sum(parts) == pytest.approx(plan_usd(scenario), abs=0.005 * len(parts))


def test_one_choice_has_no_difference() -> None:
    assert waterfall_view(replace(small(), scenarios=(first(small()),), answer=answered(first(small()).id))) is None
