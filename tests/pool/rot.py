"""Objects whose cached copies decay on their drives, and a job that reads them with digests meanwhile."""

from __future__ import annotations

import random
import threading
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from fleet_pool.client.errors import StoreProblem
from fleet_pool.client.store import Store
from fleet_pool.digests import PART_BYTES
from fleet_pool.launch.bucket import Bucket
from fleet_pool.operate.digest import write_manifest
from fleet_pool.operate.s3 import Credentials, Place

from tests.pool.audit import ERRORS, Verdict
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.jobs import job
from tests.pool.meanwhile import meanwhile
from tests.pool.s3 import KEYS, REGION

OBJECTS, SIZE = 8, PART_BYTES + 4321  # of each origin
PREFIX = "rot/"
WRITTEN, FETCHED = "written through the pool", "fetched from S3"


class Rot:
    """Half of the objects were written through the pool, half were fetched from S3; all have a manifest."""

    door = "Python client with digests, whole and ranges"

    def __init__(self, cluster: Cluster, rng: random.Random) -> None:
        self._cluster, self._rng = cluster, random.Random(rng.random())
        self._s3, self._plain = cluster.s3.client(), cluster.client(timeout_s=30)
        self._bad: list[str] = []
        self._served: dict[str, int] = {}
        unchecked, run = job(cluster), f"{PREFIX}{rng.getrandbits(32):08x}/"
        self._objects: dict[str, bytes] = {}
        for number in range(2 * OBJECTS):
            origin = FETCHED if number % 2 else WRITTEN
            key, data = f"{run}{origin.replace(' ', '-')}-{number}", self._rng.randbytes(SIZE)
            if number % 2:
                self._s3.put_object(Bucket=BUCKET, Key=key, Body=data)
                unchecked.read(key)
            else:
                unchecked.write_unique(key, data)
            self._objects[key] = data
        who = Credentials(key_id=KEYS["key"], secret=KEYS["secret"], token="")
        bucket = Bucket(BUCKET, Place(region=REGION, endpoint=cluster.s3.endpoint), lambda: who)
        write_manifest(bucket, run, lambda _: None)
        self._store = job(cluster, digests=(run,))

    def damage(self) -> None:
        """One bit of every second copy, all bytes of the others; what a plain GET then serves is counted."""
        for number, (key, data) in enumerate(self._objects.items()):
            for copy in self._copies(key):
                with copy.open("r+b") as file:
                    if number // 2 % 2:
                        file.write(bytes(SIZE))
                    else:
                        at = self._rng.randrange(SIZE)
                        file.seek(at)
                        file.write(bytes([data[at] ^ 1 << self._rng.randrange(8)]))
            try:
                wrong = self._plain.get(key) != data
            except ERRORS:
                continue
            origin = FETCHED if number % 2 else WRITTEN
            self._served[origin] = self._served.get(origin, 0) + wrong

    def _copies(self, key: str) -> list[Path]:
        name = Path(key).name
        found = [path for node in self._cluster.nodes for drive in node.drives for path in drive.mount.rglob(name)]
        assert found, f"no node has a copy of {key}: nothing can decay"
        return found

    def running(self) -> AbstractContextManager[None]:
        return meanwhile(self._read_on)

    def _read_on(self, over: threading.Event) -> None:
        keys = list(self._objects)
        while not over.wait(0.05):
            key, start = self._rng.choice(keys), self._rng.randrange(SIZE)
            length = self._rng.choice((None, 1, 1000, PART_BYTES))
            self._compare(self._store, key, start, length)

    def _compare(self, store: Store, key: str, start: int, length: int | None) -> None:
        expected = self._objects[key][start : None if length is None else start + length]
        try:
            if store.read(key, start=start, length=length) != expected:
                self._bad.append(f"{key} from {start} by the client")
        except StoreProblem as problem:
            self._bad.append(f"{key} from {start} by the client: {problem}")

    def verdict(self) -> Verdict:
        """Every object as a whole and from its middle by the client; then by a plain GET, since what the client found
        damaged it has dropped; and in S3."""
        for key, data in self._objects.items():
            for start in (0, SIZE // 2):
                self._compare(self._store, key, start, None)
            ways: dict[str, Any] = {
                "by GET after the client": lambda key=key: self._plain.get(key),
                "in S3": lambda key=key: self._s3.get_object(Bucket=BUCKET, Key=key)["Body"].read(),
            }
            self._bad += [f"{key} {way}" for way, read in ways.items() if read() != data]
        notes = tuple(
            f"of {OBJECTS} decayed copies {origin}, a GET without digests served {count} wrong and said nothing"
            for origin, count in sorted(self._served.items())
        )
        return Verdict(acknowledged=len(self._objects), lost=(), wrong=tuple(dict.fromkeys(self._bad)), notes=notes)
