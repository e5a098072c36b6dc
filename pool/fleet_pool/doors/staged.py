"""A local file for bytes on their way to a store; a killed process leaves nothing of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO

_DESCRIPTORS = Path("/proc/self/fd")


def staged_file(folder: str | Path | None) -> tuple[IO[bytes], Path]:
    """An empty file that is gone when it is closed, and the path that others in this process open it by.

    folder: None for the system's temporary folder. On Linux the file has no name, so that nobody has to clean up after
    SIGKILL. Raises OSError.
    """
    if not _DESCRIPTORS.is_dir():
        named = tempfile.NamedTemporaryFile(dir=folder, prefix="fleet-pool-")  # noqa: SIM115  the caller closes it
        return named, Path(named.name)  # type: ignore[return-value]
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  the caller closes it
    return file, _DESCRIPTORS / str(file.fileno())
