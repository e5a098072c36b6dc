"""What a plan may set an assumption to: every one at the ends of its range and beyond them, in plans of both kinds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import planner
from planner.errors import PlanProblems
from planner.models.values import Values
from planner.plan.assumptions import default_assumptions, resolve
from planner.plan.load import load_any_text

TABLE = default_assumptions()
DRAWS = 5
TRAINING = """\
apiVersion: planner/v1
name: training
start: 2026-10-05
run: {work: {gpu_hours: 4000}, deadline: 30d}
data: {hot_dataset: 4TB, checkpoint: 14GB, shard: 100MB}
fleet: {instance_types: [p4d.24xlarge], nodes: 4}
storage: {layouts: [s3-stream, converged, fsx-lustre, fsx-lustre-scratch, separate-nvme]}
purchase: {options: [on-demand, spot, spot-fallback, capacity-block, sp-1y-compute-no-upfront]}
"""
FLOP = (
    TRAINING.replace("work: {gpu_hours: 4000}", "phases: [{name: a, gpu_hours: 400}, {name: b, flop: 1e21}]")
    .replace("deadline: 30d", "deadline: 30d, relative_speed: {A100: 1}")
    .replace("hot_dataset: 4TB,", "hot_dataset: 4TB, profile: latents,")
    .replace("[p4d.24xlarge]", "[p4d.24xlarge, p5.48xlarge]")
)
POOL = """\
apiVersion: planner/v1
name: pool
start: 2026-10-05
run: {kind: worker-pool, deadline: 5d}
jobs: {count: 12, steps: 1000, seconds_per_step: {L40S: 9, A100: 3}, checkpoint_steps: 100, checkpoint: 1GB}
workers: [{instance_type: g6e.12xlarge, zone_id: use1-az4}, {instance_type: p4d.24xlarge}]
pool: {max: 4, saves_on_notice: true}
"""
PLANS = {"training": TRAINING, "flop": FLOP, "pool": POOL}


def text_with(plan: str, key: str, value: Any) -> str:
    return f"{PLANS[plan]}assumptions:\n  {key}: {value!r}\n"


def compared(text: str) -> Any:
    return planner.compare(load_any_text(text), draws=DRAWS)


@cache
def used(plan: str) -> frozenset[str]:
    return frozenset(entry.key for entry in compared(PLANS[plan]).assumptions)


CASES = [
    (plan, key, value)
    for plan in PLANS
    for key, entry in TABLE.items()
    for value in dict.fromkeys(
        (
            entry.least,
            entry.most,
            math.nextafter(entry.least, -math.inf),
            math.nextafter(entry.most, math.inf),
            0.0,
            -entry.value or -1.0,
        )
    )
]


def outside(key: str, value: float) -> bool:
    return not TABLE[key].least <= value <= TABLE[key].most


@pytest.mark.parametrize(("plan", "key", "value"), [case for case in CASES if case[0] != "flop" and outside(*case[1:])])
def test_beyond_its_range_it_is_refused_with_name_value_range_unit_and_line(plan, key, value):
    with pytest.raises(PlanProblems) as raised:
        load_any_text(text_with(plan, key, value))
    (problem,) = raised.value.problems
    entry, line = TABLE[key], len(PLANS[plan].splitlines()) + 2
    assert problem.line == line
    for said in (f"{key} is {value:.15g}", "it has to be between", f"({entry.unit})"):
        assert said in problem.message
    assert "the default is" in problem.remedy


@pytest.mark.thorough  # a comparison each
@pytest.mark.parametrize("plan", PLANS)
def test_within_its_range_it_gives_an_answer(plan):
    """One end of each; `test_with_all_of_them_at_their_ends_it_gives_an_answer` has them together."""
    for place, key in enumerate(sorted(used(plan) - (used("training") if plan == "flop" else set()))):
        value = TABLE[key].least if place % 2 else TABLE[key].most
        check(compared(text_with(plan, key, value)))


@pytest.mark.parametrize("plan", ["training", "pool"])
def test_with_all_of_them_at_their_ends_it_gives_an_answer(plan):
    for end in ("least", "most"):
        values = "".join(f"  {key}: {getattr(entry, end)!r}\n" for key, entry in TABLE.items())
        check(compared(f"{PLANS[plan]}assumptions:\n{values}"))


def check(found: Any) -> None:
    """No cost below zero and no figure that is no number; what never ends is infinite, and says so."""
    assert any(one.feasible for one in found.scenarios)
    for one in found.scenarios:
        for span in filter(None, (one.cost_usd, one.days)):
            assert all(part >= 0 for part in (span.plan, span.p10, span.p50, span.p90)), (one.id, span)
        assert all(math.isfinite(line.effective_cost) and line.effective_cost >= 0 for line in one.bill), one.id


def test_the_ends_of_a_range_are_refused_by_name():
    with pytest.raises(PlanProblems) as raised:
        load_any_text(text_with("pool", "workers.boot_minutes", {"value": 5, "low": -2, "high": 20_000}))
    low, high = raised.value.problems
    assert "low of workers.boot_minutes is -2; it has to be between 0 and 1,440 (min)" in low.message
    assert "high of workers.boot_minutes is 20000" in high.message


@pytest.mark.parametrize("plan", ["training", "pool"])
def test_an_unknown_key_is_refused_by_both_kinds(plan):
    with pytest.raises(PlanProblems) as raised:
        load_any_text(text_with(plan, "goodput.restart_minute", 3))
    (problem,) = raised.value.problems
    assert "unknown assumption 'goodput.restart_minute'" in problem.message
    assert problem.remedy == "did you mean goodput.restart_minutes?"


def test_draws_stay_within_what_a_plan_may_set():
    """Also where a value at the end of its range keeps the default's relative range around it."""
    overrides: Mapping[str, float] = {key: entry.most for key, entry in TABLE.items()}
    for table in (TABLE, resolve(overrides), resolve({key: entry.least for key, entry in TABLE.items()})):
        drawn = Values(table=table, draws=2000)
        for key, entry in table.items():
            assert entry.least <= np.min(drawn[key]) <= np.max(drawn[key]) <= entry.most, key
