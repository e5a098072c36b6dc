"""Files below a folder that all nodes mount, in the place of objects; and on FSx for Lustre those of S3 alone."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fleet_pool.operate.bench import FOLDER
from fleet_pool.operate.links import READ_BYTES
from fleet_pool.problems import Refused, Unreachable

# flags of `lfs hsm_state` (Lustre, llapi_hsm_state_get(3)). FSx for Lustre User Guide, "Releasing files": S3 has a file
# that exists and is archived
DIRTY, RELEASED, ARCHIVED = 0x2, 0x4, 0x8
FLAGS = re.compile(r"^(.*): \(0x([0-9a-f]+)\)", re.MULTILINE)
EXPORT_S = 600.0  # until S3 has the files that were written: the export follows within minutes
LOOK_S = 2.0
AT_ONCE = 500  # files of one command
OWN = FOLDER.rstrip("/")


class FolderLinks:
    """The file system answers for itself: no file has a host. The bucket of every call is the folder."""

    def get(self, bucket: str, key: str) -> tuple[int, str]:
        """(bytes, ""). Raises Refused, Unreachable."""
        length = 0
        try:
            with open(os.path.join(bucket, key), "rb", buffering=0) as file:
                while part := file.read(READ_BYTES):
                    length += len(part)
        except FileNotFoundError:
            raise Refused(f"there is no {key} below {bucket}", 404) from None
        except OSError as error:
            raise Unreachable(f"{bucket}/{key}: {error.strerror}") from error
        return length, ""

    def put(self, bucket: str, key: str, body: bytes) -> str:
        """A file that is there as a whole, on the servers' drives. Raises Unreachable."""
        path = os.path.join(bucket, key)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(f"{path}.new", "wb", buffering=0) as file:
                view = memoryview(body)
                while view:
                    view = view[file.write(view) :]
                os.fsync(file.fileno())
            os.replace(f"{path}.new", path)
        except OSError as error:
            raise Unreachable(f"{path}: {error.strerror}") from error
        return ""

    def delete(self, bucket: str, key: str) -> None:
        with suppress(OSError):
            path = Path(bucket, key)
            path.unlink(missing_ok=True)
            for folder in path.parents:  # those of the measurement that are empty by now
                if OWN not in folder.parts:
                    break
                folder.rmdir()


def released(folder: str, keys: Sequence[str], limit_s: float = EXPORT_S) -> str:
    """Leaves S3's copy of these files alone once it has them, so that the next read comes from there. Why that cannot
    be; "" where it was done."""
    files = [os.path.join(folder, key) for key in keys]
    try:
        waiting = exported(files, limit_s)
        if waiting:
            return f"S3 does not have {len(waiting)} of {len(files)} files after {limit_s:.0f} s"
        for some in _batches(files):
            _lfs("hsm_release", *some)
        kept = sum(not each & RELEASED for each in _flags(files).values())
    except (OSError, subprocess.SubprocessError) as error:
        return f"lfs: {why(error)}"
    return f"the file system keeps {kept} of {len(files)} files" if kept else ""


def exported(files: Sequence[str], limit_s: float) -> list[str]:
    """Those that S3 does not have within the limit. Raises OSError, SubprocessError."""
    waiting, until = list(files), time.monotonic() + limit_s
    while waiting:
        flags = _flags(waiting)
        waiting = [one for one in waiting if flags.get(one, 0) & (ARCHIVED | DIRTY) != ARCHIVED]
        if time.monotonic() > until:
            break
        time.sleep(LOOK_S if waiting else 0)
    return waiting


def why(error: Exception) -> str:
    """The last line of what a program said."""
    said = str(getattr(error, "stderr", "") or error).strip().splitlines()
    return said[-1] if said else type(error).__name__


def _flags(files: Sequence[str]) -> dict[str, int]:
    found = [FLAGS.findall(_lfs("hsm_state", *some)) for some in _batches(files)]
    return {path: int(flags, 16) for each in found for path, flags in each}


def _batches(files: Sequence[str]) -> list[Sequence[str]]:
    return [files[first : first + AT_ONCE] for first in range(0, len(files), AT_ONCE)]


def _lfs(*words: str) -> str:
    return subprocess.run(("lfs", *words), capture_output=True, text=True, timeout=60, check=True).stdout
