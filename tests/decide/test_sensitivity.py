"""What moves a scenario and what flips the ranking, held against plans that are simply compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.decide.again import Decider, Decision
from planner.decide.break_evens import rounded, search
from planner.decide.compare import Request, compare
from planner.decide.leaders import leaders_of
from planner.decide.parameters import (
    HOT_DATA,
    INTERRUPTION_RATE,
    SPOT_USD,
    Parameter,
    parameters_of,
    plan_parameters_of,
    with_parameter,
)
from planner.decide.probability import lower_cost_probability
from planner.decide.ranking import ranking_of, weights_of
from planner.decide.repricing import Repricing
from planner.decide.sensitivity import swings
from planner.decide.study import Study, study
from planner.estimate import choice
from planner.estimate.result import Scenario
from planner.plan.overrides import apply_overrides
from planner.plan.types import Plan
from tests.builders import book_of, merged, plan_of

SPOT_OR_BLOCK = {"purchase": {"options": ["spot", "capacity-block", "on-demand"]}}


@pytest.fixture(autouse=True, scope="module")
def recorded() -> Iterator[None]:
    """As if a gang of p4d on spot had been recorded, so that spot may be recommended."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice, "RECORDED_GANGS", ("p4d",))
        yield


def asked(draws: int = 0, **sections) -> Request:
    return Request(plan=plan_of(**sections), plan_sha256="0" * 64, book=book_of(), draws=draws)


@cache
def small_study(draws: int = 300) -> tuple[Request, Study]:
    """Without draws spot is recommended; with draws too few of them are on time, and a Capacity Block is."""
    request = asked(draws=draws, **SPOT_OR_BLOCK)
    found = study(request, compare(request))
    assert found is not None
    return request, found


def repricing_of(request: Request) -> Repricing:
    return Repricing(request, compare(request))


def decider_of(request: Request) -> Decider:
    return Decider(request, compare(request))


@cache
def as_planned(draws: int = 300) -> tuple[Request, dict[str, float]]:
    """The request of a study at central values with the Capacity Blocks of its comparison; and its weights."""
    request = small_study(draws)[0]
    comparison = compare(request)
    stretch = {s.id: s.block_stretch for s in comparison.scenarios if s.block_stretch}
    return replace(request, draws=0, block_stretch=stretch), weights_of(comparison)


def test_a_changed_plan_buys_another_block_only_where_it_needs_one() -> None:
    """4,000 GPU-hours take 5.2 of 6 days: 1 % more or less changes no length, 30 % more does."""
    request, _ = as_planned()
    days = []
    for hours in (4000, 4040, 3960, 5200):
        found = compare(set_(request, "run.work.gpu_hours", hours)).scenarios
        days.append(next(s.block_days for s in found if s.option.family == "capacity-block"))
    assert days[0] == days[1] == days[2]
    assert days[3] == days[0] + 2


def usd_of(scenario: Scenario) -> float:
    """Planned, with the effort."""
    assert scenario.cost_usd is not None
    return scenario.cost_usd.plan + scenario.effort_usd


def set_(request: Request, path: str, value: float, suffix: str = "", prefix: str = "") -> Request:
    """The same request with `--set path=value`, by the way the command line takes."""
    data = request.plan.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    data |= {"apiVersion": "planner/v1"}
    data["data"] = {"hot_dataset": "4TB", "read_per_gpu": "20MB/s", "shard": "100MB", "checkpoint": "14GB"}
    changed, _, problems = apply_overrides(merged(data, {}), [f"{path}={prefix}{value:.15g}{suffix}"])
    assert not problems
    return replace(request, plan=Plan.model_validate(changed, by_alias=True, by_name=False))


