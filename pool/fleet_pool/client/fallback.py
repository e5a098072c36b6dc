"""The pool and S3 as one store: the pool first, S3 at once where the pool cannot, and again until patience ends.

What is large goes through the pool. What decides (listings, writes that must happen once, fresh reads) is asked of
S3 itself, which is the truth: it holds every acknowledged byte whatever becomes of the pool.
"""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fleet_pool.client.errors import AlreadyThere, NotThere, OutOfRange, Refused, StoreProblem, Unavailable
from fleet_pool.client.patience import Patience, waits_s
from fleet_pool.client.store import Entry, Store, checked
from fleet_pool.compat import frozen

_log = logging.getLogger("fleet_pool.client")

# what S3, or the only store there is, says about an object: the last word
_ANSWERS = (NotThere, AlreadyThere, OutOfRange)


@frozen
class Counts:
    """Calls since the store was opened, of this process: by whom they were answered, and how often nobody did."""

    by_pool: int
    by_s3: int
    failed_tries: int


class FallbackStore:
    """cache: the pool, or None. truth: S3, or None where a job has no access to it; one of the two at least.

    With both, 507, 503, any other "not now", a lost connection and a damaged copy send the call to S3 in the same
    moment. A pool that gave no answer several times running is left alone for some seconds.
    """

    def __init__(
        self,
        *,
        cache: Store | None,
        truth: Store | None,
        patience: Patience | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if cache is None and truth is None:
            raise Refused("neither a pool nor S3 to read from")
        self._cache, self._truth, self._patience = cache, truth, patience or Patience()
        self._now, self._sleep = now, sleep
        self._histories: dict[int, _CallHistory] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_histories": {}}

    @property
    def _history(self) -> _CallHistory:
        """What this process has seen; a forked worker begins anew, with a lock that nobody holds."""
        return self._histories.setdefault(os.getpid(), _CallHistory())

    @property
    def place(self) -> str:
        return " or ".join(store.place for store in (self._cache, self._truth) if store)

    @property
    def counts(self) -> Counts:
        mine = self._history
        with mine.lock:
            return Counts(by_pool=mine.counts["cache"], by_s3=mine.counts["truth"], failed_tries=mine.counts["failed"])

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        doors = self._truth_first() if fresh else self._cache_first()
        ranged = {"start": start, "length": length, "fresh": fresh}
        return self._attempt(f"read {checked(key)}", doors, lambda store: store.read(key, **ranged))

    def write(self, key: str, data: bytes | Path) -> None:
        """As Store. A write that the pool did not acknowledge goes to S3 itself; the same bytes twice are no harm."""
        self._attempt(f"write {checked(key)}", self._cache_first(), lambda store: store.write(key, data))

    def write_once(self, key: str, data: bytes) -> None:
        door = self._truth_first()[:1]  # one door only: two could each find the place empty
        self._attempt(f"write {checked(key)} once", door, lambda store: store.write_once(key, data))

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        return self._attempt(f"list {prefix}", self._truth_first()[:1], lambda store: store.entries(prefix))

    def remove(self, key: str) -> None:
        """Through the pool, which drops its copy too. A pool that does not answer may serve its copy a while longer;
        listings and fresh reads know better."""
        with suppress(NotThere):
            self._attempt(f"remove {checked(key)}", self._cache_first(), lambda store: store.remove(key))

    def _cache_first(self) -> list[Store]:
        return [store for store in (self._cache, self._truth) if store is not None]

    def _truth_first(self) -> list[Store]:
        return self._cache_first()[::-1]

    def _attempt(self, what: str, doors: list[Store], call: Callable[[Store], Any]) -> Any:
        """Every door in turn, round after round. Raises what S3 says of the object, what none of them takes, and
        Unavailable when patience ends."""
        began, tries = self._now(), 0
        for wait_s in waits_s(self._patience, random.random):
            failures: list[StoreProblem] = []
            for door in doors:
                if door is self._cache and len(doors) > 1 and self._resting():
                    failures.append(Unavailable(f"{door.place} has not answered and is left alone for a while"))
                    continue
                tries += 1
                try:
                    answer = call(door)
                except StoreProblem as problem:
                    self._failed(door, problem)
                    if isinstance(problem, _ANSWERS) and (door is self._truth or len(doors) == 1):
                        raise
                    failures.append(problem)
                else:
                    self._answered(door)
                    return answer
            waiting = [problem for problem in failures if isinstance(problem, Unavailable)]
            if not waiting:
                raise failures[doors.index(self._truth)] if self._truth in doors else failures[0]
            if self._now() - began + wait_s > self._patience.total_s:
                told = f"could not {what} within {self._now() - began:.0f} s and {tries} tries"
                status = next((problem.status for problem in waiting if problem.status), None)
                raise Unavailable(f"{told}: {'; '.join(map(str, failures))}", status=status)
            self._sleep(wait_s)

    def _resting(self) -> bool:
        return self._now() < self._history.rest_until_s

    def _answered(self, door: Store) -> None:
        mine = self._history
        with mine.lock:
            mine.counts["cache" if door is self._cache else "truth"] += 1
            if door is self._cache:
                mine.silent = 0
            back = door in mine.failing
            mine.failing.discard(door)
        if back:
            _log.warning("%s answers again", door.place)

    def _failed(self, door: Store, problem: StoreProblem) -> None:
        """Count it; leave a pool alone that gives no answer. The first failure after a success is failing, not each."""
        mine = self._history
        with mine.lock:
            mine.counts["failed"] += 1
            if door is self._cache and isinstance(problem, Unavailable) and problem.status is None:
                mine.silent += 1
                if mine.silent >= self._patience.tries_before_rest:
                    mine.rest_until_s = self._now() + self._patience.rest_s
            first = door not in mine.failing and not isinstance(problem, _ANSWERS)
            if first:
                mine.failing.add(door)
        if first:
            _log.warning("%s%s", problem, "; asking S3 itself" if door is self._cache and self._truth else "")


class _CallHistory:
    """How the calls of one process went. silent: tries running that the pool did not answer. failing: of which door the
    log knows that it fails."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.failing: set[Store] = set()
        self.silent, self.rest_until_s = 0, 0.0
