"""A short run of a trainer, started here, with its output kept as a log."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from planner.errors import UsageProblem


def ran(command: str, gpus: int, folder: Path) -> Path:
    """Runs the command, such as planner-launch or torchrun with its arguments, without a shell, to its end. Returns the
    log of all that it prints, below folder: profile-8.log of 8 GPUs, then profile-8-2.log.

    Raises UsageProblem where it cannot be started or fails.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageProblem(f"--run {gpus}={command}: {error}") from None
    path = _free(folder, gpus)
    with path.open("xb") as kept:
        try:
            done = subprocess.run(words, stdout=kept, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
        except (OSError, ValueError, IndexError) as error:
            path.unlink()
            raise UsageProblem(f"--run {gpus}={command}: cannot be started: {error}") from None
    if done.returncode:
        raise UsageProblem(f"--run {gpus}={command}: ended with {done.returncode}; what it printed is in {path}")
    return path


def _free(folder: Path, gpus: int) -> Path:
    number = 1
    while True:
        path = folder / f"profile-{gpus}{f'-{number}' if number > 1 else ''}.log"
        if not path.exists():
            return path
        number += 1
