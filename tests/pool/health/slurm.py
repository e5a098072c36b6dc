"""A real Slurm on this machine: a controller, and nodes that are daemons with a port each. Debian 12 has 22.05."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("slurmctld", "slurmd", "scontrol", "sinfo", "munged")
# of a trial on this machine, whatever it is for
COMMON = """ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SlurmdTimeout=300
"""
CONF = (
    COMMON
    + """AuthInfo=socket={folder}/munge.socket
HealthCheckProgram={folder}/health.sh
HealthCheckInterval=5
HealthCheckNodeState=ANY
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1
PartitionName=main Nodes=ALL Default=YES State=UP
"""
)
# as docs/health.md has it: Slurm does not register a node whose program fails, so its end is always well
HEALTH = """#!/bin/sh
export PATH={folder}/bin:{path} PYTHONPATH={python_path} PLANNER_EXPECTED=nvidia=8 SLURM_CONF={folder}/slurm.conf
export PLANNER_HOURLY={usd_per_node_hour}
date +%T >> {folder}/health.$SLURMD_NODENAME.log
export STATE_DIRECTORY={folder}/health/$SLURMD_NODENAME
{python} -c "import sys; from fleet_pool.health import command, look
from pathlib import Path
look.KMSG = Path('{folder}/kmsg.$SLURMD_NODENAME')
sys.exit(command.main(['fast']))" >> {folder}/health.$SLURMD_NODENAME.log 2>&1
exit 0
"""


def free_port(count: int) -> int:
    """The first of so many neighbours that are free."""
    for first in range(21000, 60000, 100):
        try:
            for port in range(first, first + count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


class Slurm:
    def __init__(self, folder: Path, nodes: int) -> None:
        self.folder, self.names = folder, [f"n{number}" for number in range(1, nodes + 1)]
        self._running: list[subprocess.Popen[bytes]] = []
        self._environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def run(self, *words: str) -> str:
        done = subprocess.run(words, capture_output=True, text=True, env=self._environment, timeout=30, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self, *words: str) -> None:
        with (self.folder / f"{words[0]}.out").open("ab") as out:
            self._running.append(subprocess.Popen(words, stdout=out, stderr=out, env=self._environment))

    def end(self, program: str) -> None:
        """Of those that `start` began."""
        for process in [one for one in self._running if isinstance(one.args, tuple) and one.args[0] == program]:
            process.terminate()
            process.wait(30)
            self._running.remove(process)

    def states(self) -> dict[str, str]:
        """By node; without the star of one whose daemon answers late, as all do on a busy computer."""
        rows = self.run("sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        return {name: state.rstrip("*") for name, state in map(str.split, rows)}

    def reasons(self) -> dict[str, str]:
        rows = self.run("sinfo", "--noheader", "--Node", "--format=%N|%T|%200E").splitlines()
        found = (row.split("|", 2) for row in rows)
        return {name: reason.strip() for name, state, reason in found if "drain" in state}

    def wait(self, what: str, done, limit_s: float = 240) -> None:
        until = time.monotonic() + limit_s
        while not done():
            assert time.monotonic() < until, f"{what}: {self.states()}"
            time.sleep(0.2)

    def wait_for_file(self, path: Path) -> None:
        until = time.monotonic() + 20
        while not path.exists():
            assert time.monotonic() < until, path
            time.sleep(0.1)

    def stop(self) -> None:
        for process in reversed(self._running):
            process.terminate()
        for process in self._running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def health_program(folder: Path, usd_per_node_hour: str = "") -> Path:
    """With programs in folder/bin before all others, and a kernel log of each node."""
    path = folder / "health.sh"
    fill = {"path": os.environ["PATH"], "python_path": f"{ROOT}:{ROOT / 'pool'}", "python": sys.executable}
    path.write_text(HEALTH.format(folder=folder, usd_per_node_hour=usd_per_node_hour, **fill))
    path.chmod(0o755)
    return path


@contextmanager
def slurm(folder: Path, nodes: int, bin_folder: Path) -> Iterator[Slurm]:
    """Nodes that are idle. bin_folder: programs that come first on the path of the health check."""
    port = free_port(nodes + 1)
    (folder / "state").mkdir(parents=True)
    (folder / "bin").symlink_to(bin_folder)
    for number in range(1, nodes + 1):
        (folder / f"kmsg.n{number}").touch()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    fill = {"folder": folder, "host": socket.gethostname(), "port": port, "nodes": nodes}
    (folder / "slurm.conf").write_text(CONF.format(**fill, first=port + 1, last=port + nodes))
    health_program(folder)
    found = Slurm(folder, nodes)
    try:
        munge = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "log", "pid", "seed")]
        found.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *munge)
        found.wait_for_file(folder / "munge.socket")
        found.start("slurmctld", "-D")
        for name in found.names:
            found.start("slurmd", "-D", "-N", name)
        found.wait("all nodes idle", lambda: set(found.states().values()) == {"idle"})
        yield found
    finally:
        found.stop()


def lacking() -> list[str]:
    return [program for program in PROGRAMS if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
