"""The interface of every store: the pool, S3, both together, a folder of files."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Protocol

from fleet_pool.client.errors import OutOfRange, Refused
from fleet_pool.compat import frozen

LONGEST_KEY_BYTES = 1024  # S3 User Guide, "Naming Amazon S3 objects": of the key in UTF-8


@frozen
class Entry:
    """One object in a listing."""

    key: str
    size_bytes: int


@frozen
class Level:
    """What is directly below a prefix, as in a folder. folders: prefixes that end in a slash."""

    entries: tuple[Entry, ...]
    folders: tuple[str, ...]


class Store(Protocol):
    """Objects by key. An object appears completely or not at all. Every call may raise Unavailable and Refused."""

    @property
    def place(self) -> str:
        """Where the objects are, for messages."""
        ...

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        """Bytes of an object: all, or at most `length` from `start` on. fresh: bypass any cached copy.

        Raises NotThere, OutOfRange, Damaged.
        """
        ...

    def write(self, key: str, data: bytes | Path) -> None:
        """Writes bytes, or the content of a file, whatever the key held; returns when they are in S3.

        A try that was given up never replaces a newer write. Of two simultaneous writers one is the last, for S3 and
        for every cached copy.
        """
        ...

    def write_unique(self, key: str, data: bytes | Path) -> None:
        """As write, for a key that is written with these bytes only, such as one with a random part. It may go through
        the pool, which then has a copy. If other bytes are ever written to such a key, either may remain."""
        ...

    def write_once(self, key: str, data: bytes) -> None:
        """As write, but never overwrites. Raises AlreadyThere if the object exists with other bytes."""
        ...

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        """Every object under the prefix, sorted by key."""
        ...

    def level(self, folder: str) -> Level:
        """The objects and folders directly below a folder: "" for the bucket, else a prefix that ends in a slash."""
        ...

    def size(self, key: str, *, fresh: bool = False) -> int:
        """Size of an object in bytes. fresh: bypass any cached copy. Raises NotThere."""
        ...

    def remove(self, key: str) -> None:
        """Deletes an object; a missing one is no error."""
        ...


def checked(key: str) -> str:
    """The key, if every store accepts it and it names one object. Raises Refused."""
    if not key or len(key.encode("utf-8", "surrogatepass")) > LONGEST_KEY_BYTES:
        raise Refused(
            f"a key must have 1 to {LONGEST_KEY_BYTES} bytes; {key[:60]!r} has {len(key.encode('utf-8', 'replace'))}"
        )
    if any(part in ("", ".", "..") for part in key.split("/")):
        raise Refused(f"key {key!r} has an empty, '.' or '..' part, so that it could name another object")
    if not key.isprintable():
        raise Refused(f"key {key!r} has an unprintable character")
    return key


def is_folder_marker(entry: Entry) -> bool:
    """An empty object "FOLDER/", which the S3 console writes for a folder: no store reads such a key."""
    return entry.size_bytes == 0 and entry.key.endswith("/")


def level_of(folder: str, entries: Iterable[Entry]) -> Level:
    """The level of a folder out of a listing of everything below it. Raises Refused."""
    found, folders = [], set()
    for entry in entries:
        name, slash, _ = entry.key[len(checked_folder(folder)) :].partition("/")
        if slash:
            folders.add(f"{folder}{name}/")
        else:
            found.append(entry)
    return Level(entries=tuple(found), folders=tuple(sorted(folders)))


def checked_folder(folder: str) -> str:
    """The prefix, if it is that of a folder. Raises Refused."""
    if folder:
        checked(folder[:-1] if folder.endswith("/") else "")
    return folder


def http_range(start: int, length: int | None) -> str | None:
    """The HTTP Range header, None for the whole object. Raises OutOfRange for an impossible range."""
    if start < 0 or (length is not None and length < 1):
        raise OutOfRange(f"a range must start at 0 or later and have at least 1 byte, not {length} bytes from {start}")
    if length is None:
        return f"bytes={start}-" if start else None
    return f"bytes={start}-{start + length - 1}"


def whole_file(data: bytes | Path) -> tuple[int, str]:
    """Size in bytes, and a description for messages, of what is to be written. Raises Refused if it is not a file."""
    if isinstance(data, bytes):
        return len(data), f"{len(data)} bytes"
    if not data.is_file():
        raise Refused(f"{data} is not a file: nothing to write")
    return data.stat().st_size, str(data)


def stream_of(data: bytes | Path) -> BinaryIO:
    """The data as a stream: HTTP clients send a body of bytes in one piece and expect that within the connection
    timeout."""
    return io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
