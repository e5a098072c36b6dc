"""A run that is killed leaves things behind, and the next one takes them away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.pool.keeper import RESTART_S
from tests.pool.machine import loops, named_for, remove_stale, run
from tools.gotools import ROOT

KILLED = """
import os, sys
from tests.pool.daemon import Daemon
from tests.pool.drives import Drive
from tests.pool.machine import HIERARCHIES, scratch
from tests.pool.network import Network
folder, network = scratch(), Network()
host = network.add("n1", 11)
Drive(folder / "d0", 0.5, "noatime")
Daemon(host, [sys.executable, "-c", "import time; time.sleep(600)"], folder / "log", {}).start()
for hierarchy in HIERARCHIES:
    (hierarchy / host.namespace / "inside").mkdir(parents=True)
    (hierarchy / host.namespace / "cgroup.procs").write_text(str(os.getpid()))
print(folder, flush=True)
os.kill(os.getpid(), 9)
"""


def test_leftovers_of_a_killed_run_are_removed(pool_machine: None) -> None:
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        told, _ = process.communicate(timeout=60)
    folder = told.strip()
    assert process.returncode == -9
    assert named_for(process.pid), "nothing was left: this test says nothing"
    assert folder in run("losetup", "--list", "--output", "BACK-FILE")
    assert folder in run("cat", "/proc/self/mounts")
    remove_stale()
    assert not named_for(process.pid)
    assert folder not in run("cat", "/proc/self/mounts")
    assert not loops(Path(folder))
    assert not Path(folder).exists()


def test_daemons_of_a_node_start_again_as_the_keeper_of_the_tests_starts_them() -> None:
    """Also after a shutdown that an administrator asked for, which ends every daemon with exit code 0."""
    unit = (ROOT / "templates" / "node" / "planner-daemon.service.j2").read_text(encoding="utf-8").splitlines()
    assert {"Restart=always", f"RestartSec={RESTART_S:g}"} <= set(unit)
