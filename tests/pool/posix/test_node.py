"""What a node of a stack does for its files, with its own script: the volume is made once, the mount asks for TLS,
password, certificate and token, quotas hold, a mount that was killed comes again, and its end writes everything out."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.node.own_proxies import tend

from infra.node.render import installed_files
from infra.node.zipped import pool_file
from tests.pool.daemon import PLAIN, Daemon, wait_until
from tests.pool.machine import run
from tests.pool.network import Host
from tests.pool.posix.conftest import electable
from tests.pool.posix.mounts import FILES, JUICEFS, PASSWORD, PORT, Volume, administrator

MIB = 2**20
QUOTA_FILES, QUOTA_LIMIT_S = 20, 150.0


class Node:
    """The script of planner-files.service in a node's place. The one stand-in is `aws`, which has the secret."""

    def __init__(self, volume: Volume, host: Host, name: str, database: str) -> None:
        cluster, self.folder = volume.cluster, volume.folder / name
        self.folder.mkdir()
        self.root = self.folder / "files"
        files = installed_files(replace(cluster.stack, files=True))
        (self.folder / "files.sh").write_text(files["files.sh"])
        (self.folder / "planner-pool.pyz").write_bytes(pool_file())
        aws = self.folder / "aws"
        aws.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'username': 'postgres', 'password': PASSWORD})}\nEND\n")
        aws.chmod(0o755)
        self.tls = cluster.folder / "tls"
        url = f"postgres://postgres@{volume.database.address}:{PORT}/{database}?sslmode=verify-full&max_open_conns=8"
        self.environment = {
            **PLAIN,
            "PATH": f"{self.folder}:{Path(sys.executable).parent}:{PLAIN['PATH']}",
            "HOME": str(self.folder),
            "PLANNER_FILES": url,
            "PLANNER_FILES_SECRET": "arn:aws:secretsmanager:here",
            "PLANNER_FILES_ROOT": str(self.root),
            "PLANNER_FILES_AUTHORITY": str(self.tls / "authority.crt"),
            "PLANNER_ADDRESS": host.address,
            "PLANNER_DATA": FILES,
            "PLANNER_REGION": "us-east-1",
            "PLANNER_FOLDER": str(self.folder),
            "PLANNER_JUICEFS": str(JUICEFS),
            "PLANNER_TLS": str(self.tls),
            "PLANNER_PAUSE_S": "1",
            "RUNTIME_DIRECTORY": str(self.folder / "run"),
        }
        self._words = ["/bin/sh", str(self.folder / "files.sh")]
        self.host = host
        self.mount = Daemon(host, [*self._words, "mount"], self.folder / "mount.log", self.environment)

    def script(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [*self.host.enter, *self._words, *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120, check=False)

    def start(self) -> None:
        self.mount.start()
        wait_until(lambda: os.path.ismount(self.root) or not self.mount.running, "a mount", 90)
        assert self.mount.running, self.mount.tail()
        done = self.script("await")
        assert done.returncode == 0, done.stderr

    def stop(self) -> None:
        """As systemd: ExecStop first, then what is left of the process."""
        done = self.script("unmount")
        assert done.returncode == 0, done.stderr
        wait_until(lambda: not self.mount.running, "the end of the mount", 60)
        self.mount.stop()

    def lost(self) -> None:
        """Mount and its watcher at once, as a node that loses power; what is mounted stays, dead."""
        if self.mount.process is not None:
            subprocess.run(["pkill", "-KILL", "-s", str(self.mount.process.pid)], check=False)
            self.mount.kill()

    def close(self) -> None:
        self.lost()
        run("umount", "-l", self.root, check=False)


@pytest.fixture
def nodes(volume: Volume, request: pytest.FixtureRequest):
    name = request.node.name[:30]
    volume.database.create(name)
    made = [Node(volume, node.host, f"{name}{number}", name) for number, node in enumerate(volume.cluster.nodes[1:])]
    for node in made:  # every test has a volume of its own in the one bucket
        script = node.folder / "files.sh"
        script.write_text(script.read_text().replace('"$meta" files 2>&1', f'"$meta" {name} 2>&1'.replace("_", "-")))
    yield made
    for node in made:
        node.close()


def test_of_two_nodes_that_come_at_once_one_makes_the_volume(nodes: list[Node]) -> None:
    with ThreadPoolExecutor(2) as both:
        list(both.map(Node.start, nodes))
    one, two = nodes
    (one.root / "home/ann").mkdir()
    (one.root / "home/ann/data").write_bytes(os.urandom(5 * MIB))
    assert (two.root / "home/ann/data").read_bytes() == (one.root / "home/ann/data").read_bytes()
    assert oct((two.root / "projects").stat().st_mode)[-4:] == "1777"
    jobs = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "mkdir", "jobs"]
    subprocess.run(jobs, check=True, cwd=two.root / "projects")  # root has mounted, jobs are not root

    words = ("quota", "set", "META", "--path", "/home/ann", "--inodes", str(QUOTA_FILES))
    done = one.script(*words)
    assert done.returncode == 0, done.stderr
    command = Path(f"/proc/{one.mount.process.pid}/cmdline").read_text()  # type: ignore[union-attr]
    assert PASSWORD not in done.stdout + done.stderr + command
    assert _files_until_refused(two.root / "home/ann") >= QUOTA_FILES - 1
    assert (one.root / "projects/other").write_bytes(b"x") == 1


def _files_until_refused(folder: Path) -> int:
    """A mount hears of a quota and counts it after seconds: what is made meanwhile goes through."""
    started, number = time.monotonic(), 0
    while time.monotonic() - started < QUOTA_LIMIT_S:
        try:
            (folder / str(number)).write_bytes(b"x")
        except OSError as problem:
            if problem.errno != errno.EDQUOT:
                raise
            return number
        number += 1
        time.sleep(0.1)
    raise AssertionError(f"{number} files, and no end")


def test_what_was_written_outlives_a_mount_that_is_killed_or_stopped(nodes: list[Node]) -> None:
    one, two = nodes
    one.start()
    (one.root / "kept").write_bytes(b"a" * 3 * MIB)
    one.lost()
    with pytest.raises(OSError, match=r"Transport endpoint|Software caused"):
        (one.root / "kept").read_bytes()
    one.start()  # Restart=always: over the dead mount
    assert (one.root / "kept").read_bytes() == b"a" * 3 * MIB
    with (one.root / "open").open("wb") as file:
        file.write(b"b" * MIB)
        file.flush()
    one.stop()
    two.start()
    assert (two.root / "open").read_bytes() == b"b" * MIB


def test_the_control_node_admits_the_proxies_once(volume: Volume) -> None:
    assert electable(volume.cluster) == {proxy.id for proxy in volume.cluster.proxies}
    assert tend(administrator(volume.cluster), volume.cluster.stack, FILES) == ()
