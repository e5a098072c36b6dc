"""What the file system opens: an object that is read in ranges, and a local file that becomes an object."""

from __future__ import annotations

import io
import sys
from typing import Any

from fsspec.spec import AbstractBufferedFile

from fleet_pool.client.store import Store
from fleet_pool.doors.os_errors import as_os_errors
from fleet_pool.doors.staged import staged_file


class Reading(AbstractBufferedFile):
    """An object, with fsspec's read-ahead."""

    def __init__(
        self, fs: Any, path: str, store: Store, key: str, size: int, block_size: Any, options: dict[str, Any]
    ) -> None:
        self._store, self._key = store, key
        super().__init__(fs, path, mode="rb", block_size=block_size or "default", size=size, **options)

    def _fetch_range(self, start: int, end: int) -> bytes:
        if end <= start:
            return b""
        with as_os_errors(self.path):
            return self._store.read(self._key, start=start, length=end - start)


class Writing(io.BufferedIOBase):
    """A local file that becomes the object when it is closed: complete, or not at all.

    An error inside `with`, and a file that is dropped without `close`, write nothing. once: refuse to overwrite.
    autocommit: False inside an fsspec transaction, which calls `commit` or `discard`.
    """

    def __init__(self, path: str, store: Store, key: str, *, staging: str | None, once: bool, autocommit: bool) -> None:
        self.path, self._store, self._key, self._once, self._autocommit = path, store, key, once, autocommit
        self._file, self._staged = staged_file(staging)
        self._amid = sys.exc_info()[1]

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: Any, /) -> int:
        return self._file.write(data)

    def flush(self, force: bool = False) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        if self.closed:
            return
        try:
            if self._autocommit and _left_by_an_error(self._amid):
                self._file.close()
            elif self._autocommit:
                self.commit()
        finally:
            super().close()

    def commit(self) -> None:
        """Writes the object. Raises OSError."""
        self._file.flush()
        try:
            with as_os_errors(self.path):
                if self._once:
                    self._store.write_once(self._key, self._staged.read_bytes())
                else:
                    self._store.write(self._key, self._staged)
        finally:
            self._file.close()

    def discard(self) -> None:
        """Writes nothing."""
        self._file.close()
        super().close()

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.ends_well()
            self.close()
        else:
            self.discard()

    def ends_well(self) -> None:
        """A `with` around it ended without an error of its own, maybe inside an `except`."""
        self._amid = sys.exc_info()[1]

    def __del__(self) -> None:
        if "_file" in self.__dict__ and not self.closed and self._autocommit:
            self.discard()


class Text(io.TextIOWrapper):
    """As Writing, for text: an error inside `with` writes nothing."""

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and isinstance(self.buffer, Writing):
            self.buffer.ends_well()
        self.close()

    def __del__(self) -> None:
        """Does not close what is dropped, as io's own would: the file below then writes nothing."""


def _left_by_an_error(amid: BaseException | None) -> bool:
    """Whether an error leaves a `with` around the file: fsspec's OpenFile, pandas and Text close what they wrap then,
    and say nothing of the error. amid: the error that was being handled already when the file was opened."""
    if sys.exc_info()[1] in (None, amid):
        return False
    frame = sys._getframe()
    while frame := frame.f_back:  # a `close` in an `except` is meant
        if frame.f_code.co_name == "__exit__":
            return True
    return False
