"""Spot and On-Demand nodes in one queue: where each gang with a deadline starts next, by patient progress.

The On-Demand nodes stand in a reservation, so that no job starts them by itself: AWS PCS launches them for a job that
is sent there. Sent are gangs that the rule sends, and whoever names the reservation. A gang that runs where it should
not is told to save, as before the end of a Capacity Block, and starts again in the other market.

What the rule knows of a gang: the work of its starts, up to the newest COMMIT of each; whether it has spot nodes, or as
many are idle; and how long that has been so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone

from fleet_pool.compat import frozen
from fleet_pool.problems import UsageProblem
from fleet_pool.slurm.blocks import YEARS, nodes_of
from fleet_pool.slurm.patient import HOUR_S, Patient, Task, Wish, in_time
from fleet_pool.slurm.settings import Cluster, Markets

RESERVATION = "planner-on-demand"
EVERY_S = 60  # between two looks (planner-slurm.timer)
RULE = Patient()
SHOW_GANGS = ("squeue", "--noheader", "--states=PD,R", "--format=%i|%T|%D|%v|%N|%k")
SHOW_STARTS = ("sacct", "-DXnP", "--format=Submit,Start,End")  # with --jobs
NOTHING = "(null)"  # as squeue writes it
SAVED_LATE_S = 5  # S3 dates an object when it is whole
_SPANS = {"m": 60, "h": HOUR_S, "d": 24 * HOUR_S, "w": 7 * 24 * HOUR_S}
_ASKED = re.compile(r"\b(work|deadline)=(\S+)")
_NAMED = re.compile(r"\bcheckpoints=(\S+)")


@frozen
class Gang:
    """A job that waits or runs. on: the market of its nodes, spot or on-demand; "" without nodes. sent: whether it is
    in our reservation. run: the folder of its checkpoints."""

    job: str
    nodes: int
    on: str
    sent: bool
    task: Task
    run: str


@frozen
class Start:
    """In seconds of Unix time. ends: None while it runs."""

    begins: float
    ends: float | None


@frozen
class Looked:
    """What a gang has seen so far, in seconds. since: when what it sees began. up_s: with capacity, of seen_s."""

    at: float
    since: float
    sees: bool
    up_s: float
    seen_s: float


def gang_of(line: str, markets: Markets) -> Gang | None:
    """A line of SHOW_GANGS; None for a job without a deadline, and for one in a reservation of somebody else. Raises
    UsageProblem for a comment that says it wrongly."""
    job, state, nodes, reservation, on, comment = line.split("|", 5)
    comment = "" if comment == NOTHING else comment
    task = _task(job, int(nodes), comment, markets)
    if task is None or reservation not in ("", NOTHING, RESERVATION) or not job.isdigit():
        return None
    named = _NAMED.search(comment)
    return Gang(
        job=job,
        nodes=int(nodes),
        on="" if state == "PENDING" else _market(on, markets),
        sent=reservation == RESERVATION,
        task=task,
        run=named[1] if named else f"slurm-{job}",
    )


def _task(job: str, nodes: int, comment: str, markets: Markets) -> Task | None:
    """By the job's comment (`work=20d deadline=30d`), else the plan's if it is as large as the plan's gang."""
    asked = dict(_ASKED.findall(comment))
    if not asked and nodes != markets.nodes:
        return None
    work, deadline = markets.work_hours * HOUR_S, markets.deadline_hours * HOUR_S
    if asked:
        spans = {key: re.fullmatch(r"([0-9.]+)([mhdw])", text) for key, text in asked.items()}
        if len(asked) != 2 or not all(spans.values()):
            raise UsageProblem(
                f"job {job}: comment {comment!r}: write --comment='work=20d deadline=30d', in m, h, d or w; until "
                "then it runs on spot alone"
            )
        work, deadline = (float(found[1]) * _SPANS[found[2]] for found in (spans["work"], spans["deadline"]) if found)
    return Task(work=work, deadline=deadline, changeover=markets.changeover_hours * HOUR_S)


