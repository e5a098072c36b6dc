"""A large object in parallel ranges, into a file or a buffer: memory for a few ranges, whatever the object's size."""

from __future__ import annotations

import hashlib
import secrets
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from fleet_pool.client.errors import Damaged, Refused
from fleet_pool.client.store import Store

AT_ONCE = 4  # ranges under way; each is its own connection
SMALLEST_RANGE_BYTES = 2**20  # below it a request costs more than its bytes
LARGEST_RANGE_BYTES = (
    16 * 2**20
)  # what AWS recommends for ranged reads: 8 to 16 MB (S3 User Guide, "Byte-Range Fetches")


def range_bytes(size_bytes: int) -> int:
    """The size of one range: all that are in memory together stay below a tenth of the object, if it has over 64 MB.

    Whole MiBs, as digest manifests have them, so that no byte is read twice to be checked.
    """
    mibs = min(LARGEST_RANGE_BYTES, size_bytes // (16 * AT_ONCE)) // SMALLEST_RANGE_BYTES
    return max(1, mibs) * SMALLEST_RANGE_BYTES


def pieces(
    store: Store, key: str, size_bytes: int, *, begin: int = 0, at_once: int = AT_ONCE, fresh: bool = False
) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of `size_bytes` of an object in order, the next ranges under way meanwhile, `at_once` in memory.
    Offsets count from `begin`, where the reading begins.

    Raises what `store.read` raises, and Damaged if a range has another length, as when the object is shorter.
    """
    if at_once < 1:
        raise Refused(f"at_once must be at least 1, not {at_once}")
    one = range_bytes(size_bytes)
    waiting: deque[tuple[int, int, Future[bytes]]] = deque()
    with ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="range") as threads:
        try:
            start = 0
            while start < size_bytes:
                length = min(one - (begin + start) % one, size_bytes - start)
                asked = threads.submit(store.read, key, start=begin + start, length=length, fresh=fresh)
                waiting.append((start, length, asked))
                start += length
                if len(waiting) >= at_once:
                    yield _next(waiting, key)
            while waiting:
                yield _next(waiting, key)
        finally:  # a caller that stops early does not wait for ranges that have not started
            threads.shutdown(wait=False, cancel_futures=True)


def fetch(
    store: Store, key: str, size_bytes: int, into: Path | memoryview, *, sha256: str | None = None, fresh: bool = False
) -> None:
    """Reads an object into a new file or a buffer of its size. A file appears under its name when it is complete and
    has the checksum, if one is given; its folder must exist.

    Raises Refused if the buffer has another size, Damaged for another checksum or a shorter object; then a buffer's
    content is worthless.
    """
    digest = hashlib.sha256()
    if isinstance(into, Path):
        part = into.with_name(f".part-{secrets.token_hex(4)}-{into.name}")
        try:
            with part.open("xb") as file:
                for _, data in pieces(store, key, size_bytes, fresh=fresh):
                    digest.update(data)
                    file.write(data)
            _same(digest.hexdigest(), sha256, key)
            part.replace(into)
        finally:
            part.unlink(missing_ok=True)
        return
    buffer = into.cast("B")
    if len(buffer) != size_bytes:
        raise Refused(f"{key} has {size_bytes} bytes, the buffer {len(buffer)}")
    for start, data in pieces(store, key, size_bytes, fresh=fresh):
        digest.update(data)
        buffer[start : start + len(data)] = data
    _same(digest.hexdigest(), sha256, key)


def _same(found: str, expected: str | None, key: str) -> None:
    if expected is not None and found != expected:
        raise Damaged(f"{key} has another checksum than what was written")


def _next(waiting: deque[tuple[int, int, Future[bytes]]], key: str) -> tuple[int, bytes]:
    start, length, asked = waiting.popleft()
    data = asked.result()
    if len(data) != length:
        raise Damaged(f"{key}: the range from {start} has {len(data)} of {length} bytes")
    return start, data
