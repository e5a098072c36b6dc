"""How far a list is: a few listings, however many jobs it has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fleet_pool.compat import frozen
from fleet_pool.launch.bucket import Bucket
from fleet_pool.worker import exits
from fleet_pool.worker.joblist import JobList
from fleet_pool.worker.machines import machines_of
from fleet_pool.worker.records import beats_of

_INDEX = re.compile(r"(\d{6})(?:\.json|/.*)")
SILENT_BEATS = 4  # heartbeats that may be missed before a try counts as lost


@frozen
class Status:
    """Indexes of jobs: finished; given up, by the reason; begun and not ended; never begun. out: refused machines.
    silent: those of running whose newest heartbeat is too old: nobody works on them."""

    jobs: int
    done: tuple[int, ...]
    dead: dict[int, str]
    running: tuple[int, ...]
    silent: tuple[int, ...]
    waiting: tuple[int, ...]
    machines: int
    out: tuple[str, ...]


def status_of(bucket: Bucket, jobs: JobList, *, beat_s: float) -> Status:
    """Raises PoolProblem."""

    def indexes(folder: str) -> set[int]:
        return _indexes(bucket.list(f"{jobs.prefix}{folder}/").keys, f"{jobs.prefix}{folder}/")

    done, dead, begun = indexes(exits.DONE), indexes(exits.DEAD), indexes("jobs")
    folder = f"{jobs.prefix}machines/"
    known = machines_of(key[len(folder) :] for key in bucket.list(folder).keys)
    running = begun - done - dead
    # by S3's own clock; no beat yet counts as none
    idle_s = {index: bucket.list(beats_of(jobs, index)).idle_s for index in sorted(running)}
    reasons = {index: bucket.read_json(f"{jobs.prefix}{exits.DEAD}/{index:06d}.json") or {} for index in sorted(dead)}
    return Status(
        jobs=len(jobs.jobs),
        done=tuple(sorted(done)),
        dead={index: str(found.get("why", "")) for index, found in reasons.items()},
        running=tuple(sorted(running)),
        silent=tuple(index for index, idle in idle_s.items() if idle is None or idle > SILENT_BEATS * beat_s),
        waiting=tuple(sorted(set(range(len(jobs.jobs))) - begun)),
        machines=len(known.failed),
        out=tuple(sorted(known.out)),
    )


def described(found: Status, jobs: JobList) -> str:
    """For people."""
    lines = [
        f"{jobs.name}: {len(found.done)} of {found.jobs} jobs done, {len(found.running) - len(found.silent)} running, "
        f"{len(found.waiting)} not begun, {len(found.silent)} begun and silent, {len(found.dead)} dead"
    ]
    lines += [f"  dead: {jobs.jobs[index].name} ({index}): {why}" for index, why in found.dead.items()]
    lines += [f"  silent: {jobs.jobs[index].name} ({index})" for index in found.silent[:20]]
    if found.silent:
        lines.append("  If the queue is empty, submit the list again: a job that is done ends at once.")
    out = f": {', '.join(found.out)}" if found.out else ""
    lines.append(f"{found.machines} machines, {len(found.out)} of them refused{out}")
    return "\n".join(lines)


def as_json(found: Status) -> dict[str, Any]:
    return {
        "jobs": found.jobs,
        "done": list(found.done),
        "dead": [{"index": index, "why": why} for index, why in found.dead.items()],
        "running": list(found.running),
        "silent": list(found.silent),
        "waiting": list(found.waiting),
        "machines": found.machines,
        "refused_machines": list(found.out),
    }


def _indexes(keys: Iterable[str], folder: str) -> set[int]:
    return {int(found[1]) for found in (_INDEX.fullmatch(key[len(folder) :]) for key in keys) if found}
