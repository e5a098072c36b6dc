"""Accounts, shares, limits and QOS of a cluster: what Slurm's database has to hold, and the commands that make it so.

AWS PCS makes the database and takes none of this as a setting; root on a node of the cluster may change it. Only what
differs is changed, so that looking every minute costs three reads. Accounts that a person adds are left alone. Who is
in an account that the plan made, the plan says: whoever it no longer names submits no more, waiting jobs of theirs are
cancelled, running ones go on to their end, and then their place in the account goes. A project that the plan no longer
names loses its people in the same way; its account stays, with what it has spent.
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
FIELDS = "Account,Descr,User,Share,GrpTRES,QOS,DefaultQOS,MaxSubmitJobs"
SHOW_ACCOUNTS = ("sacctmgr", "-nP", "show", "account", "withassoc", f"format={FIELDS}")
SHOW_QUEUE = ("squeue", "--noheader", "--format=%a|%u|%T")
OURS = "planner"  # description of the accounts that the plan made
NO_MORE, NO_LIMIT = "0", "-1"  # jobs that may be submitted


@frozen
class Known:
    """What the database has. qos: name -> (priority, whom it may preempt, grace). accounts: name -> (share, limits,
    QOS, default QOS). ours: accounts that the plan made. users: (account, user) -> most jobs to submit, "" without a
    limit. queue: (account, user) -> states of their jobs."""

    qos: Mapping[str, tuple[str, frozenset[str], str]]
    accounts: Mapping[str, tuple[str, str, frozenset[str], str]]
    ours: frozenset[str]
    users: Mapping[tuple[str, str], str]
    queue: Mapping[tuple[str, str], frozenset[str]]


def known(qos: str, associations: str, queue: str) -> Known:
    """From the output of SHOW_QOS, SHOW_ACCOUNTS and SHOW_QUEUE."""
    rows = [line.split("|") for line in associations.splitlines() if line.count("|") >= FIELDS.count(",")]
    jobs: dict[tuple[str, str], set[str]] = {}
    for account, user, state in (line.strip().split("|") for line in queue.splitlines() if line.count("|") == 2):
        jobs.setdefault((account, user), set()).add(state)
    return Known(
        qos={
            row[0]: (row[1], _names(row[2]), row[3])
            for row in (line.split("|") for line in qos.splitlines() if line.count("|") >= 3)
        },
        accounts={row[0]: (row[3], row[4], _names(row[5]), row[6]) for row in rows if not row[2]},
        ours=frozenset(row[0] for row in rows if row[1] == OURS),
        users={(row[0], row[2]): row[7] for row in rows if row[2]},
        queue={who: frozenset(states) for who, states in jobs.items()},
    )


def commands(cluster: Cluster, found: Known) -> list[Sequence[str]]:
    """What to run, in this order; nothing where the database has all of it."""
    made = [("sacctmgr", "-i", *words) for words in (*_qos(found), *_accounts(cluster, found))]
    return [*made, *_leaving(cluster, found)]


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
            yield ("add", "account", project.name, f"Description={OURS}", f"Organization={OURS}", *values)
        elif found.accounts[project.name] != wanted:
            yield ("modify", "account", "where", f"name={project.name}", "set", *values)
        for user in (JOB_USER, *project.users):
            if (project.name, user) not in found.users:
                yield ("add", "user", user, f"Account={project.name}", "Fairshare=parent")
            elif found.users[project.name, user] == NO_MORE:  # back again
                yield ("modify", *_who(project.name, user), "set", f"MaxSubmitJobs={NO_LIMIT}")


def _leaving(cluster: Cluster, found: Known) -> Iterator[tuple[str, ...]]:
    """Slurm takes nobody out of an account who has jobs in it, so that it takes several rounds."""
    named = {(project.name, user) for project in cluster.projects for user in (JOB_USER, *project.users)}
    for account, user in sorted(found.users):
        if account not in found.ours or (account, user) in named:
            continue
        jobs = found.queue.get((account, user), frozenset())
        if not jobs:
            yield ("sacctmgr", "-i", "delete", *_who(account, user))
            continue
        if found.users[account, user] != NO_MORE:
            yield ("sacctmgr", "-i", "modify", *_who(account, user), "set", f"MaxSubmitJobs={NO_MORE}")
        if "PENDING" in jobs:
            yield ("scancel", "--state=PENDING", f"--user={user}", f"--account={account}")


def _who(account: str, user: str) -> tuple[str, ...]:
    return ("user", "where", f"name={user}", f"account={account}")


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in text.split(",") if name)


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
