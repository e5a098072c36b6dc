"""No newer write is undone: keys that are written again, through a pool whose way to S3 stalls, or by two at once."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

import pytest
from fleet_pool.client.errors import NotThere
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.patience import Patience
from fleet_pool.client.pool import Pool
from fleet_pool.client.s3 import S3

from tests.pool.client.conftest import endpoints, s3_of
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.s3 import REGION

pytestmark = pytest.mark.real

KEYS = tuple(f"rewritten/{number}" for number in range(8))
STALL_S = 12.0


def job(cluster: Cluster) -> FallbackStore:
    """A job's store with short time-outs, so that the pool is given up while its request is still under way."""
    pool = Pool(BUCKET, endpoints(cluster), connect_timeout_s=1, read_timeout_s=2)
    return FallbackStore(cache=pool, truth=s3_of(cluster), patience=Patience())


def stalled(cluster: Cluster, act) -> None:
    """`act` while the nodes' packets to S3 are lost and the job's own are not; what the kernels of the nodes hold back
    is sent again afterwards, and is waited for."""
    for node in cluster.nodes:
        cluster.network.drop(node.host, sent_to=cluster.s3.host.address)
    began = time.monotonic()
    try:
        act()
        time.sleep(max(0.0, STALL_S - (time.monotonic() - began)))
    finally:
        for node in cluster.nodes:
            cluster.network.mend(node.host)
    time.sleep(STALL_S)  # a kernel sends again at growing intervals


def at_once(actions) -> None:
    threads = [threading.Thread(target=action) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_write_that_was_given_up_never_undoes_a_newer_one(cluster):
    store = job(cluster)

    def twice(key: str) -> None:
        store.write(key, b"older")
        store.write(key, b"newer")

    stalled(cluster, lambda: at_once([lambda key=key: twice(key) for key in KEYS]))
    found = {key: s3_of(cluster).read(key) for key in KEYS}
    assert found == dict.fromkeys(KEYS, b"newer")
    assert {key: store.read(key) for key in KEYS} == found


def test_an_object_that_was_removed_does_not_come_back(cluster):
    store = job(cluster)
    keys = [f"{key}-removed" for key in KEYS]

    def written_and_removed(key: str) -> None:
        store.write(key, b"older")
        store.remove(key)

    stalled(cluster, lambda: at_once([lambda key=key: written_and_removed(key) for key in keys]))
    assert [entry.key for entry in s3_of(cluster).entries("rewritten/") if entry.key in keys] == []
    for key in keys:
        with pytest.raises(NotThere):
            store.read(key)


def _write(store: FallbackStore, word: bytes, wait_s: float, key: str) -> None:
    time.sleep(wait_s)
    store.write(key, word * 20_000)


def _read(store: FallbackStore, key: str, jitter_s: float) -> None:
    for _ in range(4):
        with suppress(NotThere):
            store.read(key)
        time.sleep(jitter_s / 8)


def test_two_writers_of_one_key_leave_the_cache_equal_to_s3(cluster):
    """Also while others read it, so that old bytes are on their way into the cache."""
    writers, reader, rng = [job(cluster), job(cluster)], job(cluster), random.Random(17)
    differ = []
    for number in range(40):
        key, jitter_s = f"two/{number}", rng.choice((0.0, 0.1, 0.5))
        writing = [
            partial(_write, writers[one], word, rng.random() * jitter_s, key)
            for one, word in enumerate((b"one", b"two"))
        ]
        at_once([*writing, partial(_read, reader, key, jitter_s)])
        if reader.read(key) != cluster.s3.client().get_object(Bucket=BUCKET, Key=key)["Body"].read():
            differ.append(key)
    assert differ == []


class Holding:
    """A way to S3 on loopback that keeps the next request of a method to itself until `release`, whatever its sender
    does meanwhile."""

    def __init__(self, endpoint: str) -> None:
        self._to = urlsplit(endpoint)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self.next = b""  # the method to keep
        self.kept, self._free = threading.Event(), threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def release(self) -> None:
        self._free.set()
        time.sleep(1)  # its answer has nobody to go to

    def close(self) -> None:
        self._free.set()
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._door.accept()
                server = socket.create_connection((self._to.hostname, self._to.port))
                threading.Thread(target=self._forward, args=(caller, server), daemon=True).start()
                threading.Thread(target=self._back, args=(server, caller), daemon=True).start()

    def _forward(self, caller: socket.socket, server: socket.socket) -> None:
        with caller, suppress(OSError):
            while data := caller.recv(2**20):
                if self.next and data.startswith(self.next):
                    self.next = b""
                    while more := caller.recv(2**20):  # until the sender has given up
                        data += more
                    self.kept.set()
                    self._free.wait()
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def _back(self, server: socket.socket, caller: socket.socket) -> None:
        with server, suppress(OSError):
            while data := server.recv(2**20):
                with suppress(OSError):
                    caller.sendall(data)


@pytest.fixture
def straight(cluster, monkeypatch) -> Iterator[tuple[Holding, FallbackStore]]:
    """A job without a pool, whose own requests to S3 may be late."""
    monkeypatch.setattr("fleet_pool.client.s3.READ_TIMEOUT_S", 1.0)
    way = Holding(cluster.s3.endpoint)
    yield way, FallbackStore(cache=None, truth=S3(BUCKET, region=REGION, endpoint_url=way.endpoint))
    way.close()


@pytest.mark.parametrize("held", [None, b"first"])
def test_a_late_request_of_the_job_itself_changes_nothing(straight, held):
    way, store = straight
    key = f"late/{held}"
    if held:
        store.write(key, held)
    way.next = b"PUT"
    store.write(key, b"older")
    assert way.kept.wait(10)
    store.write(key, b"newer")
    way.release()
    assert store.read(key) == b"newer"


def test_a_late_removal_does_not_remove_what_was_written_since(straight):
    way, store = straight
    store.write("late/removed", b"first")
    way.next = b"DELETE"
    store.remove("late/removed")
    assert way.kept.wait(10)
    store.write("late/removed", b"newer")
    way.release()
    assert store.read("late/removed") == b"newer"


def test_the_parts_of_a_large_object_replace_only_what_was_there_before(straight, monkeypatch, tmp_path):
    monkeypatch.setattr("fleet_pool.client.s3.PART_BYTES", 5 * 2**20)
    way, store = straight
    large = random.Random(3).randbytes(12 * 2**20)
    (tmp_path / "large").write_bytes(large)
    store.write("late/large", b"first")
    way.next = b"POST"  # the upload begins, and nothing more comes of it
    store.write("late/large", tmp_path / "large")
    assert store.read("late/large") == large
    store.write("late/large", large[::-1])
    way.release()
    assert store.read("late/large") == large[::-1]
