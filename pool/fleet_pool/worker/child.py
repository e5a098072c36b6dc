"""The job's command: in a session of its own, with the worker's output, ended with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from fleet_pool.launch.job import CANNOT_START, MARK, end_marked
from fleet_pool.launch.outcome import shell_code


class Child:
    """One started command. A command that cannot start has ended, as a shell reports it. stopped: it was told to end
    while it ran, so that its exit code says nothing about the job."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], mark: str) -> None:
        self.stopped, self._mark = False, mark
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(
                list(command), env={**environment, MARK: mark}, stdin=subprocess.DEVNULL, start_new_session=True
            )
        except (OSError, ValueError) as error:
            print(f"planner-worker: cannot start {command[0]}: {error}", flush=True)

    @property
    def code(self) -> int | None:
        """As a shell reports it; None while it runs."""
        if self._process is None:
            return CANNOT_START
        returned = self._process.poll()
        return None if returned is None else shell_code(returned)

    def wait(self, limit_s: float) -> None:
        """Until it ends, for so long at most."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=limit_s)

    def stop(self, grace_s: float) -> None:
        """SIGTERM, so that the job may save; SIGKILL after `grace_s`, also to what it left behind."""
        if self._process is not None and self.code is None:
            self.stopped = True
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
            self.wait(grace_s)
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        end_marked(self._mark)
