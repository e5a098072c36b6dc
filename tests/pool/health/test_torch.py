"""The loop in torch.distributed, on five nodes of one rank each (gloo): the slow one is found, and all ranks end."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from fleet_pool.health import collective
from fleet_pool.health.halving import Pass

from tests.pool.health.slurm import ROOT
from tools.torch_cpu import PYTHON

TORCH = [str(PYTHON), "/usr/bin/python3"]  # `make torch-real` builds the first, Debian's python3-torch is the second
# a node whose every collective takes its time
RANK = """
import os, sys, time
import torch.distributed as dist
if os.environ["PLANNER_INSTANCE"] == "i-3":
    real = dist.all_reduce
    def slow(*given, **more):
        time.sleep(0.05)
        return real(*given, **more)
    dist.all_reduce = slow
from fleet_pool.health import collective, command
collective.SIZE_BYTES, collective.REPEATS, collective.WARM_UPS = 1 << 22, 4, 1
sys.exit(command.main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def python() -> str:
    for one in TORCH:
        if (
            Path(one).exists()
            and not subprocess.run([one, "-c", "import torch"], capture_output=True, check=False).returncode
        ):
            return one
    pytest.skip("no PyTorch here (`make torch-real`, or on Debian apt-get install python3-torch)")


def all_ranks(python: str, words: Sequence[str], ranks: int = 5) -> tuple[list[int], str]:
    """Exit codes, and what the first rank said."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    running = []
    for rank in range(ranks):
        more = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": "0", "PLANNER_INSTANCE": f"i-{rank}"}
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "PYTHONPATH": str(ROOT / "pool")}
        environment = {**os.environ, **more, **where, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        running.append(
            subprocess.Popen(
                [python, "-c", RANK, *words],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
    said = [process.communicate(timeout=240)[0] for process in running]
    return [process.returncode for process in running], "\n".join(said)


@pytest.mark.real
def test_pairs_and_halving_find_the_slow_node_in_step(python: str, tmp_path: Path):
    log = tmp_path / "passes.jsonl"
    codes, said = all_ranks(python, ["pair", "--log", str(log)])
    assert (codes, "i-3: pair: slow beside the others" in said) == ([13, 0, 0, 0, 0], True), said
    # what the fleet did before: a node that is slow now stays below it, and well ones are far above
    slow = max(one.gb_s for one in collective.kept(log) if "i-3" in one.nodes)
    names = tuple(f"i-{rank}" for rank in range(5))
    for _ in range(3):
        collective.keep(log, Pass(at_s=1.0, program="torch.distributed", nodes=names, gb_s=3 * slow))
    codes, said = all_ranks(python, ["all-reduce", "--log", str(log)])
    assert (codes, "i-3: all-reduce: slow beside the others" in said) == ([13, 0, 0, 0, 0], True), said
