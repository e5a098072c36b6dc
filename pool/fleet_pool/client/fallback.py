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
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from fleet_pool.client.damage import drop_damaged
from fleet_pool.client.errors import (
    AlreadyThere,
    Corrupt,
    Damaged,
    NotThere,
    OutOfRange,
    Refused,
    StoreProblem,
    Unavailable,
)
from fleet_pool.client.hedge import race
from fleet_pool.client.manifests import Manifests, read_checked
from fleet_pool.client.patience import Patience, waits_s
from fleet_pool.client.shared import NodeMemory
from fleet_pool.client.stale import Forgetful, StaleCopies
from fleet_pool.client.store import Entry, Level, Store, checked, http_range
from fleet_pool.client.watch import Routed, Watch
from fleet_pool.compat import frozen
from fleet_pool.digests import is_manifest

_log = logging.getLogger("fleet_pool.client")

# final answers about an object, if they come from S3 or from the only store
_ANSWERS = (NotThere, AlreadyThere, OutOfRange)


@frozen
class Counts:
    """Calls of this process since the store was opened, by who answered them, failed tries, reads that were asked of
    S3 as well because the pool was late, and damaged copies that were dropped."""

    by_pool: int
    by_s3: int
    failed_tries: int
    hedged: int = 0
    damaged: int = 0


