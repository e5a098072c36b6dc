"""Cached copies that a write made old, until the pool has dropped them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from fleet_pool.client.errors import StoreProblem
from fleet_pool.client.locks import ProcessLock

MOST = 1_000  # keys that are remembered; a pool that is away for so many rewrites is evicted by an operator

_log = logging.getLogger("fleet_pool.client")


@runtime_checkable
class Forgetful(Protocol):
    """A cache that can drop its copy of an object."""

    def forget(self, key: str) -> None: ...


class StaleCopies:
    """forget: drops the cache's copy of a key; None without a cache. What fails is tried again with the next write."""

    def __init__(self, forget: Callable[[str], None] | None) -> None:
        self._forget = forget
        self._waiting: dict[str, None] = {}
        self._lock = ProcessLock()

    def __contains__(self, key: str) -> bool:
        """Whether the cache may still have an older copy: this process then reads S3."""
        return key in self._waiting

    def __getstate__(self) -> dict[str, Any]:
        return {"_forget": self._forget, "_waiting": dict(self._waiting)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=ProcessLock())

    def drop(self, key: str) -> None:
        """After S3 has the new object."""
        if self._forget is None:
            return
        with self._lock:
            self._waiting[key] = None
            while len(self._waiting) > MOST:
                self._waiting.pop(next(iter(self._waiting)))
            waiting = [key, *(other for other in self._waiting if other != key)]
        for each in waiting:
            try:
                self._forget(each)
            except StoreProblem as problem:
                if each == key:
                    _log.warning("the pool may serve an older %s to other jobs: %s", key, problem)
                return
            with self._lock:
                self._waiting.pop(each, None)
