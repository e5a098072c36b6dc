"""What workers write about a list into the bucket, and how they read it back.

workers/NAME/list.json                       the list; written once
workers/NAME/jobs/000012/try-0001.json       a try began: its number is free only once, and ends an older one
workers/NAME/jobs/000012/end-0001.json       how it ended; none if the machine was lost
workers/NAME/beats/000012/0001-000042.json   heartbeats of a try: each a record of its own, as jobs overwrite nothing
workers/NAME/done/000012.json                finished jobs
workers/NAME/dead/000012.json                dead letters: given up, with the reason
workers/NAME/machines/ID/seen                a machine that took a job
workers/NAME/machines/ID/failed-000012       a job that failed there
workers/NAME/machines/ID/out                 it gets no more jobs
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fleet_pool.launch.bucket import Bucket
from fleet_pool.problems import UsageProblem
from fleet_pool.worker import exits, machines
from fleet_pool.worker.joblist import JobList, list_key, parsed

_TRY = re.compile(r"try-(\d{4})\.json")
MOST = 9999


def read_list(bucket: Bucket, name: str) -> JobList:
    """Raises UsageProblem if there is none."""
    key = list_key(name)
    found = bucket.read(key) if key in bucket.list(key).keys else None
    if found is None:
        raise UsageProblem(f"s3://{bucket.name} has no list {name!r}: `planner-worker put FILE` writes it")
    return parsed(found.decode("utf-8", "replace"), f"s3://{bucket.name}/{key}")


def beats_of(jobs: JobList, index: int) -> str:
    """Prefix of a job's heartbeats, apart from its records: a listing of those stays short."""
    return f"{jobs.prefix}beats/{index:06d}/"


class JobRecords:
    """The records of one job."""

    def __init__(self, bucket: Bucket, jobs: JobList, index: int) -> None:
        self._bucket, self._list = bucket, jobs
        self._folder, self._beats = f"{jobs.prefix}jobs/{index:06d}/", beats_of(jobs, index)
        self._beat = 0
        self._done, self._dead = (f"{jobs.prefix}{kind}/{index:06d}.json" for kind in (exits.DONE, exits.DEAD))

    @property
    def ended(self) -> str:
        """ "done", "dead" or ""."""
        for kind, key in ((exits.DONE, self._done), (exits.DEAD, self._dead)):
            if self._bucket.list(key).keys:
                return kind
        return ""

    def begin(self, about: Mapping[str, Any]) -> int:
        """Takes the next number of a try; older tries of the job end themselves."""
        number = self.newest() + 1
        while number <= MOST:
            if self._bucket.write_once(f"{self._folder}try-{number:04d}.json", about):
                return number
            number += 1
        raise UsageProblem(f"{self._folder} has {MOST} tries: a job that is started again and again never ends")

    def newest(self) -> int:
        """Number of the newest try, 0 without one."""
        names = (key.rpartition("/")[2] for key in self._bucket.list(f"{self._folder}try-").keys)
        return max((int(found[1]) for found in map(_TRY.fullmatch, names) if found), default=0)

    def failures(self) -> int:
        """Tries that count against the job."""
        ends = self._bucket.list(f"{self._folder}end-").keys
        return sum(bool((self._bucket.read_json(key) or {}).get("counts")) for key in ends)

    def beat(self, number: int, values: Mapping[str, Any]) -> None:
        """Write the next heartbeat of an attempt. A key that exists is another job's and is left alone."""
        self._beat += 1
        self._bucket.write_once(f"{self._beats}{number:04d}-{self._beat:06d}.json", values)

    def end(self, number: int, kind: str, values: Mapping[str, Any]) -> None:
        """The end of a try, and of the job where it is the last."""
        self._bucket.write_once(f"{self._folder}end-{number:04d}.json", values)
        if kind in (exits.DONE, exits.DEAD):
            self._bucket.write_once(self._done if kind == exits.DONE else self._dead, values)


class MachineRecords:
    """The machines of one list, and this one among them."""

    def __init__(self, bucket: Bucket, jobs: JobList, machine: str) -> None:
        self._bucket, self._most, self.machine = bucket, jobs.machine_failures, machine
        self._folder = f"{jobs.prefix}machines/"

    def sign(self) -> None:
        self._bucket.write_once(f"{self._folder}{self.machine}/{machines.SEEN}", {})

    def failed(self, index: int) -> None:
        self._bucket.write_once(f"{self._folder}{self.machine}/{machines.failed_name(index)}", {})

    def refuses(self) -> frozenset[int] | None:
        """The jobs that it spoiled if it is out, and says so in the bucket; else None."""
        names = (key[len(self._folder) :] for key in self._bucket.list(self._folder).keys)
        found = machines.machines_of(names)
        if not found.is_bad(self.machine, self._most):
            return None
        spoiled = found.spoiled(self.machine)
        if self.machine not in found.out:
            self._bucket.write_once(f"{self._folder}{self.machine}/{machines.OUT}", {"jobs": sorted(spoiled)})
        return spoiled
