"""Names of a checkpoint's objects in the bucket: the client writes them, the launcher looks for the newest. Pure."""

from __future__ import annotations

import re

COMMIT = "COMMIT"  # its object is written after every shard of the step
HIGHEST_STEP = 10**12 - 1
_FOLDER = re.compile(r"step-(\d{12})/")


def folder_of(step: int) -> str:
    """Folder of a step below its run's prefix; they sort in the order of steps."""
    return f"step-{step:012d}/"


def step_in(rest: str) -> int | None:
    """The step of a key or folder, without its run's prefix; None for any other."""
    match = _FOLDER.match(rest)
    return int(match[1]) if match else None
