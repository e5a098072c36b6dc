"""Accounts, shares, limits and QOS of a cluster: what Slurm's database has to hold, and the commands that make it so.

AWS PCS makes the database and takes none of this as a setting; root on a login node may change it (AWS HPC Blog,
"Introducing managed accounting for AWS Parallel Computing Service", 2025). Only what differs is changed, so that
looking every minute costs two reads. What a person adds is left alone, but for the values that the plan has.

Who is no longer in the plan starts nothing more: no job is accepted, what waits stays in the queue, what runs goes on
to its time limit. Once no job is left the association is deleted; Slurm refuses that before. Users that the stack made
are those with the share of their project (Fairshare=parent).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fleet_pool.compat import frozen
from fleet_pool.slurm.settings import Cluster

JOB_USER = "planner-job"  # every node of a stack has it
GRACE_S = 300  # in which a job that gives way saves


@frozen
class Qos:
    """gives_way_to: whoever may preempt it."""

    name: str
    priority: int
    gives_way_to: tuple[str, ...] = ()


# one for each queue (planner.stack.slurm_settings.QUEUES)
QOS = (
    Qos(name="low", priority=10, gives_way_to=("normal", "high")),
    Qos(name="normal", priority=100),
    Qos(name="high", priority=1000),
)
DEFAULT_QOS = "normal"
SHOW_QOS = ("sacctmgr", "-nP", "show", "qos", "format=Name,Priority,Preempt,GraceTime")
SHOW_ACCOUNTS = (
    *("sacctmgr", "-nP", "show", "assoc"),
    "format=Account,User,Share,GrpTRES,QOS,DefaultQOS,GrpJobs,GrpSubmit",
)
SHOW_USERS = ("sacctmgr", "-nP", "show", "user", "format=User,DefaultAccount")
SHOW_JOBS = ("squeue", "--noheader", "--format=%a|%u")
OURS = "parent"  # share of the users that the stack makes
# of a user that may start nothing; an operator's own MaxJobs and MaxSubmitJobs stay as they are
STOPPED = ("0", "0")


@frozen
class Known:
    """What the database has. qos: name -> (priority, whom it may preempt, grace). accounts: name -> (share, limits,
    QOS, default QOS). users: (account, user) -> (share, jobs that may run, jobs that may be there). busy: those of them
    with a job that runs or waits. defaults: user -> default account."""

    qos: Mapping[str, tuple[str, frozenset[str], str]]
    accounts: Mapping[str, tuple[str, str, frozenset[str], str]]
    users: Mapping[tuple[str, str], tuple[str, str, str]]
    busy: frozenset[tuple[str, str]]
    defaults: Mapping[str, str]


def known(qos: str, associations: str, jobs: str = "", users: str = "") -> Known:
    """From the output of SHOW_QOS, SHOW_ACCOUNTS and, where somebody has left, SHOW_JOBS and SHOW_USERS."""
    rows = [line.split("|") for line in associations.splitlines() if line.count("|") >= 7]
    return Known(
        qos={
            row[0]: (row[1], _names(row[2]), row[3])
            for row in (line.split("|") for line in qos.splitlines() if line.count("|") >= 3)
        },
        accounts={row[0]: (row[2], row[3], _names(row[4]), row[5]) for row in rows if not row[1]},
        users={(row[0], row[1]): (row[2], row[6], row[7]) for row in rows if row[1]},
        busy=frozenset(_pairs(jobs)),
        defaults=dict(_pairs(users)),
    )


def commands(cluster: Cluster, found: Known) -> list[Sequence[str]]:
    """What to run, in this order; nothing where the database has all of it."""
    every = (*_qos(found), *_accounts(cluster, found), *_leave(cluster, found))
    return [("sacctmgr", "-i", *words) for words in every]


def _qos(found: Known) -> Iterator[tuple[str, ...]]:
    for one in QOS:
        if one.name not in found.qos:
            yield ("add", "qos", one.name)
    for one in QOS:
        takes = sorted(other.name for other in QOS if one.name in other.gives_way_to)
        grace = GRACE_S if one.gives_way_to else 0
        if found.qos.get(one.name) == (str(one.priority), frozenset(takes), _clock(grace)):
            continue
        values = [f"Priority={one.priority}"]
        values += [f"Preempt={','.join(takes)}"] if takes else []
        values += [f"GraceTime={grace}"] if grace else []  # Slurm refuses 0, which is its default
        yield ("modify", "qos", one.name, "set", *values)


def _accounts(cluster: Cluster, found: Known) -> Iterator[tuple[str, ...]]:
    every = ",".join(one.name for one in QOS)
    for project in cluster.projects:
        limit = str(project.max_nodes or -1)
        values = (f"Fairshare={project.share}", f"GrpTRES=node={limit}", f"QOS={every}", f"DefaultQOS={DEFAULT_QOS}")
        wanted = (
            str(project.share),
            f"node={project.max_nodes}" if project.max_nodes else "",
            _names(every),
            DEFAULT_QOS,
        )
        if project.name not in found.accounts:
            yield ("add", "account", project.name, "Description=planner", "Organization=planner", *values)
        elif found.accounts[project.name] != wanted:
            yield ("modify", "account", "where", f"name={project.name}", "set", *values)
        for user in (JOB_USER, *project.users):
            if (project.name, user) not in found.users:
                yield ("add", "user", user, f"Account={project.name}", f"Fairshare={OURS}")
            elif found.users[project.name, user] == (OURS, *STOPPED):
                yield _limited(project.name, user, "-1")


def left(cluster: Cluster, found: Known) -> list[tuple[str, str]]:
    """(account, user) that the stack made and that the plan no longer names; JOB_USER, by whom an account is known as
    the stack's, is the last of an account."""
    planned = {(project.name, user) for project in cluster.projects for user in (JOB_USER, *project.users)}
    made = {key for key, (share, *_) in found.users.items() if share == OURS}
    gone = [key for key in made - planned if (key[0], JOB_USER) in made]
    return sorted(gone, key=lambda key: (key[0], key[1] == JOB_USER, key[1]))


def _leave(cluster: Cluster, found: Known) -> Iterator[tuple[str, ...]]:
    gone = left(cluster, found)
    for account, user in gone:
        if found.users[account, user][1:] != STOPPED:
            yield _limited(account, user, STOPPED[0])
        elif (account, user) not in found.busy and (user != JOB_USER or [one for one, _ in gone].count(account) == 1):
            stays = sorted(one for one, name in found.users if name == user and (one, name) not in gone)
            if stays and found.defaults.get(user) == account:
                yield ("modify", "user", "where", f"name={user}", "set", f"DefaultAccount={stays[0]}")
            yield ("delete", "user", "where", f"name={user}", f"account={account}")


def _limited(account: str, user: str, jobs: str) -> tuple[str, ...]:
    """jobs: that may run, and that may be there; -1 for any number."""
    limits = (f"GrpJobs={jobs}", f"GrpSubmitJobs={jobs}")
    return ("modify", "user", "where", f"name={user}", f"account={account}", "set", *limits)


def _pairs(text: str) -> list[tuple[str, str]]:
    rows = (line.strip().split("|") for line in text.splitlines())
    return [(row[0], row[1]) for row in rows if len(row) == 2]


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in text.split(",") if name)


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
