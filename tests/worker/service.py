"""What AWS Batch does with an array job, and EC2 with its machines, on this one.

A queue, machines that come and go, and retries by the very rules that are deployed (fleet_pool.worker.exits.RULES).
Every try is a real process with a real job below it.
"""

from __future__ import annotations

import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

from fleet_pool.worker.exits import MOST_TRIES, RETRY, action_of

from tests.pool.operate.answering import Asked, Say

NOTICE = b'{"action": "terminate", "time": "2026-11-24T20:15:00Z"}'


@dataclass
class Machine:
    """One machine with room for one job. lost: killed without a notice. noticed: its metadata say that it goes."""

    name: str
    broken: bool = False
    noticed: bool = False
    lost: bool = False
    process: subprocess.Popen[bytes] | None = None


@dataclass
class Loss:
    """One interruption: which job, which machine, when, and whether there was a notice before it."""

    index: int
    machine: str
    at: float
    notice: bool


@dataclass
class Service:
    """Runs `jobs` jobs on `slots` machines until each has succeeded or is given up. boot_s: until a machine that was
    lost is replaced. ends: (index, attempt, machine, exit code or None, when it was started) of every try."""

    program: list[str]
    environment: Mapping[str, str]
    metadata: str
    folder: Path
    boot_s: float
    broken: frozenset[str] = frozenset()
    machines: dict[str, Machine] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    ends: list[tuple[int, int, str, int | None, float]] = field(default_factory=list)
    succeeded: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)
    given_back: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._made = 0
        self._queue: queue.Queue[tuple[int, int]] = queue.Queue()

    def run(self, jobs: int, slots: int, *, losses: int, seed: int, every_s: float, limit_s: float) -> float:
        """Seconds that it took. losses: so many interruptions, at random times `every_s` apart in the mean."""
        for index in range(jobs):
            self._queue.put((index, 1))
        start = time.monotonic()
        threads = [threading.Thread(target=self._slot, args=(jobs,), daemon=True) for _ in range(slots)]
        for thread in threads:
            thread.start()
        draw = random.Random(seed)
        while len(self.succeeded) + len(self.given_up) < jobs:
            assert time.monotonic() - start < limit_s, f"{len(self.succeeded)} of {jobs} jobs after {limit_s} s"
            time.sleep(draw.expovariate(1 / every_s) if len(self.losses) < losses else 0.2)
            if len(self.losses) < losses:
                self._lose(draw)
        for thread in threads:
            thread.join(timeout=30)
        return time.monotonic() - start

    def answer(self, asked: Asked) -> Say:
        """The metadata of every machine: http://.../NAME/latest/...; and TerminateInstances of EC2."""
        if asked.method == "POST":
            return self._terminate(asked)
        name, _, path = asked.path.lstrip("/").partition("/latest/")
        machine = self.machines.get(name)
        if path == "api/token":
            return Say(body=b"token")
        if machine is not None and path == "meta-data/instance-id":
            return Say(body=name.encode())
        if machine is not None and machine.noticed and path == "meta-data/spot/instance-action":
            return Say(body=NOTICE)
        return Say(status=404)

    def _terminate(self, asked: Asked) -> Say:
        """As EC2: the machine is gone a moment later, with what runs on it."""
        if "/ec2/aws4_request" not in asked.headers.get("authorization", ""):
            return Say(status=401)
        words = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        machine = self.machines[words["InstanceId.1"]]
        assert words["Action"] == "TerminateInstances"
        self.given_back.append(machine.name)
        machine.lost = True
        if machine.process is not None:
            threading.Timer(0.2, self._end, (machine.process,)).start()
        return Say(body=b"<TerminateInstancesResponse/>")

    def _new(self) -> Machine:
        with self._lock:
            name = f"i-{self._made:05d}"
            self._made += 1
            self.machines[name] = Machine(name=name, broken=name in self.broken)
            return self.machines[name]

    def _slot(self, jobs: int) -> None:
        machine = self._new()
        while len(self.succeeded) + len(self.given_up) < jobs:
            try:
                index, attempt = self._queue.get(timeout=0.2)
            except queue.Empty:
                continue
            started = time.time()
            code = self._try(machine, index, attempt)
            self.ends.append((index, attempt, machine.name, code, started))
            status = f"Host EC2 (instance {machine.name}) terminated." if code is None else "Essential container exited"
            if code == 0:
                self.succeeded.add(index)
            elif attempt < MOST_TRIES and action_of(exit_code=code, status_reason=status) == RETRY:
                self._queue.put((index, attempt + 1))
            else:
                self.given_up.add(index)
            if machine.lost or machine.noticed:
                time.sleep(self.boot_s)
                machine = self._new()

    def _try(self, machine: Machine, index: int, attempt: int) -> int | None:
        """Exit code of the container; None if the machine was lost under it."""
        given = {
            **self.environment,
            "AWS_BATCH_JOB_ARRAY_INDEX": str(index),
            "AWS_BATCH_JOB_ATTEMPT": str(attempt),
            "AWS_EC2_METADATA_DISABLED": "false",
            "AWS_ENDPOINT_URL_EC2": self.metadata,
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"{self.metadata}/{machine.name}",
            **({"BROKEN_DEVICE": "1"} if machine.broken else {}),
        }
        with (self.folder / "log").open("ab") as log:
            machine.process = subprocess.Popen(
                [sys.executable, "-I", *self.program, "run"], env=given, stdout=log, stderr=log, start_new_session=True
            )
        code = machine.process.wait()
        machine.process = None
        return None if machine.lost else code

    def _lose(self, draw: random.Random) -> None:
        """A machine with a running job is interrupted: half of them with a notice first."""
        busy = [each for each in self.machines.values() if each.process and not (each.broken or each.noticed)]
        if not busy:
            return
        machine = draw.choice(busy)
        process, notice = machine.process, draw.random() < 0.5
        running = self._job_of(process)
        if process is None or running is None:
            return
        index, child = running
        self.losses.append(Loss(index=index, machine=machine.name, at=time.time(), notice=notice))
        if notice:
            machine.noticed = True
            return
        machine.lost = True
        for number in (process.pid, child):
            with suppress(ProcessLookupError):
                os.killpg(number, signal.SIGKILL)

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    @staticmethod
    def _job_of(process: subprocess.Popen[bytes] | None) -> tuple[int, int] | None:
        """Index and process id of the job below a worker; None if it has not begun."""
        if process is None:
            return None
        with suppress(OSError, IndexError, ValueError, KeyError):
            child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
            words = Path(f"/proc/{child}/environ").read_bytes().decode().split("\0")
            return int(dict(word.split("=", 1) for word in words if "=" in word)["PLANNER_JOB_INDEX"]), child
        return None
