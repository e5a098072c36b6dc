"""Writes the digest manifest of a data set, from S3 itself, and looks what became of the cached copies.

Objects are taken as S3 has them now: write the manifest when the data is ingested or registered.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any
from urllib.parse import urlsplit

from fleet_pool.api import Client, bucket_path, object_path
from fleet_pool.compat import frozen
from fleet_pool.digests import (
    DAMAGED,
    FOLDER,
    PART_BYTES,
    BadManifest,
    Digest,
    Page,
    damage_name,
    damage_of,
    digest_of,
    index_bytes,
    index_key,
    is_manifest,
    page_bytes,
    pages_of,
    parse_index,
    parse_page,
    part_digest,
)
from fleet_pool.operate.probe import CACHED, NAMES, located
from fleet_pool.problems import PoolProblem, Refused, UsageProblem

AT_ONCE = 4
PIECE_BYTES = 16 * PART_BYTES  # of one read, whole parts
AWS = {"provider": "aws"}
# a copy whose file is shorter than it says: the engine refuses to read and to evict it, and its clean-up removes it
# when the file is two hours old; source: AIStore 5.0, core/lom.go and space/cleanup.go
CUT_SHORT = "errsize ("
CUT_SHORT_REMEDY = (
    "its copy is cut short, and jobs read S3; the pool's clean-up, started now, removes it once it is two hours old: "
    "run verify again then"
)


@frozen
class Verified:
    """Of the cached objects below a prefix. healed: keys whose copy was damaged and is right again; broken: keys that
    differ in S3 too, with how; failed: keys that could not be read."""

    objects: int
    bytes: int
    seconds: float
    uncovered: int
    healed: tuple[str, ...]
    broken: Mapping[str, str]
    failed: Mapping[str, str]


def write_manifest(bucket: Any, prefix: str, show: Callable[[str], None]) -> tuple[int, int]:
    """Number of objects and of bytes. bucket: launch.bucket.Bucket, of S3 itself. Raises UsageProblem for a prefix
    without objects or slash, and what the bucket raises."""
    if prefix and not prefix.endswith("/"):
        raise UsageProblem(
            f"{prefix!r} must end in a slash: its manifest would lie among the data, under {prefix}{FOLDER}"
        )
    found = bucket.list(prefix)
    sizes = {key: size for key, size in zip(found.keys, found.sizes) if not is_manifest(key)}
    if not sizes:
        raise UsageProblem(f"S3 has no objects below {prefix!r}: nothing to digest")
    done, lock = [0, 0], threading.Lock()

    def one(key: str) -> tuple[str, Digest]:
        digest = digest_of(_parts(lambda start, length: bucket.read_range(key, start, length), sizes[key]))
        with lock:
            done[0], done[1] = done[0] + 1, done[1] + sizes[key]
            show(f"digested {done[0]} of {len(sizes)} objects, {done[1] / 1e9:.1f} GB")
        return key, digest

    with ThreadPoolExecutor(AT_ONCE) as threads:
        digests = dict(threads.map(one, sorted(sizes)))
    run, pages = f"{prefix}{FOLDER}{int(time.time())}-{secrets.token_hex(4)}", []
    for number, objects in enumerate(pages_of(digests)):
        body, key = page_bytes(objects), f"{run}/{number:06d}.json"
        bucket.write(key, body)
        pages.append(Page(first=min(objects), last=max(objects), key=key, digest=part_digest(body)))
    made = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bucket.write(index_key(prefix), index_bytes(prefix, made, pages, digests))
    return len(digests), sum(sizes.values())


def verify(
    client: Client, bucket: str, prefix: str, *, bytes_per_s: float | None, show: Callable[[str], None]
) -> Verified:
    """Reads every cached object below the prefix through the pool and compares it; evicts what is damaged, so that it
    comes from S3 again, and reads that. Raises UsageProblem without a manifest, Refused, Unreachable."""
    index, began = _index(client, bucket, prefix), time.monotonic()
    names = [name for name in _cached(client, bucket, prefix) if not is_manifest(name)]
    digests: dict[str, Digest] = {}
    for page in index.pages:
        digests |= _manifest(client, bucket, page.key, lambda data, page=page: parse_page(data, page))
    covered = [name for name in names if name in digests]
    state: dict[str, Any] = {"bytes": 0, "objects": 0, "healed": [], "broken": {}, "failed": {}}
    lock = threading.Lock()

    def one(key: str) -> None:
        try:
            wrong = _wrong(client, bucket, key, digests[key])
            if wrong:
                _evict(client, bucket, key)
                again = _wrong(client, bucket, key, digests[key])
                if not again:  # else S3 has other bytes than the manifest says, and no drive is at fault
                    record(client, bucket, key, wrong)
                with lock:
                    if again:
                        state["broken"][key] = again
                    else:
                        state["healed"].append(key)
        except PoolProblem as problem:
            with lock:
                state["failed"][key] = str(problem)
        with lock:
            state["objects"] += 1
            state["bytes"] += digests[key].size_bytes
            ahead_s = (state["bytes"] / bytes_per_s if bytes_per_s else 0.0) - (time.monotonic() - began)
            show(f"verified {state['objects']} of {len(covered)} objects, {len(state['healed'])} healed")
        time.sleep(max(0.0, ahead_s))

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(one, covered))
    short = [key for key, why in state["failed"].items() if CUT_SHORT in why]
    if short:
        with suppress(PoolProblem):  # not by a token that may not start it: then the engine's own words stay
            client.act("/v1/cluster", "start", {"kind": "cleanup-store"})
            state["failed"] |= dict.fromkeys(short, CUT_SHORT_REMEDY)
    return Verified(
        objects=state["objects"],
        bytes=state["bytes"],
        seconds=time.monotonic() - began,
        uncovered=len(names) - len(covered),
        healed=tuple(sorted(state["healed"])),
        broken=state["broken"],
        failed=state["failed"],
    )


def record(client: Client, bucket: str, key: str, why: str) -> None:
    """Leaves a note for `status`; one that cannot be written is not worth an error."""
    name = damage_name(time.time(), urlsplit(located(client, bucket, key)).netloc, secrets.token_hex(8))
    body = json.dumps({"key": key, "why": why[:300], "by": "verify", "dropped": True}).encode()
    try:
        client.put(client.proxies[0], bucket, name, body, client.attempt_s)
    except PoolProblem:
        return


def damaged_copies(client: Client, bucket: str, days: float, limit_s: float) -> tuple[tuple[int, str], ...]:
    """Copies that were found damaged in the last `days`: when, in seconds since 1970, and on which target's address.
    Raises Refused or Unreachable."""
    found = (damage_of(name) for name in _listed(client, bucket, DAMAGED, "0", limit_s))
    return tuple(each for each in found if each is not None and each[0] >= time.time() - days * 86_400)


def _index(client: Client, bucket: str, prefix: str) -> Any:
    key = index_key(prefix)
    try:
        return _manifest(client, bucket, key, lambda data: parse_index(data, prefix), latest=True)
    except Refused as problem:
        if problem.status == 404:
            raise UsageProblem(f"{prefix!r} has no digest manifest: run `planner pool digest` first") from None
        raise


def _manifest(client: Client, bucket: str, key: str, parse: Callable[[bytes], Any], latest: bool = False) -> Any:
    """A page or the index; if the cached copy is none, S3's. Raises UsageProblem if that is none either."""
    with suppress(BadManifest):
        return parse(_get(client, bucket, key, latest=latest))
    _evict(client, bucket, key)
    try:
        return parse(_get(client, bucket, key))
    except BadManifest as problem:
        raise UsageProblem(f"{problem}, in S3 too: write the manifest anew with `planner pool digest`") from None


