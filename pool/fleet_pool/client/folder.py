"""A folder of files instead of S3, to try a job on one machine. The file system must support hard links.

An object appears complete or not at all (written to a temporary file, then renamed), and survives a power failure if
the file system's fsync does.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from fleet_pool.client.errors import AlreadyThere, NotThere, OutOfRange, Refused
from fleet_pool.client.store import Entry, Level, checked, checked_folder, http_range, stream_of, whole_file

_PART = ".part-"  # prefix of files being written


class Folder:
    """Objects as files below a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def place(self) -> str:
        return str(self._root)

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        http_range(start, length)
        try:
            with self._path(key).open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if start and start >= size:
                    raise OutOfRange(f"{key} of {self.place} has only {size} bytes; the range starts at {start}")
                file.seek(start)
                return file.read(-1 if length is None else length)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise NotThere(f"{self.place} has no {key}") from None

    def write(self, key: str, data: bytes | Path) -> None:
        self._put(key, data, once=False)

    def write_unique(self, key: str, data: bytes | Path) -> None:
        self._put(key, data, once=False)

    def write_once(self, key: str, data: bytes) -> None:
        try:
            self._put(key, data, once=True)
        except FileExistsError:
            if self.read(key) != data:
                raise AlreadyThere(f"{key} of {self.place} exists already, with other bytes") from None

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        found = []
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                key = path.relative_to(self._root).as_posix()
                if key.startswith(prefix) and not name.startswith(_PART):
                    found.append(Entry(key=key, size_bytes=path.stat().st_size))
        return tuple(sorted(found, key=lambda entry: entry.key))

    def level(self, folder: str) -> Level:
        found, folders = [], []
        path = self._root / checked_folder(folder)
        for each in sorted(os.scandir(path), key=lambda each: each.name) if path.is_dir() else ():
            if each.is_dir():
                folders.append(f"{folder}{each.name}/")
            elif not each.name.startswith(_PART):
                found.append(Entry(key=f"{folder}{each.name}", size_bytes=each.stat().st_size))
        return Level(entries=tuple(found), folders=tuple(folders))

    def size(self, key: str, *, fresh: bool = False) -> int:
        path = self._path(key)
        if not path.is_file():
            raise NotThere(f"{self.place} has no {key}")
        return path.stat().st_size

    def remove(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        path = self._root / checked(key)
        if path.name.startswith(_PART):
            raise Refused(f"key {key!r}: the prefix {_PART!r} is reserved for files being written")
        return path

    def _put(self, key: str, data: bytes | Path, *, once: bool) -> None:
        path = self._path(key)
        whole_file(data)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{_PART}{secrets.token_hex(8)}")
        try:
            with part.open("xb") as file:
                with stream_of(data) as source:
                    shutil.copyfileobj(source, file)
                file.flush()
                os.fsync(file.fileno())
            if once:
                _link(part, path)
            else:
                part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _link(part: Path, path: Path) -> None:
    """Creates `path` atomically unless it exists; a rename would overwrite it. Raises FileExistsError, Refused."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise Refused(f"{path} cannot be written once without hard links: {error.strerror}") from None
