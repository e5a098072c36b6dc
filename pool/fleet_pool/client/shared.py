"""A small file that the processes of one machine share: which nodes rest, and until when."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from fleet_pool.client.locks import ProcessLock
from fleet_pool.compat import frozen

FOLDER = "PLANNER_POOL_SHARED"  # variable; "" keeps the memory to the process
LOOK_AGAIN_S = 0.5
KEPT_S = 3600.0  # a rest that ended longer ago is dropped


@frozen
class Rest:
    """until_s: seconds since 1970. rest_s: how long it was. why: the last bad answer."""

    until_s: float
    rest_s: float
    why: str


def memory_of(environment: Mapping[str, str]) -> NodeMemory:
    """The memory that a job of this environment uses: of one user, since nobody else's notes are believed."""
    named = environment.get(FOLDER)
    if named is None:
        return NodeMemory(Path("/dev/shm") / f"planner-pool-{os.getuid()}")
    return NodeMemory(Path(named) if named else None)


class NodeMemory:
    """folder: of the file; None for this process alone. A folder that cannot be used is as none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._rests: dict[str, Rest] = {}
        self._seen: tuple[int, int] | None = None
        self._look_at_s = 0.0
        self._lock = ProcessLock()

    def __getstate__(self) -> dict[str, object]:
        return {"_folder": self._folder}

    def __setstate__(self, state: dict[str, Path | None]) -> None:
        self.__init__(state["_folder"])

    def rests(self) -> dict[str, Rest]:
        """By node, also those that are over."""
        if self._folder is not None and time.monotonic() >= self._look_at_s:
            with self._lock:
                self._look_at_s = time.monotonic() + LOOK_AGAIN_S
                self._load(self._folder)
        return self._rests

    def keep(self, target: str, rest: Rest) -> None:
        with self._lock:
            if self._folder is None:
                self._rests = {**self._rests, target: rest}
                return
            with suppress(OSError):
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                with (self._folder / "lock").open("a") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    self._load(self._folder)
                    self._rests = {**self._rests, target: rest}
                    self._write(self._folder)
                return
            self._rests = {**self._rests, target: rest}

    def _load(self, folder: Path) -> None:
        path = folder / "targets.json"
        with suppress(OSError, ValueError, TypeError, AttributeError):
            seen = path.stat()
            if seen.st_uid != os.getuid() or self._seen == (seen.st_mtime_ns, seen.st_ino):
                return
            read = {target: Rest(**found) for target, found in json.loads(path.read_text()).items()}
            self._rests = {target: rest for target, rest in read.items() if rest.until_s > time.time() - KEPT_S}
            self._seen = (seen.st_mtime_ns, seen.st_ino)

    def _write(self, folder: Path) -> None:
        part = folder / f".part-{secrets.token_hex(8)}"
        part.write_text(json.dumps({target: asdict(rest) for target, rest in self._rests.items()}))
        part.replace(folder / "targets.json")
