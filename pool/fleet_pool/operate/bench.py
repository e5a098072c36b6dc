"""One node's part of a measurement that all nodes make at once: objects written through the pool, then read from it.

Nodes meet at objects in the pool: none begins a part before all have written theirs, so the sum of what they move is a
rate of the whole pool. Keys are written once, below the canary's prefix, and deleted at the end.
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
from typing import Any

from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.canary import FOLDER
from fleet_pool.operate.links import Links
from fleet_pool.operate.tally import Request, told
from fleet_pool.problems import PoolProblem, Refused, Unreachable

CHECKPOINT = "checkpoint"
PART_BYTES = 128 * 2**20  # of a checkpoint: what the engine uploads in one piece
FEWEST, MOST = 8, 2000  # objects of a node and size
LOOK_S = 0.25
LONGEST_S = 120.0  # of one request: a part of a checkpoint, while all others write theirs
CACHES = Path("/proc/sys/vm/drop_caches")
Task = Callable[[], "tuple[int, str]"]  # (bytes, host of the target) of one request


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
    bucket: str
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
    """client: the pool's way in. read_s3: an object's bytes from S3 itself. say: what happens, for a person."""

    def __init__(
        self, client: Client, place: Place, read_s3: Callable[[str], bytes], say: Callable[[str], None]
    ) -> None:
        self.client, self.place, self.read_s3, self.say = client, place, read_s3, say
        self._own = threading.local()
        self._body = os.urandom(2**20)
        self._deadline = time.monotonic() + place.limit_s

    def run(self, parts: Sequence[Part], *, forget: bool = False) -> list[dict[str, Any]]:
        """What each part took. forget: drop the kernel's cache of files before reads, as root.

        Raises Unreachable where a node does not come, and Refused where the pool has not registered the bucket.
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
            self._links.put(self.place.bucket, self._mark("left"), b"1")
            return
        self._meet("left")
        self._delete([self._mark(name, number) for number in range(self.place.nodes) for name in (last, "left")])

    def _part(self, part: Part, forget: bool) -> dict[str, Any]:
        written = self._timed(partial(self._writes, part))
        self._meet(f"written-{part.name}")
        if forget and part.seconds:
            _forget()
        self._meet(f"ready-{part.name}")
        read = self._timed(partial(self._reads, part), until_s=part.seconds)
        self._meet(f"read-{part.name}")
        self.say(f"{part.name}: {written['bytes'] / 1e9:.3f} GB written, {read['bytes'] / 1e9:.3f} GB read")
        return {"name": part.name, "object_bytes": part.object_bytes, "write": written, "read": read}

    def _writes(self, part: Part, process: int) -> Iterator[Task]:
        whole, rest = divmod(part.object_bytes, len(self._body))
        body = self._body * whole + self._body[:rest]

        def one(key: str) -> tuple[int, str]:
            return len(body), self._links.put(self.place.bucket, key, body)

        for n in range(process, part.objects, self.place.processes):
            yield partial(one, self._key(part, self.place.number, n))

    def _reads(self, part: Part, process: int) -> Iterator[Task]:
        place, draw = self.place, random.Random(f"{self.place.number} {process}")
        if not part.seconds:
            for n in range(process, part.objects, place.processes):
                yield partial(self._from_s3, self._key(part, (place.number + 1) % place.nodes, n))
            return
        while True:
            yield partial(self._get, self._key(part, draw.randrange(place.nodes), draw.randrange(part.objects)))

    def _get(self, key: str) -> tuple[int, str]:
        return self._links.get(self.place.bucket, key)

    def _from_s3(self, key: str) -> tuple[int, str]:
        return len(self.read_s3(key)), "s3"

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
                except (Refused, Unreachable) as problem:
                    one = Request(host="", octets=0, seconds=time.monotonic() - begun, failed=True)
                    self.say(str(problem))
                    time.sleep(LOOK_S)  # a pool that refuses is not asked ten thousand times
                found.append(one)

        with ThreadPoolExecutor(self.place.threads) as pool:
            list(pool.map(work, range(self.place.threads)))
        out.send(found)

    def _meet(self, name: str) -> None:
        """Until all nodes are here. Raises Unreachable."""
        self._links.put(self.place.bucket, self._mark(name), b"1")
        missing = set(range(self.place.nodes)) - {self.place.number}
        while missing:
            for number in sorted(missing):
                with suppress(Refused, Unreachable):
                    self._links.get(self.place.bucket, self._mark(name, number))
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
                self._links.delete(self.place.bucket, key)

        with ThreadPoolExecutor(self.place.threads) as pool:
            list(pool.map(one, keys))

    @property
    def _links(self) -> Links:
        if not hasattr(self._own, "links"):
            gateways = random.sample(self.client.proxies, len(self.client.proxies))
            self._own.links = Links(gateways, self.client.shown, self.client.tls, LONGEST_S)
        return self._own.links

    @property
    def _prefix(self) -> str:
        return f"{FOLDER}bench/{self.place.run}/"

    def _key(self, part: Part, number: int, n: int) -> str:
        return f"{self._prefix}{part.name}/{number}/{n}"

    def _mark(self, name: str, number: int | None = None) -> str:
        return f"{self._prefix}met/{name}/{self.place.number if number is None else number}"


def _forget() -> None:
    """The kernel's copies of files, so that drives are read and not memory (Linux, sysctl/vm: drop_caches)."""
    os.sync()
    with suppress(OSError):
        CACHES.write_text("1")
