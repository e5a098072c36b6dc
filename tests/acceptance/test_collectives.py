"""All-reduce and pairs as an acceptance asks for them, on four nodes of this machine. Launcher, torchrun and our loop
are those of a stack, with gloo over namespaces for NCCL over EFA. Then one node has a slow link, and is found.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from planner.acceptance.ask import S3, Asked, measured
from planner.acceptance.judge import Accepted, lines_of
from planner.acceptance.line import MISS, Line
from planner.account.commands import Member, Said
from tests.acceptance.plans import SCENARIO, planned
from tests.launch.fleet import Fleet, Node
from tests.pool.daemon import PLAIN
from tests.pool.fixtures import pool_machine
from tools.torch_cpu import PYTHON

__all__ = ["pool_machine"]
pytestmark = pytest.mark.real
TORCH = (PYTHON, Path("/usr/bin/python3"))  # `make torch-real` builds the first, Debian's python3-torch is the second
# torchrun; the "0" of --redirects and --tee is nothing to Debian's PyTorch 1.13 on its Python 3.11, whose flags have no
# member of the value zero
TORCHRUN = """
import sys
from torch.distributed.elastic.multiprocessing import Std
real = Std.from_str
Std.from_str = lambda text: real(text) or Std.NONE
from torch.distributed.run import main
sys.exit(main())
"""
ASKED = Asked(run="", sizes=(), checkpoint_bytes=0, storage=S3, gpus=1, tcp=False)


class LaunchedNodes:
    """A member by its instance id; commands find the programs of a node by PATH."""

    def __init__(self, fleet: Fleet, programs: dict[str, str]) -> None:
        self.fleet = fleet
        launch = " ".join(Node(fleet, 0, fleet.network.hosts[0]).program)
        for name, text in {**programs, "planner-ready": "true", "planner-launch": f'exec {launch} "$@"'}.items():
            path = fleet.folder / "bin" / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)

    def members(self) -> tuple[Member, ...]:
        return tuple(Member(id=node.instance, host=node.host.address) for node in self.fleet.nodes.values())

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]:
        with ThreadPoolExecutor(len(ids)) as threads:
            return dict(zip(ids, threads.map(lambda id: self._one(id, command, limit_s), ids), strict=True))

    def _one(self, id: str, command: str, limit_s: float) -> Said:
        [node] = [node for node in self.fleet.nodes.values() if node.instance == id]
        words = [*node.host.enter, "sh", "-c", command]
        environment = {**PLAIN, **node.environment}
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=min(limit_s, 600), check=False
        )
        return Said(well=not done.returncode, out=done.stdout, err=done.stderr)


@pytest.fixture
def nodes(pool_machine: None) -> Iterator[LaunchedNodes]:
    python = next(filter(_has_torch, TORCH), None)
    if python is None:
        pytest.skip("no PyTorch here (`make torch-real`, or on Debian apt-get install python3-torch)")
    programs = {
        "torchrun": f'exec {shlex.join([str(python), "-c", TORCHRUN])} "$@"',
        "planner-health": f'exec {python} -m fleet_pool.health.command "$@"',
    }
    with Fleet.standing() as fleet:
        made = LaunchedNodes(fleet, programs)
        for number in range(1, 5):
            fleet.add(number)
        yield made


def _has_torch(python: Path) -> bool:
    words = [str(python), "-c", "import torch"]
    return python.exists() and not subprocess.run(words, capture_output=True, check=False).returncode


def accepted(nodes: LaunchedNodes, folder: Path, run: str, *, tcp: bool = False) -> dict[str, Line]:
    request, spec = planned(folder)
    found, _ = measured(nodes, replace(ASKED, run=run, tcp=tcp))
    lines = lines_of(Accepted(request=request, scenario=SCENARIO, spec=spec, found=found))
    for line in lines:
        print(line.state, line.id, line.said, line.means)
    return {line.id: line for line in lines}


def test_collectives_are_measured_beside_the_plan_and_a_slow_link_is_found(nodes: LaunchedNodes, tmp_path: Path):
    first = accepted(nodes, tmp_path, f"{tmp_path.name}-1", tcp=True)
    reduce, tcp = first["all-reduce"], first["tcp"]
    assert reduce.measured is not None
    assert 0.001 < reduce.measured < 20
    # no p4d: the plan has 50 GB/s a node, and says what a network of this machine would cost its run
    assert (reduce.state, reduce.low) == (MISS, 25.0)
    assert "over the run, if between" in reduce.means
    # neither way has EFA here: the second pass is of the same network, whatever a busy machine makes of it
    assert tcp.measured is not None
    assert 0.2 < tcp.measured / reduce.measured < 5

    slowed = nodes.fleet.nodes[3]
    nodes.fleet.network.slow(slowed.host, "400mbit")
    second = accepted(nodes, tmp_path, f"{tmp_path.name}-2")
    assert second["all-reduce"].measured is not None
    # a ring sends what its bus bandwidth says through every node: 400 Mbit/s are 0.05 GB/s
    assert second["all-reduce"].measured == pytest.approx(0.05, rel=0.4)
    slow = second["slow-nodes"]
    assert slow.state == MISS
    assert re.findall(r"i-\d{4}", slow.said) == [slowed.instance]
    assert slow.mends == f"planner node swap --stack four --node {slowed.instance}"
