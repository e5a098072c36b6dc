"""Jobs that run on every target at once: prefetch from S3, evict from the cache.

Both can be run again: finished work is skipped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fleet_pool.api import Client, bucket_path
from fleet_pool.compat import frozen
from fleet_pool.operate.buckets import S3, registered
from fleet_pool.operate.members import cluster_map
from fleet_pool.operate.probe import NAMES
from fleet_pool.operate.table import listed
from fleet_pool.problems import Refused, Unreachable, UsageProblem

UNFINISHED = "0001-01-01T00:00:00Z"  # the engine's empty time
FORGOTTEN_S = 15.0  # how long a daemon may answer that it does not know the job before that is taken as final
SILENT_S = 120.0  # longest time without any answer; the map drops a hanging target in a quarter of it
AGAIN = "run it again: finished work is skipped"
SERIES = "{}%@*"  # in the engine's templates these make ranges and patterns
# The engine fetches one range at a time for each 256 MiB of an object (AIStore v1.5.0, xact/xs/blob_download.go): below
# two of them it would be one stream as before, one request more, and a file for each range.
RANGED_FROM_BYTES = 512 * 2**20
RANGE_BYTES = 16 * 2**20  # the engine's largest; S3 User Guide, "Byte-Range Fetches": 8 to 16 MB


@frozen
class Job:
    """targets: ids that were active before it started; each does its own share."""

    id: str
    targets: tuple[str, ...]


@frozen
class Progress:
    """objects, bytes: done so far by all targets. running, ended: ids of targets."""

    objects: int
    bytes: int
    running: tuple[str, ...]
    ended: tuple[str, ...]


@frozen
class Done:
    """objects, bytes: of all targets. seconds: from the first question to the last."""

    objects: int
    bytes: int
    seconds: float


def prefetch(client: Client, bucket: str, prefix: str, workers: int = 0, ranges_from: int = 0) -> Job:
    """Starts fetching the objects under `prefix` from S3 ("" for all), each target its own share.

    workers: on each target; 0 is the engine's default. ranges_from: objects of so many bytes and more are fetched in
    several ranges at once, at the price of a request to S3 for the size of every object; 0 for none.
    Raises UsageProblem, Refused or Unreachable.
    """
    value = {**_under(prefix), "coer": True, "num-workers": workers, "latest-ver": False}
    value |= {"blob-threshold": ranges_from, "blob-chunk-size": RANGE_BYTES}
    return _started(client, "POST", bucket, "prefetch-listrange", value)


def has_large(client: Client, bucket: str, prefix: str) -> bool:
    """Whether one of the first objects under `prefix` gains from ranges: the objects of a data set are about alike,
    and a look at all would take as long as the job's own. Raises UsageProblem, Refused or Unreachable."""
    registered(client, bucket)
    value = {"prefix": prefix, "props": "name,size", "pagesize": NAMES}
    answer = client.ask("GET", bucket_path(bucket), query={"provider": S3}, value={"action": "list", "value": value})
    return any(int(entry.get("size") or 0) >= RANGED_FROM_BYTES for entry in answer.json().get("entries") or ())


def evict(client: Client, bucket: str, prefix: str) -> Job:
    """Starts dropping the objects under `prefix` ("" for all) from the cache; S3 keeps them. Raises as prefetch."""
    return _started(client, "DELETE", bucket, "evict-listrange", {**_under(prefix), "coer": True})


def wait(client: Client, job: Job, *, limit_s: float, show: Callable[[Progress], None], poll_s: float = 0.5) -> Done:
    """Waits until every target has finished its share.

    Raises Refused if a share failed or was stopped; Unreachable if a target left the pool with its share unfinished,
    if the pool does not answer for long, or after `limit_s` seconds (the job continues).
    """
    start = time.monotonic()
    deadline, unknown_since, heard = start + limit_s, None, start
    last = Progress(objects=0, bytes=0, running=job.targets, ended=())
    while True:
        try:
            snaps_of = _snaps(client, job)
        except Refused as error:
            # just after the start a target may not know the job yet; a target that restarted never will
            unknown_since = unknown_since or time.monotonic()
            if error.status not in (400, 404) or time.monotonic() - unknown_since > FORGOTTEN_S:
                raise Unreachable(f"job {job.id} is incomplete: a target restarted while it ran; {AGAIN}") from None
        except Unreachable as error:
            # a target that hangs delays the answer until the map drops it
            if time.monotonic() - heard > SILENT_S:
                raise Unreachable(f"the pool no longer answers about job {job.id}: {error}") from None
        else:
            unknown_since, heard = None, time.monotonic()
            last = progress(snaps_of)
            show(last)
            if last.ended and not last.running:
                _check_complete(job, snaps_of)
                return Done(objects=last.objects, bytes=last.bytes, seconds=time.monotonic() - start)
        if time.monotonic() > deadline:
            raise Unreachable(
                f"job {job.id} still runs on {listed(last.running)} after {limit_s:g} s; it continues in the pool"
            )
        time.sleep(poll_s)
        poll_s = min(poll_s * 1.2, 3.0)


def progress(snaps_of: dict[str, list[dict[str, Any]]]) -> Progress:
    """Of one job, summed over the targets' reports."""
    objects = octets = 0
    running, ended = [], []
    for target, snaps in sorted(snaps_of.items()):
        for snap in snaps or ():
            stats = snap["stats"]
            objects, octets = objects + int(stats["loc-objs"]), octets + int(stats["loc-bytes"])
            over = snap["end-time"] != UNFINISHED or snap["aborted"]
            (ended if over else running).append(target)
    return Progress(objects=objects, bytes=octets, running=tuple(running), ended=tuple(ended))


def _check_complete(job: Job, snaps_of: dict[str, list[dict[str, Any]]]) -> None:
    """Raises Unreachable if a target left with its share unfinished, Refused if a share failed or was stopped."""
    lost = [target for target in job.targets if not snaps_of.get(target)]
    if lost:
        raise Unreachable(f"job {job.id} is incomplete: {listed(lost)} left before finishing its share; {AGAIN}")
    wrong = [
        f"{target}: {snap['abort-err'] or snap['err'] or 'stopped'}"
        for target, snaps in sorted(snaps_of.items())
        for snap in snaps or ()
        if snap["aborted"] or snap["err"] or snap["abort-err"]
    ]
    if wrong:
        more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        raise Refused(f"job {job.id} is incomplete: {'; '.join(wrong[:3])}{more}", 0)


def _snaps(client: Client, job: Job) -> dict[str, list[dict[str, Any]]]:
    return client.ask("GET", "/v1/cluster", query={"what": "qryxstats"}, value={"id": job.id}).json()


def _started(client: Client, method: str, bucket: str, action: str, value: dict[str, Any]) -> Job:
    registered(client, bucket)
    # read before the start, so that a target that dies right away is noticed
    targets = tuple(target.id for target in cluster_map(client).targets if not target.leaving)
    answer = client.act(bucket_path(bucket), action, value, method=method, query={"provider": S3})
    return Job(id=answer.body.decode("utf-8", "replace").strip().strip('"'), targets=targets)


def _under(prefix: str) -> dict[str, str]:
    """The prefix as the engine's template. Raises UsageProblem for one that it would read as a pattern."""
    if any(letter in prefix for letter in SERIES):
        raise UsageProblem(f"prefix {prefix!r}: the engine reads {' '.join(SERIES)} as patterns; give a shorter prefix")
    return {"template": prefix} if prefix else {}
