"""Spot with fallback to On-Demand: the closed form against a simulation of the rule, event by event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from planner.decide.compare import compare
from planner.decide.explain import drawn, request_of_one
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.load import load_plan
from tests.builders import book_of
from tests.estimate.simulated_run import Conditions, simulate

EXAMPLES = Path(__file__).parents[2] / "examples"
DRAWS = 400
PLANS = {
    "400 p4d": ("stability-converged", "converged/p4d.24xlarge/spot-fallback", 400),
    "64 p5": ("llama-70b-p5", "s3-stream/p5.48xlarge/spot-fallback", 64),
}
Draws = NDArray[np.float64]


@dataclass(frozen=True)
class Closed:
    """What the planner says: the scenario, a price in every draw, and any number of the run in every draw."""

    scenario: Scenario
    number: Callable[[str], Draws]
    assumed: Callable[[str], Draws]


# what is simulated
MACHINES = "assumptions={run.first_time_factor: {value: 1}, run.proven_factor: {value: 1}, on_demand.found_fraction: 1}"


@cache
def closed(name: str) -> Closed:
    file, id, nodes = PLANS[name]
    overrides = ("purchase.options=[on-demand,spot-fallback]", f"fleet.nodes={nodes}", "fleet.spares=0", MACHINES)
    loaded = load_plan(str(EXAMPLES / f"{file}.yaml"), overrides=overrides)
    request = Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book_of(), draws=DRAWS, seed=0)
    scenario = next(s for s in compare(request).scenarios if s.id == id)
    numbers = drawn(request_of_one(request, scenario), scenario)
    values = request.drawn(request.central())

    def each(value: object) -> Draws:
        return np.broadcast_to(np.asarray(value, dtype=float), (DRAWS,))

    return Closed(scenario, lambda id: each(numbers[id]), lambda key: each(values[key]))


@cache
def simulated(name: str) -> tuple[Draws, Draws, Draws]:
    """(days, USD, whether it moved) of one run for each draw, at the draw's rates and times."""
    found = closed(name)
    number, assumed = found.number, found.assumed
    random = np.random.default_rng(7)
    work = number("run.work_hours") / number("on_demand.goodput.input_fraction")
    gang_wait = np.clip(assumed("spot.gang_wait_hours"), 2.0, 4.0)
    runs = [
        simulate(
            Conditions(
                training_hours=work[i],
                failures_per_hour=number("goodput.failures_per_hour")[i],
                node_reclaims_per_hour=number("goodput.node_reclaims_per_hour")[i],
                gang_reclaims_per_hour=number("goodput.gang_interruptions_per_hour")[i],
                replacement_hours=assumed("goodput.replacement_hours")[i],
                gang_wait_hours=gang_wait[i],
                write_hours=number("goodput.write_hours")[i],
                restart_hours=number("goodput.restart_hours")[i],
                notice_fits=bool(number("goodput.write_hours")[i] <= 2 / 60),
                first_wait_hours=number("run.first_wait_hours")[i],
                start_hours=assumed("goodput.bring_up_hours")[i],
                changeover_hours=number("run.changeover_hours")[i],
                threshold_hours=number("run.fallback_threshold_hours")[i],
                nodes=found.scenario.nodes,
            ),
            random,
        )
        for i in range(DRAWS)
    ]
    hours = np.array([run.hours for run in runs])
    nodes_usd = np.array([run.spot_node_hours for run in runs]) * number("fleet.compute.effective_unit_price")
    nodes_usd += np.array([run.on_demand_node_hours for run in runs]) * number(
        "fleet.compute-on-demand.effective_unit_price"
    )
    other = number("cost_usd") - number("fleet.compute") - number("fleet.compute-on-demand")
    return hours / 24, nodes_usd + other * hours / number("run.hours"), np.array([run.moved for run in runs])


@pytest.mark.parametrize("name", PLANS)
def test_p90_is_finite_and_that_of_the_simulated_rule(name):
    scenario = closed(name).scenario
    days, usd, _ = simulated(name)
    assert scenario.cost_usd is not None
    assert scenario.days is not None
    assert scenario.unfinished_fraction == 0
    assert scenario.cost_usd.p90 == pytest.approx(np.quantile(usd, 0.9), rel=0.15)
    assert scenario.cost_usd.p50 == pytest.approx(np.quantile(usd, 0.5), rel=0.10)
    assert scenario.days.p90 == pytest.approx(np.quantile(days, 0.9), rel=0.10)


@pytest.mark.parametrize("name", PLANS)
def test_as_many_runs_move_as_in_the_simulation(name):
    _, _, moved = simulated(name)
    assert closed(name).scenario.fallback_fraction == pytest.approx(moved.mean(), abs=0.05)
    assert 0.05 < moved.mean() < 0.7
