"""What every store of objects can do, in one shape: the pool, S3, both together, a folder of files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO, Protocol

from fleet_pool.client.errors import OutOfRange, Refused
from fleet_pool.compat import frozen

LONGEST_KEY_BYTES = 1024  # S3 User Guide, "Naming Amazon S3 objects": of the key in UTF-8


@frozen
class Entry:
    """One object of a listing."""

    key: str
    size_bytes: int


class Store(Protocol):
    """Objects by key. An object appears whole or not at all, and keys are written once: whoever writes other bytes
    under a key that exists may read the old ones from the pool for a while.

    Every call may raise Unavailable and Refused.
    """

    @property
    def place(self) -> str:
        """Where that is, for messages."""
        ...

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        """Bytes of an object: all, or at most `length` from `start` on. fresh: past any cached copy.

        Raises NotThere, OutOfRange, Damaged.
        """
        ...

    def write(self, key: str, data: bytes | Path) -> None:
        """Returns when the bytes are safe in S3; a Path is the content of that file."""
        ...

    def write_once(self, key: str, data: bytes) -> None:
        """As write, but never over another object. Raises AlreadyThere; the same bytes again are no harm."""
        ...

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        """Every object whose key begins so, by key."""
        ...

    def remove(self, key: str) -> None:
        """Take an object away; one that is not there is no error."""
        ...


def checked(key: str) -> str:
    """A key that every store takes and that names one object. Raises Refused."""
    if not key or len(key.encode("utf-8", "surrogatepass")) > LONGEST_KEY_BYTES:
        raise Refused(
            f"a key has 1 to {LONGEST_KEY_BYTES} bytes: {key[:60]!r} has {len(key.encode('utf-8', 'replace'))}"
        )
    if any(part in ("", ".", "..") for part in key.split("/")):
        raise Refused(f"key {key!r} has an empty part or a dot for one: it could name another object than it says")
    if not key.isprintable():
        raise Refused(f"key {key!r} has a character that cannot be printed")
    return key


def http_range(start: int, length: int | None) -> str | None:
    """The Range header of HTTP; None for the whole object. Raises OutOfRange for a range that cannot be."""
    if start < 0 or (length is not None and length < 1):
        raise OutOfRange(f"a range begins at 0 or later and has 1 byte or more: not {length} bytes from {start}")
    if length is None:
        return f"bytes={start}-" if start else None
    return f"bytes={start}-{start + length - 1}"


def whole_file(data: bytes | Path) -> tuple[int, str]:
    """Size and name of what is to be written, for messages. Raises Refused where the file is none."""
    if isinstance(data, bytes):
        return len(data), f"{len(data)} bytes"
    if not data.is_file():
        raise Refused(f"{data} is not a file: nothing to write")
    return data.stat().st_size, str(data)


def stream_of(data: bytes | Path) -> BinaryIO:
    """What is to be written, to be read in pieces: HTTP clients want a body of bytes away in one send, within the
    time that they give to connecting."""
    return io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
