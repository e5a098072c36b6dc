"""One node's part of a measurement that all nodes make at once: objects written into storage, then read from it.

Nodes meet at objects there: none begins a part before all have written theirs, so the sum of what they move is a rate
of all of them. Keys are written once, where checkpoints are, and deleted at the end.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from fleet_pool.compat import frozen
from fleet_pool.operate.tally import Request, told
from fleet_pool.problems import PoolProblem, Refused, Unreachable

CHECKPOINT, FOLDER = "checkpoint", ".planner-bench/"
PART_BYTES = 128 * 2**20  # of a checkpoint: what the engine uploads in one piece
FEWEST, MOST = 8, 2000  # objects of a node and size
LOOK_S = 0.25
LONGEST_S = 120.0  # of one request: a part of a checkpoint, while all others write theirs
CACHES = Path("/proc/sys/vm/drop_caches")
Task = Callable[[], "tuple[int, str]"]  # (bytes, host of the target) of one request


class Links(Protocol):
    """The way of one thread to objects: through the pool, to S3, or files. Every call raises Refused, Unreachable."""

    def get(self, bucket: str, key: str) -> tuple[int, str]: ...

    def put(self, bucket: str, key: str, body: bytes) -> str: ...

    def delete(self, bucket: str, key: str) -> None: ...


@frozen
class Storage:
    """What is measured. open: the way of a thread. prefix, saves: of objects, and of checkpoints. cold: the way to S3's
    own copy, where that is another one. forget: leaves these keys to S3 alone; why it cannot, "" where it did; None
    where `cold` needs no such thing."""

    bucket: str
    open: Callable[[], Links]
    prefix: str
    saves: str
    cold: Callable[[], Links] | None = None
    forget: Callable[[Sequence[str]], str] | None = None


@frozen
class Part:
    """objects: that each node writes. seconds: for which all read at random; 0: each reads its neighbour's once, from
    S3 itself, as a job does that restarts with a cold pool."""

    name: str
    object_bytes: int
    objects: int
    seconds: float


@frozen
class Place:
    """This node among all: its number from 0, and of how many. run: the same on all, never used before. processes: each
    with so many threads; one of Python's moves some GB/s at most."""

    run: str
    number: int
    nodes: int
    processes: int
    threads: int
    limit_s: float


