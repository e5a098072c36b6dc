"""The client on the real engine over a real S3 server: the same bytes through every door, and under faults."""

from __future__ import annotations

import filecmp
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest
from fleet_pool.client.address import open_store
from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.errors import AlreadyThere, NotThere, OutOfRange, Refused, Unavailable
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.folder import Folder
from fleet_pool.client.patience import Patience
from fleet_pool.client.store import Store

from tests.pool.client.conftest import endpoints, pool_of, s3_of
from tests.pool.client.test_ranges import numbered_mibs
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import wait_until
from tests.pool.s3 import REGION

ROOT = Path(__file__).resolve().parents[3]
STRANGE = "we ird/+%25?key=é&a#b~'()*!,;:@$.tar"


# all but the folder ask for the cluster by name, which collection does not see
@pytest.fixture(
    params=["folder", *(pytest.param(name, marks=pytest.mark.real) for name in ("s3", "pool", "pool and s3"))]
)
def any_store(request, tmp_path: Path) -> Store:
    if request.param == "folder":
        return Folder(tmp_path / "objects")
    cluster = request.getfixturevalue("cluster")
    made = {"s3": s3_of, "pool": pool_of}
    return made[request.param](cluster) if request.param in made else request.getfixturevalue("store")


def test_every_store_keeps_the_same_promises(any_store, tmp_path, request):
    """One contract, four stores: a job may be tried on a folder and run on the pool."""
    store, below = any_store, f"contract/{request.node.callspec.id}/"
    data, path = os.urandom(300_000), tmp_path / "file"
    path.write_bytes(data)
    store.write_unique(below + "bytes", data)
    store.write_unique(below + "file", path)
    store.write_unique(below + "empty", b"")
    store.write_unique(below + STRANGE, b"strange")
    for fresh in (False, True):
        assert store.read(below + "bytes", fresh=fresh) == store.read(below + "file", fresh=fresh) == data
    assert (store.read(below + "empty"), store.read(below + STRANGE)) == (b"", b"strange")
    assert store.read(below + "bytes", start=7, length=100_001) == data[7 : 7 + 100_001]
    assert store.read(below + "bytes", start=299_990) == data[299_990:]
    assert store.read(below + "bytes", start=299_990, length=100) == data[299_990:]
    with pytest.raises(OutOfRange):
        store.read(below + "bytes", start=300_000)
    with pytest.raises(NotThere):
        store.read(below + "nothing")
    store.write_once(below + "once", b"1")
    store.write_once(below + "once", b"1")
    with pytest.raises(AlreadyThere):
        store.write_once(below + "once", b"2")
    listed = {entry.key.removeprefix(below): entry.size_bytes for entry in store.entries(below)}
    assert listed == {"bytes": 300_000, "file": 300_000, "empty": 0, "once": 1, STRANGE: 7}
    assert store.entries("contract/no such/") == ()
    level = store.level("contract/")
    assert (below in level.folders, level.entries) == (True, ())
    assert {entry.key.removeprefix(below) for entry in store.level(below).entries} == {*listed} - {STRANGE}
    assert store.level(below).folders == (below + STRANGE.partition("/")[0] + "/",)
    for fresh in (False, True):
        assert [store.size(below + name, fresh=fresh) for name in ("bytes", "empty", STRANGE)] == [300_000, 0, 7]
        with pytest.raises(NotThere):
            store.size(below + "nothing", fresh=fresh)
    store.remove(below + "bytes")
    store.remove(below + "bytes")
    with pytest.raises(NotThere):
        store.read(below + "bytes")


def test_what_was_written_through_the_pool_is_in_s3_when_the_call_returns(cluster, store):
    data = os.urandom(2_000_000)
    store.write_unique("durable/object", data)
    held = cluster.s3.client().get_object(Bucket=BUCKET, Key="durable/object")["Body"].read()
    assert held == data
    assert store.counts.by_pool == 1


def test_an_object_in_parts_is_whole_through_both_doors(cluster, store, tmp_path):
    """Above 128 MiB both the pool and the client's own S3 door write in parts."""
    block = os.urandom(2**20)
    data = b"".join(number.to_bytes(4, "big") + block for number in range(130))
    path = tmp_path / "large"
    path.write_bytes(data)
    store.write_unique("parts/pool", path)
    assert store.counts.by_pool == 1
    s3 = s3_of(cluster)
    s3.write("parts/s3", data)
    assert s3.read("parts/pool") == data
    assert store.read("parts/s3") == data
    assert store.read("parts/s3", start=129 * 2**20, length=64) == data[129 * 2**20 :][:64]


