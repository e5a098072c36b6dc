"""One read asked of a second store when the first is late, and how late is late."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from fleet_pool.client.errors import StoreProblem
from fleet_pool.client.locks import ProcessLock
from fleet_pool.compat import frozen

SAMPLES = 256  # latencies that are remembered of each class of reads
ENOUGH = 20  # below it the first delay holds
FIRST_DELAY_S, SHORTEST_DELAY_S, LONGEST_DELAY_S = 0.5, 0.02, 10.0
TOKENS, TOKENS_A_READ = 10.0, 0.1  # hedges: ten at once, and one in ten reads in the long run


class Lateness:
    """When a read is late: after the 95th percentile of its class, which is its order of magnitude in bytes."""

    def __init__(self) -> None:
        self._seen: dict[int, deque[float]] = {}
        self._delays: dict[int, float] = {}
        self._tokens = TOKENS
        self._lock = ProcessLock()

    def delay_s(self, length: int | None) -> float:
        """Seconds to wait for a read of `length` bytes, None for a whole object."""
        with self._lock:
            self._tokens = min(TOKENS, self._tokens + TOKENS_A_READ)
            return self._delays.get(_class(length), FIRST_DELAY_S)

    def took(self, length: int | None, seconds: float) -> None:
        """The first store answered."""
        with self._lock:
            seen = self._seen.setdefault(_class(length), deque(maxlen=SAMPLES))
            seen.append(seconds)
            if len(seen) >= ENOUGH and (len(seen) < SAMPLES or not self._tokens % 1 < TOKENS_A_READ):
                late = sorted(seen)[len(seen) * 95 // 100]
                self._delays[_class(length)] = min(max(late * 1.5, SHORTEST_DELAY_S), LONGEST_DELAY_S)

    def may_hedge(self) -> bool:
        """Takes one of the hedges that are left."""
        with self._lock:
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True


def _class(length: int | None) -> int:
    return -1 if length is None else length.bit_length() // 2


@frozen
class Raced:
    """hedged: whether the second was asked. by_first: whose answer this is. problem: why the first has none."""

    data: Any
    by_first: bool
    hedged: bool
    problem: StoreProblem | None


def race(first: Callable[[], Any], second: Callable[[], Any], delay_s: float, may_hedge: Callable[[], bool]) -> Raced:
    """The answer of whichever is quicker; the second is asked after the delay. Data is None if the first failed and
    the second failed or was not asked. Unexpected errors of either are raised."""
    answers: queue.SimpleQueue[tuple[bool, Any, BaseException | None]] = queue.SimpleQueue()

    def ask(by_first: bool, call: Callable[[], Any]) -> None:
        try:
            answers.put((by_first, call(), None))
        except BaseException as error:  # of a thread: raised again below
            answers.put((by_first, None, error))

    threading.Thread(target=ask, args=(True, first), name="pool-read", daemon=True).start()
    hedged, running, problem = False, 1, None
    while running:
        try:
            by_first, data, error = answers.get(timeout=None if hedged else delay_s)
        except queue.Empty:
            if may_hedge():
                hedged, running = True, 2
                threading.Thread(target=ask, args=(False, second), name="hedge", daemon=True).start()
                continue
            by_first, data, error = answers.get()
        running -= 1
        if error is None:
            return Raced(data=data, by_first=by_first, hedged=hedged, problem=problem)
        if not isinstance(error, StoreProblem):
            raise error
        problem = error if by_first else problem
        if by_first and not hedged:
            break
    return Raced(data=None, by_first=False, hedged=hedged, problem=problem)