def parts_of(sizes: Sequence[int], *, seconds: float, most_bytes: int, checkpoint_bytes: int, nodes: int) -> list[Part]:
    """A part for each size, with as many objects as fit most_bytes a node (16 at least), and the checkpoint's last."""
    found = [
        Part(
            name=str(size),
            object_bytes=size,
            objects=min(max(most_bytes // size, FEWEST), MOST),
            seconds=seconds,
        )
        for size in sizes
    ]
    if checkpoint_bytes:
        share = -(-checkpoint_bytes // nodes)
        count = -(-share // PART_BYTES)
        found.append(Part(name=CHECKPOINT, object_bytes=-(-share // count), objects=count, seconds=0.0))
    return found


class Bench:
    """say: what happens, for a person."""

    def __init__(self, storage: Storage, place: Place, say: Callable[[str], None]) -> None:
        self.storage, self.place, self.say = storage, place, say
        self._own = threading.local()
        self._body = os.urandom(2**20)
        self._deadline = time.monotonic() + place.limit_s

    def run(self, parts: Sequence[Part], *, forget: bool = False) -> list[dict[str, Any]]:
        """What each part took. forget: drop the kernel's cache of files before reads, as root.

        Raises Unreachable where a node does not come, Refused and NoCredentials where it may not write.
        """
        meetings = ["begin", *(f"{when}-{part.name}" for part in parts for when in ("written", "ready", "read"))]
        try:
            self._meet("begin")
            found = [self._part(part, forget) for part in parts]
            self._leave(meetings[-1])
        finally:
            keys = [self._key(part, self.place.number, n) for part in parts for n in range(part.objects)]
            # others may still look for the last one
            self._delete([*keys, *map(self._mark, meetings[:-1])])
        return found

    def _leave(self, last: str) -> None:
        """The first node waits for the others and removes what they met at last."""
        if self.place.number:
            self._links.put(self.storage.bucket, self._mark("left"), b"1")
            return
        self._meet("left")
        self._delete([self._mark(name, number) for number in range(self.place.nodes) for name in (last, "left")])

    def _part(self, part: Part, forget: bool) -> dict[str, Any]:
        written = self._timed(partial(self._writes, part))
        self._meet(f"written-{part.name}")
        why = ""
        if part.seconds and forget:
            _forget()
        elif not part.seconds and self.storage.forget:
            why = self.storage.forget([self._key(part, self.place.number, n) for n in range(part.objects)])
        self._meet(f"ready-{part.name}")
        read = self._timed(partial(self._reads, part), until_s=part.seconds)
        self._meet(f"read-{part.name}")
        self.say(f"{part.name}: {written['bytes'] / 1e9:.3f} GB written, {read['bytes'] / 1e9:.3f} GB read")
        del written["by_target"]  # what a target takes is S3's pace
        # a part that is not cold on one node is no measurement on any
        found = {"name": part.name, "object_bytes": part.object_bytes, "write": written, "read": read}
        return {**found, "not_cold": why} if why else found

    def _writes(self, part: Part, process: int) -> Iterator[Task]:
        whole, rest = divmod(part.object_bytes, len(self._body))
        body = self._body * whole + self._body[:rest]

        def one(key: str) -> tuple[int, str]:
            return len(body), self._links.put(self.storage.bucket, key, body)

        for n in range(process, part.objects, self.place.processes):
            yield partial(one, self._key(part, self.place.number, n))

    def _reads(self, part: Part, process: int) -> Iterator[Task]:
        place, draw = self.place, random.Random(f"{self.place.number} {process}")
        if not part.seconds:
            for n in range(process, part.objects, place.processes):
                yield partial(self._get_cold, self._key(part, (place.number + 1) % place.nodes, n))
            return
        while True:
            yield partial(self._get, self._key(part, draw.randrange(place.nodes), draw.randrange(part.objects)))

    def _get(self, key: str) -> tuple[int, str]:
        return self._links.get(self.storage.bucket, key)

    def _get_cold(self, key: str) -> tuple[int, str]:
        if self.storage.cold is None:
            return self._get(key)
        if not hasattr(self._own, "cold"):
            self._own.cold = self.storage.cold()
        return self._own.cold.get(self.storage.bucket, key)

    def _timed(self, tasks: Callable[[int], Iterator[Task]], until_s: float = 0.0) -> dict[str, Any]:
        """All tasks, or as many as begin before `until_s`. Raises Unreachable if a process dies."""
        context, start = multiprocessing.get_context("fork"), time.monotonic()
        running = []
        for process in range(self.place.processes):
            here, there = context.Pipe(duplex=False)
            child = context.Process(target=self._work, args=(there, tasks(process), until_s), daemon=True)
            child.start()
            there.close()
            running.append((here, child))
        found: list[Request] = []
        for here, child in running:
            try:
                found += here.recv()
            except EOFError:
                raise Unreachable(f"a process of the measurement ended with {child.exitcode}") from None
            child.join()
        return told(found, time.monotonic() - start)

    def _work(self, out: Any, tasks: Iterator[Task], until_s: float) -> None:
        """In a process of its own."""
        found: list[Request] = []
        lock, start = threading.Lock(), time.monotonic()

        def work(_: int) -> None:
            while time.monotonic() < self._deadline and not (until_s and time.monotonic() - start > until_s):
                with lock:
                    task = next(tasks, None)
                if task is None:
                    return
                begun = time.monotonic()
                try:
                    octets, host = task()
                    one = Request(host=host, octets=octets, seconds=time.monotonic() - begun)
                except PoolProblem as problem:
                    one = Request(host="", octets=0, seconds=time.monotonic() - begun, failed=True)
                    self.say(str(problem))
                    time.sleep(LOOK_S)  # a pool that refuses is not asked ten thousand times
                found.append(one)

        with ThreadPoolExecutor(self.place.threads) as pool:
            list(pool.map(work, range(self.place.threads)))
        out.send(found)

    def _meet(self, name: str) -> None:
        """Until all nodes are here. Raises Unreachable."""
        self._links.put(self.storage.bucket, self._mark(name), b"1")
        missing = set(range(self.place.nodes)) - {self.place.number}
        while missing:
            for number in sorted(missing):
                with suppress(Refused, Unreachable):
                    self._links.get(self.storage.bucket, self._mark(name, number))
                    missing.discard(number)
            if missing and time.monotonic() > self._deadline:
                who = ", ".join(map(str, sorted(missing)))
                raise Unreachable(f"node {who} of {self.place.nodes} did not come to `{name}`")
            if missing:
                time.sleep(LOOK_S)

    def _delete(self, keys: Sequence[str]) -> None:
        """Out of the pool and S3; what cannot be deleted is left."""

        def one(key: str) -> None:
            with suppress(PoolProblem):
                self._links.delete(self.storage.bucket, key)

        with ThreadPoolExecutor(self.place.threads) as pool:
            list(pool.map(one, keys))

    @property
    def _links(self) -> Links:
        if not hasattr(self._own, "links"):
            self._own.links = self.storage.open()
        return self._own.links

    def _key(self, part: Part, number: int, n: int) -> str:
        prefix = self.storage.prefix if part.seconds else self.storage.saves
        return f"{prefix}{FOLDER}{self.place.run}/{part.name}/{number}/{n}"

    def _mark(self, name: str, number: int | None = None) -> str:
        who = self.place.number if number is None else number
        return f"{self.storage.prefix}{FOLDER}{self.place.run}/met/{name}/{who}"


def _forget() -> None:
    """The kernel's copies of files, so that drives are read and not memory (Linux, sysctl/vm: drop_caches)."""
    os.sync()
    with suppress(OSError):
        CACHES.write_text("1")
