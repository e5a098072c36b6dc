"""A machine for health checks: programs on the path that say what a recording says, and a root folder of files."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from fleet_pool import settings
from fleet_pool.health.look import Looker
from fleet_pool.node.facts import Expected
from fleet_pool.node.machine import Machine

from tests.pool.health import recordings as say

P5 = Expected(nvidia=8, efa=4, drives=2)
HANGS = "#!/bin/sh\n# a child holds the pipe, as a driver that hangs would\nsleep 600 &\nsleep 600\n"


class FakeNode:
    """folder/bin has the programs, folder/root the files, folder/calls what was called with which words."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin, self.root, self.state = folder, folder / "bin", folder / "root", folder / "state"
        self.kmsg = folder / "kmsg"
        self.bin.mkdir()
        self.kmsg.write_text("")
        self.program("nvidia-smi", {"-q": say.WELL_SMI, "nvlink": say.WELL_LINKS})
        self.program("chronyc", {"": say.WELL_CLOCK})
        drives = "".join(f"/dev/nvme{number}n1 {settings.DRIVE_MODEL}\n" for number in (1, 2))
        self.program("lsblk", {"": drives})
        self.program("nvme", {"": json.dumps(say.SMART)})
        self.program("dcgmi", {"": say.dcgm()})
        self.file("proc/mdstat", say.WELL_MDSTAT)
        self.file("proc/meminfo", say.WELL_MEMINFO)
        self.file("proc/mounts", say.WELL_MOUNTS)
        for number in range(4):
            port = f"sys/class/infiniband/rdmap{number}s0/ports/1"
            self.file(f"{port}/state", "4: ACTIVE\n")
            for name, value in say.EFA_WELL.items():
                self.file(f"{port}/hw_counters/{name}", f"{value}\n")
            self.driver(f"rdmap{number}s0", "efa")
        self.file("sys/class/infiniband/ibp3s0/ports/1/state", "1: DOWN\n")
        self.driver("ibp3s0", "mlx5_core")  # a bridge of NVLink, as p6 has them

    def driver(self, device: str, name: str) -> None:
        """As Linux has it: a link into the bus's drivers."""
        folder = self.root / "sys/class/infiniband" / device / "device"
        folder.mkdir(parents=True)
        (folder / "driver").symlink_to(f"/sys/bus/pci/drivers/{name}")

    def program(self, name: str, by_word: dict[str, str], code: int = 0) -> None:
        """Says the text of its first word, or that of "", and notes how it was called."""
        cases = ""
        for number, (word, text) in enumerate(by_word.items()):
            said = self.folder / f"{name}.{number}"
            said.write_text(text)
            cases += f"  {shlex.quote(word) if word else '*'}) cat {said} ;;\n"
        body = f'#!/bin/sh\necho "{name} $*" >> {self.folder}/calls\ncase "$1" in\n{cases}esac\nexit {code}\n'
        self.script(name, body)

    def script(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def file(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def calls(self, name: str = "") -> list[str]:
        path = self.folder / "calls"
        return [line for line in (path.read_text().splitlines() if path.exists() else []) if line.startswith(name)]

    def looker(self, level: int = 0, expected: Expected = P5, *, limit_s: float = 20, up_s: float = 1000.0) -> Looker:
        """up_s: since the boot."""
        files = {"root": self.root, "state": self.state, "kmsg": self.kmsg}
        return Looker(expected, Machine(limit_s), level=level, up_s=lambda: up_s, **files)