class TestOutline:
    @pytest.mark.parametrize("draws", [0, 200])
    @pytest.mark.parametrize("sections", [{}, {"constraints": {"max_days": 5.5}}, {"region": "us-west-2"}], ids=str)
    def test_it_is_the_ranking_of_compare(self, draws: int, sections: dict[str, object]) -> None:
        """Planned cost and days are those of compare, the measure is its P50; what cannot take the place of the
        recommended scenario ranks behind what can."""
        request = asked(draws=draws, **sections)
        comparison = compare(request)
        complete = {s.id: s for s in comparison.complete}
        found = Repricing(request, comparison).at()
        assert {s.id for s in found} == set(complete)
        for standing in found:
            scenario = complete[standing.id]
            assert scenario.cost_usd is not None
            assert scenario.days is not None
            assert standing.cost_usd == pytest.approx(scenario.cost_usd.plan, rel=1e-12)
            assert standing.days == pytest.approx(scenario.days.plan, rel=1e-12)
            deployed = scenario.eligible and not scenario.held_back
            rival = deployed and scenario.id not in comparison.answer.tied
            if scenario is comparison.best or rival or comparison.best is None:
                usd = scenario.cost_usd.p50 if comparison.best else scenario.cost_usd.plan
                assert standing.ranked_usd == pytest.approx(usd + scenario.effort_usd, rel=1e-12)
            else:
                assert standing.ranked_usd == np.inf
        in_order = [s.id for s in found if s.ranked_usd < np.inf]
        assert in_order == sorted(in_order, key=list(complete).index)
        assert comparison.best is None or in_order[0] == comparison.best.id


class TestSwings:
    @pytest.mark.thorough
    def test_an_end_is_what_compare_gives_with_that_value_set(self) -> None:
        request, found = small_study()
        as_they_are = as_planned()[0]
        by_set = [swing for swing in found.swings if swing.parameter.path.startswith("assumptions.")]
        assert len(by_set) > 20
        (people,) = [swing for swing in by_set if swing.low.is_p50]
        for end in (people.low, people.high):
            there = compare(_set(request, people.parameter, end.at))
            scenario = next(s for s in there.scenarios if s.id == found.scenario.id)
            assert scenario.cost_usd is not None
            assert end.cost_usd == pytest.approx(scenario.cost_usd.p50, rel=1e-9)
        for swing in [swing for swing in by_set if not swing.low.is_p50][:1]:
            for end in (swing.low, swing.high):
                there = compare(_set(as_they_are, swing.parameter, end.at))
                scenario = next(s for s in there.scenarios if s.id == found.scenario.id)
                assert scenario.cost_usd is not None
                assert end.cost_usd == pytest.approx(scenario.cost_usd.plan, rel=1e-9)
                assert end.first == compare(_set(request, swing.parameter, end.at)).answer.recommended

    def test_the_widest_comes_first_and_an_infeasible_end_is_wider_than_any(self) -> None:
        # 22.18 TB of the pool are usable as planned, less at the low end of what its file system leaves
        request = asked(**SPOT_OR_BLOCK, constraints={"min_usable_tb": 22}, storage={"layouts": ["converged"]})
        comparison = compare(request)
        assert comparison.best is not None
        parameters = parameters_of(request, comparison.assumptions)
        searches = search(decider_of(request), parameters)
        found = swings(request, repricing_of(request), parameters, comparison.best.id, searches)
        spreads = [swing.spread("cost_usd") for swing in found]
        assert spreads == sorted(spreads, reverse=True)
        assert spreads[0] == np.inf
        assert None in (found[0].low.cost_usd, found[0].high.cost_usd)

    def test_bring_up_by_hand(self) -> None:
        """Four nodes at the On-Demand price stand 0.2 h or 2 h before training starts: 1.8 h of four nodes apart."""
        request = asked(purchase={"options": ["on-demand"]}, storage={"layouts": ["s3-stream"]})
        parameter = next(
            k for k in parameters_of(request, compare(request).assumptions) if k.key == "goodput.bring_up_hours"
        )
        searches = search(decider_of(request), [parameter])
        (swing,) = swings(request, repricing_of(request), [parameter], "s3-stream/p4d.24xlarge/on-demand", searches)
        assert swing.low.days is not None
        assert swing.high.days is not None
        assert (swing.high.days - swing.low.days) * 24 == pytest.approx(parameter.high - parameter.low)  # 2 h - 0.2 h
        assert swing.high.cost_usd is not None
        assert swing.low.cost_usd is not None
        nodes_usd = (parameter.high - parameter.low) * 4 * 21.957642  # four nodes at the On-Demand price
        assert swing.high.cost_usd - swing.low.cost_usd == pytest.approx(nodes_usd, rel=0.01)


