"""`planner jobs`: what runs, what waits and why, and what each project has spent, in dollars at the plan's rates.

From squeue and sacct, on a node of the cluster. A job is billed for the part of its nodes that Slurm gave it: its GPUs,
or whole nodes where it asked for none. A node that no job has costs as much, and is no job's. Times are UTC.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone

from fleet_pool.compat import frozen
from fleet_pool.operate.table import columns
from fleet_pool.problems import PoolProblem, UsageProblem
from fleet_pool.slurm import SETTINGS_FILE
from fleet_pool.slurm.blocks import nodes_of
from fleet_pool.slurm.command import run
from fleet_pool.slurm.settings import Cluster, read
from fleet_pool.slurm.waiting import CONTROLLER, SQUEUE, Waiting, waiting

DAYS = 30
COST = ("job", "name", "project", "user", "qos", "state", "start", "node_hours", "gpu_hours", "usd")
FIELDS: tuple[str, ...] = (
    "JobID",
    "JobName",
    "Account",
    "User",
    "QOS",
    "State",
    "Start",
    "ElapsedRaw",
    "AllocTRES",
    "NodeList",
)
# -D: each start of a job that was requeued, which used its nodes too
SACCT = ("sacct", "-a", "-D", "-X", "-n", "-P", f"--format={','.join(FIELDS)}")
DATABASE = "the accounting database does not answer: jobs start, run and cost as ever, but no dollars are shown; "


@frozen
class Ran:
    """A start of a job, over or not. node_hours: of whole nodes, so far. usd: at the plan's rate; None: no price."""

    job: str
    name: str
    project: str
    user: str
    qos: str
    state: str
    start: str
    nodes: float
    node_hours: float
    gpu_hours: float
    usd_per_hour: float | None
    usd: float | None

    @property
    def runs(self) -> bool:
        return self.state == "RUNNING"


def ran(text: str, cluster: Cluster) -> list[Ran]:
    """From the output of SACCT: every start that has, or had, nodes."""
    rows: list[dict[str, str]] = [
        dict(zip(FIELDS, line.split("|"))) for line in text.splitlines() if line.count("|") == len(FIELDS) - 1
    ]
    return [_ran(row, cluster) for row in rows if row["AllocTRES"] and row["ElapsedRaw"].isdigit()]


def _ran(row: Mapping[str, str], cluster: Cluster) -> Ran:
    had = dict(one.split("=", 1) for one in row["AllocTRES"].split(",") if "=" in one)
    gpus = float(had.get("gres/gpu", 0))
    nodes = gpus / cluster.gpus_per_node if gpus and cluster.gpus_per_node else float(had.get("node", 0))
    hours = int(row["ElapsedRaw"]) / 3600
    rate = _rate(row["NodeList"], cluster)
    return Ran(
        job=row["JobID"],
        name=row["JobName"],
        project=row["Account"],
        user=row["User"],
        qos=row["QOS"],
        state=row["State"].split()[0],
        start=row["Start"],
        nodes=nodes,
        node_hours=nodes * hours,
        gpu_hours=gpus * hours,
        usd_per_hour=rate * nodes if rate else None,
        usd=rate * nodes * hours if rate else None,
    )


def _rate(hosts: str, cluster: Cluster) -> float:
    """USD an hour of one node, the first: no job has nodes of two prices. hosts: as Slurm writes them,
    p5-48xlarge-[1-4]. 0: no price."""
    found = re.match(r"([^,\[]*)(?:\[(\d+))?", hosts)
    first = (found[1] + (found[2] or ""),) if found else ()
    rates = set(cluster.usd_per_node_hour.values())
    of_groups = [usd for group, usd in cluster.usd_per_node_hour.items() if nodes_of(group, first)]
    return of_groups[0] if of_groups else rates.pop() if len(rates) == 1 else 0.0


@frozen
class Project:
    """What a project runs now, and what it has spent since. None: no price."""

    name: str
    jobs: int
    waiting: int
    usd_per_hour: float | None
    usd: float | None
    gpu_hours: float


def by_project(jobs: Sequence[Ran], queue: Sequence[Waiting]) -> list[Project]:
    """The costliest first."""
    names = sorted({one.project for one in (*jobs, *queue)})
    found = [
        Project(
            name=name,
            jobs=sum(one.runs for one in jobs if one.project == name),
            waiting=sum(one.project == name for one in queue),
            usd_per_hour=_sum(one.usd_per_hour for one in jobs if one.project == name and one.runs),
            usd=_sum(one.usd for one in jobs if one.project == name),
            gpu_hours=sum(one.gpu_hours for one in jobs if one.project == name),
        )
        for name in names
    ]
    return sorted(found, key=lambda one: (-(one.usd or 0.0), one.name))


