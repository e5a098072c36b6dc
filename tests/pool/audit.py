"""What a client was promised, kept outside the pool, and whether it was kept.

`Load` writes and reads all the time. Every acknowledged write goes into the ledger with its size and SHA-256; every
error is kept with its time. `judge` then asks for each acknowledged object twice: S3 directly, and through the pool.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import random
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import botocore.exceptions

from tests.pool.cluster import BUCKET, CLIENT_TIMEOUT_S, Cluster
from tests.pool.raw_client import PoolClient, Unanswered

ERRORS = (Unanswered, OSError, http.client.HTTPException)
KIB = 1024
HANGS_S = 1.5  # a request that takes longer may be one to a machine that is gone
# sizes of writes: small and middling objects, so that many are under way at any moment
SIZES = (4 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB)


@dataclass(frozen=True, kw_only=True)
class Promise:
    """One acknowledged write."""

    key: str
    size: int
    sha256: str
    at_s: float

    def kept_by(self, data: bytes) -> bool:
        return len(data) == self.size and hashlib.sha256(data).hexdigest() == self.sha256


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One request of the load, on the monotonic clock. error: none when it was answered well."""

    kind: str
    start_s: float
    end_s: float
    error: str | None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Of some acknowledged writes: keys that are gone; keys that hold other bytes, by either way; keys whose newer
    acknowledged write or removal was replaced by an older one. notes: what clients saw that nobody was promised."""

    acknowledged: int
    lost: tuple[str, ...]
    wrong: tuple[str, ...]
    undone: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(
            acknowledged=self.acknowledged + other.acknowledged,
            lost=self.lost + other.lost,
            wrong=self.wrong + other.wrong,
            undone=self.undone + other.undone,
            notes=self.notes + other.notes,
        )


def window_s(attempts: Iterable[Attempt]) -> float:
    """Seconds from the start of the first request that failed to the end of the last one; 0 without any."""
    failed = [attempt for attempt in attempts if attempt.error is not None]
    return max(a.end_s for a in failed) - min(a.start_s for a in failed) if failed else 0.0


class Load:
    """Writers of new keys and readers of known shards, each a thread, from start to stop."""

    def __init__(self, cluster: Cluster, *, writers: int = 2, readers: int = 2, pause_s: float = 0.05) -> None:
        self.cluster, self.pause_s = cluster, pause_s
        self.shards: dict[str, Promise] = {}
        self.promises: list[Promise] = []
        self.attempts: list[Attempt] = []
        self.wrong_reads: list[str] = []
        self.witnesses: list[Any] = []  # of faults that are over: each is judged again at the end
        self.ledger = cluster.folder / "ledger.jsonl"
        self._kinds = ["write"] * writers + ["read"] * readers
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._failure: BaseException | None = None
        self._written = 0
        self._under_way: dict[int, float] = {}  # start of the request that each thread waits for

    def prepare(self, shards: int = 40, size: int = 512 * KIB) -> None:
        """Shards for the readers, written through the pool."""
        rng, client = random.Random(1), self.cluster.client(timeout_s=30)
        for n in range(shards):
            key, data = f"shards/{n:05d}.tar", rng.randbytes(size)
            client.put(key, data)
            self.shards[key] = promise(key, data)
        self._keep(*self.shards.values())

    @contextmanager
    def running(self, timeout_s: float = CLIENT_TIMEOUT_S) -> Iterator[None]:
        """timeout_s: of each request. At the end raises what broke in a thread of the load itself."""
        self._start(timeout_s)
        try:
            yield
        finally:
            self._end()

    def _start(self, timeout_s: float) -> None:
        self._stop.clear()
        for n, kind in enumerate(self._kinds):
            thread = threading.Thread(target=self._guarded, args=(kind, n, timeout_s), name=f"{kind}{n}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _end(self) -> None:
        """When the last request has."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=120)
            assert not thread.is_alive(), f"{thread.name} does not come back"
        self._threads.clear()
        if self._failure is not None:
            raise self._failure

    def since(self, start_s: float, kind: str | None = None) -> list[Attempt]:
        with self._lock:
            return [a for a in self.attempts if a.start_s >= start_s and kind in (None, a.kind)]

    def quiet_for(self, seconds: float) -> bool:
        """No request failed in the last `seconds`, each kind was answered in them, and none hangs."""
        now = time.monotonic()
        recent = [a for a in self.since(now - seconds - 60) if a.end_s >= now - seconds]
        kinds = {a.kind for a in recent if a.error is None}
        hangs = any(now - start_s > HANGS_S for start_s in list(self._under_way.values()))
        return kinds == set(self._kinds) and all(a.error is None for a in recent) and not hangs

    def _guarded(self, kind: str, number: int, timeout_s: float) -> None:
        try:
            client, rng = self.cluster.client(timeout_s), random.Random(f"{kind}{number}{time.time_ns()}")
            while not self._stop.is_set():
                self._write(client, rng) if kind == "write" else self._read(client, rng)
                self._stop.wait(self.pause_s)
        except BaseException as failure:
            self._failure = failure

    def _write(self, client: PoolClient, rng: random.Random) -> None:
        with self._lock:
            self._written += 1
            key = f"written/{self._written:07d}"
        data = rng.randbytes(rng.choice(SIZES))
        if self._tried("write", lambda: client.put(key, data)):
            self._keep(promise(key, data))

    def _read(self, client: PoolClient, rng: random.Random) -> None:
        shard = self.shards[rng.choice(list(self.shards))]

        def read() -> None:
            if not shard.kept_by(client.get(shard.key)):
                self.wrong_reads.append(shard.key)

        self._tried("read", read)

    def _tried(self, kind: str, action: Any) -> bool:
        start_s, error = time.monotonic(), None
        self._under_way[threading.get_ident()] = start_s
        try:
            action()
        except ERRORS as failure:
            error = f"{type(failure).__name__}: {failure}"
        with self._lock:
            del self._under_way[threading.get_ident()]
            self.attempts.append(Attempt(kind=kind, start_s=start_s, end_s=time.monotonic(), error=error))
        return error is None

    def _keep(self, *promises: Promise) -> None:
        """Into the ledger: in memory, and a line each in a file that outlives a killed run."""
        with self._lock, self.ledger.open("a") as file:
            for each in promises:
                self.promises.append(each)
                file.write(json.dumps(vars(each)) + "\n")