def _parts(read: Callable[[int, int], bytes], size: int) -> Iterator[bytes]:
    for start in range(0, size, PIECE_BYTES):
        data = memoryview(read(start, min(PIECE_BYTES, size - start)))
        for offset in range(0, len(data), PART_BYTES):
            yield bytes(data[offset : offset + PART_BYTES])


def _wrong(client: Client, bucket: str, key: str, digest: Digest) -> str:
    """How the object that the pool serves differs; "" if it does not."""
    for start in range(0, digest.size_bytes, PIECE_BYTES):
        length = min(PIECE_BYTES, digest.size_bytes - start)
        data = _get(client, bucket, key, (start, length))
        if len(data) != length:
            return f"{start + len(data)} of {digest.size_bytes} bytes"
        part = digest.wrong_part(start, data)
        if part is not None:
            return f"the MiB from byte {part * PART_BYTES} on differs from the manifest"
    return ""


def _get(client: Client, bucket: str, key: str, ranged: tuple[int, int] | None = None, latest: bool = False) -> bytes:
    query = {**AWS, **({"latest-ver": "true"} if latest else {})}
    headers = {"Range": f"bytes={ranged[0]}-{sum(ranged) - 1}"} if ranged else {}
    return client.ask("GET", object_path(bucket, key), query=query, headers=headers).body


def _evict(client: Client, bucket: str, key: str) -> None:
    message = {"action": "evict-listrange", "name": f"{bucket}/{key}"}
    try:
        client.ask("DELETE", object_path(bucket, key), query=AWS, value=message)
    except Refused as problem:
        if problem.status != 404:
            raise


def _cached(client: Client, bucket: str, prefix: str) -> Iterator[str]:
    yield from _listed(client, bucket, prefix, str(CACHED), client.patience_s)


def _listed(client: Client, bucket: str, prefix: str, flags: str, limit_s: float) -> Iterator[str]:
    token = ""
    while True:
        value = {"prefix": prefix, "props": "name", "flags": flags, "pagesize": NAMES, "continuation_token": token}
        message = {"action": "list", "value": value}
        answer = client.ask("GET", bucket_path(bucket), query=AWS, value=message, patience_s=limit_s)
        page = answer.json()
        yield from (entry["name"] for entry in page.get("entries") or ())
        token = page.get("continuation_token") or ""
        if not token:
            return
