"""`optimize`: exact over its grid, checked against comparing every fleet; limits, the frontier, rejected families."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.answer.measure import cost_of, ranked
from planner.answer.recommend import NEAR, SMALL
from planner.decide.compare import compare
from planner.decide.grid import AROUND, around, grid_of
from planner.decide.optimize import COST, TIME, Optimum, optimize
from planner.estimate.choice import FleetSize
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.types import Plan
from planner.report.wording.optimum import family, rejections, sentences, why
from tests.builders import book_of, plan_of

DRAWS = 150
OPTIONS = ["on-demand", "spot", "capacity-block", "sp-1y-compute-no-upfront"]


def asked(plan: Plan) -> Request:
    return Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=DRAWS, derivations=False)


def by_brute_force(plan: Plan) -> Iterator[tuple[FleetSize, Scenario]]:
    """Every choice on every fleet of the grid, each fleet compared alone."""
    request = asked(plan)
    for size in grid_of(request).sizes:
        yield from ((size, s) for s in compare(replace(request, fleets=(size,))).scenarios)


def days_of(scenario: Scenario) -> float:
    return scenario.days.p50 if scenario.days else math.inf


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    low = draw(st.integers(1, 20))
    changes: dict[str, Any] = {
        "run": {"work": {"gpu_hours": draw(st.sampled_from([1_000, 9_000, 30_000]))}},
        "fleet": {"nodes": list(range(low, low + draw(st.integers(2, 4))))},
        "purchase": {"options": draw(st.lists(st.sampled_from(OPTIONS), min_size=1, unique=True))},
        "storage": {"layouts": draw(st.lists(st.sampled_from(["s3-stream", "converged"]), min_size=1, unique=True))},
    }
    if draw(st.booleans()):
        changes["run"]["deadline"] = draw(st.sampled_from(["2d", "12d", "50d"]))
    if draw(st.booleans()):
        changes["constraints"] = {"max_cost_usd": draw(st.sampled_from([3_000, 30_000, 300_000]))}
    return plan_of(**changes)


@given(plans())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_least_cost_is_that_of_comparing_every_fleet(plan: Plan) -> None:
    every = [(size, s) for size, s in by_brute_force(plan) if s.eligible]
    able = [ranked(s, "p50") for _, s in every if not s.held_back]
    found = optimize(asked(plan))
    assert (found.recommended is None) == (not able)
    assert (found.cheapest is None) == (not every)
    if found.cheapest:
        assert cost_of(found.cheapest.scenario, "p50") == pytest.approx(min(cost_of(s, "p50") for _, s in every))
    if found.first and found.recommended:
        assert ranked(found.first.scenario, "p50") == pytest.approx(min(able))
        assert ranked(found.recommended.scenario, "p50") <= min(able) * (1 + NEAR)
        assert (found.recommended.size, found.recommended.scenario.id) in [(size, s.id) for size, s in every]


@pytest.mark.thorough  # the same search as for the least cost
@given(plans())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_earliest_finish_is_that_of_comparing_every_fleet(plan: Plan) -> None:
    """Of those that finish hardly later than the first, the one with the least cost and effort."""
    able = [s for _, s in by_brute_force(plan) if s.eligible and not s.held_back]
    found = optimize(asked(plan), TIME)
    assert (found.recommended is None) == (not able)
    if found.recommended:
        least = min(map(days_of, able))
        near = [ranked(s, "p50") for s in able if days_of(s) <= least * (1 + SMALL)]
        assert days_of(found.recommended.scenario) <= least * (1 + SMALL)
        assert ranked(found.recommended.scenario, "p50") == pytest.approx(min(near))


@pytest.mark.thorough  # the same search as for the least cost
@given(plans())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_frontier_is_that_of_comparing_every_fleet(plan: Plan) -> None:
    able = [(days_of(s), cost_of(s, "p50")) for _, s in by_brute_force(plan) if s.eligible and not s.held_back]
    unbeaten = {
        (days, cost)
        for days, cost in able
        if not any(d <= days and c <= cost and (d, c) != (days, cost) for d, c in able)
    }
    frontier = [c.scenario for c in optimize(asked(plan)).frontier if not c.scenario.held_back]
    assert {(days_of(s), cost_of(s, "p50")) for s in frontier} >= unbeaten
    assert [days_of(s) for s in frontier] == sorted(map(days_of, frontier))


@pytest.fixture(scope="module")
def p5() -> Plan:
    """64 to 128 p5 with a deadline of 30 days: whole Capacity Blocks fit some counts better than others."""
    return plan_of(
        run={"work": {"gpu_hours": None, "flop": 3.9e23, "mfu": 0.41, "mfu_basis": "run"}, "deadline": "30d"},
        data={"hot_dataset": "8TB", "read_per_gpu": "1MB/s", "checkpoint": "979GB"},
        fleet={"instance_types": ["p5.48xlarge"], "nodes": "64..128"},
        purchase={"options": ["on-demand", "capacity-block"]},
        storage={"layouts": ["s3-stream"]},
    )


@pytest.fixture(scope="module")
def searched(p5: Plan) -> Optimum:
    return optimize(asked(p5))


def test_64_to_128_p5_in_30_days_neither_the_lowest_nor_the_highest_count_is_cheapest(
    p5: Plan, searched: Optimum
) -> None:
    every = [(size.nodes, s) for size, s in by_brute_force(p5) if s.eligible]
    nodes, least = min(every, key=lambda entry: (cost_of(entry[1], "p50"), entry[1].id))
    assert searched.cheapest is not None
    assert searched.cheapest.size.nodes == nodes
    assert cost_of(searched.cheapest.scenario, "p50") == pytest.approx(cost_of(least, "p50"))
    assert nodes not in (64, 128)
    assert searched.cheapest.scenario.days is not None
    assert searched.cheapest.scenario.days.p90 <= 30


def test_what_is_recommended_can_be_deployed_and_what_is_cheaper_is_named(searched: Optimum) -> None:
    assert searched.recommended is not None
    assert not searched.recommended.scenario.held_back
    assert searched.comparison.best is not None
    assert searched.comparison.best.id == searched.recommended.scenario.id
    assert searched.comparison.best.cost_usd == searched.recommended.scenario.cost_usd
    if searched.cheapest is not searched.recommended:
        assert searched.cheapest in searched.alternatives


def test_a_shorter_run_in_several_blocks_is_named_beside_the_earliest_finish() -> None:
    """With a budget that On-Demand exceeds, 8 to 10 and 12 nodes are at most two blocks; 11, 13 and more are three."""
    plan = plan_of(
        run={"work": {"gpu_hours": 9_000}},
        fleet={"nodes": list(range(8, 16))},
        constraints={"max_cost_usd": 20_000},
        purchase={"options": ["on-demand", "capacity-block"]},
        storage={"layouts": ["s3-stream"]},
    )
    found = optimize(asked(plan), TIME)
    assert found.recommended is not None
    assert found.recommended.scenario.id == "s3-stream/p4d.24xlargex12/capacity-block"
    (shorter,) = found.alternatives
    assert days_of(shorter.scenario) < days_of(found.recommended.scenario)
    assert "more than 2 Capacity Blocks" in shorter.scenario.unproven
    assert any(line.text.startswith(f"Shorter: {shorter.size.nodes} x p4d.24xlarge") for line in sentences(found))


class TestGrid:
    def test_a_range_is_every_count_with_up_to_two_spares(self) -> None:
        grid = grid_of(asked(plan_of(fleet={"nodes": "3..5"})))
        assert {(size.nodes, size.spares) for size in grid.sizes} == {(n, s) for n in (3, 4, 5) for s in (0, 1, 2)}
        assert (grid.low, grid.high, grid.stated) == (3, 5, True)

    def test_one_node_has_no_spare(self) -> None:
        grid = grid_of(asked(plan_of(fleet={"nodes": 1})))
        assert {(size.nodes, size.spares) for size in grid.sizes} == {(1, 0), (2, 0), (2, 1)}

    def test_the_plans_own_spares_are_searched(self) -> None:
        assert grid_of(asked(plan_of(fleet={"nodes": 20, "spares": 4}))).spares == (4,)
        assert grid_of(asked(plan_of(fleet={"nodes": 20, "spares": 0}))).spares == (0,)

    def test_one_count_is_searched_from_half_to_twice_as_many(self) -> None:
        grid = grid_of(asked(plan_of(fleet={"nodes": 20})))
        assert (grid.low, grid.high, grid.stated) == (10, 40, False)

    @given(st.integers(1, 100_000))
    def test_around_one_count_there_are_not_too_many_and_it_is_among_them(self, nodes: int) -> None:
        counts = around(nodes)
        assert nodes in counts
        assert counts[0] >= 1
        assert len(counts) <= AROUND

    def test_gpus_are_searched_as_nodes(self) -> None:
        plan = plan_of(fleet={"nodes": None, "gpus": "A100:64", "instance_types": ["p4d.24xlarge"]})
        grid = grid_of(asked(plan))
        assert (grid.low, grid.high) == (4, 16)
        found = optimize(asked(plan))
        assert found.recommended is not None
        assert found.recommended.scenario.nodes == found.recommended.size.nodes


def test_a_family_that_costs_no_more_is_rejected_for_a_reason():
    """On 4 nodes or more a pool of their NVMe costs 5 % less than streaming, and more with the time to operate it."""
    plan = plan_of(fleet={"nodes": 4}, purchase={"options": ["on-demand", "capacity-block"]})
    found = optimize(asked(plan))
    said = {family(entry): why(found, entry).split(";")[0] for entry in found.rejected}
    assert said["converged"].startswith("costs 5% less, but takes $")
    assert said["converged"].endswith(" more of an engineer's time")
    best, by = found.comparison.best, found.comparison.answer.rank_by
    for entry in found.rejected:
        one = entry.best.scenario if entry.best else None
        if one and one.eligible and not one.held_back and cost_of(one, by) <= cost_of(best, by):
            assert any(reason in why(found, entry) for reason in ("engineer's time", "within the uncertainty"))


class TestRejected:
    @pytest.fixture(scope="class")
    @classmethod
    def found(cls) -> Optimum:
        return optimize(
            asked(
                plan_of(
                    run={"deadline": "20d"},
                    fleet={"nodes": [4, 5]},
                    storage={"layouts": ["s3-stream", "converged", "separate-nvme"]},
                    purchase={"options": [*OPTIONS, "sp-3y-compute-no-upfront"]},
                )
            )
        )

    def test_each_family_has_one_reason(self, found: Optimum) -> None:
        assert found.recommended is not None
        names = [family(entry) for entry in found.rejected]
        assert len(names) == len(set(names)) == len(rejections(found))
        assert {entry.family for entry in found.rejected if entry.kind == "layout"} == {
            "s3-stream",
            "converged",
            "separate-nvme",
        } - {found.recommended.scenario.layout}
        assert all(entry.id for entry in found.rejected)

    def test_a_commitment_is_charged_whole(self, found: Optimum) -> None:
        (plans,) = [entry for entry in found.rejected if entry.family == "sp"]
        assert plans.passed_over is not None
        assert "because the whole term is charged" in why(found, plans)

    def test_a_costlier_layout_says_by_how_much(self, found: Optimum) -> None:
        (layout,) = [entry for entry in found.rejected if entry.family == "separate-nvme"]
        assert "more; at best" in why(found, layout)


def test_nothing_within_the_limits_is_said_with_what_comes_nearest() -> None:
    found = optimize(asked(plan_of(run={"deadline": "1h"}, fleet={"nodes": [4, 5]})))
    assert found.recommended is None
    assert found.frontier == ()
    assert "none finishes within" in sentences(found)[0].text
    assert all(
        "in 0% of the outcomes" in why(found, e) for e in found.rejected if e.family in ("on-demand", "s3-stream")
    )


def test_the_same_request_gives_the_same_result() -> None:
    plan = plan_of(fleet={"nodes": "3..6"}, storage={"layouts": ["s3-stream"]})
    one, two = optimize(asked(plan), COST), optimize(asked(plan), COST)
    assert one.recommended == two.recommended
    assert one.frontier == two.frontier
