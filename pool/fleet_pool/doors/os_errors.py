"""Errors of a store as those of the operating system, which callers of a file system expect."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from fleet_pool.client.errors import AlreadyThere, NotThere, Refused, StoreProblem, Unavailable

_KINDS: tuple[tuple[type[StoreProblem], int], ...] = (
    (NotThere, errno.ENOENT),
    (AlreadyThere, errno.EEXIST),
    (Refused, errno.EACCES),
    (Unavailable, errno.ETIMEDOUT),
    (StoreProblem, errno.EIO),
)


@contextmanager
def as_os_errors(path: str) -> Iterator[None]:
    """Raises FileNotFoundError, FileExistsError, PermissionError, TimeoutError, or OSError, with the store's words."""
    try:
        yield
    except StoreProblem as problem:
        number = next(number for kind, number in _KINDS if isinstance(problem, kind))
        raise OSError(number, str(problem), path) from problem