class TestFlips:
    @pytest.mark.parametrize(
        ("draws", "least"), [(0, {SPOT_USD}), pytest.param(300, set(), marks=pytest.mark.thorough)]
    )
    def test_each_flip_is_proved_by_comparing_with_the_value_set(self, draws: int, least: set[str]) -> None:
        request, found = small_study(draws)
        break_evens = [break_even for entry in found.searches for break_even in entry.break_evens]
        assert {break_even.parameter.key for break_even in break_evens} >= {"purchase.private_discount", *least}
        for one in break_evens:
            # an assumption that is set to its planned value is known, which is another plan
            typed = _set if one.parameter.assumed else _typed
            there = [compare(typed(request, one.parameter, value)).best for value in (one.keeps, one.value)]
            assert [best.id if best else "" for best in there] == [one.before, one.then.id]
            assert one.before != one.then.id

    def test_the_two_values_are_neighbours(self) -> None:
        _, found = small_study()
        for break_even in (break_even for entry in found.searches for break_even in entry.break_evens):
            assert break_even.value == pytest.approx(break_even.keeps, rel=0.03)

    def test_a_discount_by_hand(self) -> None:
        """Spot leads by the difference of the bills; a discount that evens it comes off the nodes alone."""
        request = asked(purchase={"options": ["spot", "on-demand"]}, storage={"layouts": ["s3-stream"]})
        comparison = compare(request)
        spot, demand = comparison.scenarios
        compute = next(line for line in demand.bill if line.line == "fleet.compute")
        even = (usd_of(demand) - usd_of(spot)) / compute.effective_cost
        parameter = next(k for k in plan_parameters_of(request) if k.key == "purchase.private_discount")
        ((break_even,),) = [entry.break_evens for entry in search(decider_of(request), [parameter])]
        assert break_even.keeps <= even <= break_even.value
        assert break_even.then.id == demand.id

    def test_a_spot_price_by_hand(self) -> None:
        """Spot and a block take the same run but for reclaims: the price that evens their bills is the difference
        over spot's node-hours above the planned price."""
        request = asked(purchase={"options": ["spot", "capacity-block"]}, storage={"layouts": ["s3-stream"]})
        spot, block = compare(request).scenarios
        compute = next(line for line in spot.bill if line.line == "fleet.compute")
        even = compute.effective_unit_price + (usd_of(block) - usd_of(spot)) / compute.quantity
        parameter = next(k for k in plan_parameters_of(request) if k.key == SPOT_USD)
        assert parameter.value == compute.effective_unit_price
        ((break_even,),) = [entry.break_evens for entry in search(decider_of(request), [parameter])]
        assert break_even.keeps <= even <= break_even.value
        assert break_even.then.id == block.id
        assert break_even.inside

    def test_what_is_counted_has_whole_values(self) -> None:
        """A separate cluster leads until its spares cost more than what comes next."""
        sections = {
            "fleet": {"instance_types": ["p4d.24xlarge"], "nodes": 64},
            "data": {"hot_dataset": "1PB", "read_per_gpu": "300MB/s"},
            "run": {"work": {"gpu_hours": 100_000}},
            "purchase": {"options": ["on-demand"]},
            "storage": {"layouts": ["separate-nvme", "fsx-lustre"], "fsx-lustre": {"throughput_mbps_per_tib": [500]}},
        }
        request = asked(**sections)
        comparison = compare(request)
        parameter = next(k for k in parameters_of(request, comparison.assumptions) if k.key == "separate.spares")
        assert parameter.whole
        (entry,) = search(decider_of(request), [replace(parameter, reach=(0.0, 400.0))])
        assert entry.break_evens
        for break_even in entry.break_evens:
            assert break_even.value == break_even.keeps + 1
            assert break_even.value.is_integer()
            there = [
                asked(**sections, assumptions={parameter.key: value}) for value in (break_even.keeps, break_even.value)
            ]
            assert [compare(one).answer.recommended for one in there] == [break_even.before, break_even.then.id]

    def test_of_what_is_needed_there_is_one_at_least(self) -> None:
        request = asked(assumptions={"s3.prefixes": 3})
        parameter = next(k for k in parameters_of(request, compare(request).assumptions) if k.key == "s3.prefixes")
        assert (parameter.low, parameter.value, parameter.high) == (1, 3, 30)
        assert parameter.reach == (1, 30)
        (entry,) = search(decider_of(request), [parameter])
        assert entry.lowest >= 1

    def test_what_changes_nothing_says_how_far_it_was_tried(self) -> None:
        _, found = small_study()
        still = [entry for entry in found.searches if not entry.break_evens]
        assert still
        for entry in still:
            assert entry.lowest <= entry.parameter.low
            assert entry.highest >= entry.parameter.high

    def test_nothing_is_feasible_gives_nothing(self) -> None:
        request = asked(constraints={"min_usable_tb": 1e6})
        assert study(request, compare(request)) is None

    @pytest.mark.thorough
    def test_nothing_is_recommended_gives_nothing_unless_a_scenario_is_named(self) -> None:
        request = asked(constraints={"max_days": 0.1}, **SPOT_OR_BLOCK)
        comparison = compare(request)
        assert study(request, comparison) is None
        named = study(request, comparison, "s3-stream/p4d.24xlarge/spot", grid=False)
        assert named is not None
        assert named.ranking[0].id == "s3-stream/p4d.24xlarge/spot"  # the cheapest as planned

    @given(st.floats(1e-6, 1e6), st.integers(1, 9), st.booleans())
    def test_rounding_goes_outward(self, value: float, digits: int, up: bool) -> None:
        found = rounded(value, digits, up)
        assert found == pytest.approx(value, rel=10.0 ** (1 - digits))
        assert found >= value * (1 - 1e-8) if up else found <= value * (1 + 1e-8)


