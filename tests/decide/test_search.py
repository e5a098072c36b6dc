"""The search over many fleets: the answer of comparing every one of them, without pricing what cannot matter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.answer.measure import cost_of
from planner.decide.candidates import FleetPricer
from planner.decide.compare import compare
from planner.decide.enumerate import sizes_of
from planner.decide.frontier import days_of, frontier_of
from planner.decide.narrow import MOST_COUNTS
from planner.decide.search import Found, search
from planner.estimate.request import Request
from planner.plan.quantities import MOST_LISTED
from planner.plan.types import Plan
from tests.builders import book_of, plan_of

COMMITTED = ["ri-1y-standard-no-upfront", "sp-1y-compute-no-upfront", "ri-3y-standard-no-upfront"]


def request_of(plan: Plan, draws: int = 200) -> Request:
    return Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=draws, derivations=False)


def searched(request: Request) -> Found:
    return search(request, sizes_of(request))


@st.composite
def plans(draw: st.DrawFn, *, held: bool = False) -> Plan:
    """Small plans in which a block, On-Demand, spot or, for a long run, a commitment may win. held: of fleets that are
    held for a given time."""
    low = draw(st.integers(1, 12))
    options = draw(
        st.lists(
            st.sampled_from(["on-demand", "spot", "capacity-block", *COMMITTED]), min_size=1, max_size=4, unique=True
        )
    )
    layouts = draw(st.lists(st.sampled_from(["converged", "s3-stream", "fsx-lustre"]), min_size=1, unique=True))
    changes: dict[str, Any] = {
        "run": {"work": {"gpu_hours": draw(st.sampled_from([2_000, 40_000, 600_000]))}},
        "fleet": {"nodes": list(range(low, low + draw(st.integers(1, 5))))},
        "purchase": {"options": options, "reuse_value": draw(st.sampled_from([0.0, 0.9]))},
        "storage": {"layouts": layouts},
        "decision": {"rank_by": draw(st.sampled_from(["p50", "p90", "planned"]))},
    }
    if held:
        changes["run"] = {"work": {"gpu_hours": None, "days": draw(st.sampled_from([3, 30, 365]))}}
    elif draw(st.booleans()):
        changes["run"]["deadline"] = draw(st.sampled_from(["5d", "60d", "400d"]))
    if draw(st.booleans()):
        changes["constraints"] = {"max_cost_usd": draw(st.sampled_from([10_000, 200_000, 5_000_000]))}
    return plan_of(**changes)


@given(plans() | plans(held=True))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_answer_is_that_of_a_comparison_of_every_fleet(plan: Plan) -> None:
    request = request_of(plan)
    whole, found = compare(request), searched(request)
    answer = whole.answer
    assert (found.recommended.scenario.id if found.recommended else "") == answer.recommended
    assert (found.first.scenario.id if found.first else "") == answer.first
    assert [(c.scenario.id, kind) for c, kind in found.alternatives] == [(a.id, a.kind) for a in answer.alternatives]
    assert found.evaluated == len(whole.scenarios)


@given(plans() | plans(held=True))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_candidates_have_the_figures_and_the_verdict_of_a_comparison(plan: Plan) -> None:
    request = request_of(plan)
    rows = {s.id: s for s in compare(request).scenarios}
    for candidate in searched(request).candidates:
        s, row = candidate.scenario, rows[candidate.scenario.id]
        assert (s.eligible, s.feasible, s.complete, s.held_back) == (
            row.eligible,
            row.feasible,
            row.complete,
            row.held_back,
        )
        assert (s.days, s.limit_days, s.shortfalls) == (row.days, row.limit_days, row.shortfalls)
        assert (s.delivered_fraction, s.useful_gpu_hours) == (row.delivered_fraction, row.useful_gpu_hours)
        for measure in ("planned", "p50", "p90", "mean"):
            assert cost_of(s, measure) == pytest.approx(cost_of(row, measure))


@given(plans())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_eligible_is_both_cheaper_and_shorter_than_the_frontier(plan: Plan) -> None:
    request = request_of(plan)
    rank_by = plan.decision.rank_by
    frontier = [c for c in frontier_of(searched(request).candidates, rank_by) if not c.scenario.held_back]
    points = [(days_of(c), cost_of(c.scenario, rank_by)) for c in frontier]
    assert points == sorted(points)
    assert [cost for _, cost in points] == sorted({cost for _, cost in points}, reverse=True)
    for s in compare(request).scenarios:
        if s.eligible and not s.held_back and s.days:
            assert any(days <= s.days.p50 and cost <= cost_of(s, rank_by) * (1 + 1e-12) for days, cost in points)


def test_a_commitment_is_passed_over_only_at_its_least_cost_or_more() -> None:
    """The bound is below every draw, and so below every measure."""
    request = request_of(plan_of(fleet={"nodes": [3, 4]}, purchase={"options": ["on-demand", *COMMITTED]}))
    rows = {s.id: s for s in compare(request).scenarios}
    passed = searched(request).passed_over
    assert passed
    for entry in passed:
        cost = rows[entry.choice.id].cost_usd
        assert cost is not None
        assert entry.least_usd < cost.p10
        assert entry.least_usd < cost.plan


def test_a_long_run_is_priced_with_its_commitments() -> None:
    plan = plan_of(
        run={"work": {"gpu_hours": 500_000}},
        fleet={"nodes": [8, 9]},
        purchase={"options": ["on-demand", "sp-1y-instance-no-upfront"]},
        storage={"layouts": ["s3-stream"]},
    )
    found = searched(request_of(plan))
    assert not found.passed_over
    assert found.recommended is not None
    assert found.recommended.scenario.purchase == "sp-1y-instance-no-upfront"


def test_a_fleet_alone_has_the_same_figures_as_among_others() -> None:
    request = request_of(plan_of(fleet={"nodes": list(range(2, 8))}))
    pricer = FleetPricer(request)
    sizes = sizes_of(request)
    assert [pricer(size) for size in reversed(sizes)][::-1] == [FleetPricer(request)(size) for size in sizes]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of(
        run={"work": {"gpu_hours": 90_000}},
        fleet={"nodes": "24..48"},
        storage={"layouts": ["s3-stream", "converged"]},
        purchase={"options": ["on-demand", "capacity-block", "sp-1y-compute-no-upfront"]},
    )


class TestManyCounts:
    """A comparison of a range lists some counts; every one is priced."""

    def test_the_recommended_count_is_the_best_of_all(self, plan: Plan) -> None:
        request = request_of(plan)
        found = compare(request)
        assert len(plan.fleet.nodes or ()) > MOST_LISTED
        singles = [
            compare(request_of(plan.model_copy(update={"fleet": plan.fleet.model_copy(update={"nodes": (nodes,)})})))
            for nodes in plan.fleet.nodes or ()
        ]
        least = min(cost_of(one.best, "p50") for one in singles if one.best)
        assert found.best is not None
        assert cost_of(found.best, "p50") <= least * 1.02
        assert found.searched is not None
        assert (found.searched.low, found.searched.high, found.searched.counts) == (24, 48, 25)
        assert found.searched.choices == 25 * 6

    def test_some_counts_are_listed_with_every_choice_and_their_ids(self, plan: Plan) -> None:
        found = compare(request_of(plan))
        counts = {s.nodes for s in found.scenarios}
        assert {24, 48} <= counts
        assert len(counts) <= MOST_COUNTS + 4
        assert len(found.scenarios) == len(counts) * 6
        assert all(f"x{s.nodes}/" in s.id for s in found.scenarios)
        assert found.plan == plan.canonical()

    def test_few_counts_are_all_listed(self) -> None:
        found = compare(request_of(plan_of(fleet={"nodes": "2..5"}, storage={"layouts": ["s3-stream"]}), draws=50))
        assert found.searched is None
        assert {s.nodes for s in found.scenarios} == {2, 3, 4, 5}
