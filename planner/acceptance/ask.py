"""What the nodes of a stack are asked, and what their answers say. Who runs the commands there is the caller's."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from fleet_pool.operate.tally import unpacked

from planner.acceptance.found import Found, parts_of, slow_nodes
from planner.account.commands import Member, Said

ENVIRONMENT = "set -a; for file in node pool; do f=/etc/planner/$file.env; [ ! -f $f ] || . $f; done; set +a"
POOL, S3, FOLDER = "pool", "s3", "folder"  # what a bench reads
BANDWIDTH = re.compile(r"planner-health:\s+([\d.]+) GB/s over (\d+) nodes")
USUAL = re.compile(r"planner-health: usual: (median .*)")
SLOW_PAIR = re.compile(r"planner-health: (\S+): pair: slow")
BUCKET = re.compile(r"^planner-bucket=(\S+)$", re.MULTILINE)
READY_S, LAUNCH_S = 120.0, 1200.0
WITHOUT_EFA = "NCCL_NET=Socket"  # NVIDIA, NCCL user guide, environment variables: NCCL_NET
MODULES = "PYTHONPATH=/opt/planner/planner-launch.pyz python3 -m"
FILES = f"{MODULES} fleet_pool.node.file_bench"
BENCHES = {
    POOL: 'python3 /opt/planner/planner-pool.pyz bench "$PLANNER_POOL_BUCKET"',
    S3: f'{MODULES} fleet_pool.operate.bench_command s3 "$PLANNER_DATA"',
    FOLDER: f"{MODULES} fleet_pool.operate.bench_command folder",
}
# of Slurm: all nodes at once, or none where jobs have them
ALLOCATION = "salloc --quiet --exclusive --immediate=60 --time=30 --job-name=planner-acceptance"


class Nodes(Protocol):
    """Who runs a command on nodes."""

    def members(self) -> tuple[Member, ...]: ...

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]: ...


@dataclass(frozen=True, kw_only=True)
class Asked:
    """sizes: of objects, bytes. checkpoint_bytes: of one checkpoint. storage: POOL, S3, or FOLDER: of a file system
    that all nodes mount at `folder`. linked: the folder in it that is exported to S3, or "". gpus: of a node; 0: no
    collectives. slurm: whether Slurm starts jobs. most_bytes: written by a node in each size. forget: empty the
    kernel's cache of files before reads."""

    run: str
    sizes: tuple[int, ...]
    checkpoint_bytes: int
    storage: str
    gpus: int
    tcp: bool
    folder: str = ""
    linked: str = ""
    slurm: bool = False
    read_s: float = 10.0
    files_s: float = 10.0
    most_bytes: int = 2**30
    processes: int = 4
    threads: int = 8
    forget: bool = True
    limit_s: float = 1800.0


def measured(nodes: Nodes, asked: Asked, started: Callable[[str], None] = lambda _: None) -> tuple[Found, str]:
    """(what was found without the times of starts, the data bucket). started: called with each part's name.

    A node that is not ready takes no part, and the others are measured without it. Raises what `nodes` raises.
    """
    members = nodes.members()
    ids = [one.id for one in members]
    if not ids:
        why = dict.fromkeys(("bench", "boot", "all-reduce"), "no node is in service")
        return Found(nodes=(), why=why), ""
    started("whether they are ready")
    command = f'{ENVIRONMENT}; echo "planner-bucket=$PLANNER_DATA"; planner-ready --wait-s 60'
    ready = nodes.run(ids, command, READY_S)
    not_ready = {id: _last(said) for id, said in ready.items() if not said.well}
    buckets = [found[1] for said in ready.values() if (found := BUCKET.search(said.out))]
    well = [id for id in ids if id not in not_ready]
    why: dict[str, str] = {}
    parts, slow = (), {}
    if well:
        started("reads and writes of all at once")
        reports, problem = _bench(nodes, well, asked)
        if problem:
            why["bench"] = problem
        else:
            parts, slow = parts_of(reports), slow_nodes(reports, {one.host: one.id for one in members})
            not_cold = [part["not_cold"] for report in reports for part in report["parts"] if "not_cold" in part]
            why |= {"cold": not_cold[0]} if not_cold else {}
    files = None
    if asked.folder and well:
        started("files")
        files, problem = _files(nodes, well, asked)
        why |= {"files": problem} if problem else {}
    network = _network(nodes, well, asked, started, why)
    found = Found(nodes=tuple(ids), not_ready=not_ready, parts=parts, slow=slow, files_per_s=files, why=why, **network)
    return found, buckets[0] if buckets else ""