class TestKnobs:
    def test_an_assumption_without_a_range_is_none(self) -> None:
        request = asked()
        assumptions = compare(request).assumptions
        keys = {parameter.key for parameter in parameters_of(request, assumptions)}
        for entry in assumptions:
            assert (entry.key in keys) == (entry.low < entry.high)

    def test_streams_stand_for_spot_only_where_spot_is_asked_for(self) -> None:
        """And a rate of reclaims only where the plan states one, which somebody observed and which proves spot."""
        assert INTERRUPTION_RATE not in {parameter.key for parameter in plan_parameters_of(asked())}
        for option, there in (("spot", True), ("on-demand", False)):
            request = asked(purchase={"options": [option]}, reliability={"spot_reclaims_per_node_day": 0.25})
            keys = {parameter.key for parameter in parameters_of(request, compare(request).assumptions)}
            assert ("spot.hazard" in keys) == ("spot.price" in keys) == there
            assert (INTERRUPTION_RATE in {parameter.key for parameter in plan_parameters_of(request)}) == there

    def test_the_plans_own_rate_of_reclaims_is_where_the_search_starts(self) -> None:
        request = asked(reliability={"spot_reclaims_per_node_day": 0.25})
        parameter = next(k for k in plan_parameters_of(request) if k.key == INTERRUPTION_RATE)
        assert parameter.value == 0.25

    def test_the_plans_own_price_is_where_the_search_starts(self) -> None:
        request = asked(purchase={"spot_usd_per_hour": 11.5})
        parameter = next(k for k in plan_parameters_of(request) if k.key == SPOT_USD)
        assert parameter.value == 11.5
        booked = next(k for k in plan_parameters_of(asked()) if k.key == SPOT_USD)
        assert parameter.low / parameter.value == pytest.approx(booked.low / booked.value)
        assert parameter.reach[0] < parameter.low < parameter.value < parameter.high < parameter.reach[1]

    def test_hot_data_never_outgrow_what_is_kept(self) -> None:
        request = asked(data={"kept_in_s3": "5TB"})
        parameter = next(k for k in plan_parameters_of(request) if k.key == HOT_DATA)
        assert parameter.reach == (4.0, 5.0)

    def test_a_pinned_stream_gives_the_quantile_of_its_draws(self) -> None:
        """Planned at the 90th percentile of the hazard, the run takes as long as in the 90th percentile of draws in
        which nothing else varies and the checkpoint interval is the plan's."""
        alone = {
            "purchase": {"options": ["spot"]},
            "storage": {"layouts": ["s3-stream"]},
            "reliability": {"checkpoint_interval": "1h"},
        }
        exact = {entry.key: {"value": entry.value} for entry in compare(asked(**alone)).assumptions}
        quiet = asked(draws=4000, assumptions=exact, **alone)
        parameter = Parameter(key="spot.hazard", unit="", low=0, value=0.5, high=1, path="", reach=(0, 1), source="")
        (pinned,) = ranking_of(with_parameter(replace(quiet, draws=0), parameter, 0.9), {})
        days = compare(quiet).scenarios[0].days
        assert days is not None
        assert pinned.days == pytest.approx(days.p90, rel=0.01)


