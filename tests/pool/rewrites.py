"""Keys that are written again and removed by two jobs at once, and whether an older write ever replaced a newer one."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from fleet_pool.client.errors import NotThere, StoreProblem
from fleet_pool.client.store import Store

from tests.pool.audit import Verdict
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.jobs import job
from tests.pool.meanwhile import meanwhile

ROUND_S, JITTER_S = 0.3, 0.1  # a key is everybody's for a round, and each begins within the jitter
REMOVED = 0.15  # of the changes
STALLED = 8  # keys that are written twice while the nodes' way to S3 stalls
BEFORE = float("-inf")


Act = Callable[[Store, random.Random, str], None]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One write, or with None a removal, on the monotonic clock; without acknowledgement its writer gave up then."""

    value: bytes | None
    start_s: float
    end_s: float
    acknowledged: bool


def undone(changes: list[Change], found: bytes | None) -> str:
    """What is wrong with the value that a key has in the end: "" if none of its acknowledged changes began after the
    one that it shows had ended; "lost", "undone", or "wrong" for bytes that nobody wrote."""
    shown = [change for change in changes if change.value == found]
    if found is None:
        shown.append(Change(value=None, start_s=BEFORE, end_s=BEFORE, acknowledged=True))
    if not shown:
        return "wrong"
    newest_s = max((change.start_s for change in changes if change.acknowledged), default=BEFORE)
    if any(newest_s <= change.end_s for change in shown):
        return ""
    return "lost" if len(shown) == 1 and found is None else "undone"


class Rewrites:
    """Two writers, each a job of its own with short time-outs, and a reader beside them: every round another key."""

    door = "Python client, by a job that wrote nothing"

    def __init__(self, cluster: Cluster, rng: random.Random) -> None:
        self._cluster, self._run = cluster, f"again/{rng.getrandbits(32):08x}"
        self._changes: dict[str, list[Change]] = defaultdict(list)
        self._jobs = [job(cluster, read_timeout_s=2) for _ in range(3)]
        self._random = [random.Random(rng.random()) for _ in self._jobs]
        self._lock = threading.Lock()
        self._wrong: list[str] = []

    def running(self) -> AbstractContextManager[None]:
        began, acts = time.monotonic(), (self._write, self._write, self._read)
        return meanwhile(
            *(
                partial(self._until, began, act, store, rng)
                for act, store, rng in zip(acts, self._jobs, self._random, strict=True)
            )
        )

    def _until(self, began: float, act: Act, store: Store, rng: random.Random, over: threading.Event) -> None:
        while True:
            number = int((time.monotonic() - began) / ROUND_S) + 1
            starts_s = began + number * ROUND_S + rng.random() * JITTER_S
            if over.wait(max(0.0, starts_s - time.monotonic())):
                return
            act(store, rng, f"{self._run}/{number}")

    def _write(self, store: Store, rng: random.Random, key: str) -> None:
        self._change(store, key, None if rng.random() < REMOVED else rng.randbytes(32) * rng.choice((1, 2_000)))

    def _change(self, store: Store, key: str, value: bytes | None) -> None:
        start_s, acknowledged = time.monotonic(), True
        change = Change(value=value, start_s=start_s, end_s=float("inf"), acknowledged=False)
        with self._lock:
            self._changes[key].append(change)  # a reader may see it before its writer has the answer
        try:
            if value is None:
                store.remove(key)
            else:
                store.write(key, value)
        except StoreProblem:
            acknowledged = False
        with self._lock:
            self._changes[key].remove(change)
            done = Change(value=value, start_s=start_s, end_s=time.monotonic(), acknowledged=acknowledged)
            self._changes[key].append(done)

    def _read(self, store: Store, rng: random.Random, key: str) -> None:
        try:
            found = store.read(key)
        except StoreProblem:
            return
        with self._lock:
            known = any(change.value == found for change in self._changes[key])
        if not known:
            self._wrong.append(f"{key}: {len(found)} bytes that nobody wrote")

    def verdict(self) -> Verdict:
        said: dict[str, list[str]] = {"lost": [], "wrong": list(self._wrong), "undone": []}
        s3, reader = self._cluster.s3.client(), job(self._cluster)
        for key, changes in self._changes.items():
            try:
                held = s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
            except s3.exceptions.NoSuchKey:
                held = None
            if word := undone(changes, held):
                said[word].append(f"{key} in S3")
            try:
                cached = reader.read(key)
            except NotThere:
                cached = None
            if cached != held:
                said["wrong"].append(f"{key}: the pool's copy differs from S3")
        acknowledged = sum(change.acknowledged for changes in self._changes.values() for change in changes)
        return Verdict(acknowledged=acknowledged, **{word: tuple(keys) for word, keys in said.items()})


class Late(Rewrites):
    """The same while the nodes' way to S3 stalls, and with keys of one content that the stalled nodes were given too:
    what they send to S3 when the stall ends is late."""

    door = "S3; Python client, by a job that wrote nothing"

    def __init__(self, cluster: Cluster, rng: random.Random) -> None:
        super().__init__(cluster, rng)
        self._unique: dict[str, bytes] = {}
        self._gone: list[str] = []

    def hand_over(self) -> None:
        """While they stall: keys that are written twice, or written and removed, all at once by one job; and new keys
        with one content, which the nodes do not acknowledge in time, so that they go to S3 directly. Every second one
        of those is removed again."""
        with ThreadPoolExecutor(2 * STALLED) as threads:
            twice = [threads.submit(self._twice, number) for number in range(STALLED)]
            once = [threads.submit(self._once, number) for number in range(STALLED)]
            for each in (*twice, *once):
                each.result()

    def _twice(self, number: int) -> None:
        key = f"{self._run}/twice/{number}"
        self._change(self._jobs[0], key, f"{key} older".encode())
        self._change(self._jobs[0], key, f"{key} newer".encode() if number % 2 else None)

    def _once(self, number: int) -> None:
        key, value = f"{self._run}/once/{number}", f"{self._run} {number}".encode()
        self._jobs[1].write_unique(key, value)
        if number % 2:
            self._jobs[1].remove(key)
            self._gone.append(key)
        else:
            self._unique[key] = value

    def verdict(self) -> Verdict:
        s3, reader = self._cluster.s3.client(), job(self._cluster)
        wrong = [
            key
            for key, value in self._unique.items()
            if s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() != value or reader.read(key) != value
        ]
        listed = s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{self._run}/once/").get("Contents", ())
        back = sum(each["Key"] in self._gone for each in listed)
        note = f"of {len(self._gone)} removed keys with one content, {back} returned with it; nothing refers to them"
        more = Verdict(acknowledged=len(self._unique), lost=(), wrong=tuple(wrong), notes=(note,))
        return super().verdict() + more
