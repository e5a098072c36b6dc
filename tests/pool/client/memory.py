"""S3 as a reader sees it, in memory: an object appears whole or not at all. It can be killed around any change."""

from __future__ import annotations

from pathlib import Path

from fleet_pool.client.errors import AlreadyThere, NotThere
from fleet_pool.client.store import Entry, Level, checked, http_range, level_of


class Killed(BaseException):
    """The job's process is gone. No `except Exception` sees it, as none would see SIGKILL."""


class Memory:
    """objects: what S3 holds. cached: copies of the pool that differ from it, which only a fresh read passes by."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.cached: dict[str, bytes] = {}
        self.left: int | None = None
        self.applied = False

    place = "memory"

    def arm(self, changes: int | None, applied: bool) -> None:
        """Be killed at the change after so many; `applied`: S3 has it, and the job never learns of it."""
        self.left, self.applied = changes, applied

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        http_range(start, length)
        if not fresh and key in self.cached:
            return self.cached[key]
        if key not in self.objects:
            raise NotThere(key)
        return self.objects[key][start : None if length is None else start + length]

    def write(self, key: str, data: bytes | Path) -> None:
        self._change(key, data if isinstance(data, bytes) else data.read_bytes())

    def write_unique(self, key: str, data: bytes | Path) -> None:
        self.write(key, data)

    def write_once(self, key: str, data: bytes) -> None:
        if self.objects.get(key, data) != data:
            raise AlreadyThere(key)
        self._change(key, data)

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        found = [Entry(key=key, size_bytes=len(data)) for key, data in self.objects.items() if key.startswith(prefix)]
        return tuple(sorted(found, key=lambda entry: entry.key))

    def level(self, folder: str) -> Level:
        return level_of(folder, self.entries(folder))

    def size(self, key: str, *, fresh: bool = False) -> int:
        return len(self.read(key, fresh=fresh))

    def remove(self, key: str) -> None:
        self._change(key, None)

    def _change(self, key: str, data: bytes | None) -> None:
        if self.left == 0 and not self.applied:
            raise Killed
        if data is None:
            self.objects.pop(key, None)
        else:
            self.objects[checked(key)] = data
        if self.left == 0:
            raise Killed
        if self.left is not None:
            self.left -= 1