class TestOdds:
    @settings(max_examples=10, deadline=None)
    @given(st.integers(0, 50))
    def test_shares_add_up_and_turn_around(self, seed: int) -> None:
        request = replace(asked(draws=200, **SPOT_OR_BLOCK), seed=seed)
        a, b = "s3-stream/p4d.24xlarge/spot", "converged/p4d.24xlarge/on-demand"
        there, back = lower_cost_probability(request, a, b), lower_cost_probability(request, b, a)
        assert there is not None
        assert back is not None
        assert there.below_fraction + there.same_fraction + there.above_fraction == pytest.approx(1)
        assert there.below_fraction == back.above_fraction
        assert there.saves_usd_p50 == pytest.approx(-back.saves_usd_p50)

    def test_the_comparison_says_the_same_of_its_best(self) -> None:
        request = asked(draws=400, **SPOT_OR_BLOCK)
        comparison = compare(request)
        assert comparison.best is not None
        for scenario in comparison.scenarios[1:5]:
            pair = lower_cost_probability(request, scenario.id, comparison.best.id)
            assert pair is not None
            assert pair.below_fraction == scenario.below_best_fraction
        assert comparison.best.below_best_fraction is None
        shares = [s.cheapest_fraction for s in comparison.scenarios if s.cheapest_fraction is not None]
        assert sum(shares) == pytest.approx(1)

    def test_without_draws_there_are_no_odds(self) -> None:
        request = asked(**SPOT_OR_BLOCK)
        assert lower_cost_probability(request, "s3-stream/p4d.24xlarge/spot", "converged/p4d.24xlarge/spot") is None
        assert all(s.cheapest_fraction is None for s in compare(request).scenarios)

    def test_an_unknown_scenario(self) -> None:
        with pytest.raises(KeyError):
            lower_cost_probability(asked(draws=10), "nothing", "s3-stream/p4d.24xlarge/spot")


def _typed(request: Request, parameter: Parameter, value: float) -> Request:
    """The plan with `--set` of that value; as it is where that is planned."""
    return request if value == parameter.value else _set(request, parameter, value)


def _set(request: Request, parameter: Parameter, value: float) -> Request:
    return set_(request, parameter.path, value, parameter.suffix, parameter.prefix)


