"""Errors with their exit codes, and problems with their location in a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    CREDENTIALS = 3
    AWS = 4
    GATE = 10
    STALE = 11
    UNPRICED = 12
    BLOCKER = 13
    DIFFERENT = 14
    MOVE = 15
    INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem of an input: location (path; line and column from 1), message, remedy."""

    where: str
    line: int | None
    column: int | None
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}:{self.column}"
        return f"{place}: {self.message}" + (f"\n    {self.remedy}" if self.remedy else "")


class PlannerError(Exception):
    """An error with a message for a person and an exit code for a script."""

    exit_code = ExitCode.UNEXPECTED


class UsageProblem(PlannerError):
    """The command line is invalid."""

    exit_code = ExitCode.USAGE


class CredentialsProblem(PlannerError):
    """AWS credentials are missing, invalid or lack a permission."""

    exit_code = ExitCode.CREDENTIALS


class AwsProblem(PlannerError):
    """AWS refused a request or could not be reached."""

    exit_code = ExitCode.AWS


class PlanProblems(PlannerError):
    """Every problem of a plan, reported together."""

    exit_code = ExitCode.USAGE

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))
