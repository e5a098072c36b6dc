"""Processes of the engine and the loops of its programs: what a test must be able to end, wherever they came from."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LATEST_S = 300  # an engine that has not ended by then never will


class Loops:
    """The loops that a program ran in. The package leaves one open where the program failed, and makes another one for
    what it says afterwards."""

    def __init__(self) -> None:
        self.open: list[asyncio.AbstractEventLoop] = []

    def around(self, program: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            self.open.append(asyncio.get_running_loop())
            asyncio.set_event_loop(self.open[-1])
            program()

        return run

    def close(self) -> None:
        """Once the command has ended: its last words may take a moment."""
        until = time.monotonic() + LATEST_S
        while any(loop.is_running() for loop in self.open) and time.monotonic() < until:
            time.sleep(0.01)
        for loop in self.open:
            loop.close()
        self.open.clear()


def kill_session(process: subprocess.Popen[str]) -> None:
    """The engine gives its providers process groups of their own, but the session is the one that we gave it."""
    for pid in (process.pid, *session(process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def session(leader: int) -> list[int]:
    """Processes of a session that still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # after the name in brackets: state, parent, group, session
            state, _, _, of = entry.read_text().rpartition(")")[2].split()[:4]
            if int(of) == leader and state != "Z":
                found.append(int(entry.parent.name))
    return found
