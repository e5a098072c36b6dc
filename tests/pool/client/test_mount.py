"""What a mount over the pool's S3 door keeps and what it does not, tried: docs/pool-clients.md says the same."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.errors import Refused
from fleet_pool.client.folder import Folder
from fleet_pool.client.store import Store

from tests.pool.client.conftest import endpoints
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import PLAIN, wait_until

pytestmark = pytest.mark.real
REVERSE_PROXY = 1 << 13  # cmn/feat/feat.go of AIStore v1.5.0: S3-Reverse-Proxy
DATA = bytes(range(256)) * 16_384


def _features(cluster: Cluster, flags: int) -> None:
    cluster.client().cluster({"action": "set-config", "value": {"features": str(flags)}})


@contextmanager
def _mounted(cluster: Cluster, folder: Path, mode: str) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """rclone as the page shows it: no configuration file, everything in variables."""
    where = folder / f"mount-{mode}"
    where.mkdir()
    said = {
        "TYPE": "s3",
        "PROVIDER": "Other",
        "ENDPOINT": f"{endpoints(cluster)[0]}/s3",
        "FORCE_PATH_STYLE": "true",
        "ACCESS_KEY_ID": "unused",
        "SECRET_ACCESS_KEY": "unused",
        "NO_CHECK_BUCKET": "true",
    }
    variables = {f"RCLONE_CONFIG_POOL_{name}": value for name, value in said.items()}
    command = ["rclone", "--config", os.devnull, "mount", f"pool:{BUCKET}", str(where), "--vfs-cache-mode", mode]
    command += ["--cache-dir", str(folder / "cache"), "--log-file", str(folder / f"{mode}.log")]
    with subprocess.Popen(command, env={**PLAIN, **variables}) as process:
        try:
            wait_until(lambda: os.path.ismount(where) or process.poll() is not None, "a mount", 60)
            assert process.poll() is None, (folder / f"{mode}.log").read_text()
            yield where, process
        finally:
            subprocess.run(["fusermount3", "-uz", str(where)], check=False, capture_output=True)
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A pool whose proxies carry S3's traffic themselves: no S3 client follows the pool's redirects with a body."""
    lacking = [name for name in ("rclone", "fusermount3") if not shutil.which(name)]
    if lacking or not os.access("/dev/fuse", os.W_OK):
        pytest.skip(f"no mount on this machine, it lacks: {', '.join(lacking) or 'a /dev/fuse to write to'}")
    cluster: Cluster = request.getfixturevalue("cluster")
    _features(cluster, REVERSE_PROXY)
    yield cluster
    _features(cluster, 0)


def _in_s3(cluster: Cluster, key: str) -> bytes | None:
    client: Any = cluster.s3.client()
    try:
        return client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    except client.exceptions.NoSuchKey:
        return None


def test_without_a_cache_of_writes_a_file_is_in_s3_when_it_is_closed_and_not_before(served, tmp_path):
    with _mounted(served, tmp_path, "off") as (where, _):
        with (where / "written").open("wb") as file:
            file.write(DATA)
            file.flush()
            os.fsync(file.fileno())
            assert _in_s3(served, "written") is None
        assert _in_s3(served, "written") == DATA
        with (where / "written").open("rb") as file:
            file.seek(1_000_000)
            assert file.read(1000) == DATA[1_000_000:1_001_000]
        os.rename(where / "written", where / "moved")
        assert (_in_s3(served, "moved"), _in_s3(served, "written")) == (DATA, None)
        for mode in ("ab", "r+b"):
            with pytest.raises(OSError, match=os.strerror(errno.EPERM)), (where / "moved").open(mode) as file:
                file.write(b"more")
        assert _in_s3(served, "moved") == DATA
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            os.symlink("a", where / "link")


def test_a_killed_writer_leaves_half_a_file_that_looks_whole(served, tmp_path):
    """Why a checkpoint over a mount needs a COMMIT of its own, or the client in place of the mount."""
    writer = "import sys, time; f = open(sys.argv[1], 'wb'); f.write(bytes(2**21)); f.flush(); print(); time.sleep(60)"
    with _mounted(served, tmp_path, "off") as (where, _):
        command = [sys.executable, "-c", writer, str(where / "half")]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.kill()
        wait_until(lambda: _in_s3(served, "half") is not None, "what rclone makes of it", 30)
        assert _in_s3(served, "half") == bytes(2**21)


def test_with_a_cache_of_writes_a_closed_file_is_lost_with_the_node(served, tmp_path):
    with _mounted(served, tmp_path, "writes") as (where, process):
        (where / "cached").write_bytes(DATA)
        assert _in_s3(served, "cached") is None
        process.kill()
    time.sleep(1)
    assert _in_s3(served, "cached") is None


def test_checkpoints_do_not_go_over_a_mount_since_nothing_there_is_written_once(served, tmp_path):
    with _mounted(served, tmp_path, "off") as (where, _):
        store: Store = Folder(where / "run")
        with pytest.raises(Refused, match="hard links"):
            Checkpoints(store, "checkpoints").save(step=1, shards=[b"x"])
        assert Checkpoints(store, "checkpoints").restore().commit is None
