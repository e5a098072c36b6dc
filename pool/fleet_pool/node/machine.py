"""Programs and folders of this node, as checks look at them: every program ends, with an answer or without."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

COMMAND_S = 45.0  # nvidia-smi takes half a minute to wake eight GPUs


class NotReady(Exception):
    """What is wrong, for a person."""


class Broken(NotReady):
    """Some devices are there and others are not: the instance is broken, and another one may be whole."""


class Machine:
    """What checks look at; tests have their own. limit_s: of each command."""

    def __init__(self, limit_s: float = COMMAND_S) -> None:
        self._limit_s = limit_s

    def run(self, *words: str) -> str:
        """Output of a command. Raises NotReady."""
        code, said = self.answer(*words)
        if code:
            last = (said.strip().splitlines() or ["no output"])[-1]
            raise NotReady(f"`{' '.join(words)}` failed: {last}")
        return said

    def answer(self, *words: str, limit_s: float | None = None) -> tuple[int, str]:
        """Exit code and output of a command. Raises NotReady where there is none. A command that hangs is killed with
        its children, and left behind if that does not help: waiting for it would hang too."""
        limit_s = self._limit_s if limit_s is None else limit_s
        try:
            process = subprocess.Popen(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except FileNotFoundError:
            raise NotReady(f"this image has no {words[0]}") from None
        except OSError as error:
            raise NotReady(f"`{words[0]}` cannot be started: {error}") from None
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=1)
            raise NotReady(f"`{' '.join(words)}` did not answer within {limit_s:g} s") from None
        return process.returncode, said

    def entries(self, folder: str) -> list[str]:
        """Names in a folder; none if it does not exist."""
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def link(self, path: str) -> str:
        """The last name of where a symbolic link leads; "" if it is none."""
        return os.path.basename(os.readlink(path)) if os.path.islink(path) else ""


def counted(found: int, expected: int, what: str) -> str:
    """Raises NotReady if there are fewer than expected."""
    if found < expected:
        # none at all is an image without the driver: on another instance it would be the same
        raise (Broken if found else NotReady)(f"{found} of {expected} {what}")
    return f"{found} of {expected} {what}"