class FallbackStore:
    """cache: the pool, or None. truth: S3, or None for a job without access to it. At least one of them.

    With both, a temporary error (503, 507 and so on), a lost connection or a damaged copy sends the call to S3 at
    once, and a read that is late is asked of S3 as well. A node of the pool that is late or silent several times is
    left alone for some seconds, by all processes of this machine that share `memory`; so is a pool without an answer.
    digests: prefixes of data sets whose manifests are looked for.
    clock: seconds since 1970, which those processes share.
    """

    def __init__(
        self,
        *,
        cache: Store | None,
        truth: Store | None,
        patience: Patience | None = None,
        memory: NodeMemory | None = None,
        digests: tuple[str, ...] = (),
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if cache is None and truth is None:
            raise Refused("no pool and no S3 to read from")
        self._cache, self._truth, self._patience = cache, truth, patience or Patience()
        self._now, self._sleep = now, sleep
        both = cache is not None and truth is not None
        self._stale = StaleCopies(cache.forget if both and isinstance(cache, Forgetful) else None)
        self._manifests = Manifests(digests, self._copies)
        self._watch = Watch(cache, memory, clock) if both and isinstance(cache, Routed) else None
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
            by = {"by_pool": mine.counts["cache"], "by_s3": mine.counts["truth"], "hedged": mine.counts["hedged"]}
            return Counts(failed_tries=mine.counts["failed"], damaged=mine.counts["damaged"], **by)

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        """As Store. What a digest manifest covers is checked; a damaged copy is dropped, and S3 is read."""
        digest = self._manifests.of(key)
        if digest is None:
            return self._read(key, start=start, length=length, fresh=fresh)
        http_range(start, length)
        try:
            return read_checked(self._read, digest, key, start, length, fresh, self._drop)
        except Damaged:
            newer = self._manifests.renewed(key)
            if newer is None or newer == digest:
                raise
        return read_checked(self._read, newer, key, start, length, fresh, self._drop)

    def _read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        fresh_or_stale = fresh or key in self._stale
        problem = None
        if not fresh_or_stale and self._watch is not None and self._truth is not None and not self._resting():
            data, problem = self._raced(self._watch, self._truth, key, start, length)
            if data is not None:
                return data
        stores = self._truth_first() if fresh_or_stale else self._cache_first()
        ranged = {"start": start, "length": length, "fresh": fresh}
        try:
            return self._attempt(f"read {checked(key)}", stores, lambda store: store.read(key, **ranged), problem)
        except Corrupt as found:
            if self._truth is not None:
                raise
            if fresh:  # not Damaged, from which a restore steps back: S3 may well have the right bytes
                raise Unavailable(f"{found}; the pool cannot drop its copy, and this job does not reach S3") from None
            self.report_damage(key, str(found))
        return self._read(key, start=start, length=length, fresh=True)

    def _copies(self, key: str, newest: bool) -> Iterator[bytes]:
        """What each store has of a key, one try each and no wait; newest: of the pool first what S3 has now, then what
        it kept. Raises NotThere, and the last problem if no store answers."""
        ways = [(self._cache, newest), (self._truth, True)]
        if newest:
            ways.append((self._cache, False))  # while S3 does not answer
        problem, answers = Unavailable(f"{key}: {self.place} is left alone for a while"), 0
        for store, fresh in ways:
            if store is None or (store is self._cache and self._resting()):
                continue
            try:
                data = store.read(key, fresh=fresh)
            except NotThere:
                raise
            except StoreProblem as found:
                problem = found
            else:
                answers += 1
                yield data
        if not answers:
            raise problem

    def _raced(
        self, watch: Watch, truth: Store, key: str, start: int, length: int | None
    ) -> tuple[bytes | None, StoreProblem | None]:
        """One try of the pool, with S3 asked as well when it is late: the bytes, or the pool's problem."""
        ranged, via, began = {"start": start, "length": length}, watch.via(), time.monotonic()
        found = race(
            lambda: watch.pool.read_via(via, checked(key), **ranged),
            lambda: truth.read(key, **ranged),
            watch.late.delay_s(length),
            watch.late.may_hedge,
        )
        if found.data is not None and found.by_first:
            watch.answered(via, length, time.monotonic() - began, found.hedged)
            self._answered(watch.pool)
        elif found.data is not None:
            watch.outrun(via, found.problem, time.monotonic() - began)
            self._answered(truth)
        else:
            watch.failed(via, found.problem)
        if found.hedged:
            with self._history.lock:
                self._history.counts["hedged"] += 1
        if found.problem is not None:
            self._failed(watch.pool, found.problem)
            if isinstance(found.problem, Corrupt):
                self.report_damage(key, str(found.problem))
        return found.data, found.problem

    def write(self, key: str, data: bytes | Path) -> None:
        """As Store. There is one door for keys that may be written again, S3 itself; then the pool's copy is dropped.
        Without S3 the pool takes new keys only."""
        self._attempt(f"write {checked(key)}", self._truth_first()[:1], lambda store: store.write(key, data))
        self._stale.drop(key)

    def write_unique(self, key: str, data: bytes | Path) -> None:
        """As Store. What the pool did not acknowledge goes to S3; the same bytes twice do no harm."""

        def write(store: Store) -> None:
            if self._watch is not None and store is self._cache:
                self._watch.write(key, data)
            else:
                store.write_unique(key, data)

        self._attempt(f"write {checked(key)}", self._cache_first(), write)

    def forget(self, key: str) -> None:
        """For a job without a way to S3: the pool drops its copy, which may be damaged, and has to read S3 again."""
        if self._truth is None and isinstance(self._cache, Forgetful):
            with suppress(StoreProblem):
                self._cache.forget(key)

    def report_damage(self, key: str, why: str) -> None:
        """Drops the pool's copy of an object that a check found damaged; leaves a record for `planner pool status`."""
        self._drop(key, why)()

    def _drop(self, key: str, why: str) -> Callable[[], None]:
        """Drops the pool's copy; what it returns counts and records it."""
        dropped, note = drop_damaged(self._cache, key, why) if self._cache is not None else (True, None)

        def count() -> None:
            mine = self._history
            with mine.lock:
                mine.counts["damaged"] += 1
                new = dropped or key not in mine.staying
                if not dropped:
                    mine.staying.add(key)
            if note is not None and new:
                note()

        return count

    def write_once(self, key: str, data: bytes) -> None:
        stores = self._truth_first()[:1]  # one store only: two could each find that the key is free
        self._attempt(f"write {checked(key)} once", stores, lambda store: store.write_once(key, data))

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        found = self._attempt(f"list {prefix}", self._truth_first()[:1], lambda store: store.entries(prefix))
        return found if is_manifest(prefix) else tuple(entry for entry in found if not is_manifest(entry.key))

    def level(self, folder: str) -> Level:
        found = self._attempt(f"list {folder}", self._truth_first()[:1], lambda store: store.level(folder))
        if is_manifest(folder):
            return found
        return Level(entries=found.entries, folders=tuple(each for each in found.folders if not is_manifest(each)))

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

    def _attempt(
        self, what: str, stores: list[Store], call: Callable[[Store], Any], of_pool: StoreProblem | None = None
    ) -> Any:
        """Calls the stores in turn, round after round. of_pool: how the pool's first try failed, if it had one. Raises
        S3's final answer, an error that no retry would mend, and Unavailable after the time limit."""
        began, tries = self._now(), int(of_pool is not None)
        for wait_s in waits_s(self._patience, random.random):
            failures: list[StoreProblem] = []
            for store in stores:
                if store is self._cache and of_pool is not None:
                    failures.append(of_pool)
                    of_pool = None
                    continue
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
            if (
                store is self._cache
                and isinstance(problem, Unavailable)
                and problem.status is None
                and not (problem.target and self._watch is not None)  # one node, which rests by itself
            ):
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
    is logged already. staying: keys whose damaged copy the pool cannot drop, recorded already."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.failing: set[Store] = set()
        self.staying: set[str] = set()
        self.silent, self.rest_until_s = 0, 0.0
