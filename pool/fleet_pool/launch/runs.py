"""Runs as the bucket has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fleet_pool import steps
from fleet_pool.compat import frozen
from fleet_pool.launch import records
from fleet_pool.launch.bucket import Bucket
from fleet_pool.launch.outcome import Exit, Result
from fleet_pool.launch.ranks import Member
from fleet_pool.launch.records import Plan, Run

NEWEST = 8  # so many of the newest steps are looked at for a COMMIT: a run does not leave more unfinished


@frozen
class Found:
    """A run's newest attempt. ended: its last record, if it has ended. idle_s: since its newest record."""

    attempt: int
    offers: tuple[Member, ...]
    plan: Plan | None
    exits: Mapping[int, Exit]
    result: Result | None
    stop: bool
    ended: Mapping[str, Any] | None
    idle_s: float


class Records:
    """Reads records, which never change, once."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._kept: dict[str, Any] = {}

    def run(self, number: int) -> Run | None:
        data = self._read(f"{records.run_prefix(number)}run.json")
        return None if data is None else records.run_of(data)

    def look(self, number: int, attempt: int = 1) -> Found:
        """The newest attempt from `attempt` on. The one before it is listed too, as a sign of life."""
        start = records.run_prefix(number)
        listed = self._bucket.list(start, after=records.attempt_prefix(number, attempt - 1))
        keys = set(listed.keys)
        newest = max([attempt, *filter(None, (records.attempt_in(number, key) for key in keys))])
        prefix = records.attempt_prefix(number, newest)
        names = [key[len(prefix) :] for key in keys if key.startswith(prefix)]
        exits = [records.exit_of(self._read(prefix + name)) for name in names if name.startswith("exit-")]
        offers = [records.member_of(self._read(prefix + name)) for name in names if name.startswith("join-")]
        return Found(
            attempt=newest,
            offers=tuple(sorted(offers, key=lambda member: (member.instance, member.incarnation))),
            plan=records.plan_of(self._read(f"{prefix}plan.json")) if "plan.json" in names else None,
            exits={each.rank: each for each in exits},
            result=records.result_record(self._read(f"{prefix}result.json")) if "result.json" in names else None,
            stop=f"{start}stop.json" in keys,
            ended=self._read(f"{start}ended.json") if f"{start}ended.json" in keys else None,
            idle_s=listed.idle_s or 0.0,
        )

    def fruitless(self, number: int, attempt: int) -> int:
        """Attempts in a row without a new COMMIT, up to this one."""
        found = self.result(number, attempt) if attempt else None
        return found.fruitless if found else 0

    def result(self, number: int, attempt: int) -> Result | None:
        """How an attempt ended; None if it has not."""
        data = self._read(f"{records.attempt_prefix(number, attempt)}result.json")
        return None if data is None else records.result_record(data)

    def _read(self, key: str) -> Any:
        if key not in self._kept:
            found = self._bucket.read_json(key)
            if found is None:
                return None
            self._kept[key] = found
        return self._kept[key]


def newest_number(bucket: Bucket, after: int = 0) -> int | None:
    """The number of the newest run from `after` on; None if there is none."""
    start = f"{records.PREFIX}{after:06d}" if after else ""
    listed = bucket.list(records.PREFIX, after=start, delimiter="/")
    numbers = [number for number in map(records.run_number, listed.folders) if number is not None]
    return max(numbers, default=None)


def newest_commit(bucket: Bucket, prefix: str) -> int | None:
    """The newest committed step below a prefix."""
    folders = bucket.list(f"{prefix}/step-", delimiter="/").folders
    for folder in sorted(folders, reverse=True)[:NEWEST]:
        step = steps.step_in(folder[len(prefix) + 1 :])
        key = folder + steps.COMMIT
        if step is not None and key in bucket.list(key).keys:
            return step
    return None