class TestWhatIf:
    def test_every_cell_is_the_ranking_of_its_own_plan(self) -> None:
        request, weights = as_planned()
        grid = small_study()[1].what_if
        assert grid is not None
        assert len(grid.cells) == math.prod(len(axis.values) for axis in grid.axes)
        planned = tuple(axis.values.index(axis.parameter.value) for axis in grid.axes)
        assert grid.cells[planned] == ranking_of(request, weights)
        for i, axis in enumerate(grid.axes):
            for place, value in enumerate(axis.values):
                cell = tuple(place if j == i else at for j, at in enumerate(planned))
                there = ranking_of(_typed(request, axis.parameter, value), weights)
                found = [(s.id, pytest.approx(s.cost_usd)) for s in there]
                assert [(s.id, s.cost_usd) for s in grid.cells[cell]] == found

    def test_nodes_price_and_discount_come_first(self) -> None:
        grid = small_study()[1].what_if
        assert grid is not None
        nodes, price, discount = grid.axes
        best = small_study()[1].scenario.purchase
        assert (nodes.parameter.key, discount.parameter.key) == ("fleet.nodes", "purchase.private_discount")
        assert price.parameter.key == f"prices.{best}"
        assert nodes.values == (2.0, 3.0, 4.0, 6.0, 8.0)
        assert price.values == tuple(price.parameter.value * step for step in (0.5, 1.0, 1.5))
        assert discount.values == (0.0, 0.5)
        for axis in grid.axes:
            assert axis.parameter.value in axis.values

    def test_spares_are_always_left(self) -> None:
        request = asked(fleet={"nodes": 3, "spares": 1}, draws=50, **SPOT_OR_BLOCK)
        found = study(request, compare(request))
        assert found is not None
        assert found.what_if is not None
        assert found.what_if.axes[0].values == (2.0, 3.0, 4.0, 6.0)


TWO_BLOCKS = {
    "fleet": {"instance_types": ["p5.48xlarge"], "nodes": [12, 16, 18, 20]},
    "run": {"work": {"gpu_hours": 38_000}, "deadline": "28d"},
    "purchase": {"options": ["capacity-block", "on-demand"]},
    "storage": {"layouts": ["converged", "s3-stream"]},
    "data": {"read_per_gpu": None},
}


def test_every_end_is_what_the_plan_with_that_value_recommends() -> None:
    """Also the chances of what follows a block, which move no planned figure, and what changes a length alone."""
    request = asked(**TWO_BLOCKS, draws=300)
    found = study(request, compare(request), grid=False)
    assert found is not None
    by_key = {entry.parameter.key: entry for entry in found.searches}
    asked_for = ("block.extension_granted_fraction", "on_demand.found_fraction", "data.read_mb_per_s_per_gpu")
    changed = {key for key in asked_for if by_key[key].break_evens or by_key[key].lengths}
    assert "data.read_mb_per_s_per_gpu" in changed
    assert len(changed) > 1
    for key in asked_for:
        entry = by_key[key]
        for value, end in zip(entry.parameter.reach, (entry.low, entry.high), strict=True):
            best = compare(with_parameter(request, entry.parameter, value)).best
            assert (end.id, end.block_days) == ((best.id, best.block_days) if best else ("", None))
        for one in entry.break_evens:
            best = compare(with_parameter(request, one.parameter, one.value)).best
            assert one.then.id == (best.id if best else "")


def test_a_value_of_which_a_few_were_wrong_is_sought_on_among_all() -> None:
    """Few see a change from 2 on, all from 3 on: what is told is no end of the range."""
    kept, other = Decision(id="a/b/c"), Decision(id="d/b/c")

    class Deciding:
        planned = guessed = kept
        is_moved_by = staticmethod(lambda parameter: True)
        at = staticmethod(lambda parameter, value, also="": kept if value < 2 else other)
        surely = staticmethod(lambda parameter, value: kept if value < 3 else other)

    number = Parameter(
        key="k", unit="ratio", low=1, value=1, high=9, path="assumptions.k", reach=(1, 9), source="a test"
    )
    (found,) = search(cast(Decider, Deciding()), [number])
    (one,) = found.break_evens
    assert one.keeps < 3 <= one.value < 3.1
    assert one.then == other


@pytest.mark.thorough
def test_of_a_large_plan_only_contenders_are_priced_again() -> None:
    """Nine fleets with every layout and purchase option: the answer and the first of each kind are among them."""
    request = asked(fleet={"nodes": list(range(2, 20, 2))}, draws=50)
    comparison = compare(request)
    there = {s.id for s in Repricing(request, comparison).at()}
    assert len(there) < len(comparison.complete) / 2
    assert {s.id for s in leaders_of(comparison)} <= there
    kinds = {(s.layout, s.purchase) for s in comparison.complete}
    assert {(s.layout, s.purchase) for s in comparison.complete if s.id in there} == kinds
