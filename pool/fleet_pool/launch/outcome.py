"""How an attempt ended, and what follows: the worst exit code, another attempt, or the end of the run. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fleet_pool.compat import frozen
from fleet_pool.problems import Code

DONE, FAILED, LOST, HUNG, STOPPED, SHORT = "done", "failed", "lost", "hung", "stopped", "short"


@frozen
class Exit:
    """How the command ended on one node. code: of the shell, 128 + signal if killed. own: by itself, not because the
    launcher stopped it."""

    rank: int
    code: int
    own: bool
    why: str = ""


@frozen
class Result:
    """How an attempt ended. kind: one of the words above. commit: newest committed step at its end. fruitless: attempts
    in a row, up to this one, that added no COMMIT. last: no other attempt follows."""

    kind: str
    code: int
    why: str
    commit: int | None
    fruitless: int
    last: bool


def shell_code(returned: int) -> int:
    """Exit code as a shell reports it: 128 + signal for a killed process."""
    return 128 - returned if returned < 0 else returned


def worst(exits: Sequence[Exit]) -> Exit:
    """The exit that stands for all: success if every node succeeded; else the highest code of a node that failed by
    itself. Nodes that the launcher stopped only count if no other failed."""
    failed = [each for each in exits if each.code]
    own = [each for each in failed if each.own]
    return max(own or failed or exits, key=lambda each: (each.code, -each.rank))


def all_done(exits: Mapping[int, Exit], nodes: int) -> bool:
    """Whether the command succeeded on every node."""
    return len(exits) == nodes and not any(each.code for each in exits.values())


def result_of(
    kind: str, code: int, why: str, *, began: int | None, commit: int | None, fruitless: int, restarts: int
) -> Result:
    """The record of an attempt. began, commit: newest committed step at its start and its end. fruitless: of the
    attempt before. restarts: so many attempts without a new COMMIT follow each other at most.

    A run that makes progress restarts as often as nodes are lost; one that fails the same way each time ends soon.
    """
    progress = commit is not None and (began is None or commit > began)
    in_a_row = 0 if progress else fruitless + 1
    last = kind in (DONE, STOPPED, SHORT) or in_a_row > restarts
    return Result(kind=kind, code=code, why=why, commit=commit, fruitless=in_a_row, last=last)


def code_of(kind: str, exits: Sequence[Exit]) -> int:
    """The run's exit code if this attempt is its last."""
    if kind == DONE:
        return Code.OK
    if kind == STOPPED:
        return Code.INTERRUPTED
    if kind == FAILED:
        return worst(exits).code
    return Code.BLOCKER
