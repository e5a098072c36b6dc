"""One try of one job: from its last COMMIT to its end, or to the end of the machine."""

from __future__ import annotations

import math
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.errors import Damaged
from fleet_pool.operate.notice import current
from fleet_pool.problems import PoolProblem, UsageProblem
from fleet_pool.settings import NOTICE_POLL_S
from fleet_pool.worker import exits
from fleet_pool.worker.child import Child
from fleet_pool.worker.exits import Verdict, verdict
from fleet_pool.worker.give_back import terminate
from fleet_pool.worker.here import ATTEMPT, JOB, Here
from fleet_pool.worker.joblist import Job, JobList
from fleet_pool.worker.records import JobRecords, MachineRecords
from fleet_pool.worker.saves import Resumed, Saver, resume


class Worker:
    """One job on this machine. environment: of the command, below what the worker sets."""

    def __init__(self, here: Here, jobs: JobList, index: int, environment: Mapping[str, str]) -> None:
        if index >= len(jobs.jobs):
            raise UsageProblem(f"list {jobs.name} has jobs 0 to {len(jobs.jobs) - 1}, not {index}")
        self._here, self._list, self._environment = here, jobs, environment
        self._job: Job = jobs.jobs[index]
        self._records = JobRecords(here.bucket, jobs, index)
        self._prefix = f"{here.checkpoints}{jobs.name}/{index:06d}"
        self._beats = JobRecords(here.quick, jobs, index)
        self._machines = MachineRecords(here.bucket, jobs, here.machine)
        self._told = threading.Event()  # SIGTERM: the service ends the container, or the machine shuts down
        self._notice = ""

    def run(self) -> Verdict:
        """Raises PoolProblem, StoreProblem."""
        signal.signal(signal.SIGTERM, lambda number, frame: self._told.set())
        ended = self._records.ended
        if ended:
            why = "it is done already" if ended == exits.DONE else "it is a dead letter: delete that to try again"
            return Verdict(kind=ended, counts=False, why=why)
        self._machines.sign()
        spoiled = self._machines.refuses()
        if spoiled is not None:
            self._give_back()
            self._told.wait(self._here.hold_s)
            names = ", ".join(map(str, sorted(spoiled)))
            return Verdict(
                kind=exits.REFUSED, counts=False, why=f"machine {self._here.machine} is out: it failed jobs {names}"
            )
        began = time.time()
        about = {"machine": self._here.machine, "at": began, "batch_job": self._environment.get(JOB, "")}
        number = self._records.begin({**about, "batch_attempt": self._environment.get(ATTEMPT, "")})
        failures = self._records.failures()
        try:
            found, last = self._in_folder(number, failures)
        except OSError as error:  # of this machine: what comes from S3 is no OSError
            trouble = f"machine {self._here.machine} cannot hold the job's files: {error}"
            most = self._list.failures
            found = verdict(code=0, stopped=False, trouble=trouble, failures=failures, most_failures=most)
            last = {}
        self._records.end(
            number,
            found.kind,
            {
                "kind": found.kind,
                "why": found.why,
                "counts": found.counts,
                "machine": self._here.machine,
                "began": began,
                "at": time.time(),
                **last,
            },
        )
        if found.counts:
            self._machines.failed(self._job.index)
            if self._machines.refuses() is not None:
                self._give_back()
        return found

    def _in_folder(self, number: int, failures: int) -> tuple[Verdict, Mapping[str, Any]]:
        """A try in a folder of its own. Raises OSError if the machine has no room for its files."""
        folder = Path(tempfile.mkdtemp(prefix=f"job-{self._job.index:06d}-", dir=self._here.folder))
        try:
            return self._try(number, folder, failures)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _try(self, number: int, folder: Path, failures: int) -> tuple[Verdict, Mapping[str, Any]]:
        """The verdict, and what the end record says of it. failures: earlier tries that count."""
        checkpoints = Checkpoints(self._here.store, self._prefix)
        saves, progress = folder / "saves", folder / "progress"
        saves.mkdir()
        try:
            resumed = resume(checkpoints, folder)
        except Damaged as problem:
            return Verdict(kind=exits.DEAD, counts=False, why=str(problem)), {}
        self._say(f"try {number} of job {self._job.name} on {self._here.machine}, from step {resumed.step}")
        command = Child(
            [*self._list.command, *self._job.args],
            self._of_command(number, resumed, saves, progress),
            f"worker/{self._here.machine}/{self._list.name}/{self._job.index}/{number}/",
        )
        saver = Saver(checkpoints, saves, after=resumed.step, keep=self._list.keep, say=self._say)
        watch = _Watch(self, command, saver, progress, number)
        try:
            superseded, stalled_s = watch.until_it_ends()
        finally:
            command.stop(self._here.grace_s)
        superseded = superseded or not watch.until_it_is_saved()
        trouble = saver.unsaved
        if stalled_s and not _step(progress) and saver.committed == resumed.step:
            trouble = "it wrote no step into PLANNER_PROGRESS and saved nothing; `stall_min: 0` turns this limit off"
        found = verdict(
            code=command.code or 0,
            stopped=command.stopped,
            notice=self._notice,
            superseded=superseded,
            stalled_s=stalled_s,
            trouble=trouble,
            failures=failures,
            most_failures=self._list.failures,
        )
        last = {"step": _step(progress), "resumed": resumed.step, "committed": saver.committed, "code": command.code}
        return found, last

    def _give_back(self) -> None:
        """Another machine in place of this one."""
        metadata = self._here.watched
        why = "there are no instance metadata"
        if metadata is not None:
            why = terminate(self._here.machine, self._environment, metadata)
        self._say(f"machine {self._here.machine} is out: " + (f"it stays, since {why}" if why else "given back to EC2"))

    def goes(self) -> str:
        """Why the machine is about to go, "" if it is not."""
        if not self._notice and self._told.is_set():
            self._notice = "the container was told to end"
        if not self._notice and self._here.watched is not None:
            try:
                notice = current(self._here.watched)
            except PoolProblem:
                notice = None  # metadata that do not answer say nothing; SIGTERM comes all the same
            if notice is not None:
                self._notice = f"{notice.kind} notice: {notice.action}"
        return self._notice

    def beat(self, number: int, saver: Saver, progress: Path) -> bool:
        """Writes the heartbeat; whether this is still the newest try. An S3 that does not answer changes nothing."""
        values = {"try": number, "machine": self._here.machine, "at": time.time(), "step": _step(progress)}
        try:
            self._beats.beat(number, {**values, "committed": saver.committed, "committed_at": saver.committed_at})
            return self._beats.newest() <= number
        except PoolProblem as problem:
            self._say(f"no heartbeat: {problem}")
            return True

    @property
    def here(self) -> Here:
        return self._here

    @property
    def stall_s(self) -> float:
        return self._list.stall_min * 60

    def _of_command(self, number: int, resumed: Resumed, saves: Path, progress: Path) -> dict[str, str]:
        return {
            **self._environment,
            **self._job.environment,
            "PLANNER_JOB": self._job.name,
            "PLANNER_JOB_INDEX": str(self._job.index),
            "PLANNER_TRY": str(number),
            "PLANNER_STEP": str(resumed.step),
            "PLANNER_RESUME": str(resumed.path or ""),
            "PLANNER_EVERY_STEPS": str(self._list.every_steps),
            "PLANNER_SAVES": str(saves),
            "PLANNER_PROGRESS": str(progress),
            "PLANNER_STORE": f"s3://{self._here.bucket.name}",
            "PLANNER_CHECKPOINTS": self._prefix,
        }

    def _say(self, text: str) -> None:
        print(f"planner-worker: {text}", flush=True)


