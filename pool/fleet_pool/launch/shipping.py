"""Output goes to the bucket in numbered pieces: S3 cannot append, and what is there survives the node."""

from __future__ import annotations

import time
from pathlib import Path

from fleet_pool.launch.bucket import Bucket

PIECE_BYTES = 8 * 2**20
EVERY_S = 15.0  # how often new output is shipped


class Shipper:
    """The files below a folder, as PREFIX + file + ".00000", ".00001", ... in order."""

    def __init__(self, bucket: Bucket, prefix: str, folder: Path) -> None:
        self._bucket, self._prefix, self._folder = bucket, prefix, folder
        self._shipped: dict[Path, tuple[int, int]] = {}  # bytes and pieces of each file
        self._seen = 0
        self._changed = time.monotonic()
        self._next = 0.0

    def quiet_s(self) -> float:
        """Seconds since any of the files grew."""
        size = sum(_size(path) for path in self._files())
        if size != self._seen:
            self._seen, self._changed = size, time.monotonic()
        return time.monotonic() - self._changed

    def ship(self, *, all_of_it: bool = False) -> None:
        """New bytes, if it is time again; all_of_it: at once and to the end. Raises what Bucket raises."""
        if not all_of_it and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY_S
        for path in self._files():
            while self._piece(path) and all_of_it:
                pass

    def _piece(self, path: Path) -> bool:
        done, pieces = self._shipped.get(path, (0, 0))
        try:
            with path.open("rb") as file:
                file.seek(done)
                data = file.read(PIECE_BYTES)
        except OSError:
            return False  # another user's, or gone: the console has it too
        if not data:
            return False
        self._bucket.write(f"{self._prefix}{path.relative_to(self._folder).as_posix()}.{pieces:05d}", data)
        self._shipped[path] = (done + len(data), pieces + 1)
        return True

    def _files(self) -> list[Path]:
        return sorted(path for path in self._folder.rglob("*") if path.is_file())


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