def _market(nodes: str, markets: Markets) -> str:
    """Of a job's nodes, as squeue writes them: p5-48xlarge-od-[1-4]."""
    return "on-demand" if re.match(rf"{re.escape(markets.on_demand)}-?[\[0-9]", nodes) else "spot"


def starts(text: str) -> tuple[float, list[Start]]:
    """When the job was submitted, and its starts so far, from the output of SHOW_STARTS."""
    rows = [line.split("|") for line in text.splitlines() if line.count("|") == 2]
    submitted = min((when for when in (_moment(row[0]) for row in rows) if when), default=0.0)
    found = [Start(begins=begins, ends=_moment(row[2])) for row in rows if (begins := _moment(row[1]))]
    return submitted, found


def _moment(text: str) -> float | None:
    """None for Unknown and None, as sacct writes what has not been yet."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def progress(found: Sequence[Start], commits: Sequence[float], changeover: float, now: float) -> float:
    """Seconds of work: of a start that runs, until now; of one that has ended, until the newest COMMIT in it."""
    done = 0.0
    for start in found:
        if start.ends is None:
            until = now
        else:
            saved = [when for when in commits if start.begins < when <= start.ends + SAVED_LATE_S]
            until = min(max(saved, default=start.begins), start.ends)
        done += max(until - start.begins - changeover, 0.0)
    return done


def look(before: Looked | None, sees: bool, now: float) -> Looked:
    """After one more look. What was seen last held until now."""
    if before is None:
        return Looked(at=now, since=now, sees=sees, up_s=EVERY_S * sees, seen_s=EVERY_S)
    passed = now - before.at
    return Looked(
        at=now,
        since=before.since if sees == before.sees else now,
        sees=sees,
        up_s=before.up_s + passed * sees,
        seen_s=before.seen_s + passed,
    )


def decide(task: Task, on: str, looked: Looked, done: float, elapsed: float, *, works: bool) -> Wish:
    """By patient progress and the safety net of every rule, as `planner simulate` replays it. works: whether its start
    is over."""
    left = max(task.deadline - elapsed, 0.0)
    wish = RULE.wish(
        task,
        RULE.margin(task, done, left),
        RULE.share(looked.up_s, looked.seen_s),
        looked.at - looked.since + EVERY_S,
        available=looked.sees,
        on_demand=on == "on-demand",
    )
    return in_time(wish, task, done, left - EVERY_S, on_spot=on == "spot", works=works)


def commands(gang: Gang, wish: Wish) -> Iterator[Sequence[str]]:
    """What to run, so that the gang starts next where it should."""
    on_demand = bool(wish[1])
    if on_demand != gang.sent:  # of one that runs it is where it starts next
        yield ("scontrol", "update", f"jobid={gang.job}", f"reservationname={RESERVATION if on_demand else ''}")
    if gang.on and on_demand != (gang.on == "on-demand"):
        yield ("scancel", "--signal=TERM", gang.job)


def reservation(cluster: Cluster, nodes: Sequence[str], shown: str) -> Iterator[Sequence[str]]:
    """That of the On-Demand nodes, for every project. shown: what `scontrol show reservation` says."""
    assert cluster.markets is not None
    own = nodes_of(cluster.markets.on_demand, nodes)
    if not own:
        return
    accounts = sorted(project.name for project in cluster.projects)
    there = re.search(rf"ReservationName={RESERVATION} .*?Accounts=(\S+)", shown)
    if there is None:
        yield (
            *("scontrol", "create", f"reservation={RESERVATION}", "starttime=now", f"duration={YEARS}"),
            *(f"accounts={','.join(accounts)}", "flags=ignore_jobs", f"nodes={','.join(own)}"),
        )
    elif sorted(there[1].split(",")) != accounts:
        yield ("scontrol", "update", f"reservation={RESERVATION}", f"accounts={','.join(accounts)}")


def idle(group: str, states: Mapping[str, str]) -> int:
    """Nodes of a group that could start a job now."""
    return sum(states[node] == "idle" for node in nodes_of(group, tuple(states)))
