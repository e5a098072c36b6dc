"""The SHA-256 of a file from the very read that sends it: a checkpoint is read once, not once more for its checksum."""

from __future__ import annotations

import hashlib
import io
from pathlib import PosixPath
from typing import Any


class HashingPath(PosixPath):
    """A file that learns its own checksum while a store sends it.

    A store may open it several times, seek back, or stop: each byte counts once, and what no try has read,
    `sha256()` reads.
    """

    def open(self, mode: str = "r", *more: Any, **named: Any) -> Any:
        return _HashingFile(self) if mode == "rb" else super().open(mode, *more, **named)

    def sha256(self) -> str:
        with self.open("rb") as file:
            file.seek(self.state.count)
            while file.read(2**20):
                pass
        return self.state.digest.hexdigest()

    @property
    def state(self) -> _State:
        return vars(self).setdefault("_hashed", _State())


class _State:
    """digest: of the first `count` bytes."""

    def __init__(self) -> None:
        self.digest, self.count = hashlib.sha256(), 0

    def add(self, start: int, data: Any) -> None:
        """Counts bytes that begin at `start`, as far as they continue what is counted."""
        new = memoryview(data)[self.count - start :] if start <= self.count else b""
        self.digest.update(new)
        self.count += len(new)


class _HashingFile(io.FileIO):
    """Unbuffered: the reads are those of the store."""

    def __init__(self, path: HashingPath) -> None:
        super().__init__(str(path), "rb")
        self._state = path.state

    def read(self, size: Any = -1, /) -> bytes:
        start, data = self.tell(), super().read(size)
        self._state.add(start, data)
        return data

    def readall(self) -> bytes:
        return self.read()

    def readinto(self, buffer: Any, /) -> int:
        start, count = self.tell(), super().readinto(buffer) or 0
        self._state.add(start, memoryview(buffer).cast("B")[:count])
        return count
