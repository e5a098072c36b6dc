"""What a job would see of every target: reads of objects that it has cached, timed, and its way to S3.

A node can be sick without leaving the map: a slow link or drive, lost packets, no way to S3. Its own status requests,
which are small, say nothing of it.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import urlsplit

from fleet_pool.api import Client, bucket_path, object_path
from fleet_pool.compat import frozen
from fleet_pool.http_request import REDIRECTS, send
from fleet_pool.operate.members import Member
from fleet_pool.problems import PoolProblem, Refused, Unreachable

BYTES, OBJECTS = 2**20, 3  # read from each target: the first MiB of so many of its objects
MANY = 40  # targets; one object of each is enough beyond
NAMES, PAGES = 1000, 8  # of cached objects of a bucket, to find some of each target
CACHED = 1  # flag of a listing; source: AIStore 5.0, api/apc/lsmsg.go
AT_ONCE = 32
NOWHERE = ".planner-canary/never-written"  # a key that S3 does not have: asking for it shows the way to S3
SLOW_S, TIMES_SLOWER = 1.0, 5.0  # slow: beyond both, for a MiB, compared with the other targets


@frozen
class _Copy:
    """A cached object."""

    bucket: str
    key: str
    size: int


@frozen
class Probe:
    """read_s: of the slowest MiB, None if the target has nothing cached or no time was left. s3_s: of one question to
    S3 through it. wrong: of the read and of the way to S3, "" if there was nothing."""

    target: str
    read_s: float | None = None
    read_wrong: str = ""
    s3_s: float | None = None
    s3_wrong: str = ""


def probes(
    client: Client, targets: Sequence[Member], buckets: Sequence[str], *, limit_s: float, each_s: float
) -> tuple[tuple[Probe, ...], str]:
    """Of every target, in the order given, within about `limit_s` seconds; `each_s` for one request. buckets: at least
    one, of S3. And why no cached object could be found to read, "" if that is not so."""
    deadline, held, why = time.monotonic() + limit_s, {}, ""
    try:
        held = _held(client, targets, buckets, deadline - limit_s / 2)  # the other half is for the reads
    except PoolProblem as problem:
        why = str(problem)
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        query = _redirected_query(client, buckets[0])
        asked = [
            threads.submit(_one, client, each, buckets[0], query, held.get(each.url, ()), deadline, each_s)
            for each in targets
        ]
        return tuple(each.result() for each in asked), why


def _redirected_query(client: Client, bucket: str) -> str:
    """The query of a request that a proxy has sent on: a target of a pool with tokens answers no other. It names no
    bucket and no key."""
    url = f"{client.proxies[0]}{object_path(bucket, NOWHERE)}?provider=aws"
    with suppress(Unreachable):
        answer = send("GET", url, headers=client.shown, tls=client.tls, limit_s=min(client.attempt_s, 2.0))
        if answer.status in REDIRECTS:
            return urlsplit(answer.headers.get("location", "")).query
    return "provider=aws"


def _one(
    client: Client, target: Member, bucket: str, query: str, copies: Sequence[_Copy], deadline: float, each_s: float
) -> Probe:
    read_s, read_wrong = None, ""
    for copy in copies:
        seconds, read_wrong = _timed(lambda copy=copy: _read(client, target, query, copy, each_s), deadline)
        read_s = max(read_s or 0.0, seconds) if seconds is not None else read_s
        if read_wrong:
            break
    s3_s, s3_wrong = _timed(lambda: _ask_s3(client, target, bucket, query, each_s), deadline)
    return Probe(target=target.id, read_s=read_s, read_wrong=read_wrong, s3_s=s3_s, s3_wrong=s3_wrong)


def _timed(act: Callable[[], None], deadline: float) -> tuple[float | None, str]:
    """Seconds, None if there was no time; and what went wrong."""
    start = time.monotonic()
    if start >= deadline:
        return None, ""
    try:
        act()
    except PoolProblem as problem:
        return time.monotonic() - start, str(problem)
    return time.monotonic() - start, ""


def _read(client: Client, target: Member, query: str, copy: _Copy, limit_s: float) -> None:
    url = f"{target.url}{object_path(copy.bucket, copy.key)}?{query}"
    headers = {"Range": f"bytes=0-{BYTES - 1}"}
    answer = send("GET", url, headers=headers, tls=client.tls, limit_s=limit_s)
    if answer.status >= 300 and answer.status not in (404, 416):  # evicted or removed meanwhile, or empty
        raise Refused(f"a read from {target.id} was answered {answer.status}", answer.status)


def _ask_s3(client: Client, target: Member, bucket: str, query: str, limit_s: float) -> None:
    url = f"{target.url}{object_path(bucket, NOWHERE)}?{query}"
    answer = send("GET", url, tls=client.tls, limit_s=limit_s)
    if answer.status != 404:
        raise Refused(f"{target.id} asked S3 for a missing object and answered {answer.status}, not 404", answer.status)


def _held(
    client: Client, targets: Sequence[Member], buckets: Sequence[str], deadline: float
) -> dict[str, tuple[_Copy, ...]]:
    """Some cached objects of each target, by its URL: of a MiB or more from any bucket, and smaller ones, which say
    less of its speed, only where it has no others. Raises Refused or Unreachable if no bucket could be listed."""
    full: dict[str, list[_Copy]] = {target.url: [] for target in targets}
    small: dict[str, list[_Copy]] = {target.url: [] for target in targets}
    enough = OBJECTS if len(targets) <= MANY else 1
    unlisted: list[PoolProblem] = []
    for bucket in buckets:
        try:
            _find(client, bucket, full, small, enough, deadline)
        except PoolProblem as problem:
            unlisted.append(problem)
        if time.monotonic() >= deadline or all(full.values()):
            break
    if len(unlisted) == len(buckets):
        raise unlisted[0]
    return {url: tuple((full[url] + sorted(small[url], key=lambda copy: -copy.size))[:enough]) for url in full}


def _find(
    client: Client,
    bucket: str,
    full: Mapping[str, list[_Copy]],
    small: Mapping[str, list[_Copy]],
    enough: int,
    deadline: float,
) -> None:
    def locate(copy: _Copy) -> tuple[str, _Copy]:
        into = full if copy.size >= BYTES else small
        if time.monotonic() >= deadline or all(len(copies) >= enough for copies in into.values()):
            return "", copy
        return located(client, copy.bucket, copy.key), copy

    token = ""
    for _ in range(PAGES):
        copies, token = _page(client, bucket, token)
        random.shuffle(copies)  # so that page caches and the last probe do not decide
        copies.sort(key=lambda copy: copy.size < BYTES)
        with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
            for url, copy in threads.map(locate, copies):
                into = full if copy.size >= BYTES else small
                if url in into and len(into[url]) < enough:
                    into[url].append(copy)
        if not token or time.monotonic() >= deadline or all(full.values()):
            break


def located(client: Client, bucket: str, key: str) -> str:
    """The URL of the target that has a key, "" if a proxy does not say it at once."""
    path = f"{client.proxies[0]}{object_path(bucket, key)}?provider=aws"
    try:
        answer = send("GET", path, headers=client.shown, tls=client.tls, limit_s=min(client.attempt_s, 2.0))
    except Unreachable:
        return ""
    location = answer.headers.get("location", "") if answer.status in REDIRECTS else ""
    return "/".join(location.split("/")[:3])


def _page(client: Client, bucket: str, token: str) -> tuple[list[_Copy], str]:
    """Some cached objects, and where the next page begins, "" after the last. Raises Refused or Unreachable."""
    value = {"prefix": "", "props": "name,size", "flags": str(CACHED), "pagesize": NAMES, "continuation_token": token}
    message = {"action": "list", "value": value}
    answer = client.ask(
        "GET", bucket_path(bucket), query={"provider": "aws"}, value=message, patience_s=client.attempt_s
    )
    try:
        told = answer.json()
        # an empty object has no size in the answer, and nothing to read
        sized = [(entry["name"], int(entry.get("size") or 0)) for entry in told.get("entries") or ()]
        copies = [_Copy(bucket=bucket, key=key, size=size) for key, size in sized if size]
        return copies, str(told.get("continuation_token") or "")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Refused(f"{answer.url} does not list objects like a pool", answer.status) from None


def sick(found: Sequence[Probe]) -> dict[str, str]:
    """Targets that are sick, by id, and how. What most of them have is not the fault of one; the quicker
    half is the measure, so that two of three are found. Pure."""
    wrong: dict[str, str] = {}
    reads = {each.target: each.read_s for each in found if each.read_s is not None}
    for each in found:
        others = [seconds for target, seconds in reads.items() if target != each.target]
        usual_s = statistics.median_low(others) if others else 0.0
        if each.read_wrong and any(not other.read_wrong and other.read_s is not None for other in found):
            wrong[each.target] = f"a read of {BYTES // 2**20} MiB failed: {each.read_wrong}"
        elif each.read_s is not None and each.read_s > max(SLOW_S, TIMES_SLOWER * usual_s):
            of_others = f"; {usual_s:.2f} s on the others" if others else ""
            wrong[each.target] = f"reads of {BYTES // 2**20} MiB take up to {each.read_s:.1f} s{of_others}"
        elif each.s3_wrong and any(not other.s3_wrong and other.s3_s is not None for other in found):
            wrong[each.target] = f"it has no way to S3: {each.s3_wrong}"
        elif each.s3_s is not None and each.s3_s > SLOW_S:
            others = [other.s3_s for other in found if other.s3_s is not None and other.target != each.target]
            if others and each.s3_s > TIMES_SLOWER * statistics.median_low(others):
                wrong[each.target] = (
                    f"its way to S3 is slow: {each.s3_s:.1f} s; {statistics.median_low(others):.2f} s others"
                )
    return wrong


def slow_everywhere(found: Sequence[Probe]) -> str:
    """How slow, if most targets are: no one of them is at fault then, and yet jobs stall. "" if they are not. Pure."""
    reads = [each.read_s for each in found if each.read_s is not None]
    usual_s = statistics.median_low(reads) if reads else 0.0
    return f"reads of {BYTES // 2**20} MiB take {usual_s:.1f} s on most targets" if usual_s > SLOW_S else ""
