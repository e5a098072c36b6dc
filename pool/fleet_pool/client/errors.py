"""Errors of reading and writing objects; callers tell them apart by type."""

from __future__ import annotations

from fleet_pool.problems import Code


class StoreProblem(Exception):
    """An object could not be read or written as asked."""

    exit_code = Code.AWS


class NotThere(StoreProblem):
    """The object does not exist; a final answer."""


class AlreadyThere(StoreProblem):
    """An object that may be written only once exists already, with other bytes."""


class OutOfRange(StoreProblem):
    """The range begins beyond the object's end."""


class Refused(StoreProblem):
    """Access is denied or the request is invalid: a retry would not help."""


class Damaged(StoreProblem):
    """The bytes differ from what was written: too few, or another checksum."""


class Corrupt(Damaged):
    """A cached copy has another checksum than what was written: it is dropped, and S3 is read."""


class Unavailable(StoreProblem):
    """No answer, or a temporary error: the same call may succeed later. status: of HTTP, None without an answer.
    target: the node of the pool that it came from, "" if none was reached."""

    def __init__(self, message: str, *, status: int | None = None, target: str = "") -> None:
        self.status, self.target = status, target
        super().__init__(message)
