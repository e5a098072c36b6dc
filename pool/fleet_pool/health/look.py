"""Does the checks of a node, all at the same time, each with a time limit, and keeps what was said as evidence."""

from __future__ import annotations

import errno
import os
import re
import select
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from fleet_pool import settings
from fleet_pool.compat import frozen
from fleet_pool.health import judge, readings
from fleet_pool.health.judge import Finding, found, unknown
from fleet_pool.health.kernel_log import Stream
from fleet_pool.health.limits import SETTLED_S, SETTLING, Action
from fleet_pool.health.readings import Unreadable
from fleet_pool.health.records import FOLDER, boot_id, read, write
from fleet_pool.node import ready
from fleet_pool.node.devices import efa_devices
from fleet_pool.node.facts import Expected
from fleet_pool.node.machine import Broken, Machine, NotReady

FAST_S, DCGM_S = 20.0, {2: 240.0, 3: 1800.0, 4: 7200.0}  # Slurm kills a HealthCheckProgram after 60 s
KMSG = Path("/dev/kmsg")
RECORD_BYTES = 8192  # no record of the kernel is longer
KEPT_BYTES = 256 * 1024  # of each piece of evidence
WRITABLE = ("/", "/scratch")
CLEARED, COUNTERS = "cleared.json", "counters.json"


@frozen
class Seen:
    """evidence: what each program or file said. busy: whether a process computes on a GPU; taken for True while that is
    not known."""

    findings: tuple[Finding, ...]
    evidence: dict[str, str]
    busy: bool


