"""A plan's spot run, simulated: beside the closed form, by hand on capacity that always or never is there, repeated."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from planner.decide.compare import compare
from planner.decide.spot_runs import SpotRuns, on_recordings, spot_runs
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.load import load_plan
from planner.spot.trace import Trace
from tests.builders import book_of

EXAMPLES = Path(__file__).parents[2] / "examples"
IDS = {
    "small": "s3-stream/p4d.24xlarge/spot-fallback",
    "stability-converged": "converged/p4d.24xlarge/spot-fallback",
    "llama-70b-p5": "s3-stream/p5.48xlarge/spot-fallback",
}


@cache
def scenario(name: str, draws: int = 600, *overrides: str) -> tuple[Request, Scenario]:
    settings = ("purchase.options=[on-demand,spot-fallback]", *overrides)
    loaded = load_plan(str(EXAMPLES / f"{name}.yaml"), overrides=settings)
    request = Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book_of(), draws=draws, seed=3)
    return request, next(s for s in compare(request).scenarios if s.id == IDS[name])


@cache
def simulated(name: str) -> SpotRuns:
    return spot_runs(*scenario(name), ["fallback", "own"], 1)


@pytest.mark.parametrize(
    "name", ["small", "llama-70b-p5", pytest.param("stability-converged", marks=pytest.mark.thorough)]
)
def test_the_closed_form_is_within_five_percent_of_the_simulated_rule(name):
    found = simulated(name)
    closed, rule = found.closed, found.rules[0]
    assert closed is not None
    assert closed.cost_usd.mean() == pytest.approx(rule.cost_usd.mean(), rel=0.05)
    assert np.quantile(closed.cost_usd, 0.9) == pytest.approx(np.quantile(rule.cost_usd, 0.9), rel=0.05)
    assert np.median(closed.days) == pytest.approx(np.median(rule.days), rel=0.05)
    assert closed.moved.mean() == pytest.approx(rule.moved.mean(), abs=0.05)


@pytest.mark.parametrize(
    "name", ["small", "llama-70b-p5", pytest.param("stability-converged", marks=pytest.mark.thorough)]
)
def test_a_slurm_cluster_s_row_is_priced_by_the_rule_that_its_login_node_carries_out(name):
    """Patient progress, with what seeing spot and booting On-Demand nodes costs. The closed form may be too high in a
    bad market, where a pool on the nodes is read again after each loss, which the replay does not know."""
    request, row = scenario(name, 600, "deploy.scheduler=slurm")
    assert row.returns is not None
    assert row.threshold_hours is None
    found = spot_runs(request, row, ["own"], 1)
    closed, rule = found.closed, found.of_closed
    assert closed is not None
    assert rule is not None
    assert closed.cost_usd.mean() == pytest.approx(rule.cost_usd.mean(), rel=0.07)
    assert 0.95 < np.quantile(closed.cost_usd, 0.9) / np.quantile(rule.cost_usd, 0.9) < 1.2
    assert closed.days.max() == pytest.approx(rule.days.max(), rel=0.05)
    job = found.run.job
    assert (row.returns.work_hours, row.returns.deadline_hours, row.returns.changeover_hours) == pytest.approx(
        (job.work / 3600, job.deadline / 3600, job.changeover / 3600), rel=0.01
    ), "the login node knows the job that is replayed"


@pytest.mark.parametrize(
    "name", ["small", "llama-70b-p5", pytest.param("stability-converged", marks=pytest.mark.thorough)]
)
def test_no_run_is_late_and_the_picture_is_of_a_costly_one(name):
    found = simulated(name)
    assert all(np.isfinite(rule.days).all() for rule in found.rules)
    assert all(rule.days.max() * 24 <= found.run.job.deadline / 3600 + 1 for rule in found.rules)
    if found.rules[0].moved.mean() > 0.1:
        assert not found.run.first.all(), "the run that is shown lost its capacity"


def recording(up: bool, hours: int = 400) -> Trace:
    return Trace(name="given", gap_seconds=600, nodes=np.full(hours * 6, int(up), dtype=np.int64))


def numbers(request: Request, found: Scenario) -> dict[str, float]:
    return {entry.id: entry.value for entry in found.derived if isinstance(entry.value, float)}


def test_capacity_that_is_always_there_costs_the_hours_on_spot():
    request, found = scenario("small")
    known = numbers(request, found)
    (run,) = on_recordings(request, found, ["fallback", "own", "greedy"], [recording(up=True)], 3, 0)
    ticks = np.ceil((known["on_demand.run.training_hours"] + known["goodput.restart_hours"]) * 6)
    hours = ticks / 6 + known["on_demand.run.start_hours"]
    spot = next(line for line in found.bill if line.line == "fleet.compute").effective_unit_price
    others = sum(line.effective_cost for line in found.bill if not line.line.startswith("fleet.compute"))
    for rule in run.rules:
        assert rule.days == pytest.approx(hours / 24)
        assert not rule.moved.any()
        assert rule.cost_usd == pytest.approx(4 * hours * spot + others * hours / known["run.hours"], rel=1e-6)


def test_capacity_that_never_comes_costs_the_wait_and_the_run_on_demand():
    request, found = scenario("small")
    known = numbers(request, found)
    (run,) = on_recordings(request, found, ["fallback"], [recording(up=False)], 2, 0)
    (rule,) = run.rules
    assert rule.moved.all()
    waited = rule.days * 24 - known["on_demand.run.hours"]
    assert waited == pytest.approx(known["run.fallback_threshold_hours"], abs=0.5)
    lines = {line.line: line for line in found.bill}
    spot, start = lines["fleet.compute"].effective_unit_price, known["on_demand.run.start_hours"]
    worked = np.ceil((known["on_demand.run.training_hours"] + known["goodput.restart_hours"]) * 6) / 6
    others = sum(line.effective_cost for name, line in lines.items() if not name.startswith("fleet.compute"))
    nodes = 4 * (start * spot + worked * lines["fleet.compute-on-demand"].effective_unit_price)
    assert rule.cost_usd == pytest.approx(nodes + others * rule.days * 24 / known["run.hours"], rel=1e-6)


def test_the_same_seed_gives_the_same_runs_and_another_one_others():
    request, found = scenario("small", 50)
    first, again, other = (spot_runs(request, found, ["own"], seed).rules[0].cost_usd for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_a_limit_without_time_for_spot_is_refused():
    request, found = scenario("small", 50, "run.deadline=5d")
    with pytest.raises(ValueError, match="leaves no time for spot"):
        spot_runs(request, found, ["own"], 0)
