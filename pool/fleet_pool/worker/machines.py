"""Which machines spoil jobs: a machine on which different jobs fail that fail nowhere else gets no more. Pure.

A job that fails on two machines is the job's fault and counts for neither. So that a list of broken jobs does not take
the whole pool out, at most a third of the machines seen may be out (one of fewer than six).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fleet_pool.compat import frozen

SEEN, OUT, FAILED = "seen", "out", "failed-"
SHARE_OUT = 3


@frozen
class Machines:
    """failed: indexes of the jobs that failed there, by machine; every machine seen has an entry. out: refused."""

    failed: Mapping[str, frozenset[int]]
    out: frozenset[str]

    def spoiled(self, machine: str) -> frozenset[int]:
        """Jobs that failed on this machine and on no other."""
        elsewhere = frozenset().union(*(jobs for other, jobs in self.failed.items() if other != machine), frozenset())
        return self.failed.get(machine, frozenset()) - elsewhere

    def is_bad(self, machine: str, most: int) -> bool:
        """Whether it goes out now. most: spoiled jobs that a machine may not reach."""
        room = max(1, len(self.failed) // SHARE_OUT) - len(self.out - {machine})
        return machine in self.out or (len(self.spoiled(machine)) >= most and room > 0)


def machines_of(names: Iterable[str]) -> Machines:
    """From keys below the folder of machines: ID/seen, ID/failed-000012, ID/out."""
    failed: dict[str, set[int]] = {}
    out = set()
    for name in names:
        machine, _, what = name.partition("/")
        jobs = failed.setdefault(machine, set())
        if what.startswith(FAILED) and what[len(FAILED) :].isdigit():
            jobs.add(int(what[len(FAILED) :]))
        elif what == OUT:
            out.add(machine)
    return Machines(failed={machine: frozenset(jobs) for machine, jobs in failed.items()}, out=frozenset(out))


def failed_name(index: int) -> str:
    return f"{FAILED}{index:06d}"