def bench_command(ids: Sequence[str], asked: Asked) -> str:
    """The same on every node, which knows itself."""
    words = ["--run", asked.run, "--of", ",".join(ids), "--sizes", ",".join(map(str, asked.sizes))]
    words += ["--read-s", f"{asked.read_s:g}", "--most-bytes", str(asked.most_bytes)]
    words += ["--processes", str(asked.processes), "--threads", str(asked.threads)]
    words += ["--timeout-s", f"{asked.limit_s:g}", "--packed", *(["--forget"] if asked.forget else [])]
    words += ["--checkpoint-bytes", str(asked.checkpoint_bytes)] if asked.checkpoint_bytes else []
    where = f" {shlex.quote(asked.folder)} --linked {shlex.quote(asked.linked)}" if asked.storage == FOLDER else ""
    return f'{ENVIRONMENT}; {BENCHES[asked.storage]}{where} --me "$PLANNER_INSTANCE" {shlex.join(words)}'


def _bench(nodes: Nodes, ids: Sequence[str], asked: Asked) -> tuple[list[Mapping[str, Any]], str]:
    """(reports, or why there are none)."""
    reports = []
    for id, said in sorted(nodes.run(ids, bench_command(ids, asked), asked.limit_s).items()):
        try:
            reports.append(unpacked(said.out.strip().splitlines()[-1]))
        except (ValueError, IndexError):
            return [], f"{id}: {_last(said)}"
    return reports, ""


def _files(nodes: Nodes, ids: Sequence[str], asked: Asked) -> tuple[float | None, str]:
    """(files a second of all nodes, or why there are none)."""
    total = 0.0
    command = f"{ENVIRONMENT}; {FILES} {shlex.quote(asked.folder)} --seconds {asked.files_s:g}"
    for id, said in sorted(nodes.run(ids, command, READY_S).items()):
        try:
            total += float(json.loads(said.out)["files_per_s"])
        except (ValueError, KeyError, TypeError):
            return None, f"{id}: {_last(said)}"
    return total, ""


def _network(
    nodes: Nodes, ids: Sequence[str], asked: Asked, started: Callable[[str], None], why: dict[str, str]
) -> dict[str, Any]:
    if not asked.gpus or len(ids) < 2:
        why["all-reduce"] = "it was left out" if len(ids) > 1 else "it needs two nodes that are ready"
        return {}
    started("bandwidth between them")
    said = _launched(nodes, ids, asked, "all-reduce")
    found: dict[str, Any] = {"all_reduce": _bandwidth(said, len(ids))}
    if found["all_reduce"] is None:
        why["all-reduce"] = _last(replace(said, out="\n".join(_of_the_job(said)) or said.out))
        return found
    found["usual"] = next(iter(USUAL.findall(said.out)), "")
    found["slow_pairs"] = tuple(SLOW_PAIR.findall(_launched(nodes, ids, asked, "pair").out))
    if asked.tcp:
        found["tcp"] = _bandwidth(_launched(nodes, ids, asked, "all-reduce", WITHOUT_EFA), len(ids))
    return found


def _launched(nodes: Nodes, ids: Sequence[str], asked: Asked, verb: str, environment: str = "") -> Said:
    """A job on all nodes, started at one of them."""
    log = f"/tmp/{asked.run}-{'tcp' if environment else 'efa'}.jsonl"  # passes of an earlier day are no limit here
    options = ["--nodes", str(len(ids)), "--restarts", "0", "--wait-min", "5", "--folder", "/tmp"]
    # of its own, so that no job of this number is thought to go on
    options += ["--name", f"acceptance-{asked.run}"] if asked.slurm else []
    options += ["--env", environment] if environment else []
    # with _, as every torchrun takes them: PyTorch before 2.0 knows no -
    job = ["torchrun", "--no_python", "--nproc_per_node", str(asked.gpus), "planner-health", verb, "--log", log]
    allocation = f"{ALLOCATION} --nodes={len(ids)} " if asked.slurm else ""
    command = f"{ENVIRONMENT}; {allocation}{shlex.join(['planner-launch', *options, '--', *job])} 2>&1"
    return nodes.run(ids[:1], command, LAUNCH_S)[ids[0]]


def _of_the_job(said: Said) -> list[str]:
    """Lines that are not the launcher's."""
    return [line for line in said.out.splitlines() if line.strip() and not line.startswith("planner-launch:")]


def _bandwidth(said: Said, nodes: int) -> float | None:
    """Of the pass over all nodes."""
    rates = [float(rate) for rate, count in BANDWIDTH.findall(said.out) if int(count) == nodes]
    return rates[0] if rates and rates[0] > 0 else None


def _last(said: Said) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in (said.err.strip() or said.out.strip()).splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no answer"
