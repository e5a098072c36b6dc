"""One worker over the real S3 server: what a person sees of a list, and ends that the 200 jobs do not have."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from fleet_pool.worker.command import main

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("worker")]

SAVES_AND_WAITS = """
import os, sys, time
from pathlib import Path
if os.environ["PLANNER_RESUME"]:
    sys.exit(0)
Path(os.environ["PLANNER_SAVES"], ".5").write_text("five")
os.rename(os.environ["PLANNER_SAVES"] + "/.5", os.environ["PLANNER_SAVES"] + "/5")
time.sleep(60)
"""


@pytest.fixture
def worker(environment, tmp_path, monkeypatch, capsys):
    """Writes a list of that name, and calls verbs: (exit code, output)."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def made(name, *code, **settings):
        command = [sys.executable, "-I", "-c", *code]
        (tmp_path / "list.json").write_text(json.dumps({"name": name, "command": command, "jobs": 2, **settings}))
        monkeypatch.setenv("PLANNER_LIST", name)
        before = signal.getsignal(signal.SIGTERM)

        def call(*words):
            capsys.readouterr()
            try:
                return main(list(words)), "".join(capsys.readouterr())
            finally:
                signal.signal(signal.SIGTERM, before)

        assert call("put", str(tmp_path / "list.json"))[0] == 0
        return call

    return made


def test_a_job_that_always_fails_is_a_dead_letter_with_its_reason(worker):
    call = worker("failing", "raise SystemExit(9)", failures=2)
    assert call("run", "--index", "0")[0] == 1
    code, said = call("run", "--index", "0")
    assert (code, "failed 2 times" in said) == (70, True)
    assert call("run", "--index", "0")[0] == 70  # it stays one
    code, said = call("status")
    assert code == 13
    assert "0 of 2 jobs done" in said
    assert "dead: 0 (0): failed 2 times; at last: the command ended with exit code 9" in said
    assert json.loads(call("status", "--json")[1])["waiting"] == [1]


def test_a_job_that_is_done_is_not_done_again(worker, tmp_path):
    call = worker("once", f"open({str(tmp_path / 'runs')!r}, 'a').write('x')")
    assert [call("run", "--index", "1")[0] for _ in range(2)] == [0, 0]
    assert (tmp_path / "runs").read_text() == "x"


def test_a_command_that_does_not_exist(worker):
    call = worker("no-command", "", failures=1, command=["/does/not/exist"])
    code, said = call("run", "--index", "0")
    assert (code, "cannot start /does/not/exist" in said, "exit code 127" in said) == (70, True, True)


def test_without_progress_a_job_is_stalled_and_goes_on_from_its_save(worker):
    call = worker("stalls", SAVES_AND_WAITS, stall_min=0.02)
    code, said = call("run", "--index", "0")
    assert (code, "stalled: no progress" in said) == (1, True)
    assert call("run", "--index", "0")[0] == 0


def test_a_job_that_never_says_how_far_it_is_is_told_so(worker):
    call = worker("silent", "import time; time.sleep(60)", stall_min=0.02, failures=1)
    code, said = call("run", "--index", "0")
    assert (code, "wrote no step into PLANNER_PROGRESS" in said, "`stall_min: 0`" in said) == (70, True, True)


def test_a_job_whose_last_save_is_not_in_the_bucket_is_not_done(worker):
    call = worker(
        "unsaved", "import os; os.symlink('/does/not/exist', os.environ['PLANNER_SAVES'] + '/10')", failures=2
    )
    code, said = call("run", "--index", "0")
    assert (code, "failed: save 10 is not in the bucket" in said) == (1, True)
    assert call("run", "--index", "0")[0] == 70
    assert json.loads(call("status", "--json")[1])["done"] == []


def test_a_machine_without_room_is_counted_and_goes_out(worker, monkeypatch):
    """With a full disk it would take one job after another, and spoil all of them."""
    call = worker("no-room", "pass", machine_failures=2)
    monkeypatch.setenv("PLANNER_WORKER_HOLD_S", "0")
    monkeypatch.setenv("PLANNER_MACHINE", "i-full")
    monkeypatch.setenv("PLANNER_WORKER_FOLDER", "/does/not/exist")
    code, said = call("run", "--index", "0")
    assert (code, "machine i-full cannot hold the job's files" in said) == (1, True)
    assert call("run", "--index", "1")[0] == 1
    assert call("run", "--index", "0")[0] == 76
    assert json.loads(call("status", "--json")[1])["refused_machines"] == ["i-full"]


@pytest.mark.parametrize("how", ["told", "superseded"])
def test_a_worker_that_is_told_to_end_hands_over(worker, how):
    call = worker(f"hands-over-{how}", SAVES_AND_WAITS)
    first = subprocess.Popen([sys.executable, "-m", "fleet_pool.worker", "run", "--index", "0"])
    try:
        while json.loads(call("status", "--json")[1])["running"] != [0]:
            time.sleep(0.1)
        time.sleep(1.5)  # its save is in the bucket
        if how == "told":
            first.send_signal(signal.SIGTERM)
            assert first.wait(timeout=30) == 75
        assert call("run", "--index", "0")[0] == 0  # the command ends at once if it resumes
        assert first.wait(timeout=30) == 75
    finally:
        first.kill()
    assert json.loads(call("status", "--json")[1])["done"] == [0]


def test_a_list_is_not_changed(worker, tmp_path):
    call = worker("fixed", "pass")
    assert call("put", str(tmp_path / "list.json"))[0] == 0  # the same once more
    (tmp_path / "list.json").write_text(json.dumps({"name": "fixed", "command": ["x"], "jobs": 1}))
    code, said = call("put", str(tmp_path / "list.json"))
    assert (code, "another list 'fixed'" in said) == (2, True)


def test_what_is_missing_is_said(worker, monkeypatch):
    call = worker("missing", "pass")
    assert call("run", "--index", "2") == (2, "planner-worker: list missing has jobs 0 to 1, not 2\n")
    assert "sets AWS_BATCH_JOB_ARRAY_INDEX" in call("run")[1]
    code, said = call("run", "--list", "other", "--index", "0")
    assert (code, "has no list 'other'" in said) == (2, True)
    monkeypatch.setenv("PLANNER_WORKER_PACE_S", "soon")
    assert "PLANNER_WORKER_PACE_S must be seconds" in call("run", "--index", "0")[1]
    monkeypatch.delenv("PLANNER_DATA")
    assert "PLANNER_DATA is not set" in call("status")[1]
