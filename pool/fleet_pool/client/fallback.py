"""The pool and S3 as one store: the pool first, S3 at once if the pool fails, with retries until a time limit.

Bulk data goes through the pool. Listings, fresh reads and writes that must happen once go to S3 itself, which has every
acknowledged byte, whatever happens to the pool.
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
from fleet_pool.client.stale import Forgetful, StaleCopies
from fleet_pool.client.store import Entry, Level, Store, checked
from fleet_pool.compat import frozen

_log = logging.getLogger("fleet_pool.client")

# final answers about an object, if they come from S3 or from the only store
_ANSWERS = (NotThere, AlreadyThere, OutOfRange)


@frozen
class Counts:
    """Calls of this process since the store was opened, by who answered them, and failed tries."""

    by_pool: int
    by_s3: int
    failed_tries: int


class FallbackStore:
    """cache: the pool, or None. truth: S3, or None for a job without access to it. At least one of them.

    With both, a temporary error (503, 507 and so on), a lost connection or a damaged copy sends the call to S3 at
    once. A pool that did not answer several times in a row is skipped for some seconds.
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
            raise Refused("no pool and no S3 to read from")
        self._cache, self._truth, self._patience = cache, truth, patience or Patience()
        self._now, self._sleep = now, sleep
        both = cache is not None and truth is not None
        self._stale = StaleCopies(cache.forget if both and isinstance(cache, Forgetful) else None)
        self._histories: dict[int, _CallHistory] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_histories": {}}

    @property
    def _history(self) -> _CallHistory:
        """Of this process; a forked worker starts with its own and a free lock."""
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
        stores = self._truth_first() if fresh or key in self._stale else self._cache_first()
        ranged = {"start": start, "length": length, "fresh": fresh}
        return self._attempt(f"read {checked(key)}", stores, lambda store: store.read(key, **ranged))

    def write(self, key: str, data: bytes | Path) -> None:
        """As Store. There is one door for keys that may be written again, S3 itself; then the pool's copy is dropped.
        Without S3 the pool takes new keys only."""
        self._attempt(f"write {checked(key)}", self._truth_first()[:1], lambda store: store.write(key, data))
        self._stale.drop(key)

    def write_unique(self, key: str, data: bytes | Path) -> None:
        """As Store. What the pool did not acknowledge goes to S3; the same bytes twice do no harm."""
        self._attempt(f"write {checked(key)}", self._cache_first(), lambda store: store.write_unique(key, data))

    def write_once(self, key: str, data: bytes) -> None:
        stores = self._truth_first()[:1]  # one store only: two could each find that the key is free
        self._attempt(f"write {checked(key)} once", stores, lambda store: store.write_once(key, data))

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        return self._attempt(f"list {prefix}", self._truth_first()[:1], lambda store: store.entries(prefix))

    def level(self, folder: str) -> Level:
        return self._attempt(f"list {folder}", self._truth_first()[:1], lambda store: store.level(folder))

    def size(self, key: str, *, fresh: bool = False) -> int:
        stores = self._truth_first() if fresh or key in self._stale else self._cache_first()
        return self._attempt(f"find the size of {checked(key)}", stores, lambda store: store.size(key, fresh=fresh))

    def remove(self, key: str) -> None:
        """From S3, then from the pool. A pool that does not answer may serve its copy to others for a while; listings
        and fresh reads are right at once."""
        with suppress(NotThere):
            self._attempt(f"remove {checked(key)}", self._truth_first()[:1], lambda store: store.remove(key))
        self._stale.drop(key)

    def _cache_first(self) -> list[Store]:
        return [store for store in (self._cache, self._truth) if store is not None]

    def _truth_first(self) -> list[Store]:
        return self._cache_first()[::-1]

    def _attempt(self, what: str, stores: list[Store], call: Callable[[Store], Any]) -> Any:
        """Calls the stores in turn, round after round. Raises S3's final answer, an error that no retry would mend,
        and Unavailable after the time limit."""
        began, tries = self._now(), 0
        for wait_s in waits_s(self._patience, random.random):
            failures: list[StoreProblem] = []
            for store in stores:
                if store is self._cache and len(stores) > 1 and self._resting():
                    failures.append(Unavailable(f"{store.place} has not answered and is skipped for some seconds"))
                    continue
                tries += 1
                try:
                    answer = call(store)
                except StoreProblem as problem:
                    self._failed(store, problem)
                    if isinstance(problem, _ANSWERS) and (store is self._truth or len(stores) == 1):
                        raise
                    failures.append(problem)
                else:
                    self._answered(store)
                    return answer
            waiting = [problem for problem in failures if isinstance(problem, Unavailable)]
            if not waiting:
                raise failures[stores.index(self._truth)] if self._truth in stores else failures[0]
            if self._now() - began + wait_s > self._patience.total_s:
                tried = f"could not {what} within {self._now() - began:.0f} s and {tries} tries"
                status = next((problem.status for problem in waiting if problem.status), None)
                raise Unavailable(f"{tried}: {'; '.join(map(str, failures))}", status=status)
            self._sleep(wait_s)

    def _resting(self) -> bool:
        return self._now() < self._history.rest_until_s

    def _answered(self, store: Store) -> None:
        mine = self._history
        with mine.lock:
            mine.counts["cache" if store is self._cache else "truth"] += 1
            if store is self._cache:
                mine.silent = 0
            back = store in mine.failing
            mine.failing.discard(store)
        if back:
            _log.warning("%s answers again", store.place)

    def _failed(self, store: Store, problem: StoreProblem) -> None:
        """Counts it; lets a pool rest that does not answer. Only the first failure after a success is logged."""
        mine = self._history
        with mine.lock:
            mine.counts["failed"] += 1
            if store is self._cache and isinstance(problem, Unavailable) and problem.status is None:
                mine.silent += 1
                if mine.silent >= self._patience.tries_before_rest:
                    mine.rest_until_s = self._now() + self._patience.rest_s
            first = store not in mine.failing and not isinstance(problem, _ANSWERS)
            if first:
                mine.failing.add(store)
        if first:
            _log.warning("%s%s", problem, "; falling back to S3" if store is self._cache and self._truth else "")


class _CallHistory:
    """Calls of one process. silent: consecutive tries without an answer from the pool. failing: stores whose failure
    is logged already."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.failing: set[Store] = set()
        self.silent, self.rest_until_s = 0, 0.0
