"""Nodes that are sick and not dead: they keep their place in the map, and answer late, in part, or half the time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pool.cluster import Cluster, Member
from tests.pool.machine import remove_group, run
from tests.pool.network import group_name

SLOW_LINK, SLOW_DRIVE_BYTES_PER_S, LOSS_PERCENT = "2mbit", 100_000, 50


@contextmanager
def slow_link(cluster: Cluster, node: Member) -> Iterator[None]:
    cluster.network.slow(node.host, SLOW_LINK)
    try:
        yield
    finally:
        cluster.network.mend(node.host)


@contextmanager
def packet_loss(cluster: Cluster, node: Member) -> Iterator[None]:
    cluster.network.drop(node.host, percent=LOSS_PERCENT)
    try:
        yield
    finally:
        cluster.network.mend(node.host)


@contextmanager
def unheard(cluster: Cluster, node: Member) -> Iterator[None]:
    """What the node sends to this process is lost; the other nodes hear it."""
    cluster.network.drop(node.host, sent_to=f"{cluster.network.subnet}.254")
    try:
        yield
    finally:
        cluster.network.mend(node.host)


@contextmanager
def without_s3(cluster: Cluster, node: Member) -> Iterator[None]:
    cluster.network.drop(node.host, sent_to=cluster.s3.host.address)
    try:
        yield
    finally:
        cluster.network.mend(node.host)


@contextmanager
def slow_drives(cluster: Cluster, node: Member) -> Iterator[None]:
    """The daemon reads its drives at a few bytes a second, and the kernel forgets what it has read."""
    assert node.daemon.process is not None
    group = f"{group_name()}slow"
    for drive in node.drives:
        run("sync", "-f", drive.mount)  # the kernel does not forget what it has yet to write
    with _throttled(group, [os.stat(drive.device).st_rdev for drive in node.drives], node.daemon.process.pid):
        over = threading.Event()
        thread = threading.Thread(target=_forget, args=([drive.mount for drive in node.drives], over), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@contextmanager
def _throttled(group: str, devices: list[int], process: int) -> Iterator[None]:
    """By version 2 of the control groups where it has the controller, else by version 1."""
    root = Path("/sys/fs/cgroup")
    new = root / "cgroup.controllers"
    old = not new.exists() or "io" not in new.read_text().split()
    folder = (root / "blkio" if old else root) / group
    if not old:
        (root / "cgroup.subtree_control").write_text("+io")
    folder.mkdir()
    try:
        for device in devices:
            number = f"{os.major(device)}:{os.minor(device)}"
            if old:
                (folder / "blkio.throttle.read_bps_device").write_text(f"{number} {SLOW_DRIVE_BYTES_PER_S}")
            else:
                (folder / "io.max").write_text(f"{number} rbps={SLOW_DRIVE_BYTES_PER_S}")
        (folder / "cgroup.procs").write_text(str(process))
        yield
    finally:
        for device in devices:  # first: who waits for a slow drive cannot leave
            number = f"{os.major(device)}:{os.minor(device)}"
            if old:
                (folder / "blkio.throttle.read_bps_device").write_text(f"{number} 0")
            else:
                (folder / "io.max").write_text(f"{number} rbps=max")
        if Path(f"/proc/{process}").exists():
            (folder.parent / "cgroup.procs").write_text(str(process))
        for _ in range(50):
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)
        else:
            remove_group(group)


def _forget(folders: list[Path], over: threading.Event) -> None:
    """Drop the page cache of every file below the folders, again and again."""
    while not over.wait(0.1):
        for folder in folders:
            for path in folder.rglob("*"):
                try:
                    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                except OSError:
                    continue
                try:
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(handle)


Sickness = Callable[[Cluster, Member], "object"]
SICK = {"slow link": slow_link, "slow drives": slow_drives, "packet loss": packet_loss, "unheard": unheard}
