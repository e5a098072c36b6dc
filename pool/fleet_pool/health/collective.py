"""Bandwidth between nodes as evidence: NVIDIA's nccl-tests under Slurm, or a loop of ours in torch.distributed.

Under Slurm one process drives: each set of nodes is a step of its own. Elsewhere (torchrun, planner-launch) every
rank runs this module, and all of them follow the same search in step, since each sees the same figures.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from fleet_pool.compat import frozen
from fleet_pool.health import passes
from fleet_pool.health.halving import Nodes, Pass, bus_gb_s
from fleet_pool.node.machine import Machine, NotReady
from fleet_pool.problems import UsageProblem

PROGRAM = "all_reduce_perf"
SIZE_BYTES = 1 << 30
LIMIT_S, REPEATS, WARM_UPS = 180.0, 20, 5
Measure = Callable[[Nodes], float]
HOW = (
    "start it in a Slurm allocation whose image has all_reduce_perf, or on every node: "
    "`planner-launch --nodes 8 -- torchrun --no-python --nproc-per-node 8 planner-health all-reduce`"
)


def avg_bus_gb_s(text: str) -> float:
    """Of the output of nccl-tests; 0 for wrong sums. Raises NotReady."""
    speed = re.search(r"# Avg bus bandwidth\s*:\s*([\d.]+)", text)
    wrong = re.search(r"# Out of bounds values\s*:\s*(\d+)", text)
    if not speed:
        raise NotReady(f"{PROGRAM} did not end: {(text.strip().splitlines() or ['no output'])[-1][:200]}")
    return 0.0 if wrong and int(wrong[1]) else float(speed[1])


def by_slurm(nodes: Nodes, gpus: int, machine: Machine, limit_s: float = LIMIT_S) -> float:
    """GB/s of one all-reduce over these nodes, 0 if it does not end: then one of them is at fault. Options as in
    aws-samples/awsome-distributed-training, micro-benchmarks/nccl-tests."""
    step = ("srun", "--overlap", f"--nodelist={','.join(nodes)}", f"--nodes={len(nodes)}", f"--ntasks-per-node={gpus}")
    size = str(SIZE_BYTES)
    words = (
        *step,
        "--mpi=pmix",
        "--cpu-bind=none",
        PROGRAM,
        "-b",
        size,
        "-e",
        size,
        "-g",
        "1",
        "-c",
        "1",
        "-n",
        str(REPEATS),
    )
    try:
        _, said = machine.answer(*words, limit_s=limit_s)
        return avg_bus_gb_s(said)
    except NotReady as problem:
        print(f"planner-health: {','.join(nodes)}: {problem}", flush=True)
        return 0.0


@frozen
class Using:
    """How sets are measured. program: with the network, if somebody chose one. reports: whether this process keeps the
    log. shared: the first rank's number, for all."""

    program: str
    nodes: Nodes
    measure: Measure
    reports: bool
    shared: Callable[[float], float]


def using(environment: Mapping[str, str], gpus: int, machine: Machine) -> Using:
    """Raises UsageProblem, NotReady."""
    if "RANK" in environment:
        return _torch(environment)
    listed = environment.get("SLURM_JOB_NODELIST", "")
    if not listed or not shutil.which(PROGRAM):
        raise UsageProblem(f"no way to measure: {HOW}")
    nodes, over = tuple(machine.run("scontrol", "show", "hostnames", listed).split()), _over(environment)
    return Using(
        program=f"{PROGRAM}{over}",
        nodes=nodes,
        measure=lambda some: by_slurm(some, max(gpus, 1), machine),
        reports=True,
        shared=lambda number: number,
    )


def _torch(environment: Mapping[str, str]) -> Using:
    try:
        import torch  # pyright: ignore[reportMissingImports]
        import torch.distributed as dist  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageProblem(f"this image has no torch: {HOW}") from None
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(environment.get("LOCAL_RANK", "0")))
    # a set that does not end takes the loop down after this time, and the log has the sets before it
    dist.init_process_group("nccl" if cuda else "gloo", timeout=timedelta(seconds=LIMIT_S))
    name = environment.get("SLURMD_NODENAME") or environment.get("PLANNER_INSTANCE") or socket.gethostname()
    names: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(names, name)
    rank, over = dist.get_rank(), _over(environment)
    size = SIZE_BYTES if cuda else SIZE_BYTES >> 6
    data = torch.ones(size // 4, dtype=torch.float32, device="cuda" if cuda else "cpu")

    def measure(some: Nodes) -> float:
        ranks = [number for number, node in enumerate(names) if node in some]
        group = dist.new_group(ranks)  # by all ranks, also those outside
        spent = begun = 0.0
        if rank in ranks:
            for number in range(WARM_UPS + REPEATS):
                if number == WARM_UPS:
                    _wait(torch, cuda)
                    dist.barrier(group=group)
                    begun = time.monotonic()
                dist.all_reduce(data, group=group)
            _wait(torch, cuda)
            spent = (time.monotonic() - begun) / REPEATS
            data.fill_(1.0)
            dist.destroy_process_group(group)
        each: list[Any] = [None] * len(names)
        dist.all_gather_object(each, spent)
        return bus_gb_s(size, max(each), len(ranks))

    def shared(number: float) -> float:
        told: list[Any] = [number]
        dist.broadcast_object_list(told, src=0)
        return float(told[0])

    return Using(
        program=f"torch.distributed{over}",
        nodes=tuple(dict.fromkeys(names)),
        measure=measure,
        reports=rank == 0,
        shared=shared,
    )


def _over(environment: Mapping[str, str]) -> str:
    """A network that somebody chose, as `planner acceptance` does to price TCP: its figures are of another kind."""
    chosen = environment.get("NCCL_NET", "")
    return f" over {chosen}" if chosen else ""


def _wait(torch: Any, cuda: bool) -> None:
    if cuda:
        torch.cuda.synchronize()


def keep(log: Path, done: Pass) -> None:
    """One line more in the log of passes."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**vars(done), "nodes": list(done.nodes)}, sort_keys=True) + "\n")


def kept(log: Path) -> Sequence[Pass]:
    """Passes of a log; lines that are none are left out."""
    found = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else ():
        with suppress(ValueError):
            found.append(json.loads(line))
    return passes.parsed(found)
