"""Accounts, shares, limits and QOS of a cluster: what Slurm's database has to hold, and the commands that make it so.

AWS PCS makes the database and takes none of this as a setting; root on a node of the cluster may change it. Only what
differs is changed, so that looking every minute costs two reads. What a person adds is left alone, but for the values
that the plan has.
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
SHOW_ACCOUNTS = ("sacctmgr", "-nP", "show", "assoc", "format=Account,User,Share,GrpTRES,QOS,DefaultQOS")


@frozen
class Known:
    """What the database has. qos: name -> (priority, whom it may preempt, grace). accounts, users: association ->
    (share, limits, QOS, default QOS), of an account alone or of a user in it."""

    qos: Mapping[str, tuple[str, frozenset[str], str]]
    accounts: Mapping[str, tuple[str, str, frozenset[str], str]]
    users: Mapping[tuple[str, str], tuple[str, str, frozenset[str], str]]


def known(qos: str, associations: str) -> Known:
    """From the output of SHOW_QOS and SHOW_ACCOUNTS."""
    rows = [line.split("|") for line in associations.splitlines() if line.count("|") >= 5]
    values = {(row[0], row[1]): (row[2], row[3], _names(row[4]), row[5]) for row in rows}
    return Known(
        qos={
            row[0]: (row[1], _names(row[2]), row[3])
            for row in (line.split("|") for line in qos.splitlines() if line.count("|") >= 3)
        },
        accounts={account: value for (account, user), value in values.items() if not user},
        users={key: value for key, value in values.items() if key[1]},
    )


def commands(cluster: Cluster, found: Known) -> list[Sequence[str]]:
    """What to run, in this order; nothing where the database has all of it."""
    return [("sacctmgr", "-i", *words) for words in (*_qos(found), *_accounts(cluster, found))]


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
                yield ("add", "user", user, f"Account={project.name}", "Fairshare=parent")


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in text.split(",") if name)


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
