"""A job killed in the middle of a checkpoint, at every quarter of its bytes: what is restored was committed, whole."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fleet_pool import settings
from fleet_pool.client.address import open_store
from fleet_pool.client.checkpoint import Checkpoints

from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import PLAIN
from tests.pool.saver import PREFIX, RANKS, shard
from tools.gotools import ROOT

LINE_S = 120  # until the next shard of a job on a busy machine


class Job:
    """A process that saves one step and can be killed at any line."""

    def __init__(self, pool: Cluster, step: int) -> None:
        there = {
            **PLAIN,
            **pool.s3.environment,
            "STORE": f"s3://{BUCKET}",
            "AIS_ENDPOINT": ",".join(endpoints(pool)),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'pool'}",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.pool.saver", str(step)],
            cwd=ROOT,
            env=there,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def until(self, line: str) -> None:
        assert self.process.stdout is not None
        for told in self.process.stdout:
            if told.strip() == line:
                return
        raise AssertionError(f"the job ended before {line!r}, with {self.process.wait(LINE_S)}")

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def finish(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.until("committed")
        assert self._ended() == 0

    def _ended(self) -> int:
        code = self.process.wait(LINE_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        return code


def endpoints(pool: Cluster) -> list[str]:
    return [f"http://{address}:{settings.PROXY_PORT}" for address in pool.addresses]


def checkpoints(pool: Cluster) -> Checkpoints:
    store = open_store(f"s3://{BUCKET}", pool=endpoints(pool), s3_endpoint_url=pool.s3.endpoint, environment={})
    return Checkpoints(store, PREFIX)


def test_a_step_killed_at_any_quarter_is_never_restored(pool: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in pool.s3.environment.items():
        monkeypatch.setenv(name, value)
    saved = checkpoints(pool)
    whole = Job(pool, 1)
    whole.until(f"written {RANKS}")
    whole.finish()
    quarters = [f"written {RANKS * quarter // 4}" for quarter in (1, 2, 3, 4)]
    within = [f"begins {rank}" for rank in (0, RANKS // 2, RANKS - 1)]
    for step, line in enumerate([*quarters, *within], 2):
        job = Job(pool, step)
        job.until(line)
        job.kill()
        restored = saved.restore()
        assert restored.commit is not None
        assert restored.commit.step == 1, f"killed at {line!r}"
        assert dict(restored.shards) == {rank: shard(1, rank) for rank in range(RANKS)}
    again = Job(pool, 2)  # a step that was killed before is saved once more, over what lies there
    again.until(f"written {RANKS}")
    again.finish()
    restored = saved.restore()
    assert restored.commit is not None
    assert restored.commit.step == 2
    assert dict(restored.shards) == {rank: shard(2, rank) for rank in range(RANKS)}


def test_a_checkpoint_outlives_every_node(pool: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in pool.s3.environment.items():
        monkeypatch.setenv(name, value)
    job = Job(pool, 100)
    job.until(f"written {RANKS}")
    job.finish()
    for node in pool.nodes:
        node.kill()
    restored = checkpoints(pool).restore()
    assert restored.commit is not None
    assert restored.commit.step == 100
    assert dict(restored.shards) == {rank: shard(100, rank) for rank in range(RANKS)}