class Looker:
    """root: of the file system, for tests. level: of DCGM, 0 for none. state: folder of what is remembered. up_s:
    since the boot."""

    def __init__(
        self,
        expected: Expected,
        machine: Machine,
        *,
        level: int = 0,
        root: Path = Path("/"),
        state: Path = FOLDER,
        kmsg: Path = KMSG,
        up_s: Callable[[], float] = ready.since_boot_s,
    ) -> None:
        self._expected, self._machine, self._level = expected, machine, level
        self._root, self._state, self._kmsg, self._up_s = root, state, kmsg, up_s
        self._evidence: dict[str, str] = {}
        self._busy = bool(expected.nvidia)

    def look(self) -> Seen:
        """Checks that cannot be done are findings to report."""
        expected = self._expected
        checks: list[tuple[str, Callable[[], list[Finding]]]] = [
            ("drive-count", self._drives),
            ("raid", lambda: [found("raid", text) for text in readings.degraded_arrays(self._file("proc/mdstat"))]),
            ("mount", self._mounts),
            ("memory", self._memory),
            ("clock", self._clock),
            ("efa-count", self._efa),
        ]
        if expected.nvidia:
            checks += [("xid", self._kernel), ("nvlink", self._nvlinks), ("gpu-count", self._gpus)]
        if self._level:
            checks.append(("drive-health", self._smart))
        with ThreadPoolExecutor(max_workers=len(checks)) as workers:
            all_found = list(workers.map(lambda check: self._checked(*check), checks))
        if self._level and expected.nvidia:
            all_found.append(self._checked("dcgm", self._dcgm))  # alone: it measures
        return Seen(
            findings=tuple(one for some in all_found for one in some), evidence=dict(self._evidence), busy=self._busy
        )

    def _checked(self, check: str, do: Callable[[], list[Finding]]) -> list[Finding]:
        try:
            wrong = do()
        except (NotReady, Unreadable, OSError, ValueError) as why:
            return [unknown(check, why)]
        if self._up_s() < SETTLED_S:
            return [replace(each, action=Action.REPORT) if each.check in SETTLING else each for each in wrong]
        return wrong

    def _said(self, *words: str, limit_s: float | None = None) -> tuple[int, str]:
        code, said = self._machine.answer(*words, limit_s=limit_s)
        self._evidence[" ".join(words)] = said[-KEPT_BYTES:]
        return code, said

    def _file(self, path: str) -> str:
        """Empty if it does not exist."""
        try:
            text = (self._root / path).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""
        self._evidence[f"/{path}"] = text[-KEPT_BYTES:]
        return text

    def _gpus(self) -> list[Finding]:
        _, said = self._said("nvidia-smi", "-q", "-x")
        gpus = readings.gpus(said)
        self._busy = any(gpu.busy for gpu in gpus)
        return judge.of_gpus(gpus, self._expected.nvidia)

    def _nvlinks(self) -> list[Finding]:
        code, said = self._said("nvidia-smi", "nvlink", "--status")
        if code:
            raise Unreadable(f"`nvidia-smi nvlink --status` failed: {said.strip()[-200:]}")
        return judge.of_nvlinks(readings.nvlinks(said))

    def _kernel(self) -> list[Finding]:
        lines = list(records(self._kmsg, follow=False))
        self._evidence["kernel log"] = "".join(f"{line}\n" for line in lines if "NVRM" in line or "SXid" in line)[
            -KEPT_BYTES:
        ]
        return judge.of_kernel(Stream(cleared(self._state)).new(lines))

    def _efa(self) -> list[Finding]:
        folder = self._root / "sys/class/infiniband"
        devices = efa_devices(self._machine, str(folder)) if self._expected.efa else []
        base = "sys/class/infiniband"
        states = {name: self._file(f"{base}/{name}/ports/1/state").strip() for name in devices}
        values = {
            f"{name}/{path.name}": int(text)
            for name in devices
            for path in (folder / name / "ports/1/hw_counters").glob("*")
            if (text := path.read_text(encoding="ascii", errors="replace").strip()).isdigit()
        }
        now = readings.Counters(at_s=self._up_s(), boot=boot_id(), values=values)
        self._evidence["EFA counters"] = "".join(f"{name} {value}\n" for name, value in sorted(values.items()))
        kept = read(self._state / COUNTERS)
        before = readings.Counters(**kept) if set(kept) == set(vars(now)) else None
        if values:
            write(self._state / COUNTERS, vars(now))
        return judge.of_efa(states, self._expected.efa, readings.rates(before, now))

    def _drives(self) -> list[Finding]:
        try:
            ready.drives(self._machine, self._expected.drives)
        except Broken as problem:
            return [found("drive-count", str(problem))]
        return []

    def _mounts(self) -> list[Finding]:
        folders = (*WRITABLE, *([self._expected.mount] if self._expected.mount else []))
        return [found("mount", f"{f} is read-only") for f in readings.read_only(self._file("proc/mounts"), folders)]

    def _memory(self) -> list[Finding]:
        lost = readings.corrupted_kb(self._file("proc/meminfo"))
        return [found("memory", f"{lost} kB of memory had an uncorrectable error")] if lost else []

    def _clock(self) -> list[Finding]:
        code, said = self._said("chronyc", "-n", "tracking")
        if code:
            raise Unreadable(said.strip()[-200:])
        return judge.of_clock(readings.clock_off_s(said))

    def _smart(self) -> list[Finding]:
        listed = self._machine.run(
            "lsblk", "--nodeps", "--noheadings", "--paths", "--output", "NAME,MODEL"
        ).splitlines()
        nvme = ("nvme", "smart-log", "--output-format=json")
        asks = nvme if shutil.which("nvme") else ("smartctl", "--json", "--all")
        wrong = []
        for device in (line.split()[0] for line in listed if line.strip().endswith(settings.DRIVE_MODEL)):
            _, said = self._said(*asks, device)
            wrong += judge.of_drive(device, readings.smart(said))
        return wrong

    def _dcgm(self) -> list[Finding]:
        if self._busy:
            return [unknown("dcgm", "a process computes on the GPUs, or nobody knows: it would be tested with them")]
        _, said = self._said("dcgmi", "diag", "--run", str(self._level), "--json", limit_s=DCGM_S[self._level])
        return judge.of_dcgm(readings.dcgm(said))


def cleared(state: Path) -> int:
    """The last record of this boot's kernel log that a person has dealt with; -1 if none."""
    kept = read(state / CLEARED)
    return int(kept.get("sequence", -1)) if kept.get("boot") == boot_id() else -1


def last_record(kmsg: Path = KMSG) -> int:
    return max(
        (int(line.split(",")[1]) for line in records(kmsg, follow=False) if re.match(r"\d+,\d+,", line)), default=-1
    )


def records(kmsg: Path, *, follow: bool, every_s: float = 1.0) -> Iterator[str]:
    """Records of the kernel log since the boot, as far as the kernel still has them; then, if it follows, new ones as
    they come, and an empty line every so often. Raises OSError."""
    reader = os.open(kmsg, os.O_RDONLY | os.O_NONBLOCK)
    rest = b""
    try:
        while True:
            try:
                data = os.read(reader, RECORD_BYTES)
            except BlockingIOError:
                data = b""
            except OSError as problem:
                if problem.errno != errno.EPIPE:  # records were overwritten before they were read: go on behind them
                    raise
                continue
            if data:
                # a device gives one record at a time, a file or a pipe whatever it has
                *whole, rest = (rest + data).split(b"\n")
                yield from (line.decode("utf-8", "replace") for line in whole if not line.startswith(b" "))
            elif not follow:
                return
            else:
                yield ""
                select.select([reader], [], [], every_s)
    finally:
        os.close(reader)
