"""`planner init --ask` on a real terminal: five questions, a plan that `compare` answers, nothing half written."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.main import command as planner
from planner.plan.asked import QUESTIONS, plan_of, problem_of
from planner.plan.load import load_plan

DEFAULTS = b"\n" * len(QUESTIONS)


def _at_a_keyboard() -> None:
    """So that Ctrl-C reaches it, also where the tests run in the background of a shell, which ignores it there."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def typed(file: Path, keys: bytes, *words: str) -> tuple[int, str]:
    """(exit code, everything on the terminal) of the command in which somebody types."""
    shown, keyboard = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "planner", "init", "--ask", str(file), *words],
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        start_new_session=True,
        preexec_fn=_at_a_keyboard,
    )
    os.close(keyboard)
    text, left, answered, interrupts = b"", keys, 0, 0
    while True:
        ready, _, _ = select.select([shown], [], [], 5 if interrupts else 60)
        if not ready and interrupts:
            # Python misses a signal that comes between its prompt and its read, which a key in that instant can hit
            # and a person cannot: pressed again, as a person would, it is read
            interrupts -= 1
            os.write(shown, b"\x03")
            continue
        assert ready, text.decode()
        try:
            found = os.read(shown, 65536)
        except OSError:  # the terminal has no writer any more
            break
        if not found:
            break
        text += found
        prompts = len(re.findall(rb"^ +\[", text, re.MULTILINE))
        if prompts > answered and left:  # one answer for each prompt
            answered += 1
            end = left.find(b"\n") + 1 or len(left)
            os.write(shown, left[:end])
            left = left[end:]
            interrupts = 3 if keys.endswith(b"\x03") and not left else 0
    os.close(shown)
    return process.wait(), text.decode()


def test_the_defaults_are_a_plan_that_compare_answers(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    code, text = typed(file, DEFAULTS)
    assert code == 0, text
    for question in QUESTIONS:
        assert question.text in text
        assert question.changes in text
    assert f"Wrote {file}. Next: planner compare {file}" in text
    done = CliRunner().invoke(planner, ["compare", str(file), "--draws", "100"])
    assert done.exit_code == 0
    assert "Recommended: #1" in done.stdout


def test_a_wrong_answer_is_asked_again_and_a_right_one_counts(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    code, text = typed(file, b"much\n38,000 gpu-hours\n12 p9.huge\n12 p5.48xlarge\n80TB\n1m\n3w\n\n")
    assert code == 0, text
    assert "write parameters and tokens" in text
    assert "p9.huge" in text
    assert "too short for a run" in text
    plan = load_plan(file).plan
    assert plan.run.work is not None
    assert (plan.run.work.gpu_hours, plan.fleet.nodes) == (38_000, (12,))
    assert (plan.data.hot_dataset_bytes, plan.run.deadline_hours) == (80e12, 21 * 24)


@pytest.mark.parametrize("before", [None, "what was there\n"])
def test_ctrl_c_leaves_nothing_half_written(before: str | None, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    if before:
        file.write_text(before)
    code, text = typed(file, b"\n\n\x03", "--force")
    assert code == 130, text
    assert "Traceback" not in text
    assert (file.read_text() if file.exists() else None) == before
    assert len(list(tmp_path.iterdir())) == bool(before)


def test_without_a_terminal_it_says_so_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    done = CliRunner().invoke(planner, ["init", "--ask", str(file)], input="\n\n\n\n\n")
    assert "--ask needs a terminal" in str(done.exception)
    assert not file.exists()


def test_a_language_model_is_six_flop_a_parameter_and_token() -> None:
    """6 x 70e9 x 2e12 = 8.4e23, and a checkpoint of 14 bytes a parameter, 980 GB: examples/llama-70b-p5.yaml."""
    text = plan_of({"work": "70B on 2T tokens"}, schema="x")
    assert "work: {flop: 8.4e+23}" in text
    assert "checkpoint: 980GB" in text


@pytest.mark.parametrize("answer", ["8TB\nname: x", "{a: b}", "'8TB", "8TB # all", ""])
def test_no_answer_is_yaml_of_its_own(answer: str) -> None:
    data = next(question for question in QUESTIONS if question.key == "data")
    found = problem_of(data, answer, {}, lambda loaded: None)
    assert found or answer == ""
