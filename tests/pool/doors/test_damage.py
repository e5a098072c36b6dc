"""docs/pool-doors.md, "What each door checks": one flipped bit in the cached copy, read through every door there is."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sysconfig
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet_pool import settings
from fleet_pool.client import Checkpoints, Store
from fleet_pool.client.ranges import fetch
from fleet_pool.client.shards import Sample, pack, read_ahead
from fleet_pool.digests import PART_BYTES
from fleet_pool.doors.filesystem import PoolFileSystem
from fleet_pool.doors.gateway import Gateway
from fleet_pool.operate.command import main
from fleet_pool.problems import Code

from tests.infra.node.test_scripts import need
from tests.pool.client.conftest import cluster, endpoints, environment, standing_cluster
from tests.pool.client.test_damaged_copies import flip, opened
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.s3 import REGION
from tools.torch_cpu import PYTHON

__all__ = ["cluster", "environment", "standing_cluster"]
pytestmark = pytest.mark.real

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "pool-doors.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z0-9-]+)`[^|]*\| (\w+)[^|]*\| (\w+|-)[^|]*\|$", PAGE, flags=re.MULTILINE)
PREFIX, SIZE = "doors/damage/", 3 * PART_BYTES + 4321
BEGIN, LENGTH = 2 * PART_BYTES - 50, 2000  # of the part that is read; it is where the bit flips
AT = BEGIN + 100


class Here:
    """A pool with a damaged copy, and what reads it."""

    def __init__(self, cluster: Cluster, store: Store, gateway: Gateway) -> None:
        self.cluster, self.store = cluster, store
        self.gateway = f"http://127.0.0.1:{gateway.server_port}/{BUCKET}"
        self.native = f"http://{cluster.addresses[0]}:{settings.PROXY_PORT}/v1/objects/{BUCKET}"
        self.s3_door = f"http://{cluster.addresses[0]}:{settings.PROXY_PORT}/s3/{BUCKET}"
        self.fsspec = PoolFileSystem(
            pool=endpoints(cluster), region=REGION, s3_endpoint_url=cluster.s3.endpoint, digests=[PREFIX]
        )

    def curl(self, url: str, *words: str) -> bytes:
        command = [need("curl", "curl"), "-sL", "--fail", "--noproxy", "*", "--max-time", "30", *words, url]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def opened_by_fsspec(self, key: str) -> Any:
        with self.fsspec.open(f"{BUCKET}/{key}", "rb") as file:
            file.seek(BEGIN)
            return file.read(LENGTH)

    def fetched(self, key: str) -> bytes:
        buffer = bytearray(SIZE)
        fetch(self.store, key, SIZE, memoryview(buffer))
        return bytes(buffer)


RANGE = ("-r", f"{BEGIN}-{BEGIN + LENGTH - 1}")
WHOLE: dict[str, Callable[[Here, str], bytes]] = {
    "store-read": lambda here, key: here.store.read(key),
    "read-ahead": lambda here, key: dict(read_ahead(here.store, [key]))[key],
    "ranges-fetch": Here.fetched,
    "fsspec": lambda here, key: here.fsspec.cat_file(f"{BUCKET}/{key}"),
    "gateway": lambda here, key: here.curl(f"{here.gateway}/{key}"),
    "http": lambda here, key: here.curl(f"{here.native}/{key}?provider=aws"),
    "s3-endpoint": lambda here, key: here.curl(f"{here.s3_door}/{key}"),
}
PART: dict[str, Callable[[Here, str], bytes]] = {
    "store-read": lambda here, key: here.store.read(key, start=BEGIN, length=LENGTH),
    "fsspec": Here.opened_by_fsspec,
    "gateway": lambda here, key: here.curl(f"{here.gateway}/{key}", *RANGE),
    "http": lambda here, key: here.curl(f"{here.native}/{key}?provider=aws", *RANGE),
    "s3-endpoint": lambda here, key: here.curl(f"{here.s3_door}/{key}", *RANGE),
}
ELSEWHERE = {"checkpoints", "torch-checkpoints", "shard-dataset", "webdataset"}  # the tests below, and test_torch.py


@pytest.fixture
def digested(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[str]], None]:
    """Writes the manifest of what S3 has, brings these objects into the pool, and flips a bit of each copy."""
    monkeypatch.setenv("AIS_ENDPOINT", ",".join(endpoints(cluster)))
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", cluster.s3.endpoint)
    monkeypatch.setenv("PLANNER_POOL_SHARED", "")

    def run(keys: Iterable[str]) -> None:
        assert main(["digest", BUCKET, "--prefix", PREFIX]) == Code.OK
        for key in keys:
            opened(cluster).read(key)
            flip(cluster, key, at=AT)

    return run


@pytest.fixture
def data_set(cluster: Cluster, digested: Callable[[Iterable[str]], None]) -> dict[str, bytes]:
    """An object for each way to read, which came to S3 by another way than the pool; every copy is damaged."""
    names = [*(f"whole-{door}" for door in WHOLE), *(f"part-{door}" for door in PART)]
    objects = {f"{PREFIX}{name}": os.urandom(SIZE) for name in names}
    for key, data in objects.items():
        cluster.s3.client().put_object(Bucket=BUCKET, Key=key, Body=data)
    digested(objects)
    return objects


@pytest.fixture
def here(cluster: Cluster) -> Iterator[Here]:
    store = opened(cluster, PREFIX)
    with Gateway(opened(cluster, PREFIX), BUCKET, port=0) as gateway:
        threading.Thread(target=gateway.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield Here(cluster, store, gateway)
        gateway.shutdown()


def test_the_page_has_every_door():
    assert {door for door, _, _ in ROWS} == WHOLE.keys() | PART.keys() | ELSEWHERE
    assert {door for door, _, part in ROWS if part != "-"} == PART.keys()


def test_every_door_checks_what_the_page_says(cluster, data_set, here):
    """What is checked is right, and heals the copy; what is not is served as the drive has it."""
    unchecked = opened(cluster)
    for door, whole, part in ROWS:
        for name, says, ways, first, last in (
            ("whole", whole, WHOLE, 0, SIZE),
            ("part", part, PART, BEGIN, BEGIN + LENGTH),
        ):
            if door in ways:
                key = f"{PREFIX}{name}-{door}"
                right = data_set[key][first:last]
                wrong = bytearray(right)
                wrong[AT - first] ^= 1
                assert ways[door](here, key) == {"checked": right, "unchecked": bytes(wrong)}[says], (door, name)
                healed = unchecked.read(key) == data_set[key]
                assert healed == (says == "checked"), (door, name)


def test_a_shard_of_a_checkpoint_is_right_without_a_manifest(cluster):
    store = opened(cluster)
    checkpoints = Checkpoints(store, "checkpoints/damage")
    data = os.urandom(SIZE)
    checkpoints.save(step=1, shards=[data])
    newest, _ = checkpoints.newest()
    assert newest is not None
    flip(cluster, newest.shards[0].key, at=AT)
    buffer = bytearray(SIZE)
    checkpoints.fetch(newest.shards[0], memoryview(buffer))
    assert checkpoints.restore().shards[0] == buffer == data


# each reads three shards that are damaged alike, and lists what it found in each
LIBRARIES = {
    "shard-dataset": """
