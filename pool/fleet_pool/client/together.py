"""Ranks that restore together: the first one lists the bucket, all read their own shards, and all agree on the step."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from fleet_pool.client.commit import Commit, Skipped
from fleet_pool.client.errors import Damaged, NotThere, Refused, StoreProblem

Found = TypeVar("Found")
Gather = Callable[[Any], Sequence[Any]]


def newest_of_all(
    gather: Gather,
    newest: Callable[[int | None], tuple[Commit | None, tuple[Skipped, ...]]],
    commit_of: Callable[[int], Commit],
    read: Callable[[Commit], Found],
    discard: Callable[[Found], None],
    at_most: int | None,
) -> tuple[Commit | None, Found | None, tuple[Skipped, ...]]:
    """The newest step of which every rank can `read` its part, with this rank's part, and the newer steps.

    The first rank asks `newest` and sends the number of the step; the others read its COMMIT by its key. If a part of
    any rank is damaged or missing, all discard theirs and step back. Raises on every rank what any rank raised; an
    error of another kind, such as a full drive, is itself on that rank and Refused on the others, which would wait for
    it in `gather` otherwise.
    """
    mine = secrets.token_hex(8)
    first = gather(mine)[0] == mine
    skipped: list[Skipped] = []
    damaged: StoreProblem | None = None
    while True:
        commit, said, own = None, None, None
        if first:
            try:
                commit, passed = newest(at_most)
                said = (commit.step if commit else None, passed)
            except Exception as problem:
                said, own = _told(problem), problem
        said = gather(said)[0]  # numbers, not the COMMIT, of which each rank would get a copy from each
        if own is not None:
            raise own
        if isinstance(said, StoreProblem):
            raise said
        step, passed = said
        skipped += passed
        if step is None:
            if damaged is not None:
                raise Damaged(f"no committed step can be restored; the last tried: {damaged}")
            return None, None, tuple(skipped)
        found, mistake = None, None
        try:
            commit = commit or commit_of(step)
            found = read(commit)
        except Exception as problem:
            mistake, own = _told(problem), problem
        problems: list[StoreProblem] = [problem for problem in gather(mistake) if problem is not None]
        if not problems:
            return commit, found, tuple(skipped)
        if found is not None:
            with suppress(OSError):  # a drive that fails now must not keep the others waiting in `gather`
                discard(found)
        if own is not None and own is not mistake:
            raise own
        for problem in problems:
            if not isinstance(problem, (Damaged, NotThere)):
                raise problem
        damaged = problems[0]
        skipped.append(Skipped(step=step, why=str(damaged)))
        at_most = step - 1


def _told(problem: Exception) -> StoreProblem:
    """As the other ranks get it."""
    if isinstance(problem, StoreProblem):
        return problem
    return Refused(f"another rank failed: {type(problem).__name__}: {problem}")
