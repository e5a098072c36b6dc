"""Errors of the pool's commands: a message for a person, an exit code for a script (the same codes as everywhere)."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Exit codes. Those of planner.errors, which a node does not have; a test holds them together."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    CREDENTIALS = 3
    AWS = 4
    GATE = 10
    BLOCKER = 13
    INTERRUPTED = 130


class PoolProblem(Exception):
    """Anything that ends a command of the pool's."""

    code = Code.UNEXPECTED


class UsageProblem(PoolProblem):
    """The words of the call are off, or what they name is not there."""

    code = Code.USAGE


class NoCredentials(PoolProblem):
    """Nobody said who asks S3, or S3 does not let them."""

    code = Code.CREDENTIALS


class Unreachable(PoolProblem):
    """No answer within the time that was given."""

    code = Code.AWS


class Refused(PoolProblem):
    """An answer came, and it was no. status: of HTTP."""

    code = Code.AWS

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class Blocked(PoolProblem):
    """Something is wrong with the pool, and nothing was done about it."""

    code = Code.BLOCKER
