"""On-Demand nodes of a type that is short: found on the day, or later, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest

from planner.estimate.result import Scenario
from tests.builders import RESERVED, compared, exact, plan_of, scenario_of

STREAM = {"layouts": ["s3-stream"]}
CHANCES = exact("on_demand.found_fraction", 0.6) | exact("on_demand.later_days", 14.0)

NEVER = CHANCES | exact("on_demand.found_fraction", 0.0)


def row(nodes: int, option: str = "on-demand", **more: object) -> Scenario:
    sections = {"fleet": {"nodes": nodes}, "purchase": {"options": [option]}, "storage": STREAM, **more}
    return scenario_of(plan_of(**sections), "s3", draws=4000)


def test_128_gpus_are_found_in_six_of_ten_outcomes_and_the_others_wait_two_weeks() -> None:
    waiting, there = row(16, assumptions=CHANCES), row(16, assumptions=RESERVED)
    assert waiting.days is not None
    assert there.days is not None
    assert waiting.days.plan == there.days.plan
    assert waiting.days.p50 < there.days.p50 + 1
    assert waiting.days.p90 == pytest.approx(there.days.p90 + 14, abs=0.2)
    mean, before = (float(each.mean_cost_usd or 0.0) for each in (waiting, there))
    other = sum(line.effective_cost for line in there.bill if line.line != "fleet.compute") / there.days.plan
    assert mean == pytest.approx(before + 0.4 * 14 * other, rel=0.005)


@pytest.mark.parametrize(("nodes", "share"), [(1, 0.031), (4, 0.120), (16, 0.4), (64, 0.870)])
def test_each_further_gpu_is_as_hard_to_find(nodes: int, share: float) -> None:
    """1 - 0.6 ** (GPUs / 128); fewer come free sooner. The run itself takes the same time in every outcome."""
    settled = {entry.key: {"value": entry.value} for entry in compared(plan_of()).assumptions}
    settled |= CHANCES | exact("run.proven_factor", 1.0)
    found = row(nodes, assumptions=settled, run={"work": {"gpu_hours": 1000 * nodes}})
    ends = min(nodes / 16, 1.0) * 14
    assert found.days is not None
    mean = float(np.interp(share, (0, 1), (found.days.plan, found.days.plan + ends)))
    late = compared(
        plan_of(
            fleet={"nodes": nodes},
            purchase={"options": ["on-demand"]},
            storage=STREAM,
            assumptions=settled,
            run={"work": {"gpu_hours": 1000 * nodes}, "deadline": f"{found.days.plan + 0.9 * ends}d"},
        ),
        draws=4000,
    ).scenarios[0]
    assert mean > found.days.plan
    assert late.on_time_fraction == pytest.approx(1 - share, abs=0.02)


def test_types_without_capacity_blocks_are_there() -> None:
    fleet = {"instance_types": ["g6e.48xlarge"], "nodes": 8}
    options = {"options": ["on-demand"]}
    found, reserved = (
        scenario_of(plan_of(fleet=fleet, purchase=options, storage=STREAM, assumptions=each), "s3", draws=300)
        for each in (CHANCES, RESERVED)
    )
    assert found.days == reserved.days


def test_a_run_that_leaves_spot_waits_as_well() -> None:
    waiting, there = (row(16, "spot-fallback", assumptions=each) for each in (NEVER, RESERVED))
    moved = there.fallback_fraction or 0.0
    assert moved > 0.1
    assert waiting.days is not None
    assert there.days is not None
    assert waiting.days.p10 == there.days.p10
    assert waiting.days.p90 > there.days.p90 + 1


def test_whoever_has_no_reservation_is_told_the_chance_and_the_setting() -> None:
    (said,) = [text for text in row(16, assumptions=CHANCES).warnings if "guarantee" in text]
    assert "16 x p4d.24xlarge are there on the first day with an assumed chance of 60%, else 14 days later" in said
    assert "--set assumptions.on_demand.found_fraction=1" in said
    assert not [text for text in row(16, assumptions=RESERVED).warnings if "guarantee" in text]
