"""Logs of trainers, as they write them."""

from __future__ import annotations

import json

import pytest

from planner.errors import PlanProblems, UsageProblem
from planner.profile.logs import Step, read_log

MEGATRON = (
    " [2026-11-20 10:00:00] iteration      {at}/  250000 | consumed samples:       124928 | "
    "elapsed time per iteration (ms): {ms} | learning rate: 9.150E-06 | global batch size:  1024 | lm loss: 2.5E+00 |"
)
TITAN = "[rank{rank}]:[titan] 2026-02-24 19:46:17,508 - root - INFO - step: {at:2d}  loss:  7.6  tps: 10,050  mfu: 14%"
SAVED = "[titan] Finished saving the checkpoint (or staging if async is enabled)in 5.53 seconds."


def log(tmp_path, *lines: str, gpus: int = 8, batch: float | None = None):
    path = tmp_path / "run.log"
    path.write_text("\n".join(lines) + "\n")
    return read_log(str(path), gpus=gpus, batch=batch)


def test_megatron_says_the_time_of_an_iteration_and_its_samples(tmp_path):
    found = log(tmp_path, "building model", *(MEGATRON.format(at=at, ms=ms) for at, ms in ((1, 2000.0), (2, 1000.5))))
    assert found.steps == (Step(seconds=2.0, samples=1024), Step(seconds=1.0005, samples=1024))
    assert found.unit == ""


def test_torchtitan_says_tokens_a_gpu_and_every_rank_says_the_same(tmp_path):
    """10,050 tokens a second and GPU on 16 GPUs: 160,800 a second; two ranks print step 1, which is one step."""
    lines = [TITAN.format(rank=rank, at=at) for at in (1, 2) for rank in (0, 1)]
    found = log(tmp_path, *lines, SAVED, SAVED, gpus=16)
    assert len(found.steps) == 2
    assert found.steps[0].samples / found.steps[0].seconds == pytest.approx(160_800)
    assert (found.unit, found.saves, found.mfu) == ("tokens", (5.53,), pytest.approx(0.14))


def test_nanogpt_does_not_say_its_samples(tmp_path):
    line = "iter 5: loss 10.4123, time 500.00ms, mfu 3.20%"
    assert log(tmp_path, line, batch=480).steps == (Step(seconds=0.5, samples=480),)
    with pytest.raises(UsageProblem, match="add --batch N"):
        log(tmp_path, line)


def test_lines_of_csv_and_json(tmp_path):
    two = (Step(seconds=2.0, samples=64), Step(seconds=4.0, samples=64))
    assert log(tmp_path, "step,seconds,samples,loss", "1,2.0,64,3.1", "2,4.0,64,3.0").steps == two
    assert log(tmp_path, "seconds", "2", "4", batch=64).steps == two
    records = [{"step": 1, "seconds": 2, "samples": 64}, {"eval": 0.3}, {"step": 2, "seconds": 4, "samples": 64}]
    assert log(tmp_path, *map(json.dumps, records)).steps == two
    from_zero = [json.dumps({"step": step, "seconds": 1, "samples": 64}) for step in range(3)]
    assert len(log(tmp_path, *from_zero).steps) == 3
    (only,) = log(tmp_path, json.dumps({"samples_per_second": 32.0})).steps
    assert only.samples / only.seconds == pytest.approx(32)


def test_what_torchrun_prints_before_and_between_lines_is_passed_over(tmp_path):
    """torchrun puts the rank before each line; both ranks print a step, which is one step."""
    two = [json.dumps({"step": step, "seconds": seconds, "samples": 64}) for step, seconds in ((1, 2), (2, 4))]
    lines = ["W1128 torch.distributed.run: OMP_NUM_THREADS is 1", "{not ours}"]
    lines += [f"[default{rank}]:{record}" for record in two for rank in (0, 1)]
    assert log(tmp_path, *lines).steps == (Step(seconds=2.0, samples=64), Step(seconds=4.0, samples=64))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["no step at all"], "no line is a step that is known"),
        ([], "no line is a step that is known"),
        (["seconds,samples", "2,many"], "run.log:2: samples is no number: many"),
        (["seconds,samples", "0,64"], "step 2 has 0 seconds"),
        (["seconds,samples", "nan,64"], "step 2 has nan seconds"),
        (["seconds", "2"], "add --batch N"),
        (['{"seconds": 2, "samples": 3}', '{"seconds": 2, '], "run.log:2: not a line of JSON"),
    ],
)
def test_what_cannot_be_right_is_refused_with_its_line(tmp_path, lines, said):
    with pytest.raises(UsageProblem) as problem:
        log(tmp_path, *lines)
    assert said in str(problem.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(PlanProblems, match="no such file"):
        read_log(str(tmp_path / "none.log"), gpus=8, batch=None)
