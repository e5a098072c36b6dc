"""A node under a real systemd: systemd-nspawn boots an overlay over this machine's files, cloud-init runs user data.

What is not there is EC2: stand-ins take the place of the instance's metadata, of S3 and of the drives' model. What is
mounted lies in a mount namespace of the container's own, so that it goes with its first process.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from fleet_pool import settings

from tests.infra.node.machine import AWS, LSBLK
from tests.pool.daemon import PLAIN, Daemon
from tests.pool.machine import HIERARCHIES, remove_group, run
from tests.pool.network import Host

UNITS = "/etc/systemd/system"
CLOUD_INIT = ("cloud-init-local", "cloud-init", "cloud-config", "cloud-final")
# the modules that our user data speak to: no other one meddles with a machine that is no cloud's
CLOUD_CONFIG = """datasource_list: [NoCloud]
network: {config: disabled}
cloud_init_modules: [write-files]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user]
"""
OVERLAY = """set -e
mount -t overlay overlay -o lowerdir=/,upperdir={folder}/upper,workdir={folder}/work {folder}/root
"""
MAKE = """cd {folder}/root
rm -rf etc/systemd/system/*.wants etc/fstab var/lib/cloud var/log/journal
cp -a {folder}/files/. .
"""
START = """for hierarchy in {hierarchies}; do
  mkdir -p "$hierarchy/{name}"
  echo $$ > "$hierarchy/{name}/cgroup.procs"
done
mkdir -p /run/systemd
mount -t tmpfs none /run/systemd
exec systemd-nspawn {options}
"""
# a clock that follows Amazon Time Sync
CHRONYC = """#!/bin/sh
echo 'Reference ID    : A9FEA97B (169.254.169.123)'
echo 'System time     : 0.000001 seconds slow of NTP time'
echo 'Leap status     : Normal'
"""
UNSHARED = ("unshare", "--mount", "--propagation", "private", "sh", "-c")


class LiveNode:
    """One node. environment: what its instance role and metadata would give. devices: its drives."""

    def __init__(
        self, host: Host, folder: Path, environment: Mapping[str, str], devices: Sequence[str], user_data: str
    ) -> None:
        self.host, self.folder, self.devices = host, folder, devices
        self._files = folder / "files"
        for name in ("upper", "work", "root", "files"):
            (folder / name).mkdir(parents=True)
        self._own_files(environment, user_data)
        self._made = False
        self._container = self._switch()

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """A file of the node, before it starts."""
        there = self._files / path.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text)
        there.chmod(mode)

    def _own_files(self, environment: Mapping[str, str], user_data: str) -> None:
        seed = "/var/lib/cloud/seed/nocloud"
        self.write(f"{seed}/meta-data", f"instance-id: {self.host.namespace}\n")
        self.write(f"{seed}/user-data", user_data)
        self.write("/etc/cloud/cloud.cfg.d/99-planner.cfg", CLOUD_CONFIG)
        self.write("/etc/machine-id", f"{uuid.uuid4().hex}\n")
        self.write("/etc/tmpfiles.d/tmp.conf", "")  # this machine's /tmp shines through: nothing in it is cleared
        given = " ".join(f'"{name}={value}"' for name, value in environment.items())
        self.write("/etc/systemd/system.conf.d/planner.conf", f"[Manager]\nDefaultEnvironment={given}\n")
        aws = AWS.format(real=shutil.which("aws"), endpoint=environment["S3_ENDPOINT"])
        self.write("/usr/local/bin/aws", aws.replace("exec", f"PATH='{PLAIN['PATH']}' exec"), 0o755)
        told = LSBLK.format(python="/usr/bin/python3", devices=list(self.devices), model=settings.DRIVE_MODEL)
        self.write("/usr/local/bin/lsblk", told, 0o755)
        self.write("/usr/local/bin/udevadm", "#!/bin/sh\n", 0o755)
        self.write("/usr/local/bin/chronyc", CHRONYC, 0o755)
        for name in CLOUD_INIT:
            self._link(f"cloud-init.target.wants/{name}.service", f"/lib/systemd/system/{name}.service")
        self._link("default.target", "/lib/systemd/system/multi-user.target")

    def write_unit(self, name: str, text: str) -> None:
        """A unit of the image, enabled."""
        self.write(f"{UNITS}/{name}", text)
        self._link(f"multi-user.target.wants/{name}", f"{UNITS}/{name}")

    def _link(self, name: str, unit: str) -> None:
        there = self._files / UNITS.lstrip("/") / name
        there.parent.mkdir(parents=True, exist_ok=True)
        there.symlink_to(unit)

    def _switch(self) -> Daemon:
        options = [
            "--boot",
            "--quiet",
            "--register=no",
            "--keep-unit",
            f"--directory={self.folder}/root",
            f"--machine={self.host.namespace}",
            f"--network-namespace-path=/run/netns/{self.host.namespace}",
            "--console=pipe",
            "--link-journal=no",
            "--resolv-conf=off",
            "--timezone=off",
            # a real machine may raise limits, and write the rules of its packet filter
            "--capability=CAP_SYS_RESOURCE,CAP_NET_ADMIN",
            *(f"--bind={device}" for device in (*self.devices, *(["/dev/fuse"] if Path("/dev/fuse").exists() else []))),
        ]
        text = (OVERLAY + START).format(
            folder=self.folder,
            hierarchies=" ".join(str(path) for path in HIERARCHIES),
            name=self.host.namespace,
            options=shlex.join(options),
        )
        # as on the images that nodes use
        there = {"UNIFIED_CGROUP_HIERARCHY": "1"}
        return Daemon(self.host, [*UNSHARED, text], self.folder / "console.log", there)

    def start(self) -> None:
        """Switched on; what it has on its file system stays over a reboot."""
        if not self._made:
            run(*UNSHARED, (OVERLAY + MAKE).format(folder=self.folder))
            self._made = True
        self._container.start()

    @property
    def running(self) -> bool:
        return self._container.running

    @property
    def said(self) -> str:
        """The last lines of its console."""
        return self._container.tail()

    @property
    def _init(self) -> int:
        """The container's first process; 0 while there is none. What stands between it and us has another number."""
        process = self._container.process
        assert process is not None
        try:
            for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                if re.search(r"^NSpid:.*\s1$", Path(f"/proc/{child}/status").read_text(), flags=re.M):
                    return int(child)
        except FileNotFoundError:
            pass  # it has just ended
        return 0

    @property
    def up(self) -> bool:
        """Whether every job of its start is over."""
        told = self.run("systemctl", "is-system-running", check=False) if self._init else ""
        return told.strip() in ("running", "degraded")

    def run(self, *command: str, check: bool = True, text: str = "", timeout_s: float = 60) -> str:
        """Output of a command on the node, as root."""
        init = self._init
        assert init, f"{self.host.namespace} does not run: {self.said}"
        enter = ["nsenter", f"--target={init}", "--all", "--root", "--wd"]
        done = subprocess.run(
            [*enter, *command],
            input=text,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def close(self) -> None:
        self._container.kill()
        remove_group(self.host.namespace)
