"""`planner-launch` in a job of Slurm: the same command line, with nodes, ranks and restarts from Slurm.

In the job's script it starts itself once on each node with srun. Rank 0 is on the job's own first node. The command
resumes from the newest COMMIT, whether Slurm started the job again or a rank failed here.

SIGTERM is passed on to the command, which saves. Slurm sends it to a job that gives way to another and that reaches its
`--signal`; planner-slurm sends it before a Capacity Block ends. When every rank has ended, the job's exit code is that
of RequeueExit: it waits in the queue again. `scancel` sends the same signal, but Slurm starts no cancelled job again.
It waits in the queue too where a rank failed and one of its nodes was taken out of work, by planner-health or a person:
the next start is on other nodes, and the sick one is free to be replaced.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fleet_pool.compat import frozen
from fleet_pool.launch import records
from fleet_pool.launch.environment import of_checkpoints, of_fabric, of_logs, of_rendezvous
from fleet_pool.launch.here import bucket_of, checkpoints_prefix, fabric_of
from fleet_pool.launch.job import CONSOLE, Job
from fleet_pool.launch.outcome import DONE, FAILED, result_of
from fleet_pool.launch.ranks import Member
from fleet_pool.launch.runs import newest_commit
from fleet_pool.launch.shipping import Shipper
from fleet_pool.node.facts import node_of
from fleet_pool.problems import PoolProblem, UsageProblem
from fleet_pool.slurm import REQUEUE_CODE

ATTEMPT = "PLANNER_ATTEMPT"
LOOK_S = 0.5
ASK_S = 30.0
HEALTH_S = 30.0  # before a job is given up: planner-health needs seconds to take a node out, a GPU that hangs 20
SHOW_STATES = ("sinfo", "--noheader", "--Node", "--format=%N|%T|%E")
OUT = ("drain", "down", "fail")


@frozen
class Allocation:
    """What Slurm gave this job. id: the same after a requeue; of an array with its number. restarts: how often Slurm
    started it again. hosts: its nodes as Slurm writes them, like n[1-4]."""

    job: str
    id: str
    nodes: int
    restarts: int
    hosts: str
    cpus: str


def allocation(environment: Mapping[str, str]) -> Allocation | None:
    """None outside of a job of Slurm."""
    job = environment.get("SLURM_JOB_ID", "")
    if not job:
        return None
    array, task = environment.get("SLURM_ARRAY_JOB_ID", ""), environment.get("SLURM_ARRAY_TASK_ID", "")
    return Allocation(
        job=job,
        id=f"{array}_{task}" if array and task else job,
        nodes=int(environment.get("SLURM_JOB_NUM_NODES") or 1),
        restarts=int(environment.get("SLURM_RESTART_COUNT") or 0),
        hosts=environment.get("SLURM_JOB_NODELIST", ""),
        cpus=environment.get("SLURM_CPUS_PER_TASK", ""),
    )


def in_step(environment: Mapping[str, str]) -> bool:
    """Whether this is one of the ranks that srun started."""
    return "SLURM_STEP_ID" in environment and ATTEMPT in environment


def checkpoints_of(given: argparse.Namespace, own: Allocation) -> str:
    """The prefix of the run's checkpoints: by --name, else by the job, which a requeue does not change."""
    return f"{checkpoints_prefix()}{given.name or f'slurm-{own.id}'}"


def whole_job(given: argparse.Namespace, words: Sequence[str], own: Allocation, environment: Mapping[str, str]) -> int:
    """In the job's script: the ranks with srun, again after a failure while there is progress. Returns the job's exit
    code: the worst rank's, or that on which Slurm starts the job again."""
    if given.nodes not in (None, own.nodes):
        raise UsageProblem(f"--nodes {given.nodes}, but the job has {own.nodes}: leave it out, sbatch --nodes says it")
    bucket, prefix, told = bucket_of(environment, node_of(environment)), checkpoints_of(given, own), _told(own)
    began = newest_commit(bucket, prefix)
    _own_checkpoints(own, given.name, prefix, began)
    command = [sys.executable, os.path.abspath(sys.argv[0]), *words]
    signal.signal(signal.SIGTERM, lambda *_: _to_ranks(own))
    fruitless, attempt = 0, own.restarts * 1000
    while True:
        attempt += 1
        told.unlink(missing_ok=True)
        code = subprocess.call([*_srun(own), *command], env={**environment, ATTEMPT: str(attempt)})
        # srun ends the others too where one rank fails, but then with that rank's code
        if code == 0 and told.exists():
            told.unlink()
            _say(f"saved, and asks Slurm for another start of job {own.id}")
            return REQUEUE_CODE
        result = result_of(
            FAILED if code else DONE,
            code,
            "",
            began=began,
            commit=newest_commit(bucket, prefix),
            fruitless=fruitless,
            restarts=given.restarts,
        )
        out = _node_out(own, HEALTH_S if result.last else 0.0) if code else ""
        if out:
            _say(f"exit code {code}, and {out}: asks Slurm for other nodes for job {own.id}")
            return REQUEUE_CODE
        if result.last:
            return code
        began, fruitless = result.commit, result.fruitless
        _say(f"exit code {code}: starts again from COMMIT {result.commit}")


