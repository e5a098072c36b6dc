"""What can go wrong with an object, each kind once: whoever calls tells them apart by type, never by text."""

from __future__ import annotations

from fleet_pool.problems import Code


class StoreProblem(Exception):
    """An object could not be read or written as asked."""

    exit_code = Code.AWS


class NotThere(StoreProblem):
    """There is no such object: a definite answer."""


class AlreadyThere(StoreProblem):
    """An object that is written once is there already, with other bytes."""


class OutOfRange(StoreProblem):
    """A range that begins behind the object's end."""


class Refused(StoreProblem):
    """The store knows who asks and does not let them, or what was asked makes no sense: trying again is no use."""


class Damaged(StoreProblem):
    """Bytes that are not what was written: too few, or another checksum."""


class Unavailable(StoreProblem):
    """No answer, or "not now": the same call may succeed later. status: of HTTP; None where nothing was answered."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)
