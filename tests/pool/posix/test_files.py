"""Files over a pool, with certificate and token: what two mounts promise each other, a lost node, a restored database.

About a minute on two cores. docs/decisions/0019-posix-pool.md has more trials; these are the ones that are repeated.
"""

from __future__ import annotations

import fcntl
import os
import time
import urllib.error
import urllib.request
from hashlib import sha256
from pathlib import Path

import pytest

from tests.pool.posix.conftest import electable
from tests.pool.posix.mounts import FILES, Mount, Volume

WRITES_S = 22.0  # a lost node holds writes up for 14 s
BREAKS_AFTER_S = 3.0
RECORDS = 50


def _written(folder: Path, name: str, data: bytes) -> str:
    """As a program that cares writes: fsync, close, and then the name. Returns what was acknowledged."""
    with (folder / f".{name}").open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    (folder / f".{name}").rename(folder / name)
    return sha256(data).hexdigest()


def _lost(folder: Path, acknowledged: dict[str, str]) -> list[str]:
    """Names of files that are missing or have other bytes."""

    def holds(name: str, digest: str) -> bool:
        path = folder / name
        return path.exists() and sha256(path.read_bytes()).hexdigest() == digest

    return [name for name, digest in acknowledged.items() if not holds(name, digest)]


def test_two_mounts_share_locks_names_and_bytes(volume: Volume) -> None:
    one, two = volume.cluster.nodes[:2]
    with volume.mounted(one.host) as first, volume.mounted(two.host) as second:
        _written(first.where, "data", b"1" * 100_000)
        assert (second.where / "data").read_bytes() == b"1" * 100_000
        (second.where / "data").rename(second.where / "renamed")
        os.link(second.where / "renamed", second.where / "linked")
        assert sorted(path.name for path in first.where.iterdir() if not path.name.startswith(".")) == [
            "linked",
            "renamed",
        ]
        with (first.where / "renamed").open("r+b") as mine, (second.where / "renamed").open("r+b") as theirs:
            fcntl.flock(mine, fcntl.LOCK_EX)
            with pytest.raises(BlockingIOError):
                fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(mine, fcntl.LOCK_UN)
            fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _appends(first, second)


def _appends(first: Mount, second: Mount) -> None:
    """As the plan warns: two mounts that append lose records, unless each takes a lock and reopens the file."""
    plain, locked = "plain.log", "locked.log"
    (first.where / plain).touch()
    (first.where / locked).touch()
    with (first.where / plain).open("ab", 0) as mine, (second.where / plain).open("ab", 0) as theirs:
        for _ in range(RECORDS):
            mine.write(b"first\n")
            theirs.write(b"other\n")
    assert (first.where / plain).read_bytes().count(b"\n") < 2 * RECORDS  # all there: take the warning away
    for number in range(2 * RECORDS):
        mount = (first, second)[number % 2]
        with (mount.where / locked).open("ab", 0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(b"any\n")
    assert (second.where / locked).read_bytes() == b"any\n" * 2 * RECORDS


def test_a_database_restored_from_a_dump_has_the_files_that_were_removed_since(volume: Volume) -> None:
    with volume.mounted(volume.cluster.nodes[0].host) as mount:
        folder = mount.where / "kept"
        folder.mkdir()
        acknowledged = {f"{n}": _written(folder, f"{n}", os.urandom(1000 * 3**n)) for n in range(8)}
        dump = volume.database.dump("files")
        for path in folder.iterdir():
            path.unlink()
        time.sleep(2)
        assert not list(folder.iterdir())
    with volume.without_the_pool(volume.database.restore(dump, "restored")) as restored:
        assert _lost(restored.where / "kept", acknowledged) == []


def test_the_door_asks_for_the_token_that_a_mount_shows(volume: Volume) -> None:
    """And the nodes' own proxies stay out of elections."""
    context = volume.cluster.client().context  # with the node's certificate
    address = volume.cluster.nodes[0].host.address
    request = urllib.request.Request(f"https://{address}:51080/{FILES}/volume/x", data=b"x", method="PUT")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
    with pytest.raises(urllib.error.HTTPError) as refused:
        opener.open(request, timeout=20)
    assert refused.value.code in (401, 403)
    refused.value.close()
    assert electable(volume.cluster) == {proxy.id for proxy in volume.cluster.proxies}


def test_what_was_acknowledged_survives_a_node(volume: Volume) -> None:
    """Last: a node's target, its own proxy and its mount are killed while another node's mount writes."""
    lost, writer = volume.cluster.nodes[:2]
    acknowledged: dict[str, str] = {}
    with volume.mounted(lost.host) as theirs, volume.mounted(writer.host) as mine:
        folder = mine.where / "run"
        folder.mkdir()
        started, broken, number = time.monotonic(), False, 0
        while time.monotonic() - started < WRITES_S:
            if not broken and time.monotonic() - started > BREAKS_AFTER_S:
                lost.kill()
                volume.own_proxies[0].kill()
                theirs.kill()
                broken = True
            name = str(number)
            acknowledged[name] = _written(folder, name, os.urandom((4096, 300_000, 5_000_000)[number % 3]))
            number += 1
    assert broken
    assert len(acknowledged) > 20
    with volume.without_the_pool() as straight:
        assert _lost(straight.where / "run", acknowledged) == []