def test_a_bucket_that_only_the_nodes_hold_is_never_taken_for_one_in_s3(cluster):
    """What a client of the pool's own S3 door creates is kept on the drives alone; ours always say S3."""
    import boto3
    from botocore.config import Config

    door = boto3.client(
        "s3", endpoint_url=f"{endpoints(cluster)[0]}/s3", config=Config(proxies={}, s3={"addressing_style": "path"})
    )
    door.create_bucket(Bucket="nodes-only")
    for direct in (True, False):
        store = open_store(
            "s3://nodes-only",
            pool=endpoints(cluster),
            direct=direct,
            region=REGION,
            s3_endpoint_url=cluster.s3.endpoint,
        )
        with pytest.raises((Refused, NotThere)):
            store.write_unique("checkpoint", b"x")
        with pytest.raises((Refused, NotThere)):
            Checkpoints(store, "run").save(step=1, shards=[b"x"])


class Load:
    """Threads that read what is there and write what is new, and keep every error and the longest call."""

    def __init__(self, store: Store, expected: dict[str, bytes]) -> None:
        self.store, self.expected = store, expected
        self.errors: list[str] = []
        self.written: dict[str, bytes] = {}
        self.calls, self.longest_s = 0, 0.0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True) for number in range(4)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def go_on(self, writes: int = 8) -> None:
        """Wait until so many more writes have been acknowledged."""
        goal = len(self.written) + writes
        wait_until(lambda: len(self.written) >= goal, f"{writes} more writes ({self.errors})", 240)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=240)
        assert not any(thread.is_alive() for thread in self._threads), "a call never returned"

    def _run(self, number: int) -> None:
        turn, keys = 0, sorted(self.expected)
        while not self._stop.is_set():
            turn += 1
            began = time.monotonic()
            try:
                if turn % 3:
                    key = keys[(turn * 7 + number) % len(keys)]
                    if self.store.read(key) != self.expected[key]:
                        self.errors.append(f"{key}: wrong bytes")
                else:
                    key, data = f"load/{number}-{turn}-{time.monotonic_ns()}", os.urandom(50_000)
                    self.store.write_unique(key, data)
                    self.written[key] = data
            except Exception as error:  # whatever it is, the test shows it
                self.errors.append(f"{type(error).__name__}: {error}")
            self.calls, self.longest_s = self.calls + 1, max(self.longest_s, time.monotonic() - began)

    def judged(self, cluster: Cluster) -> None:
        """No error, and every acknowledged object in S3 as it was written."""
        assert self.errors == []
        s3 = cluster.s3.client()
        wrong = [
            key for key, data in self.written.items() if s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() != data
        ]
        assert wrong == []
        assert self.written


@pytest.fixture
def held(store) -> dict[str, bytes]:
    made = {f"load/held/{number:03d}": os.urandom(100_000) for number in range(24)}
    for key, data in made.items():
        store.write_unique(key, data)
    return made


def test_a_killed_node_is_no_error_of_a_job(cluster, store, held):
    node = cluster.nodes[0]
    with Load(store, held) as load:
        load.go_on()
        node.kill()
        wait_until(lambda: node.id not in (cluster.targets_in() or {node.id}), "the dead node out of the map", 120)
        load.go_on()
    node.replace()
    node.start()
    cluster.wait_whole()
    load.judged(cluster)
    assert store.counts.failed_tries > 0, "the kill was never felt: nothing was tried"
    assert store.counts.by_pool > 0


def test_a_pool_that_is_gone_altogether_is_no_error_of_a_job(cluster, store, held):
    with Load(store, held) as load:
        load.go_on()
        for member in cluster.members:
            member.daemon.freeze()
        load.go_on()
        for member in cluster.members:
            member.daemon.thaw()
        load.go_on()
    cluster.wait_whole()
    load.judged(cluster)
    assert store.counts.by_s3 > 0


def test_s3_that_is_gone_for_a_while_only_makes_writers_wait(cluster, store, held):
    for key in held:
        store.read(key)
    with Load(store, held) as load:
        load.go_on()
        cluster.s3.kill()
        time.sleep(8)
        for key, data in held.items():
            assert store.read(key) == data
        cluster.s3.start()
        load.go_on()
    load.judged(cluster)


