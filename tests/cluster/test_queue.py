"""The queue that fleet plans simulate, beside a real Slurm: when the same jobs start on eight nodes.

What a job costs Slurm beside its run is measured on other jobs before. The list was drawn so that the three policies
differ on it. Jobs are a moment apart, as Slurm looks at one after another: limits of whole minutes would tie otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import combinations

import numpy as np
import pytest

from planner.fleet.model import Jobs, Owner, Policy, Rules
from planner.fleet.queue import simulated
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import needs_slurm

pytestmark = needs_slurm
NODES, SEED, COUNT = 8, 369, 10
GRES = ("--gres=gpu:h100:8", "--ntasks-per-node=1", "--account=speech")


def drawn(seed: int) -> list[tuple[int, int, int]]:
    """(nodes, seconds, minutes of the limit) of each job."""
    rng = np.random.default_rng(seed)
    sizes, seconds = rng.choice([1, 2, 3, 5, 6, 7], COUNT), rng.integers(4, 16, COUNT)
    return [(int(n), int(s), int(m)) for n, s, m in zip(sizes, seconds, rng.integers(1, 4, COUNT), strict=True)]


def starts(listed: list[tuple[int, int, int]], submit: np.ndarray, overhead: float, policy: Policy) -> np.ndarray:
    """Seconds, simulated."""
    size, run, limit = (np.array(column, dtype=float) for column in zip(*listed, strict=True))
    run += overhead
    jobs = Jobs(
        submit=submit,
        nodes=size.astype(np.int64),
        hours=run,
        limit=np.maximum(limit * 60 / run, 1.0),
        owner=np.zeros(len(listed), dtype=np.int64),
    )
    return simulated(jobs, [Owner()], [NODES], Rules(policy=policy, fair_share=False), math.inf).start


def swapped(one: np.ndarray, other: np.ndarray, seconds: float) -> int:
    """Pairs of jobs that start in another order, where both say so by more than these seconds."""
    pairs = combinations(range(len(one)), 2)
    return sum(
        (one[a] - one[b]) * (other[a] - other[b]) < 0 and min(abs(one[a] - one[b]), abs(other[a] - other[b])) > seconds
        for a, b in pairs
    )


def when(slurm: Cluster, job: str, field: str) -> float:
    return datetime.fromisoformat(slurm.of_job(job, field)).timestamp()


def test_the_policies_differ_on_this_list() -> None:
    listed, now = drawn(SEED), np.arange(COUNT) / 100
    by = {name: starts(listed, now, 0.0, name) for name in ("slurm", "easy", "fcfs")}
    assert swapped(by["slurm"], by["easy"], 5) >= 2
    assert by["slurm"].mean() < 0.9 * by["fcfs"].mean()


@pytest.fixture
def finer(quiet: Cluster) -> Iterator[None]:
    """Jobs of seconds instead of hours: backfill's map of the future is as much finer."""
    conf = quiet.folder / "slurm.conf"
    text = conf.read_text()
    conf.write_text(re.sub(r"bf_resolution=\d+", "bf_resolution=1", text))
    quiet.run("scontrol", "reconfigure")
    yield
    conf.write_text(text)
    quiet.run("scontrol", "reconfigure")


@pytest.mark.usefixtures("finer")
def test_jobs_start_as_in_slurm(quiet: Cluster) -> None:
    before = [quiet.sbatch("sleep 1", "--nodes=8", "--time=1", *GRES, name=f"o{at}") for at in range(4)]
    quiet.is_(before[-1], "COMPLETED")
    begun = [when(quiet, job, "StartTime") for job in before]
    overhead = float(np.mean(np.diff(begun))) - 1
    # a job that holds all nodes while the list is submitted, so that all of it waits
    hold = quiet.sbatch("sleep 300", "--nodes=8", "--time=6", *GRES, name="hold")
    quiet.is_(hold, "RUNNING")
    listed = drawn(SEED)
    ids = [
        quiet.sbatch(f"sleep {seconds}", f"--nodes={nodes}", f"--time={limit}", *GRES, name=f"j{at}")
        for at, (nodes, seconds, limit) in enumerate(listed)
    ]
    quiet.run("scancel", hold)
    quiet.wait("the end", lambda: not quiet.run("squeue", "--noheader").strip(), 400)
    real = np.array([when(quiet, job, "StartTime") for job in ids])
    real -= real.min()
    by = {name: starts(listed, np.arange(COUNT) / 100, overhead, name) for name in ("slurm", "easy", "fcfs")}
    by = {name: found - found.min() for name, found in by.items()}
    means = {name: float(found.mean()) for name, found in by.items()}
    print(f"overhead {overhead:.2f} s; real {real.tolist()}, mean {real.mean():.1f}; simulated {means}")
    print(f"simulated by Slurm's rule: {np.round(by['slurm'], 1).tolist()}")
    orders = {name: swapped(found, real, 3) for name, found in by.items()}
    assert orders["slurm"] <= 1 < min(orders["easy"], orders["fcfs"])
    assert float(abs(by["slurm"] - real).mean()) < 3
