"""The command on one node: started in a session of its own, watched, and ended with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fleet_pool.launch.outcome import shell_code

MARK = "PLANNER_LAUNCH"  # in the environment of everything that a command starts
CANNOT_START = 127  # as a shell reports a command that it does not find
CONSOLE = "console"  # the command's own output; torchrun writes each rank's beside it


class Job:
    """One started command. mark: names node, run and attempt. Raises nothing: a command that cannot start has ended."""

    def __init__(
        self, command: Sequence[str], folder: str, environment: Mapping[str, str], logs: Path, mark: str
    ) -> None:
        self.mark, self.logs = mark, logs
        self.stopped = False
        logs.mkdir(parents=True, exist_ok=True)
        self._process: subprocess.Popen[bytes] | None = None
        with (logs / CONSOLE).open("ab") as console:
            try:
                self._process = subprocess.Popen(
                    list(command),
                    cwd=folder,
                    env={**environment, MARK: mark},
                    stdin=subprocess.DEVNULL,
                    stdout=console,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                console.write(f"planner-launch: cannot start {command[0]} in {folder}: {error}\n".encode())

    @property
    def code(self) -> int | None:
        """As a shell reports it; None while it runs."""
        if self._process is None:
            return CANNOT_START
        returned = self._process.poll()
        return None if returned is None else shell_code(returned)

    def ask_to_end(self) -> None:
        """SIGTERM, so that the job may save."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)

    def stop(self, grace_s: float) -> None:
        """SIGTERM, so that the job may save; SIGKILL after `grace_s`, to all that it started in sessions of their own
        too, as torchrun does with its ranks."""
        self.stopped = self.stopped or self.code is None
        if self._process is not None and self._process.poll() is None:
            self.ask_to_end()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=grace_s)
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        end_marked(self.mark)


def end_marked(mark: str) -> int:
    """Kills every process of this user whose mark begins like that; returns how many there were."""
    wanted = f"{MARK}={mark}".encode()
    found = 0
    for _ in range(20):
        living = [pid for pid in _processes() if _marked(pid, wanted)]
        if not living:
            break
        found = max(found, len(living))
        for pid in living:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    return found


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if int(path.name) != os.getpid()]


def _marked(pid: int, wanted: bytes) -> bool:
    try:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return False
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except (OSError, IndexError):
        return False  # it has just ended, or is another user's
    return any(word.startswith(wanted) for word in words)
