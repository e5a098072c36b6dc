"""Spares are chosen where the plan leaves them open, and kept where it says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.answer.measure import ranked
from planner.decide.compare import compare
from planner.decide.spares import with_number, with_spares
from planner.estimate.request import Request
from planner.plan.types import Plan
from tests.builders import book_of, plan_of

FOUR_HUNDRED = {
    "run": {"work": {"gpu_hours": 2_785_536}},
    "data": {"hot_dataset": "200TB", "checkpoint": "113GB"},
    "purchase": {"options": ["on-demand", "capacity-block"]},
    "storage": {"layouts": ["s3-stream"]},
}


def asked(plan: Plan, draws: int = 1000) -> Request:
    return Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=draws, derivations=False)


@pytest.mark.parametrize("fleet", [{"nodes": 400}, {"nodes": 128}, {"nodes": None, "gpus": "A100:2048"}])
def test_the_number_is_the_one_that_costs_least_of_any(fleet: dict[str, object]) -> None:
    request = asked(plan_of(fleet=fleet, **FOUR_HUNDRED))
    chosen = with_spares(request).plan.fleet.spares
    cost = {}
    for spares in range(12):
        best = compare(with_number(request, spares)).best
        assert best is not None
        cost[spares] = ranked(best, "p50")
    assert cost[chosen] <= min(cost.values()) * 1.005
    assert chosen > 0


def test_what_the_plan_says_stays_also_none() -> None:
    for spares in (0, 1):
        request = asked(plan_of(fleet={"nodes": 400, "spares": spares}, **FOUR_HUNDRED))
        assert with_spares(request) is request


def test_a_stated_zero_is_another_plan_than_an_open_number() -> None:
    """An open one keeps the hash that it had when it meant none."""
    kept = [plan_of(fleet={"spares": spares}).canonical()["fleet"]["spares"] for spares in (None, 0, 2)]
    assert kept == [0, "none", 2]


def test_without_draws_and_for_a_held_fleet_none_are_chosen() -> None:
    request = asked(plan_of(fleet={"nodes": 400}, **FOUR_HUNDRED))
    assert with_spares(replace(request, draws=0)).plan.fleet.spares == 0
    held = asked(plan_of(run={"work": {"gpu_hours": None, "days": 30}}, fleet={"nodes": 400}))
    assert with_spares(held) is held
