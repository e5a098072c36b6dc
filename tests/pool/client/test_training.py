"""The example trains for real, finds the known answer, and after a kill ends where the unkilled run ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.pool.client.conftest import endpoints
from tests.pool.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "training"
EPOCHS, STEPS_IN_EPOCH, SAVED_EVERY = 4, 120, 40


class Job:
    """The example's programs, over one store."""

    def __init__(self, where: list[str], environment: dict[str, str]) -> None:
        self.where, self.environment = where, {**environment, "PYTHONPATH": str(ROOT / "pool")}

    def start(self, program: str, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(EXAMPLE / program), *self.where, *words]
        return subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, program: str, *words: str) -> list[str]:
        """Its output, to its end."""
        out, errors = self.start(program, *words).communicate(timeout=300)
        assert out, errors
        return out.splitlines()

    def result(self, *words: str, once_begun: Callable[[], None] = lambda: None) -> tuple[int, dict[str, Any]]:
        """The step at which it began, and what it found."""
        process = self.start("train.py", *words)
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("begin at step "):
                once_begun()
        _, errors = process.communicate(timeout=300)
        assert lines, errors
        return _begun(lines), json.loads(lines[-1])

    def interrupted(self, number: signal.Signals, at_step: int, *words: str) -> tuple[int, list[str]]:
        """Exit code and output of a run that gets a signal some time after a step; it paces itself, so that the end
        is far away then."""
        process = self.start("train.py", "--pace-s", "0.02", *words)
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith(f"step {at_step} "):
                process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        assert not errors
        return process.returncode, lines


def _begun(lines: list[str]) -> int:
    return next(int(line.split()[-1]) for line in lines if line.startswith("begin at step "))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    made = Job(["--store", str(tmp_path / "store")], dict(os.environ))
    made.run("dataset.py")
    return made


def _newton(folder: Path) -> np.ndarray:
    """The best weights on all samples by a second way: Newton's method on the whole set at once."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        from dataset import arrays
    finally:
        sys.path.remove(str(EXAMPLE))
    read = [arrays(path.read_bytes(), path.name) for path in sorted((folder / "dataset").glob("*.tar"))]
    inputs, labels = (np.concatenate(parts) for parts in zip(*read, strict=True))
    inputs = np.hstack([inputs, np.ones((len(inputs), 1))])
    weights = np.zeros(inputs.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        curved = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        weights += np.linalg.solve(curved, inputs.T @ (labels - chance))
    return weights


@pytest.mark.thorough
def test_it_finds_the_known_answer(job, tmp_path):
    begun, found = job.result()
    best = _newton(tmp_path / "store")
    assert (begun, found["steps"]) == (0, EPOCHS * STEPS_IN_EPOCH)
    # 6,000 samples fix the weights to some 0.05; batches of 50 leave the descent within some 0.2 of the best
    assert np.abs(best - found["true"]).max() < 0.2
    assert np.abs(np.array(found["weights"]) - best).max() < 0.3
    assert found["loss"] < np.log(2) * 0.75


@pytest.mark.thorough
def test_killed_twice_it_ends_with_identical_numbers(job):
    _, unkilled = job.result("--run", "checkpoints/unkilled")
    for at_step in (95, 250):
        code, lines = job.interrupted(signal.SIGKILL, at_step, "--run", "checkpoints/killed")
        assert code == -signal.SIGKILL
        assert _begun(lines) <= at_step
    begun, resumed = job.result("--run", "checkpoints/killed")
    assert begun >= 240
    assert begun % SAVED_EVERY == 0
    assert resumed == unkilled


@pytest.mark.thorough
def test_on_sigterm_it_saves_its_current_step(job):
    _, unkilled = job.result("--run", "checkpoints/unkilled")
    code, lines = job.interrupted(signal.SIGTERM, 61, "--run", "checkpoints/stopped")
    assert code == 143
    last = int(lines[-2].split()[1])
    assert lines[-1] == f"stopped at step {last}: start again to continue"
    begun, resumed = job.result("--run", "checkpoints/stopped")
    assert (begun, resumed) == (last, unkilled)


@pytest.mark.thorough
def test_a_run_does_not_resume_with_another_order_of_its_data(job):
    job.result("--epochs", "1")
    process = job.start("train.py", "--epochs", "2", "--seed", "2")
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "checkpoints/toy was started with {'batch': 50, 'seed': 1, 'shards': 24}, not" in errors
    assert "Traceback" not in errors + out
    begun, _ = job.result("--epochs", "2")
    assert begun == STEPS_IN_EPOCH


def test_on_a_pool_that_loses_a_node_while_the_job_is_killed_the_numbers_are_the_same(
    cluster: Cluster, environment: dict[str, str], job: Job
):
    _, unkilled = job.result()
    pool = [word for endpoint in endpoints(cluster) for word in ("--pool", endpoint)]
    where = ["--store", "s3://train", *pool, "--s3-endpoint-url", cluster.s3.endpoint]
    real = Job(where, {**environment, **cluster.s3.environment})
    real.run("dataset.py")
    code, _ = real.interrupted(signal.SIGKILL, 95, "--run", "checkpoints/on-the-pool")
    assert code == -signal.SIGKILL
    # dead once the job has begun, so that it reads from a pool whose map still holds the node
    words = ("--run", "checkpoints/on-the-pool", "--pace-s", "0.02")
    begun, resumed = real.result(*words, once_begun=cluster.nodes[1].kill)
    cluster.nodes[1].replace()
    cluster.nodes[1].start()
    cluster.wait_whole()
    assert begun >= 80
    assert resumed["answered"]["failed_tries"] > 0, "the dead node was never felt: nothing was tried"
    assert {**resumed, "answered": None} == unkilled