SAVES = """
import http.client, os, signal, sys
from fleet_pool.client.address import open_store
from fleet_pool.client.checkpoint import Checkpoints
endpoint, s3, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
sent, send = 0, http.client.HTTPConnection.send
def counted(self, data):
    global sent
    data = data if isinstance(data, bytes) else data.read() if hasattr(data, "read") else bytes(data)
    if sent + len(data) >= left:
        send(self, data[: left - sent])
        os.kill(os.getpid(), signal.SIGKILL)
    sent += len(data)
    send(self, data)
store = open_store("s3://train", pool=[endpoint], region="us-east-1", s3_endpoint_url=s3)
if left:
    http.client.HTTPConnection.send = counted
Checkpoints(store, "killed").save(step=2, shards=[bytes([rank]) * 1_000_000 for rank in range(4)])
"""


@pytest.mark.parametrize("sent_bytes", [1, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_002_500])
def test_a_save_killed_at_every_quarter_of_its_bytes_restores_the_step_before(cluster, store, environment, sent_bytes):
    """SIGKILL in the middle of a request: at each quarter, and in the last shard's end."""
    checkpoints = Checkpoints(store, "killed")
    checkpoints.forget_after(None)
    checkpoints.save(step=1, shards=[b"whole"])
    command = [sys.executable, "-c", SAVES, endpoints(cluster)[0], cluster.s3.endpoint]
    into = {**environment, **cluster.s3.environment, "PYTHONPATH": f"{ROOT}:{ROOT / 'pool'}"}
    killed = subprocess.run([*command, str(sent_bytes)], env=into, capture_output=True, timeout=120, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    restored = checkpoints.restore()
    assert restored.commit is not None
    assert (restored.commit.step, restored.shards) == (1, {0: b"whole"})
    checkpoints.forget_after(1)
    subprocess.run([*command, "0"], env=into, capture_output=True, timeout=120, check=True)
    again = checkpoints.restore()
    assert again.commit is not None
    assert again.commit.step == 2
    assert again.shards == {rank: bytes([rank]) * 1_000_000 for rank in range(4)}


def test_a_damaged_copy_on_a_node_is_not_what_a_job_gets(cluster, store):
    """One byte of an object turned over on the drive it lies on: the pool's checksum tells, S3 has the right one."""
    data, key = os.urandom(100_000), "load/held/rotten"
    store.write_unique(key, data)
    copies = [path for node in cluster.nodes for drive in node.drives for path in Path(drive.mount).rglob("rotten")]
    assert len(copies) == 1
    with copies[0].open("r+b") as file:
        file.seek(5_000)
        file.write(bytes([data[5_000] ^ 1]))
    reader = FallbackStore(cache=pool_of(cluster), truth=s3_of(cluster))
    assert reader.read(key) == data
    assert reader.counts.by_s3 == 1


def test_a_fresh_read_never_gives_a_stale_copy_least_of_all_while_s3_is_gone(cluster, store):
    s3_of(cluster).write("stale/key", b"old")
    assert store.read("stale/key") == b"old"
    s3_of(cluster).write("stale/key", b"new")
    assert store.read("stale/key") == b"old", "no copy was stale: nothing was tried"
    cluster.s3.kill()
    hasty = FallbackStore(cache=pool_of(cluster), truth=s3_of(cluster), patience=Patience(total_s=2))
    alone = FallbackStore(cache=pool_of(cluster), truth=None, patience=Patience(total_s=2))
    for reader in (hasty, alone):
        with pytest.raises(Unavailable):
            reader.read("stale/key", fresh=True)
    cluster.s3.start()
    assert store.read("stale/key", fresh=True) == b"new"
    assert FallbackStore(cache=pool_of(cluster), truth=None).read("stale/key", fresh=True) == b"new"


@pytest.mark.real
def test_a_shard_is_put_with_one_read_of_its_file_and_restored_in_a_tenth_of_its_memory(cluster, store, tmp_path):
    """fleet_pool's own promises, measured: the kernel counts what this process reads, Python what it allocates."""
    size, path = 160 * 2**20, tmp_path / "shard"
    numbered_mibs(path, 160)
    checkpoints = Checkpoints(store, "checkpoints/measured")
    before = bytes_read()
    receipt = checkpoints.put_shard(step=1, rank=0, data=path)
    assert size <= bytes_read() - before < 1.1 * size
    checkpoints.commit(step=1, shards=[receipt])
    tracemalloc.start()
    try:
        restored = checkpoints.restore_files(tmp_path / "restored")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert filecmp.cmp(restored.files[0], path, shallow=False)
    assert peak <= 0.1 * size


def bytes_read() -> int:
    """Of files, by this process so far (proc(5), /proc/PID/io: rchar; sockets are received from, not read)."""
    return int(Path("/proc/self/io").read_text().split()[1])
