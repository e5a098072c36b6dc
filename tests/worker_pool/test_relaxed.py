"""What makes a choice of a worker pool eligible where none is: every change that is named is simulated again here."""

from __future__ import annotations

import json

import pytest

from planner.report.data.worker_pool_json import document
from planner.report.wording.worker_pool import answer, tried
from planner.worker_pool.compare import compare_pool
from planner.worker_pool.relaxed import with_relaxations
from planner.worker_pool.search import search_pool
from pricing.book import default_book
from tests.worker_pool.test_compare import loaded

RUNS = 40
PLAN = """
apiVersion: planner/v1
name: pool
region: us-east-1
start: 2026-11-02
run: {kind: worker-pool}
jobs: {count: 60, steps: 100, seconds_per_step: {L40S: 36}, checkpoint_steps: 10}
workers: [{instance_type: g6e.8xlarge}]
pool: {max: 10}
"""


def found(*overrides: str):
    plan = loaded(*overrides, text=PLAN)
    return with_relaxations(compare_pool(plan, default_book(), runs=RUNS), plan, default_book())


def again(*overrides: str):
    return compare_pool(loaded(*overrides, text=PLAN), default_book(), runs=RUNS)


@pytest.mark.parametrize("limit", ["run.deadline=3h", "constraints.max_cost_usd=20", "constraints.max_days=0.1"])
def test_the_nearest_limit_lets_the_named_choice_in_and_a_fiftieth_less_lets_none(limit):
    """60 jobs of an hour on 10 nodes take over 6 hours."""
    first = found(limit).relaxations[0]
    (setting,) = first.settings
    name, _, value = setting.partition("=")
    assert name == limit.partition("=")[0]
    one = next(s for s in again(setting).scenarios if s.id == first.scenario)
    assert one.eligible
    assert (one.cost_usd.p50, one.days.p50) == pytest.approx((first.cost_usd, first.days))
    less = f"{name}={float(value.removesuffix('d')) * 0.98:.6g}{'d' * value.endswith('d')}"
    assert not any(s.eligible and s.choice.tail_price is None for s in again(less).scenarios)


def test_more_nodes_are_named_where_only_time_is_short():
    remedies = {one.settings[0].partition("=")[0]: one for one in found("run.deadline=3h").relaxations}
    assert again("run.deadline=3h", *remedies["pool.max"].settings).best is not None
    assert "pool.max" not in {
        one.settings[0].partition("=")[0] for one in found("constraints.max_cost_usd=20").relaxations
    }


def test_dead_letters_are_named_with_the_other_limit_that_is_missed():
    """Every job that is broken fails for good; they are counted, not a share."""
    first = found("jobs.broken=10%", "run.deadline=3h").relaxations[0]
    assert {setting.partition("=")[0] for setting in first.settings} == {"constraints.max_dead_letters", "run.deadline"}
    assert any(s.eligible for s in again("jobs.broken=10%", *first.settings).scenarios)


def test_they_are_said_and_in_the_document_and_nothing_is_where_a_choice_is_recommended():
    short = found("run.deadline=3h")
    assert f"--set {short.relaxations[0].settings[0]} (" in " ".join(answer(short))
    assert [entry["set"] for entry in document(short)["remedies"]] == [list(r.settings) for r in short.relaxations]
    assert found().relaxations == ()
    assert document(found())["remedies"] == []


def test_what_is_eligible_has_no_reason_against_it_in_the_document():
    for plan in (found(), found("run.deadline=3h"), found("run.deadline=2d")):
        for entry in document(plan)["scenarios"]:
            assert entry["eligible"] == (not entry["why_not_eligible"]), json.dumps(entry["why_not_eligible"])


def test_a_job_on_a_node_of_several_gpus_is_said_to_leave_them_idle():
    several = again("workers=[{instance_type: g6e.48xlarge}]")
    assert "If a job uses one GPU, 7 are idle and paid for" in several.notes[0]
    own = again("workers=[{instance_type: g6e.48xlarge}]", "jobs.seconds_per_step={g6e.48xlarge: 5}")
    assert not any("idle and paid for" in note for note in (*own.notes, *found().notes))


def test_a_search_says_which_sizes_it_tried():
    plan = loaded("workers=[{instance_type: g6e.8xlarge, purchase: [on-demand]}]", text=PLAN)
    said = tried(search_pool(plan, default_book(), runs=5))
    assert said.startswith("Tried: pool.max of 1, 2, 5, 10, 20, 50 and 60. The answer is the best of these; ")
