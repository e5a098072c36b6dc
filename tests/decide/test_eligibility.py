"""Which scenarios may be recommended: limits, budgets, runs that never finish, and how long a block is bought."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.answer.row import Shortfall
from planner.decide.eligibility import judged
from planner.estimate.constraints import limit_of_plan
from planner.estimate.result import Scenario
from planner.plan.load import load_plan
from planner.plan.types import Plan
from tests.builders import Row, compared, plan_of, row, scenario_of
from tests.examples import TRAINING

EXAMPLES = TRAINING
ON_DEMAND, SPOT, BLOCK = (f"s3-stream/p4d.24xlarge/{option}" for option in ("on-demand", "spot", "capacity-block"))
POOL = "converged/p4d.24xlarge/on-demand"
LATE = [5.0] * 8 + [9.0] * 2  # 80 % of the draws within 5 days
NEVER = [5.0] * 8 + [math.inf] * 2


def judge(plan: Plan, *rows: Row) -> dict[str, Scenario]:
    found = judged(plan, [scenario for scenario, _ in rows], {scenario.id: drawn for scenario, drawn in rows})
    return {s.id: s for s in found}


def test_the_limit_is_the_earlier_of_the_two_names_of_a_deadline() -> None:
    assert limit_of_plan(plan_of()) is None
    assert limit_of_plan(plan_of(run={"deadline": "130h"})) == pytest.approx(130 / 24)
    assert limit_of_plan(plan_of(constraints={"max_days": 30})) == 30
    assert limit_of_plan(plan_of(run={"deadline": "130h"}, constraints={"max_days": 30})) == pytest.approx(130 / 24)


class TestDeadline:
    def test_as_many_draws_as_the_confidence_have_to_keep_it(self) -> None:
        """Eight of ten draws within the deadline: enough for 80 %, not for 90 %, of which the next value is needed."""
        for confidence, short in ((0.8, ()), (0.9, (Shortfall(kind="deadline", fraction=0.8, limit=6, needed=9),))):
            plan = plan_of(run={"deadline": "6d"}, decision={"confidence": confidence})
            found = judge(plan, row(SPOT, 100, LATE))[SPOT]
            assert found.shortfalls == short
            assert found.eligible == (not short)
            assert (found.limit_days, found.limit_is_assumed, found.on_time_fraction) == (6, False, 0.8)

    @given(
        days=st.lists(st.floats(0.5, 100) | st.just(math.inf), min_size=1, max_size=40),
        limit=st.floats(0.5, 100),
        confidence=st.floats(0.5, 0.999),
    )
    def test_with_the_limit_that_it_needs_it_is_eligible_and_just_below_it_is_not(
        self, days, limit, confidence
    ) -> None:
        def at(days_allowed: float) -> Scenario:
            plan = plan_of(constraints={"max_days": days_allowed}, decision={"confidence": confidence})
            return judge(plan, row(SPOT, 100, days))[SPOT]

        found = at(limit)
        share = sum(each <= limit for each in days) / len(days)
        assert found.on_time_fraction == pytest.approx(share)
        assert found.eligible == (share >= confidence)
        for shortfall in found.shortfalls:
            if math.isfinite(shortfall.needed):
                assert shortfall.kind == "deadline"
                assert at(shortfall.needed).eligible
                assert not at(shortfall.needed * (1 - 1e-9)).eligible
            else:
                assert shortfall.kind == "finish"
                assert sum(map(math.isfinite, days)) / len(days) < confidence

    def test_a_run_that_never_finishes_needs_no_longer_deadline_but_to_finish(self) -> None:
        found = judge(plan_of(run={"deadline": "6d"}), row(SPOT, 100, NEVER))[SPOT]
        assert found.shortfalls == (Shortfall(kind="finish", fraction=0.8),)
        assert not found.eligible

    def test_what_lacks_a_price_is_not_eligible_and_what_is_infeasible_is_not_judged(self) -> None:
        infeasible = row(POOL, 50, feasible=False, why_not=("no",))
        found = judge(plan_of(run={"deadline": "6d"}), row(SPOT, 100, complete=False), infeasible)
        assert not found[SPOT].eligible
        assert found[SPOT].shortfalls == ()
        assert found[POOL] is infeasible[0]


class TestAssumedLimit:
    """Without a deadline: decision.slack times the shortest P90 of what is not bought on spot."""

    def test_of_what_is_not_on_spot(self) -> None:
        rows = row(ON_DEMAND, 200, 6.0), row(POOL, 200, 4.0), row(SPOT, 100, [2.0] * 8 + [9.0] * 2)
        found = judge(plan_of(), *rows)
        assert {(s.limit_days, s.limit_is_assumed) for s in found.values()} == {(6.0, True)}  # 1.5 x 4 days
        assert [found[id].eligible for id in (ON_DEMAND, POOL, SPOT)] == [True, True, False]
        assert found[SPOT].shortfalls == (Shortfall(kind="assumed limit", fraction=0.8, limit=6, needed=9),)

    def test_slack_is_the_plans(self) -> None:
        rows = row(ON_DEMAND, 200, 4.0), row(SPOT, 100, LATE)
        assert judge(plan_of(decision={"slack": 2.25}), *rows)[SPOT].eligible
        assert not judge(plan_of(decision={"slack": 2.2}), *rows)[SPOT].eligible

    def test_where_all_is_on_spot_spot_sets_it(self) -> None:
        pool = POOL.replace("on-demand", "spot")
        found = judge(plan_of(), row(SPOT, 100, 4.0), row(pool, 100, 7.0))
        assert {s.limit_days for s in found.values()} == {6.0}
        assert found[SPOT].eligible
        assert not found[pool].eligible

    def test_each_fleet_has_its_own(self) -> None:
        """Twice the nodes take half the time; neither type nor count makes the other one late."""
        small, large = (
            row("s3-stream/p4d.24xlargex4/on-demand", 100, 8.0),
            row("s3-stream/p4d.24xlargex8/on-demand", 100, 4.0, nodes=8),
        )
        other = row("s3-stream/p5.48xlarge/on-demand", 100, 2.0)
        found = judge(plan_of(), small, large, other)
        assert [s.limit_days for s in found.values()] == [12.0, 6.0, 3.0]
        assert all(s.eligible for s in found.values())

    def test_lower_bounds_and_runs_that_do_not_finish_set_none(self) -> None:
        rows = row(ON_DEMAND, 1, 1.0, complete=False), row(POOL, 100, NEVER), row(SPOT, 100, 4.0)
        assert {s.limit_days for s in judge(plan_of(), *rows).values()} == {6.0}
        (alone,) = judge(plan_of(), row(ON_DEMAND, 100, NEVER)).values()
        assert (alone.limit_days, alone.on_time_fraction, alone.eligible) == (None, None, False)

    def test_no_limit_is_assumed_where_the_plan_has_one(self) -> None:
        found = judge(plan_of(run={"deadline": "100d"}), row(ON_DEMAND, 100, 1.0), row(SPOT, 100, 90.0))
        assert all(s.eligible and not s.limit_is_assumed for s in found.values())


class TestBudget:
    def test_as_many_draws_as_the_confidence_have_to_keep_it(self) -> None:
        costs = [100.0] * 8 + [300.0] * 2
        found = judge(plan_of(constraints={"max_cost_usd": 200}), row(SPOT, costs))[SPOT]
        assert found.shortfalls == (Shortfall(kind="budget", fraction=0.8, limit=200, needed=300),)
        assert (found.budget_usd, found.in_budget_fraction) == (200, 0.8)
        assert judge(plan_of(constraints={"max_cost_usd": 300}), row(SPOT, costs))[SPOT].eligible

    def test_time_and_money_are_two_shortfalls(self) -> None:
        plan = plan_of(run={"deadline": "6d"}, constraints={"max_cost_usd": 200})
        found = judge(plan, row(SPOT, [100.0] * 8 + [300.0] * 2, LATE))[SPOT]
        assert [s.kind for s in found.shortfalls] == ["deadline", "budget"]

    def test_without_a_budget_nothing_is_said_of_one(self) -> None:
        found = judge(plan_of(), row(SPOT, 1e12))[SPOT]
        assert (found.budget_usd, found.in_budget_fraction, found.eligible) == (None, None, True)

    def test_a_run_that_never_finishes_keeps_no_budget(self) -> None:
        found = judge(plan_of(constraints={"max_cost_usd": 1e9}), row(SPOT, 100, NEVER))[SPOT]
        assert found.in_budget_fraction == 0.8
        assert Shortfall(kind="budget", fraction=0.8, limit=1e9, needed=math.inf) in found.shortfalls


class TestBlock:
    """Without a tail a run that outlasts its Capacity Block does not finish."""

    PLAN: ClassVar[dict[str, Any]] = {
        "purchase": {"options": ["capacity-block"], "capacity_block": {"tail": "none"}},
        "storage": {"layouts": ["s3-stream"]},
    }

    @staticmethod
    def block(days: int) -> dict[str, Any]:
        return {"options": ["capacity-block"], "capacity_block": {"days": days, "tail": "none"}}

    def test_too_short_a_block_says_which_length_would_do(self) -> None:
        """Twenty days are needed at 90 %: a block of whole weeks, 21."""
        needs = [10.0] * 8 + [20.0] * 2
        drawn = row(BLOCK, 100, [10.0] * 8 + [math.inf] * 2, block=(14, needs))
        found = judge(plan_of(run={"deadline": "30d"}), drawn)[BLOCK]
        assert found.shortfalls == (Shortfall(kind="block", fraction=0.8, limit=14, needed=21),)
        assert not found.eligible

    def test_no_block_is_long_enough_for_200_days(self) -> None:
        drawn = row(BLOCK, 100, [10.0] * 8 + [math.inf] * 2, block=(14, [10.0] * 8 + [200.0] * 2))
        (shortfall,) = judge(plan_of(run={"deadline": "30d"}), drawn)[BLOCK].shortfalls
        assert (shortfall.kind, shortfall.needed) == ("block", math.inf)

    @pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
    def test_it_is_bought_so_long_that_enough_of_the_draws_end_within_it(self, confidence: float) -> None:
        # failures take a share of the time that is uncertain, so that lengths differ by more than a day
        more = {
            **self.PLAN,
            "assumptions": {"goodput.failures_per_1000_node_days": {"value": 400, "low": 50, "high": 900}},
        }
        s = scenario_of(plan_of(decision={"confidence": confidence}, **more), "s3-stream", draws=400)
        assert s.finish_fraction is not None
        assert s.finish_fraction >= confidence
        bought = s.block_days
        assert bought is not None
        billed = sum(line.quantity for line in s.bill if line.line in ("fleet.compute", "fleet.block-unused"))
        assert billed == pytest.approx(4 * 24 * bought)
        # a day less would not do, unless the plan itself needs it
        shorter = scenario_of(
            plan_of(
                **{
                    **more,
                    "purchase": {
                        "options": ["capacity-block"],
                        "capacity_block": {"days": int(bought) - 1, "tail": "none"},
                    },
                }
            ),
            "s3-stream",
            draws=400,
        )
        assert not shorter.feasible or shorter.finish_fraction < confidence

    def test_a_length_of_the_plans_own_that_is_too_short_makes_it_ineligible(self) -> None:
        """4,550 GPU-hours take six days less a little as planned, and more in half of the draws."""

        def at(days: int) -> Scenario:
            return scenario_of(
                plan_of(
                    **{
                        **self.PLAN,
                        "run": {"work": {"gpu_hours": 4550}, "recipe": "proven"},
                        "purchase": self.block(days),
                    }
                ),
                "s3-stream",
                draws=300,
            )

        short, long = at(6), at(7)
        (shortfall,) = short.shortfalls
        assert (shortfall.kind, shortfall.limit, shortfall.needed) == ("block", 6, 7)
        assert short.finish_fraction < 0.9
        assert shortfall.fraction == pytest.approx(short.finish_fraction)
        assert long.eligible
        assert long.finish_fraction >= 0.9
        assert not scenario_of(
            plan_of(
                **{
                    **self.PLAN,
                    "purchase": {"options": ["capacity-block"], "capacity_block": {"days": 5, "tail": "none"}},
                }
            ),
            "s3-stream",
        ).feasible


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_recommended_finishes_in_time_in_nine_draws_of_ten(path: Path) -> None:
    best = compared(load_plan(path).plan, draws=1000).best
    assert best is not None
    assert best.eligible
    assert not best.shortfalls
    assert best.finish_fraction is not None
    assert best.finish_fraction >= 0.9
    assert np.isfinite(best.cost_usd.p90)
    if best.is_held:  # for a given time, so that there is nothing to be late for
        assert best.delivered_fraction >= 0.99
        return
    assert best.on_time_fraction is not None
    assert best.on_time_fraction >= 0.9
    assert best.days is not None
    assert best.days.p90 <= best.limit_days


@pytest.mark.parametrize(("days", "fraction"), [(5.0, 0.0), (5.27, 1.0), (7.0, 1.0)])
def test_without_draws_the_planned_run_is_the_one_draw(days: float, fraction: float) -> None:
    plan = plan_of(constraints={"max_days": days}, purchase={"options": ["on-demand"]})
    s = scenario_of(plan, "s3-stream")
    assert (s.on_time_fraction, s.eligible) == (fraction, fraction == 1)