from fleet_pool.doors.torch_dataset import ShardDataset
found = [sample.files["bin"] for sample in ShardDataset(store, keys, seed=7)]
""",
    "webdataset": """
import io
import webdataset as wds
from webdataset.gopen import gopen_schemes
gopen_schemes["pool"] = lambda url, mode="rb", bufsize=8192, **_: io.BytesIO(store.read(url.removeprefix("pool:")))
urls = [f"pool:{keys[0]}", f"pipe:curl -sL --fail '{gateway}/{keys[1]}'", f"pipe:curl -sL --fail '{native}/{keys[2]}'"]
found = [sample["bin"] for url in urls for sample in wds.WebDataset(url, shardshuffle=False)]
""",
}


@pytest.mark.parametrize("door", LIBRARIES)
def test_the_library_itself_reads_what_was_written(torch, cluster, here, digested, door):
    content = os.urandom(SIZE)
    keys = [f"{PREFIX}{door}/{n}.tar" for n in range(3)]
    for key in keys:
        shard = pack([Sample(name="a", files={"bin": content})])
        cluster.s3.client().put_object(Bucket=BUCKET, Key=key, Body=shard)
    digested(keys)
    given = {"pool": endpoints(cluster), "region": REGION, "s3_endpoint_url": cluster.s3.endpoint, "digests": [PREFIX]}
    program = f"""
import hashlib, sys
sys.path.append({sysconfig.get_path("purelib")!r})  # the engine's SDK, behind what PyTorch's folder has
from fleet_pool.client import open_store
store = open_store("s3://{BUCKET}", **{given!r})
keys, gateway, native = {keys!r}, {here.gateway!r}, {here.native!r}
{LIBRARIES[door].replace("{keys[2]}", "{keys[2]}?provider=aws")}
print(*(hashlib.sha256(data).hexdigest() for data in found))
"""
    around = {**torch, **cluster.s3.environment, "PLANNER_POOL_SHARED": ""}
    done = subprocess.run([str(PYTHON), "-c", program], env=around, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    right = hashlib.sha256(content).hexdigest()
    first, second, third = done.stdout.split()
    assert first == second == right
    assert (third == right) == (door == "shard-dataset")  # WebDataset's third is curl at the pool itself
