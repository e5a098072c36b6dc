"""The recommendation: the first eligible scenario, ties, alternatives, and the order of all of them."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.answer.measure import cost_of, order, ranked
from planner.answer.recommend import MORE_AT_P90, SMALL, Alternative, Answer, answer_of
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.eligibility import judged
from planner.decide.nothing_eligible import with_relaxations
from planner.estimate.request import Request
from planner.plan.load import load_text
from planner.plan.types import Plan
from tests.builders import RESERVED, Row, book_of, by_id, compared, plan_of, row

STREAM, POOL, LUSTRE, NVME, SCRATCH = (
    f"{layout}/p4d.24xlarge/on-demand"
    for layout in ("s3-stream", "converged", "fsx-lustre", "separate-nvme", "fsx-lustre-scratch")
)
SPOT = "s3-stream/p4d.24xlarge/spot"
BLOCK = "s3-stream/p4d.24xlarge/capacity-block"
WITH_SPOT = {"options": ["on-demand", "capacity-block", "spot"]}


def answered(*rows: Row, plan: Plan | None = None) -> Answer:
    plan = plan or plan_of()
    outcomes = {scenario.id: drawn for scenario, drawn in rows}
    return answer_of(plan.decision, judged(plan, [scenario for scenario, _ in rows], outcomes), outcomes)


class TestFirst:
    def test_one_row_is_recommended_without_a_tie_or_an_alternative(self) -> None:
        assert answered(row(STREAM, 100)) == Answer(
            confidence=0.9, rank_by="p50", recommended=STREAM, first=STREAM, compared=1
        )

    def test_nothing_to_compare(self) -> None:
        assert answered() == Answer(confidence=0.9, rank_by="p50")

    def test_one_spot_node_is_recommended_although_it_is_interrupted_now_and_then(self) -> None:
        """Spot alone sets its own limit. Of p5 nodes 5 to 10 % are interrupted in a month."""
        node = {"instance_types": ["p5.48xlarge"], "nodes": 1}
        plan = plan_of(fleet=node, purchase={"options": ["spot"]}, storage={"layouts": ["s3-stream"]})
        found = compared(plan, draws=1000, book=book_of(date(2026, 10, 10)))
        assert found.best is not None
        assert found.best.option.id == "spot"
        assert found.best.on_time_fraction is not None
        assert 0.9 <= found.best.on_time_fraction < 1
        assert (found.answer.tied, found.answer.alternatives, found.answer.compared) == ((), (), 1)

    def test_spot_that_does_not_finish_often_enough_is_not_even_where_there_is_nothing_else(self) -> None:
        found = answered(row(SPOT, 100, [5.0] * 8 + [math.inf] * 2))
        assert (found.recommended, found.first, found.compared) == ("", "", 1)

    def test_the_gamble_is_not_recommended_however_cheap(self) -> None:
        """As planned spot costs a third; in three draws of ten it takes ten times as long."""
        gamble = row(SPOT, [100.0] * 7 + [3000.0] * 3, [5.0] * 7 + [50.0] * 3)
        found = answered(gamble, row(STREAM, 300, 5.0))
        assert found.recommended == STREAM
        assert found.alternatives == (Alternative(id=SPOT, kind="cheaper-if"),)

    def test_a_price_that_lacks_is_never_recommended(self) -> None:
        assert answered(row(STREAM, 1, complete=False), row(POOL, 100)).recommended == POOL

    def test_what_cannot_be_deployed_is_a_reference(self) -> None:
        found = answered(row(STREAM, 100), row(POOL, 50, priced_only="not yet"))
        assert found.recommended == STREAM
        assert found.alternatives == (Alternative(id=POOL, kind="cheaper-if"),)
        assert answered(row(POOL, 50, priced_only="not yet")).recommended == ""

    @pytest.mark.parametrize(("spot", "named"), [(70.0, [POOL]), (30.0, [POOL, SPOT])])
    def test_a_gamble_is_named_beside_it_only_if_it_costs_less(self, spot: float, named: list[str]) -> None:
        gamble = row(SPOT, [spot] * 7 + [3000.0] * 3, [5.0] * 7 + [50.0] * 3)
        found = answered(row(STREAM, 100), row(POOL, 50, priced_only="not yet"), gamble)
        assert [entry.id for entry in found.alternatives] == named

    def test_many_capacity_blocks_are_not_recommended_but_named(self):
        """67 nodes are blocks of 64, 2 and 1."""
        purchase = {"options": ["on-demand", "capacity-block"]}
        sections = {"fleet": {"nodes": 67}, "purchase": purchase, "storage": {"layouts": ["s3-stream"]}}
        found = compared(plan_of(**sections, run={"work": {"gpu_hours": 400_000}}, assumptions=RESERVED), draws=200)
        assert [s.option.id for s in found.scenarios] == ["on-demand", "capacity-block"]
        first, block = found.scenarios
        assert block.cost_usd.p50 < first.cost_usd.p50
        assert (found.answer.recommended, found.answer.alternatives[0].id) == (first.id, block.id)
        assert block.unproven.startswith("67 nodes are more than 2 Capacity Blocks")

    def test_scratch_lustre_is_priced_and_not_deployed(self) -> None:
        plan = plan_of(purchase={"options": ["on-demand"]}, storage={"layouts": ["fsx-lustre", "fsx-lustre-scratch"]})
        found = compared(plan)
        assert by_id(found)[SCRATCH].priced_only
        assert by_id(found)[SCRATCH].eligible
        assert found.best is not None
        assert found.best.id == LUSTRE

    @pytest.mark.parametrize(
        ("rank_by", "first"), [("p50", STREAM), ("p90", POOL), ("mean", LUSTRE), ("planned", NVME)]
    )
    def test_each_measure_has_its_own_first(self, rank_by: str, first: str) -> None:
        rows = (
            row(STREAM, [100.0] * 7 + [300.0] * 3, planned_usd=120),  # least at P50
            row(POOL, [150.0] * 5 + [160.0] * 5, planned_usd=150),  # least at P90
            row(LUSTRE, [120.0] * 7 + [180.0] * 3, planned_usd=130),  # mean 138, against 160 and 155
            row(NVME, [200.0] * 10, planned_usd=90),
        )
        assert answered(*rows, plan=plan_of(decision={"rank_by": rank_by})).first == first


RI_1Y, RI_3Y, SP_1Y = (
    f"s3-stream/p4d.24xlarge/{option}"
    for option in ("ri-1y-standard-no-upfront", "ri-3y-standard-no-upfront", "sp-1y-compute-no-upfront")
)


def unsure(id: str, p90: float = 110.0, *, turned: bool = False, **more: Any) -> Row:
    """100 at P50, and above it in half of the draws; turned: in the other half."""
    return row(id, ([110.0, 90.0] if turned else [90.0, 110.0]) * 4 + [100.0, p90], **more)


class TestTies:
    """Tied: costlier than the first in under 70 % of the same draws, within 10 % at P50, P90 at most 5 % higher."""

    @pytest.mark.parametrize("more", [1e-6, 0.0199])
    def test_a_difference_that_is_the_same_in_every_draw_is_no_tie_however_small(self, more: float) -> None:
        """$370k of $20M are 1.9 %."""
        spread = np.array([80.0, 90.0, 100.0, 150.0, 300.0])
        found = answered(row(POOL, spread), row(STREAM, spread * (1 + more)))
        assert (found.first, found.recommended, found.tied) == (POOL, POOL, ())

    @pytest.mark.parametrize(("more", "costlier", "ties"), [(8, 6, True), (8, 7, False), (11, 6, False)])
    def test_within_ten_percent_where_it_is_seldom_costlier(self, more: int, costlier: int, ties: bool) -> None:
        """Costlier in `costlier` draws of ten, cheaper in the others: 70 % decide, and beyond 10 % so does the lead."""
        pool = [100.0] * costlier + [112.0] * (10 - costlier)
        stream = [100.0 + more] * costlier + [105.0] * (10 - costlier)
        found = answered(row(POOL, pool), row(STREAM, stream))
        assert found.first == POOL
        assert found.tied == ((POOL, STREAM) if ties else ())
        assert found.recommended == (STREAM if ties else POOL)

    @pytest.mark.parametrize(("tail", "ties"), [(115.4, True), (115.6, False)])
    def test_a_higher_p90_breaks_a_tie(self, tail: float, ties: bool) -> None:
        found = answered(row(POOL, [100.0] * 6 + [110.0] * 4), row(STREAM, [100.0] * 6 + [tail] * 4))
        assert len(found.tied) == (2 if ties else 0)

    def test_effort_ranks_with_the_cost_and_is_part_of_what_a_draw_costs(self) -> None:
        """The pool costs 1 less in every draw and 2 more to operate."""
        costs = [100.0, 120.0, 140.0]
        found = answered(row(POOL, [c - 1 for c in costs], effort_usd=3.0), row(STREAM, costs, effort_usd=1.0))
        assert (found.first, found.recommended, found.tied) == (STREAM, STREAM, ())

    @pytest.mark.parametrize(
        ("rows", "chosen"),
        [
            # the lower commitment: none, paid before it is used, one year, three
            ((unsure(BLOCK), unsure(STREAM)), STREAM),
            ((unsure(RI_1Y), unsure(BLOCK)), BLOCK),
            ((unsure(RI_3Y), unsure(SP_1Y)), SP_1Y),
            # also where the other one has the lower P90
            ((unsure(BLOCK), unsure(STREAM, p90=114.0)), STREAM),
            # then the lower P90 and the lower cost, where they differ by more than 2 %, then less effort, then the id
            ((unsure(STREAM, p90=140.0), unsure(POOL, turned=True, effort_usd=1.0)), POOL),
            ((unsure(STREAM, p90=114.0), unsure(POOL, turned=True, effort_usd=1.0)), STREAM),
            ((unsure(POOL, turned=True, effort_usd=3.0), unsure(STREAM)), STREAM),
            ((unsure(POOL, turned=True, effort_usd=1.0), unsure(STREAM, effort_usd=0.5)), STREAM),
            ((unsure(STREAM), unsure(POOL)), POOL),
        ],
    )
    def test_are_settled_in_order(self, rows: tuple[Row, ...], chosen: str) -> None:
        for turned in (rows, rows[::-1]):
            found = answered(*turned)
            assert set(found.tied) == {scenario.id for scenario, _ in rows}
            assert found.recommended == chosen

    @pytest.mark.parametrize(("id", "chosen"), [(POOL, POOL), (BLOCK.replace("s3-stream", "converged"), STREAM)])
    def test_one_that_beats_the_winner_is_tied_too(self, id: str, chosen: str) -> None:
        """It costs more than the first in seven draws, so these two do not tie; the winner costs 4 more than it."""
        first = row(BLOCK, [100.0] * 6 + [110.0] * 4)
        between = row(id, [104.0] * 6 + [110.5] + [105.0] * 3, 4.0)
        found = answered(first, between, row(STREAM, [108.0] * 6 + [109.0] * 4, 5.0))
        assert (found.first, found.recommended) == (BLOCK, chosen)
        assert found.tied == (BLOCK, id, STREAM)
        # no earlier: it does not tie
        found = answered(first, row(id, between[1].cost_usd, 5.0), row(STREAM, [108.0] * 6 + [109.0] * 4, 5.0))
        assert found.tied == (BLOCK, STREAM)

    def test_what_cannot_be_recommended_ties_with_nothing(self) -> None:
        late = row(STREAM, 100.0, [5.0] * 5 + [50.0] * 5)
        found = answered(row(POOL, 100.0), late, row(LUSTRE, 100.0, priced_only="not yet"))
        assert (found.recommended, found.tied) == (POOL, ())


class TestAlternatives:
    def test_the_cheapest_that_is_not_eligible_and_the_safest(self) -> None:
        rows = (
            row(STREAM, [100.0] * 7 + [200.0] * 3),
            row(POOL, 130.0),  # costlier in seven draws of ten, but never 200
            row(LUSTRE, 140.0),
            row(SPOT, 50.0, [5.0] * 5 + [50.0] * 5),
            row(NVME, 60.0, 90.0),
        )
        found = answered(*rows)
        assert found.recommended == STREAM
        assert found.alternatives == (Alternative(id=SPOT, kind="cheaper-if"), Alternative(id=POOL, kind="safest"))

    @pytest.mark.parametrize(("usd", "named"), [(97.9, True), (98.1, False)])
    def test_hardly_cheaper_is_no_alternative(self, usd: float, named: bool) -> None:
        found = answered(row(STREAM, 100.0), row(SPOT, usd, 90.0))
        assert bool(found.alternatives) is named

    @pytest.mark.parametrize(("usd", "named"), [(193, True), (197, False)])
    def test_hardly_safer_is_no_alternative(self, usd: float, named: bool) -> None:
        found = answered(row(STREAM, [100.0] * 7 + [200.0] * 3), row(POOL, float(usd)))
        assert found.recommended == STREAM
        assert found.alternatives == ((Alternative(id=POOL, kind="safest"),) if named else ())


ROWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([90.0, 99.0, 100.0, 101.0, 105.0, 120.0, 300.0]), min_size=10, max_size=10),
        st.lists(st.sampled_from([4.0, 5.0, 6.0, 30.0, math.inf]), min_size=10, max_size=10),
        st.booleans(),
        st.booleans(),
    ),
    max_size=8,
)
IDS = [
    f"{layout}/p4d.24xlarge/{option}"
    for layout in ("converged", "s3-stream")
    for option in ("on-demand", "spot", "capacity-block", "ri-1y-standard-no-upfront")
]


@settings(deadline=None)
@given(drawn=ROWS, rank_by=st.sampled_from(["p50", "p90", "mean", "planned"]))
def test_of_any_rows(drawn: list[Any], rank_by: str) -> None:
    """What is recommended is eligible and can be deployed, is the first or costs little more, and has at most two
    alternatives, none of which it would not be better than if they were eligible."""
    plan = plan_of(decision={"rank_by": rank_by})
    rows = [
        row(id, cost, days, complete=complete, priced_only="not yet" if priced else "")
        for id, (cost, days, complete, priced) in zip(IDS, drawn, strict=False)
    ]
    outcomes = {scenario.id: found for scenario, found in rows}
    scenarios = {s.id: s for s in judged(plan, [scenario for scenario, _ in rows], outcomes)}
    answer = answer_of(plan.decision, list(scenarios.values()), outcomes)
    known = [s for s in scenarios.values() if s.eligible and not s.priced_only]
    assert bool(answer.recommended) == bool(known)
    assert len(answer.alternatives) <= 2
    if not known:
        assert (answer.first, answer.tied, answer.alternatives) == ("", (), ())
        return
    best, first = scenarios[answer.recommended], scenarios[answer.first]
    assert best in known
    assert cost_of(first, rank_by) == min(cost_of(s, rank_by) for s in known)
    assert (best is first) or {best.id, first.id} <= set(answer.tied)
    assert cost_of(best, "p90") <= cost_of(first, "p90") * (1 + MORE_AT_P90)
    for alternative in answer.alternatives:
        other = scenarios[alternative.id]
        if alternative.kind == "safest":
            assert other in known
            assert cost_of(other, "p90") < cost_of(best, "p90")
            assert cost_of(other, "p90") == min(cost_of(s, "p90") for s in known)
        else:
            assert other not in known
            assert cost_of(other, rank_by) < cost_of(best, rank_by) * (1 - SMALL)


class TestOrder:
    def test_recommended_eligible_complete_bounds_without_nodes_infeasible(self) -> None:
        bound = row("s3-stream/p5.48xlarge/on-demand", 1, complete=False)[0]
        ranked = [
            replace(row(STREAM, 102)[0], eligible=True),
            replace(row(POOL, 100)[0], eligible=True),
            replace(row(LUSTRE, 200)[0], eligible=True),
            row(SPOT, 10)[0],
            bound,
            row(NVME, 5, feasible=False)[0],
        ]
        for seed in range(5):
            mixed = list(np.random.default_rng(seed).permutation(np.array(ranked, dtype=object)))
            assert sorted(mixed, key=lambda s: order(s, "p50", STREAM)) == ranked

    def test_a_median_that_is_never_reached_comes_last_of_its_group(self) -> None:
        never = row(SPOT, 1, [5.0] * 3 + [math.inf] * 7)[0]
        late = row(POOL, 1000, 5.0)[0]
        assert sorted([never, late], key=lambda s: order(s, "p50", "")) == [late, never]

    @pytest.mark.parametrize("rank_by", ["p50", "p90", "mean", "planned"])
    def test_of_a_whole_comparison(self, rank_by: str) -> None:
        found = compared(plan_of(decision={"rank_by": rank_by}, run={"deadline": "6d"}, purchase=WITH_SPOT), draws=300)
        assert found.best is found.scenarios[0]
        assert found.answer.rank_by == rank_by
        groups = [0 if s is found.best else 1 if s.eligible else 2 for s in found.complete]
        assert groups == sorted(groups)
        for group in (1, 2):
            usd = [ranked(s, rank_by) for s, of in zip(found.complete, groups, strict=True) if of == group]
            assert usd == sorted(usd)
        assert len(set(groups)) == 3

    def test_cheapest_and_safest_beside_the_recommended(self) -> None:
        found = compared(plan_of(run={"deadline": "6d"}, purchase=WITH_SPOT), draws=300)
        assert found.cheapest is min(found.complete, key=lambda s: s.cost_usd.plan)
        assert not found.cheapest.eligible  # on spot alone
        assert found.safest is min((s for s in found.complete if s.eligible), key=lambda s: s.cost_usd.p90)


class TestNothingEligible:
    """Nothing is recommended, and the nearest change that is named makes something so."""

    @staticmethod
    def asked(*overrides: str) -> tuple[Request, Comparison]:
        text = (Path(__file__).parents[2] / "examples" / "small.yaml").read_text()
        few = ("purchase.options=[on-demand, spot]", "storage.layouts=[s3-stream, converged]")
        loaded = load_text(text, overrides=(*few, *overrides))
        request = Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book_of(), draws=300)
        return request, with_relaxations(request, compare(request))

    def test_a_deadline_that_nothing_keeps(self) -> None:
        _, found = self.asked("run.deadline=1d")
        assert (found.best, found.safest, found.answer.recommended) == (None, None, "")
        assert found.cheapest is not None
        first = found.relaxations[0]
        (setting,) = first.settings
        assert setting.startswith("run.deadline=")
        _, again = self.asked(setting)
        assert again.best is not None
        assert again.best.id == first.scenario
        assert again.best.on_time_fraction is not None
        assert again.best.on_time_fraction >= 0.9
        # the nearest one, to three digits: no scenario keeps a hundredth less
        days = float(setting.removeprefix("run.deadline=").removesuffix("d"))
        assert self.asked(f"run.deadline={days * 0.99}d")[1].best is None

    def test_a_budget_that_nothing_keeps(self) -> None:
        _, found = self.asked("constraints.max_cost_usd=100")
        assert found.best is None
        (setting,) = next(r.settings for r in found.relaxations if r.settings[0].startswith("constraints.max_cost"))
        _, again = self.asked(setting)
        assert again.best is not None
        assert again.best.in_budget_fraction is not None
        assert again.best.in_budget_fraction >= 0.9