class _Watch:
    """Looks after a running command."""

    def __init__(self, worker: Worker, command: Child, saver: Saver, progress: Path, number: int) -> None:
        self._worker, self._command, self._saver, self._progress = worker, command, saver, progress
        self._number = number

    def until_it_ends(self) -> tuple[bool, float]:
        """Until the command ends or has to: whether a newer try runs, and seconds without progress if it stalled."""
        here = self._worker.here
        next_beat = next_look = 0.0
        seen, changed = (-1, 0), time.monotonic()
        while self._command.code is None:
            now = time.monotonic()
            if now >= next_look:
                next_look = now + min(NOTICE_POLL_S, here.pace_s)
                if self._worker.goes():
                    return False, 0.0
            if now >= next_beat:
                next_beat = now + here.beat_s
                if not self._worker.beat(self._number, self._saver, self._progress):
                    return True, 0.0
            state = (_step(self._progress), self._saver.committed)
            if state != seen:
                seen, changed = state, now
            elif self._worker.stall_s and now - changed > self._worker.stall_s:
                return False, now - changed
            self._command.wait(here.pace_s)
        return False, 0.0

    def until_it_is_saved(self) -> bool:
        """Until the last save is in the bucket or cannot be, and not for long once the machine goes: whether this is
        still the newest try. A save may be all that a job leaves, so that its end waits for it."""
        here, next_beat, ends = self._worker.here, 0.0, math.inf
        while not self._saver.finish(here.pace_s):
            now = time.monotonic()
            if self._worker.goes():
                ends = min(ends, now + here.drain_s)
            if now > ends:
                break
            if now >= next_beat:
                next_beat = now + here.beat_s
                if not self._worker.beat(self._number, self._saver, self._progress):
                    return False
        return True


def _step(progress: Path) -> int:
    """What the job says of its progress; 0 if it says nothing."""
    try:
        return int(progress.read_text(encoding="utf-8") or 0)
    except (OSError, ValueError):
        return 0
