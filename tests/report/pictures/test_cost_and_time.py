"""The picture of cost against time: every point a scenario, every scenario a point."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.estimate.ranges import Range
from planner.report.pictures import cost_and_time
from planner.report.pictures.axis import axis_over
from planner.report.wording.figures import FAMILIES
from tests.report.scenes import first, ranged, sixty, small, unfinished

NS = {"s": "http://www.w3.org/2000/svg"}


def picture(scenarios) -> ElementTree.Element:
    return ElementTree.fromstring(
        cost_and_time.svg(scenarios).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def points(scenarios) -> list[ElementTree.Element]:
    return [group for group in picture(scenarios).iter(f"{{{NS['s']}}}g") if group.get("data-rank")]


@pytest.mark.parametrize("scene", [small, sixty, unfinished])
def test_points_are_the_complete_feasible_scenarios_near_the_best(scene) -> None:
    scenarios = scene().scenarios
    complete = {str(rank): s for rank, s in enumerate(scenarios, 1) if s.feasible and s.complete}
    limit = 5 * min(s.cost_usd.plan for s in complete.values())
    wanted = {rank: s for rank, s in complete.items() if s.cost_usd.plan <= limit}
    assert cost_and_time.beyond(scenarios) == len(complete) - len(wanted)
    found = {point.get("data-rank"): point for point in points(scenarios)}
    assert found.keys() == wanted.keys()
    for rank, point in found.items():
        assert f"f-{wanted[str(rank)].option.family}" in str(point.get("class"))
        title = point.findtext("s:title", namespaces=NS)
        assert f"#{rank} {wanted[str(rank)].id}: " in str(title)


def test_every_rank_is_named_in_words_once() -> None:
    names = " ".join(
        str(text.text) for text in picture(small().scenarios).iter(f"{{{NS['s']}}}text") if text.get("class") == "name"
    )
    found: list[int] = []
    for ranks in re.findall(r"#([\d, -]+?) [a-zA-Z]", names):
        for part in ranks.split(", "):
            low, _, high = part.partition("-")
            found += range(int(low), int(high or low) + 1)
    assert sorted(found) == [rank for rank, *_ in cost_and_time.drawn(small().scenarios)]


def test_costlier_is_higher_and_slower_is_further_right() -> None:
    base = first(small())
    cheap = ranged(base, cost=(100, 90, 120), run=(10, 9, 12))
    dear = replace(ranged(base, cost=(300, 290, 320), run=(20, 19, 22)), id="other")
    low, high = sorted(points([cheap, dear]), key=lambda point: str(point.get("data-rank")))
    one, two = (list(point)[1].attrib for point in (low, high))
    key = "cy" if "cy" in one else "points"
    if key == "points":
        (x1, y1), (x2, y2) = (map(float, shape["points"].split()[0].split(",")) for shape in (one, two))
    else:
        x1, y1, x2, y2 = (float(shape[k]) for shape in (one, two) for k in ("cx", "cy"))
    assert x1 < x2
    assert y1 > y2


def test_families_differ_in_shape() -> None:
    assert len({cost_and_time.glyph(name, 0, 0) for name in FAMILIES}) == len(FAMILIES)


def test_a_whisker_beyond_the_axis_ends_in_an_arrow() -> None:
    base = first(small())
    inside = ranged(base, cost=(100, 90, 120), run=(10, 9, 12))
    beyond = ranged(base, cost=(100, 90, 9000), run=(10, 9, 900))
    assert cost_and_time.svg([inside]).count("l7 4l-7 4") == cost_and_time.svg([inside]).count("l4 -7l4 7") == 0
    assert cost_and_time.svg([beyond]).count("l7 4l-7 4") == cost_and_time.svg([beyond]).count("l4 -7l4 7") == 1


def test_wide_spreads_are_logarithmic_and_say_so() -> None:
    base = first(small())
    near, far = (ranged(base, cost=(100, 100, 100), run=(d, d, d)) for d in (10, 500))
    assert "Days, logarithmic" in cost_and_time.svg([near, replace(far, id="far")])
    assert "logarithmic" not in cost_and_time.svg([near])


def test_what_costs_far_more_is_left_out() -> None:
    base = first(small())
    near = ranged(base, cost=(100, 90, 120), run=(10, 10, 10))
    far = replace(ranged(base, cost=(600, 590, 620), run=(10, 10, 10)), id="far")
    assert [s.id for _, s, _, _ in cost_and_time.drawn([near, far])] == [near.id]
    assert cost_and_time.beyond([near, far]) == 1


def test_what_never_ends_has_an_arrow_and_a_word() -> None:
    base = ranged(first(small()), cost=(100, 90, math.inf), run=(10, 9, math.inf))
    text = cost_and_time.svg([base])
    assert "P10-P90 $90.00 to never" in text
    assert "inf" not in text
    assert "nan" not in text


def test_names_for_narrow_pages_are_those_in_the_picture() -> None:
    there = {str(t.text) for t in picture(small().scenarios).iter(f"{{{NS['s']}}}text") if t.get("class") == "name"}
    assert set(cost_and_time.names(small().scenarios)) == there
    assert cost_and_time.names([]) == []


def test_nothing_to_draw_is_no_picture() -> None:
    assert cost_and_time.svg([replace(s, complete=False) for s in small().scenarios]) == ""


def test_names_are_escaped() -> None:
    hostile = replace(first(small()), id="<script>&", layout="<b>")
    assert "<script>" not in cost_and_time.svg([hostile])
    assert "<b>" not in cost_and_time.svg([hostile])
    picture([hostile])


numbers = st.floats(min_value=0.01, max_value=1e12)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=8))
@example([(999999999955.0,) * 3])  # a tick on the axis's end misses it by a rounding
def test_axes_hold_every_planned_value_and_have_ticks(values) -> None:
    ranges = [Range(plan=p, p10=min(a, b), p50=p, p90=max(a, b)) for p, a, b in values]
    axis = axis_over(ranges, 0, 100)
    assert axis.low < axis.high
    for value in ranges:
        assert axis.low <= value.plan <= axis.high
        assert 0 <= axis.at(value.plan) <= 100
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 24
    assert all(axis.low <= tick <= axis.high for tick in ticks)
