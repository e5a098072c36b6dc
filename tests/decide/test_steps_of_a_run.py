"""Phases that speed up later ones: the published cost and gain of precomputed latents, toggles, and data sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import planner
from planner.decide.compare import Request, compare
from planner.decide.comparison import Comparison, Step
from planner.decide.steps import with_steps
from planner.plan.check import check_plan
from planner.plan.load import load_plan
from planner.plan.types import Plan
from planner.report.wording.steps import text
from tests.builders import book_of, plan_of

LATENTS = Path(planner.__file__).parent / "evidence" / "plans" / "sd2-latents.yaml"
TRAINING_DAYS = (1_126_400_000 / 11_600 + 1_740_800_000 / 4590) / 86_400  # README, 128 GPUs: 5.51
STEP_DAYS = 3784 / 128 / 24
PREPARE = {"name": "prepare", "gpu_hours": 1000, "speedup": 1.5}
TRAIN = {"name": "train", "gpu_hours": 4000}


def with_step(plan: Plan, draws: int = 0) -> Comparison:
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=draws, derivations=False)
    return with_steps(request, compare(request))


def phased(*phases, **sections) -> Plan:
    sections.setdefault("purchase", {"options": ["on-demand"]})
    return plan_of(run={"work": None, "phases": list(phases)}, storage={"layouts": ["s3-stream"]}, **sections)


def usd(step: Step) -> tuple[float, float]:
    """(cost, gain) of a step as planned."""
    done, left_out, free = (found.cost_usd.plan for found in (step.done, step.left_out, step.free) if found.cost_usd)
    return done - free, left_out - free


def test_mosaicml_precomputes_latents_and_it_pays():
    """github mosaicml/diffusion 066e68f: 3,784 A100-hours (7,600 USD at 2 USD), else 1.4 times the time and cost."""
    comparison = with_step(load_plan(str(LATENTS)).plan)
    (step,) = comparison.steps
    days = {name: getattr(step, name).days.plan for name in ("done", "left_out", "free")}
    # published work; on top of it restarts, checkpoints and the start of the nodes, 1 to 3 %
    for found, published in (
        (days["free"], TRAINING_DAYS),
        (days["left_out"], 1.4 * TRAINING_DAYS),
        (days["done"], TRAINING_DAYS + STEP_DAYS),
    ):
        assert published < found < 1.03 * published
    cost, gain = usd(step)
    per_gpu_hour = 21.957642 / 8
    assert cost == pytest.approx(3784 * per_gpu_hour, rel=0.1)
    # 0.4 x 16,937 A100-hours, less the storage of latents, which are larger than the images
    saved = 0.4 * TRAINING_DAYS * 128 * 24 * per_gpu_hour
    assert 0.85 * saved < gain < 1.03 * saved
    assert "It pays off." in text(comparison, step)


def test_a_step_that_costs_more_than_it_saves_is_said_with_what_to_set():
    comparison = with_step(phased({**PREPARE, "gpu_hours": 3000}, TRAIN))
    (step,) = comparison.steps
    cost, gain = usd(step)
    assert cost > gain > 0
    assert "It does not pay off in this run. Without it: --set 'run.phases[0].skip=true'." in text(comparison, step)


def test_left_out_is_priced_like_a_plan_with_longer_phases():
    skipped = with_step(phased({**PREPARE, "skip": True}, TRAIN))
    by_hand = with_step(phased({**TRAIN, "gpu_hours": 6000}))
    assert skipped.scenarios[0].cost_usd == by_hand.scenarios[0].cost_usd
    assert skipped.scenarios[0].days == by_hand.scenarios[0].days
    (step,) = skipped.steps
    assert step.left_out.cost_usd == skipped.scenarios[0].cost_usd
    assert "would cost" in text(skipped, step)


def test_the_same_step_whether_the_plan_has_it_or_leaves_it_out():
    (done,), (left_out,) = (with_step(phased({**PREPARE, "skip": skip}, TRAIN), 300).steps for skip in (False, True))
    assert replace(done, done=left_out.done, left_out=left_out.left_out, free=left_out.free) == left_out
    assert usd(done) == pytest.approx(usd(left_out))


def test_a_plan_without_such_a_phase_has_no_steps():
    assert with_step(phased(TRAIN)).steps == ()


def test_a_data_set_of_ones_own_equal_to_the_plans_changes_nothing():
    shared, own = (with_step(phased({**TRAIN, **more})).scenarios[0] for more in ({}, {"hot_dataset": "4TB"}))
    assert (own.cost_usd, own.days) == (shared.cost_usd, shared.days)


def test_every_data_set_is_kept_and_read_cold_once():
    phases = [{"name": "a", "gpu_hours": 4000}, {"name": "b", "gpu_hours": 4000, "hot_dataset": "10TB"}]
    both = with_step(phased(*phases, data={"read_per_gpu": "500MB/s"})).scenarios[0]
    kept = next(line for line in both.bill if line.line == "storage.s3.standard")
    one = with_step(phased(*phases[:1], data={"read_per_gpu": "500MB/s"})).scenarios[0]
    alone = next(line for line in one.bill if line.line == "storage.s3.standard")
    assert both.days is not None
    assert one.days is not None
    # checkpoints, 42 GB, are in both
    per_day = [line.quantity / s.days.plan for line, s in ((kept, both), (alone, one)) if s.days]
    assert per_day[0] / per_day[1] == pytest.approx(14 / 4, rel=0.02)


@pytest.mark.parametrize(
    ("phases", "data", "words"),
    [
        ([{**TRAIN, "skip": True}, {**TRAIN, "name": "b"}], {}, "this one has none: its work would be lost"),
        ([TRAIN, PREPARE], {}, "no phase comes after this one"),
        ([{**PREPARE, "hot_dataset": "1TB"}, TRAIN], {}, "reads the data that is there without it"),
        ([{**TRAIN, "sample": "1KB", "read_per_gpu": "1MB/s"}], {}, "both set"),
        ([{**TRAIN, "hot_dataset": "9TB"}], {"kept_in_s3": "5TB"}, "smaller than the data sets of the phases"),
        ([{**TRAIN, "hot_dataset": "9TB"}], {"kept_class": "STANDARD_IA"}, "kept_class is not used"),
    ],
)
def test_what_cannot_be_meant_is_refused(phases, data, words):
    messages = [message for _, message, _ in check_plan(phased(*phases, data=data))]
    assert any(words in message for message in messages), messages
