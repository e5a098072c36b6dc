"""Drives: sparse files behind loop devices, an XFS on each, and the ways in which a drive fails."""

from __future__ import annotations

import os
from pathlib import Path

from tests.pool.machine import loops, run


class Drive:
    """One drive of a node. `fails` leaves it mounted and broken; `renew` puts a blank one in its place."""

    def __init__(self, mount: Path, gib: float, options: str) -> None:
        self.mount, self.gib, self.options = mount, gib, options
        self.device = ""
        self._count = 0
        self.renew()

    def renew(self) -> None:
        """A blank drive where this one was."""
        self.close()
        self._count += 1
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self.mount.mkdir(parents=True, exist_ok=True)
        with self._file.open("wb") as file:
            os.truncate(file.fileno(), int(self.gib * 2**30))
        self.device = run("losetup", "--find", "--show", self._file).strip()
        run("mkfs.xfs", "-q", "-f", self.device)
        run("mount", "-t", "xfs", "-o", self.options, self.device, self.mount)

    @property
    def _file(self) -> Path:
        return self.mount.with_name(f"{self.mount.name}.{self._count}.img")

    def fails(self) -> None:
        """Every access from now on is an input/output error."""
        run("xfs_io", "-x", "-c", "shutdown", self.mount)

    def read_only(self) -> None:
        run("mount", "-o", "remount,ro", self.mount)

    def writable(self) -> None:
        run("mount", "-o", "remount,rw", self.mount)

    def fill(self, fraction: float) -> Path:
        """Take room until `fraction` of the drive is used, by one file; where that is."""
        stat = os.statvfs(self.mount)
        want = int(stat.f_blocks * stat.f_frsize * fraction) - (stat.f_blocks - stat.f_bfree) * stat.f_frsize
        ballast = self.mount / "ballast"
        with ballast.open("ab") as file:
            if want > 0:
                os.posix_fallocate(file.fileno(), file.tell(), want)
        return ballast

    @property
    def used_fraction(self) -> float:
        stat = os.statvfs(self.mount)
        return 1 - stat.f_bavail / stat.f_blocks

    def close(self) -> None:
        if self._count:
            run("umount", "-l", self.mount, check=False)
            if self.device in loops(self.mount.parent):
                run("losetup", "-d", self.device, check=False)
            self._file.unlink(missing_ok=True)