def _node_out(own: Allocation, wait_s: float) -> str:
    """A node of the job that starts no other job, with its reason; "" if there is none after so many seconds."""
    until = time.monotonic() + wait_s
    while True:
        with suppress(UsageProblem):  # Slurm does not answer: nothing is known
            rows = [row.split("|", 2) for row in _run((*SHOW_STATES, f"--nodes={own.hosts}")).splitlines()]
            for name, _, reason in (row for row in rows if any(word in row[1] for word in OUT)):
                return f"{name} is out of work ({reason.strip()})"
        if time.monotonic() >= until:
            return ""
        time.sleep(LOOK_S)


def _own_checkpoints(own: Allocation, name: str | None, prefix: str, commit: int | None) -> None:
    """A new cluster counts its jobs from 1 again, and the bucket outlives clusters."""
    if commit is not None and not name and not own.restarts:
        raise UsageProblem(
            f"job {own.id} has not run before, but {prefix}/ has a COMMIT of step {commit}: another "
            "cluster's job had this number. --name NAME gives this job checkpoints of its own; "
            f"--name slurm-{own.id} goes on from that COMMIT"
        )


def _srun(own: Allocation) -> list[str]:
    """One task a node, which has what the job has there. A rank that fails ends the others."""
    cpus = [f"--cpus-per-task={own.cpus}"] if own.cpus else []  # sbatch's own does not reach srun since 22.05
    return [
        "srun",
        f"--nodes={own.nodes}",
        f"--ntasks={own.nodes}",
        "--ntasks-per-node=1",
        "--kill-on-bad-exit=1",
        *cpus,
    ]


def one_rank(given: argparse.Namespace, command: Sequence[str], own: Allocation, environment: Mapping[str, str]) -> int:
    """On one node: the command, until it ends. Its exit code; 0 where it was told to save."""
    rank, attempt = int(environment["SLURM_PROCID"]), int(environment[ATTEMPT])
    node = node_of(environment)
    bucket, prefix = bucket_of(environment, node), checkpoints_of(given, own)
    logs = Path(tempfile.mkdtemp(prefix=f"planner-launch-{own.id}-{rank}-"))
    commit = newest_commit(bucket, prefix)
    first = Member(instance="", incarnation="", address=first_address(own.hosts, _run), layers=(), unknown="")
    more = {
        **of_fabric(fabric_of(node, environment)),
        **dict(one.partition("=")[::2] for one in given.env),
        **of_logs(str(logs / "ranks")),
        **of_checkpoints(bucket.name, prefix, commit),
        **of_rendezvous([first] * own.nodes, rank, run=f"slurm-{own.id}", attempt=int(own.job) + attempt),
        "PLANNER_RUN": f"slurm-{own.id}",
    }
    asked: list[int] = []
    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, lambda number, _: asked.append(number))
    where = "from the beginning" if commit is None else f"from COMMIT of step {commit}"
    _say(f"job {own.id}, attempt {attempt}: rank {rank} of {own.nodes} starts {where}")
    job = Job(command, given.folder or os.getcwd(), {**environment, **more}, logs, f"slurm-{own.job}/{rank}")
    shipper = Shipper(bucket, f"{records.LOGS}slurm-{own.id}/{attempt:06d}/node-{rank:04d}/", logs)
    told = _until_it_ends(job, asked, shipper)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the code counts, not what srun does to the others meanwhile
    if told and rank == 0:
        _told(own).touch()  # the job's script runs on this node
    return 0 if told else job.code or 0


def _until_it_ends(job: Job, asked: Sequence[int], shipper: Shipper) -> bool:
    """Echoes and ships its output; whether it was told to save. Nothing here ends it: Slurm does, after its grace."""
    told, shown = False, 0
    while True:
        running = job.code is None
        shown = _echo(job.logs / CONSOLE, shown)
        with suppress(PoolProblem):  # Slurm has the output too
            shipper.ship(all_of_it=not running)
        if not running:
            return bool(asked)  # Slurm signals the command too, which may have ended since the last look
        if asked and not told:
            told = True
            _say("told to save: SIGTERM to the command")
            job.ask_to_end()
        time.sleep(LOOK_S)


def _echo(console: Path, shown: int) -> int:
    """What is new in a file to standard output; how much of it has been shown."""
    with suppress(OSError), console.open("rb") as file:
        file.seek(shown)
        data = file.read()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return shown + len(data)
    return shown


def first_address(hosts: str, run: Callable[[Sequence[str]], str]) -> str:
    """Where rank 0 is: the job's own first node, so that no node of an earlier start is waited for."""
    first = run(("scontrol", "show", "hostnames", hosts)).split()[0]
    found = re.search(r"NodeAddr=(\S+)", run(("scontrol", "--oneliner", "show", "node", first)))
    return found[1] if found else first


def _told(own: Allocation) -> Path:
    return Path(tempfile.gettempdir(), f"planner-launch-{own.job}-{own.restarts}.told")


def _to_ranks(own: Allocation) -> None:
    """SIGTERM to the steps of the job: sbatch --signal=B: reaches the script alone."""
    subprocess.run(("scancel", "--signal=TERM", own.job), timeout=ASK_S, check=False)


def _run(words: Sequence[str]) -> str:
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=ASK_S, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageProblem(f"Slurm does not say where the job is: {error}") from None


def _say(text: str) -> None:
    print(f"planner-launch: {text}", file=sys.stderr, flush=True)
