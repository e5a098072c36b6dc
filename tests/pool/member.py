"""A machine of the pool with its one daemon, and what becomes of it: killed, replaced, renamed, forgetful."""

from __future__ import annotations

import shlex
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from fleet_pool import settings
from fleet_pool.api import tls_context
from fleet_pool.node import config, rejoin, tokens
from fleet_pool.node.facts import Node, daemon_id
from fleet_pool.node.files import files

from tests.pool.daemon import Daemon
from tests.pool.drives import Drive
from tests.pool.network import Host
from tests.pool.s3 import BUCKET, REGION
from tools.gotools import TOOLS

if TYPE_CHECKING:
    from tests.pool.cluster import Cluster


class Member:
    """A host with one daemon of the pool on it: a control node's proxy, or a node's target with its drives."""

    def __init__(self, cluster: Cluster, role: str, number: int, host: Host) -> None:
        self.cluster, self.role, self.number, self.host = cluster, role, number, host
        self.life = 0  # a replaced node is a new one
        self.lock = threading.RLock()  # a test and its keeper both start and stop the daemon
        self.folder = cluster.folder / f"{role}{number}"
        self.tls_folder = cluster.folder / "tls"
        options = ",".join(settings.MOUNT_OPTIONS)
        count = cluster.shape.drives if role == "target" else 0
        self.drives = [Drive(self.folder / f"d{n}", cluster.shape.drive_gib, options) for n in range(count)]
        self.daemon = self._daemon()

    @property
    def name(self) -> str:
        """As an instance id on AWS."""
        return f"i-{self.role}{self.number}life{self.life}"

    @property
    def _facts(self) -> Node:
        """What the node would read of itself in /etc/planner/node.env."""
        return Node(
            role="control" if self.role == "proxy" else "gpu",
            instance=self.name,
            address=self.host.address,
            number=self.number if self.role == "proxy" else -1,
            group="",
            region=REGION,
            artefacts_bucket="none-here",
            data_bucket=BUCKET,
        )

    @property
    def id(self) -> str:
        return daemon_id(self._facts, self.role)

    @property
    def conf(self) -> Path:
        return self.folder / "state" / self.role

    def _daemon(self) -> Daemon:
        """With the files that such a node writes for itself, in this machine's folders."""
        folders = {settings.STATE_FOLDER: self.folder / "state", settings.TLS_FOLDER: self.tls_folder}
        mounts = tuple(str(drive.mount) for drive in self.drives)
        written = {}
        for file in files(self.cluster.stack, self._facts, mounts, {}):
            text, path = file.text, file.path
            for there, here in folders.items():
                text, path = text.replace(there, str(here)), path.replace(there, str(here))
            written[Path(path).name] = text
            if path.startswith(str(self.conf)):
                self.conf.mkdir(parents=True, exist_ok=True)
                Path(path).write_text(text)
        environment = {**self.cluster.s3.environment, **assignments(written[f"{self.role}.env"])}
        if self.cluster.tokens:
            environment |= assignments((self.tls_folder / tokens.DAEMON_FILE).read_text())
        # drives of this machine are loop devices, which the engine takes only when it is told so
        beyond = ["-loopback"] if self.role == "target" else []
        command = [str(TOOLS["aisnode"].path), *config.command_line(self.role, str(self.conf), self.id), *beyond]
        return Daemon(self.host, command, self.folder / "daemon.log", environment)

    def start(self) -> None:
        with self.lock:
            self.daemon.start()

    def kill(self) -> None:
        with self.lock:
            self.daemon.kill()

    def start_again(self) -> None:
        """As Restart=always does, where the daemon ended by itself."""
        with self.lock:
            process = self.daemon.process
            if self.daemon.wanted and process is not None and process.poll() is not None:
                self.daemon.start()

    def replace(self, same_address: bool = False) -> None:
        """Another machine in this one's place: blank drives, no configuration of old, a new id, a new address.

        A new daemon at the address of a dead one answers for it, and the dead id then never leaves the map: the same
        address only after that.
        """
        self.kill()
        self.life += 1
        shutil.rmtree(self.conf, ignore_errors=True)
        for drive in self.drives:
            drive.renew()
        if not same_address:
            self.host = self.cluster.another_host(self)
        self.daemon = self._daemon()

    def rename(self) -> None:
        """The same drives under another node's name."""
        self.kill()
        self.life += 1
        self.daemon = self._daemon()

    def forget(self) -> None:
        """The folder of configuration is lost; the node is the same."""
        self.kill()
        shutil.rmtree(self.conf, ignore_errors=True)
        self.daemon = self._daemon()

    def rejoin(self, ended: threading.Event) -> None:
        """What planner-rejoin does on a control node, unless nobody waits for it any more."""
        daemon, process = self.daemon, self.daemon.process
        tls = self.cluster.tls
        names = {"AIS_CRT": tls.certificate, "AIS_CRT_KEY": tls.key, "AIS_CLIENT_CA": tls.authority} if tls else {}
        if not rejoin.primary_of_others(self.cluster.stack, self._facts, tls_context(names), sleep=ended.wait):
            return
        with self.lock:  # not where a test has broken it meanwhile
            if not ended.is_set() and self.daemon is daemon and daemon.process is process and daemon.running:
                act = {"stop": lambda: daemon.kill(wanted=True), "start": daemon.start}
                rejoin.restart_as_follower(self.conf, "planner-proxy.service", lambda words: act[words[1]]())

    def close(self) -> None:
        self.kill()
        for drive in self.drives:
            drive.close()


def assignments(text: str) -> dict[str, str]:
    """An EnvironmentFile as systemd reads it."""
    return dict(line.split("=", 1) for line in shlex.split(text))
