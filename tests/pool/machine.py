"""What a pool on one machine needs of it, and what an earlier run that was killed has left on it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from tools.gotools import TOOLS

# every name that a run makes carries its process id: two runs never meet, and what a dead one left is told by it
NAMED = re.compile(r"p(\d+)[a-zA-Z]-")
FOLDER = "planner-pool-"
# where control groups lie: of version 2 alone, or beside those of version 1
HIERARCHIES = tuple(
    path
    for path in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup/systemd"))
    if (path / "cgroup.procs").is_file()
)
DEBIAN = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nft": "nftables",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "losetup": "util-linux",
    "mkfs.xfs": "xfsprogs",
    "xfs_io": "xfsprogs",
    "openssl": "openssl",
}


class Failed(Exception):
    """A command of the machine failed: what was run, what it said."""


def run(*command: str | Path, timeout_s: float = 60, check: bool = True) -> str:
    """Output of a command. Raises Failed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout_s, check=False)
    if check and done.returncode:
        raise Failed(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def missing() -> list[str]:
    """What this machine lacks for a pool, each in words with what to do; empty where it has everything."""
    if os.geteuid() != 0:
        return ["root: namespaces, loop devices and mounts need it"]
    found = [
        f"{name} (on Debian, apt-get install {package})" for name, package in DEBIAN.items() if not shutil.which(name)
    ]
    if not Path("/dev/loop-control").exists():
        found.append("loop devices (/dev/loop-control)")
    for name in ("aisnode", "versitygw"):
        if not TOOLS[name].built:
            found.append(f"{name} (python -m tools.gotools {name})")
    if not keeps_attributes(Path(tempfile.gettempdir())):
        found.append(f"extended attributes of users in {tempfile.gettempdir()} (TMPDIR names another folder)")
    return found or _kernel()


def keeps_attributes(folder: Path) -> bool:
    """Whether files below a folder can have extended attributes, in which the S3 server keeps ETags and checksums."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        try:
            os.setxattr(file.name, b"user.planner", b"kept")
        except OSError:
            return False
    return True


def _kernel() -> list[str]:
    """Kinds of network link and file system that this kernel does not give, tried for real."""
    found, name = [], f"p{os.getpid()}z-try"
    if "\txfs\n" not in Path("/proc/filesystems").read_text():
        run("modprobe", "xfs", check=False) if shutil.which("modprobe") else None
        if "\txfs\n" not in Path("/proc/filesystems").read_text():
            found.append("XFS in the kernel")
    try:
        run("ip", "netns", "add", name)
    except Failed as failure:
        return [*found, f"network namespaces ({failure})"]
    try:
        run("ip", "-n", name, "link", "add", "b0", "type", "bridge")
        run("ip", "-n", name, "link", "add", "v0", "type", "veth", "peer", "name", "v1")
    except Failed as failure:
        found.append(f"bridge and veth links ({failure})")
    finally:
        run("ip", "netns", "del", name, check=False)
    return found


def stoppable(main: Callable[[], int]) -> NoReturn:
    """Run a program so that Ctrl-C, SIGTERM and a scheduler's SIGHUP alike end it with everything taken down."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped: everything was taken down", file=sys.stderr)
        sys.exit(130)


def scratch() -> Path:
    """A new folder that carries this process's id."""
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))


def remove_stale() -> None:
    """Take away what dead runs have left: processes, namespaces, links, groups, mounts, loop devices, folders."""
    for name in _links():  # first: left to the end of its namespace, the kernel takes one away some time later
        if _dead(NAMED.match(name)):
            run("ip", "link", "del", name, check=False)
    for name in _namespaces():
        if _dead(NAMED.match(name)):
            remove_namespace(name)
    for group in _groups():
        if _dead(NAMED.match(group.name)):
            remove_group(group.name)
    for folder in Path(tempfile.gettempdir()).glob(FOLDER + "*"):
        if _dead(re.match(FOLDER + r"(\d+)-", folder.name)):
            remove_folder(folder)


def remove_namespace(name: str) -> None:
    """Kill what runs in a namespace, then take it away."""
    for pid in run("ip", "netns", "pids", name, check=False).split():
        run("kill", "-9", pid, check=False)
    run("ip", "netns", "del", name, check=False)


def remove_group(name: str) -> None:
    """Kill what runs in a control group, then take it away with those inside of it."""
    for group in (group for group in _groups() if group.name == name):
        inside = sorted((group, *(path for path in group.rglob("*") if path.is_dir())), reverse=True)
        for _ in range(50):  # the dead leave it a moment later
            for each in [each for each in inside if each.exists()]:
                with suppress(FileNotFoundError):  # systemd on its way down takes its own away meanwhile
                    try:
                        each.rmdir()
                    except OSError:
                        for pid in (each / "cgroup.procs").read_text().split():
                            run("kill", "-9", pid, check=False) if pid != "0" else None
            if not group.exists():
                break
            time.sleep(0.1)


def remove_folder(folder: Path) -> None:
    """Unmount and free whatever stands on files of a folder, then remove it."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        mount = line.split()[1]
        if mount.startswith(f"{folder}/"):
            run("umount", "-l", mount, check=False)
    for device in loops(folder):
        run("losetup", "-d", device, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def loops(folder: Path) -> list[str]:
    """Loop devices whose file lies in a folder."""
    told = run("losetup", "--list", "--json", "--output", "NAME,BACK-FILE").strip()
    devices = json.loads(told)["loopdevices"] if told else []
    return [each["name"] for each in devices if (each["back-file"] or "").startswith(f"{folder}/")]


def left_behind(folder: Path) -> list[str]:
    """What of this process's pool on `folder` is still here, each in words; nothing after it was closed."""
    found = [f"namespace, link or control group {name}" for name in named_for(os.getpid())]
    found += [f"loop device {device}" for device in loops(folder)]
    found += [
        f"mount {line.split()[1]}" for line in Path("/proc/self/mounts").read_text().splitlines() if str(folder) in line
    ]
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in process.read_bytes():
                found.append(f"process {process.parent.name}")
        except OSError:
            continue  # it has just ended
    return [*found, *([f"folder {folder}"] if folder.exists() else [])]


def named_for(process: int) -> list[str]:
    """Namespaces, links and control groups of a process's networks."""
    groups = (group.name for group in _groups())
    return [name for name in (*_namespaces(), *_links(), *groups) if _of(process, name)]


def _of(process: int, name: str) -> bool:
    match = NAMED.match(name)
    return match is not None and int(match[1]) == process


def _groups() -> list[Path]:
    throttles = [path for path in (Path("/sys/fs/cgroup/blkio"),) if path.is_dir()]
    return [path for hierarchy in (*HIERARCHIES, *throttles) for path in hierarchy.iterdir() if path.is_dir()]


def _links() -> list[str]:
    return [link["ifname"] for link in json.loads(run("ip", "-j", "link", "show") or "[]") if "ifname" in link]


def _namespaces() -> list[str]:
    return [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.strip()]


def _dead(match: re.Match[str] | None) -> bool:
    return match is not None and not Path(f"/proc/{match[1]}").exists()
