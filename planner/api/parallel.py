"""A function applied to many things in several processes, or done beside something else, where the system can copy this
one cheaply."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")

MOST_PROCESSES = 8
WORTH_IT = 24  # fewer are done before a second process has started
TOGETHER = 4  # given to a process at a time, at most

_applied: list[Callable[[Any], Any]] = []  # in a child: what it applies


def in_processes(function: Callable[[T], R], things: Sequence[T], *, others: int = 0) -> Iterator[R]:
    """As `map`, in order. In this process alone on one processor, for a few things, or where it cannot be copied.

    others: threads of the caller that only write to standard error; a copy beside any other thread is not safe.
    """
    if not _can_copy(others) or len(things) < WORTH_IT:
        yield from map(function, things)
        return
    # imported here: most commands have too few things
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(processors(), MOST_PROCESSES), context, _start, (function,)) as pool:
        yield from pool.map(_apply, things, chunksize=min(TOGETHER, len(things) // WORTH_IT))


def beside(function: Callable[[], R], *, others: int = 0) -> Callable[[], R]:
    """Begin something in a copy of this process; what is returned waits for its result.

    It is done here, when its result is asked for, where no copy can be made or the copy ends without a result; then
    what it raises is raised here. others: see `in_processes`.
    """
    if not _can_copy(others):
        return function
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    copy = context.Process(target=_send, args=(function, sender), daemon=True)
    copy.start()
    sender.close()

    def result() -> R:
        with receiver:
            try:
                return receiver.recv()
            except EOFError:
                return function()
            finally:
                copy.join()

    return result


def _send(function: Callable[[], Any], sender: Connection) -> None:
    _silence()
    try:
        found = function()
    except Exception:
        return
    sender.send(found)


def _start(function: Callable[[Any], Any]) -> None:
    _silence()
    _applied.append(function)


def _silence() -> None:
    """In a copy: standard error is not its own, and a thread that was writing to it may hold its lock for ever."""
    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  closed with the process


def _apply(thing: Any) -> Any:
    return _applied[0](thing)


def _can_copy(others: int) -> bool:
    """A copy of a process has none of its other threads, which may hold a lock."""
    return sys.platform == "linux" and processors() > 1 and threading.active_count() <= 1 + others


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
