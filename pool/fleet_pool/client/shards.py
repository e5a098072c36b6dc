"""Shards: samples in tar files in WebDataset's format, in an order that a resumed job can reproduce.

The files of a sample are consecutive and share the name up to its first dot: 000017.jpg, 000017.json.
"""

from __future__ import annotations

import io
import random
import tarfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from fleet_pool.client.errors import Damaged, Refused
from fleet_pool.client.store import Store
from fleet_pool.compat import frozen


@frozen
class Sample:
    """One sample. files: by what follows the first dot of their names."""

    name: str
    files: Mapping[str, bytes]


def pack(samples: Iterable[Sample]) -> bytes:
    """A shard; equal samples give equal bytes. Raises Refused for names that could not be read back."""
    out, seen = io.BytesIO(), set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for sample in samples:
            if not sample.name or "." in sample.name.rpartition("/")[2] or sample.name in seen or not sample.files:
                raise Refused(f"sample {sample.name!r} needs a unique name without a dot and at least one file")
            seen.add(sample.name)
            for extension in sorted(sample.files):
                if not extension or "/" in extension:
                    raise Refused(f"sample {sample.name!r}: its files need an extension without a slash")
                member = tarfile.TarInfo(f"{sample.name}.{extension}")  # no time, no owner
                member.size = len(sample.files[extension])
                tar.addfile(member, io.BytesIO(sample.files[extension]))
    return out.getvalue()


def unpack(shard: bytes, key: str) -> Iterator[Sample]:
    """The samples of a shard in order. Raises Damaged if it is not a tar file or is truncated."""
    name, files = "", {}
    try:
        with tarfile.open(fileobj=io.BytesIO(shard), mode="r:") as tar:
            for member in tar:
                if not member.isfile():
                    continue
                folder, slash, base = member.name.rpartition("/")
                stem, _, extension = base.partition(".")
                found = folder + slash + stem
                if files and found != name:
                    yield Sample(name=name, files=files)
                    files = {}
                if extension in files:
                    raise Damaged(f"shard {key} has {member.name} twice")
                content = tar.extractfile(member)
                name, files[extension] = found, content.read() if content else b""
    except tarfile.TarError as error:
        raise Damaged(f"shard {key} ({len(shard)} bytes) is not a complete tar file: {error}") from None
    if files:
        yield Sample(name=name, files=files)


def order(keys: Sequence[str], *, seed: int, epoch: int, rank: int = 0, world_size: int = 1) -> tuple[str, ...]:
    """The shards of a rank in an epoch, shuffled by seed and epoch alone, so that every shard goes to one rank and a
    resumed job finds its position. Raises Refused if a rank would have none."""
    if not 0 <= rank < world_size or len(keys) < world_size:
        raise Refused(f"rank {rank} of {world_size} with {len(keys)} shards: every rank needs at least one")
    shuffled = sorted(keys)
    random.Random(f"{seed}/{epoch}").shuffle(shuffled)
    return tuple(shuffled[rank::world_size])


def read_ahead(store: Store, keys: Iterable[str], *, ahead: int = 4) -> Iterator[tuple[str, bytes]]:
    """(key, bytes) of shards in order, fetching the next `ahead` meanwhile; at most `ahead` + 1 are in memory."""
    if ahead < 1:
        raise Refused(f"ahead must be at least 1, not {ahead}")
    waiting: deque[tuple[str, Future[bytes]]] = deque()
    with ThreadPoolExecutor(max_workers=ahead, thread_name_prefix="shard") as threads:
        try:
            for key in keys:
                waiting.append((key, threads.submit(store.read, key)))
                if len(waiting) > ahead:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:  # a caller that stops early does not wait for reads that have not started
            threads.shutdown(wait=False, cancel_futures=True)