def _sum(values: Iterable[float | None]) -> float | None:
    """None as soon as one has no price: a part of a sum would look like the whole."""
    found = list(values)
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None


def main(words: Sequence[str] | None = None, name: str = "planner-jobs") -> int:
    """Exit code: 0; 2 for wrong arguments; 4 where Slurm does not answer."""
    given = parser(name).parse_args(words)
    try:
        cluster, since = read(given.settings), _since(given.since)
        queue = waiting(run(*SQUEUE, means=CONTROLLER))
    except PoolProblem as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.code
    try:
        jobs = ran(run(*SACCT, f"--starttime={since}", means=DATABASE), cluster)
    except PoolProblem as error:
        if given.format == "table" and not given.cost:
            print(_waiting(queue).rstrip())
        print(f"{name}: {error}", file=sys.stderr)
        return error.code
    if given.cost:
        write_cost(jobs)
    elif given.format == "json":
        print(json.dumps(_data(jobs, queue, since), indent=2))
    else:
        print(shown(jobs, queue, since))
    return 0


def _data(jobs: Sequence[Ran], queue: Sequence[Waiting], since: str) -> dict[str, object]:
    return {
        "since": since,
        "running": [vars(one) for one in jobs if one.runs],
        "waiting": [vars(one) for one in queue],
        "projects": [vars(one) for one in by_project(jobs, queue)],
    }


def parser(name: str) -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog=name, description=__doc__, allow_abbrev=False)
    top.add_argument("--since", default="", metavar="DATE", help=f"of what was spent; default: {DAYS} days ago")
    top.add_argument("--cost", action="store_true", help="every start of every job with its dollars, as CSV")
    top.add_argument("-f", "--format", choices=("table", "json"), default="table")
    top.add_argument("--settings", default=SETTINGS_FILE, metavar="FILE", help=f"rates; default: {SETTINGS_FILE}")
    return top


def _since(text: str) -> str:
    if not text:
        return (datetime.now(timezone.utc) - timedelta(days=DAYS)).strftime("%Y-%m-%d")
    try:
        return datetime.strptime(text, "%Y-%m-%d").strftime("%Y-%m-%d")
    except ValueError:
        raise UsageProblem(f"--since {text}: write a day like 2026-11-01") from None


def write_cost(jobs: Sequence[Ran]) -> None:
    """sacct in dollars."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COST)
    for one in jobs:
        numbers = {"node_hours": f"{one.node_hours:.4f}", "gpu_hours": f"{one.gpu_hours:.4f}"}
        row = {**vars(one), **numbers, "usd": "" if one.usd is None else f"{one.usd:.2f}"}
        out.writerow([row[column] for column in COST])


def shown(jobs: Sequence[Ran], queue: Sequence[Waiting], since: str) -> str:
    """The three tables."""
    running = [
        (one.job, one.project, one.qos, f"{one.nodes:g}", one.start, _usd(one.usd), _usd(one.usd_per_hour), one.name)
        for one in jobs
        if one.runs
    ]
    projects = [
        (one.name, str(one.jobs), str(one.waiting), _usd(one.usd_per_hour), _usd(one.usd), f"{one.gpu_hours:,.1f}")
        for one in by_project(jobs, queue)
    ]
    parts = [
        _titled(
            f"Running: {len(running)}",
            ("JOB", "PROJECT", "QOS", "NODES", "SINCE", "SO FAR", "PER HOUR", "NAME"),
            running,
            (3, 5, 6),
        ),
        _waiting(queue),
        _titled(
            f"Projects, spent since {since}",
            ("PROJECT", "RUNNING", "WAITING", "PER HOUR", "SPENT", "GPU-HOURS"),
            projects,
            (1, 2, 3, 4, 5),
        ),
    ]
    return "\n".join(parts).rstrip("\n")


def _waiting(queue: Sequence[Waiting]) -> str:
    rows = [
        (one.job, one.project, one.qos, str(one.nodes), one.expected or "not known", one.why, one.name) for one in queue
    ]
    head = ("JOB", "PROJECT", "QOS", "NODES", "EXPECTED START", "WHY", "NAME")
    return _titled(f"Waiting: {len(queue)}", head, rows, (3,))


def _titled(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    return f"{title}\n" if not rows else f"{title}\n{columns(head, rows, right)}"


def _usd(value: float | None) -> str:
    return "no price" if value is None else f"${value:,.2f}"


if __name__ == "__main__":
    sys.exit(main())
