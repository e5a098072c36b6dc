"""Jobs that run on every target at once: bring in from S3, put out of the cache; started, watched, waited for.

Both may be started again: what is done already is passed over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fleet_pool.api import Client, bucket_path
from fleet_pool.compat import frozen
from fleet_pool.operate.buckets import S3, registered
from fleet_pool.operate.members import cluster_map
from fleet_pool.operate.table import listed
from fleet_pool.problems import Refused, Unreachable, UsageProblem

UNFINISHED = "0001-01-01T00:00:00Z"  # the engine's empty time
FORGOTTEN_S = 15.0  # how long a daemon may say that it knows no such job before it is believed
SILENT_S = 120.0  # how long no answer may come; the map drops a target that hangs in a quarter of it
AGAIN = "run it again: what is done is passed over"
SERIES = "{}%@*"  # in a template they are ranges and patterns, not a prefix


@frozen
class Job:
    """targets: those that were active before it started; each has a share of its own."""

    id: str
    targets: tuple[str, ...]


@frozen
class Progress:
    """objects, bytes: done so far, all targets together. running, ended: targets."""

    objects: int
    bytes: int
    running: tuple[str, ...]
    ended: tuple[str, ...]


@frozen
class Done:
    """seconds: it took, as seen from here."""

    objects: int
    bytes: int
    seconds: float


def prefetch(client: Client, bucket: str, prefix: str, workers: int = 0) -> Job:
    """Every target fetches its own share of what lies under `prefix` in S3, "" for all.

    workers: on each target; 0 leaves it to the engine. Raises UsageProblem, Refused or Unreachable.
    """
    value = {**_under(prefix), "coer": True, "num-workers": workers, "blob-threshold": 0, "latest-ver": False}
    return _started(client, "POST", bucket, "prefetch-listrange", value)


def evict(client: Client, bucket: str, prefix: str) -> Job:
    """Puts what lies under `prefix` out of the cache, "" for all; S3 keeps it. Raises the same."""
    return _started(client, "DELETE", bucket, "evict-listrange", {**_under(prefix), "coer": True})


def wait(client: Client, job: Job, *, limit_s: float, show: Callable[[Progress], None], poll_s: float = 0.5) -> Done:
    """Until every target has ended its share.

    Raises Refused where a share failed or was stopped, and Unreachable where one was lost with its target, where the
    pool is silent for long, or where time was up (the job goes on without us).
    """
    start = time.monotonic()
    deadline, unknown_since, heard = start + limit_s, None, start
    last = Progress(objects=0, bytes=0, running=job.targets, ended=())
    while True:
        try:
            told = _snaps(client, job)
        except Refused as error:
            # right after the start a target may not know it yet; later one that was started anew never will
            unknown_since = unknown_since or time.monotonic()
            if error.status not in (400, 404) or time.monotonic() - unknown_since > FORGOTTEN_S:
                raise Unreachable(f"job {job.id}: a target was started anew in the middle of it; {AGAIN}") from None
        except Unreachable as error:
            # a target that hangs holds the question up until the map drops it
            if time.monotonic() - heard > SILENT_S:
                raise Unreachable(f"job {job.id} is not heard of any more: {error}") from None
        else:
            unknown_since, heard = None, time.monotonic()
            last = progress(told)
            show(last)
            if last.ended and not last.running:
                _whole(job, told)
                return Done(objects=last.objects, bytes=last.bytes, seconds=time.monotonic() - start)
        if time.monotonic() > deadline:
            raise Unreachable(
                f"job {job.id} runs on after {limit_s:g} s, on {listed(last.running)}: nobody waits for it any more"
            )
        time.sleep(poll_s)
        poll_s = min(poll_s * 1.2, 3.0)


def progress(told: dict[str, list[dict[str, Any]]]) -> Progress:
    """Of one job, from each target's own count."""
    objects = octets = 0
    running, ended = [], []
    for target, snaps in sorted(told.items()):
        for snap in snaps or ():
            stats = snap["stats"]
            objects, octets = objects + int(stats["loc-objs"]), octets + int(stats["loc-bytes"])
            over = snap["end-time"] != UNFINISHED or snap["aborted"]
            (ended if over else running).append(target)
    return Progress(objects=objects, bytes=octets, running=tuple(running), ended=tuple(ended))


def _whole(job: Job, told: dict[str, list[dict[str, Any]]]) -> None:
    """Raises Unreachable for a target that was lost, with its share; Refused where one failed, or was stopped."""
    lost = [target for target in job.targets if not told.get(target)]
    if lost:
        raise Unreachable(f"job {job.id}: {listed(lost)} left in the middle of it, its share undone; {AGAIN}")
    wrong = [
        f"{target}: {snap['abort-err'] or snap['err'] or 'stopped'}"
        for target, snaps in sorted(told.items())
        for snap in snaps or ()
        if snap["aborted"] or snap["err"] or snap["abort-err"]
    ]
    if wrong:
        more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        raise Refused(f"job {job.id} is not whole: {'; '.join(wrong[:3])}{more}", 0)


def _snaps(client: Client, job: Job) -> dict[str, list[dict[str, Any]]]:
    return client.ask("GET", "/v1/cluster", query={"what": "qryxstats"}, value={"id": job.id}).json()


def _started(client: Client, method: str, bucket: str, action: str, value: dict[str, Any]) -> Job:
    registered(client, bucket)
    # those who are there before it: one that dies at once would else never be missed
    targets = tuple(target.id for target in cluster_map(client).targets if not target.leaving)
    answer = client.act(bucket_path(bucket), action, value, method=method, query={"provider": S3})
    return Job(id=answer.body.decode("utf-8", "replace").strip().strip('"'), targets=targets)


def _under(prefix: str) -> dict[str, str]:
    """Raises UsageProblem for a prefix that the engine would take for a series of names."""
    if any(letter in prefix for letter in SERIES):
        raise UsageProblem(f"prefix {prefix!r}: the engine reads {' '.join(SERIES)} as patterns; give a shorter prefix")
    return {"template": prefix} if prefix else {}
