"""Errors of the pool's commands: a message for a person and an exit code for a script."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Exit codes, the same as in planner.errors, which nodes do not have; a test keeps them equal."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    CREDENTIALS = 3
    AWS = 4
    GATE = 10
    BLOCKER = 13
    INTERRUPTED = 130


class PoolProblem(Exception):
    """Base class of the errors that end a command."""

    code = Code.UNEXPECTED


class UsageProblem(PoolProblem):
    """Wrong arguments, or they name something that does not exist."""

    code = Code.USAGE


class NoCredentials(PoolProblem):
    """No credentials for S3, or S3 denies access."""

    code = Code.CREDENTIALS


class Unreachable(PoolProblem):
    """No answer within the time limit."""

    code = Code.AWS


class Refused(PoolProblem):
    """The request was answered with an error. status: of HTTP."""

    code = Code.AWS

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class Blocked(PoolProblem):
    """A problem in the pool keeps the command from doing anything."""

    code = Code.BLOCKER