def promise(key: str, data: bytes) -> Promise:
    return Promise(key=key, size=len(data), sha256=hashlib.sha256(data).hexdigest(), at_s=time.monotonic())


DOOR = "S3; GET through the pool"


def judge(cluster: Cluster, promises: Iterable[Promise], *, patience_s: float = 60) -> Verdict:
    """Each promise compared in S3 directly and through the pool. A read that fails is asked again for `patience_s`:
    what cannot be read after that counts as lost, whatever the reason."""
    promises = list(promises)
    store, client = cluster.s3.client(), cluster.client(timeout_s=30)
    ways = (
        ("in S3", lambda key: store.get_object(Bucket=BUCKET, Key=key)["Body"].read()),
        ("through the pool", client.get),
    )

    def look(made: Promise) -> tuple[list[str], list[str]]:
        lost, wrong = [], []
        for name, read in ways:
            data = _read_patiently(read, made.key, patience_s)
            if data is None:
                lost.append(f"{made.key} {name}")
            elif not made.kept_by(data):
                wrong.append(f"{made.key} {name}")
        return lost, wrong

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(look, promises))
    return Verdict(
        acknowledged=len(promises),
        lost=tuple(key for lost, _ in found for key in lost),
        wrong=tuple(key for _, wrong in found for key in wrong),
    )


def _read_patiently(read: Any, key: str, patience_s: float) -> bytes | None:
    end_s = time.monotonic() + patience_s
    while True:
        try:
            return read(key)
        except (*ERRORS, botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError):
            if time.monotonic() > end_s:
                return None
            time.sleep(0.5)
