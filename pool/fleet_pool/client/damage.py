"""A damaged copy in the pool: dropped, and recorded where `planner pool status` finds it."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, runtime_checkable

from fleet_pool.client.errors import StoreProblem
from fleet_pool.client.stale import Forgetful
from fleet_pool.client.store import Store
from fleet_pool.digests import damage_name

_log = logging.getLogger("fleet_pool.client")


@runtime_checkable
class Spread(Protocol):
    """A cache of several nodes, each with its own keys."""

    def node_of(self, key: str) -> str: ...


def forget_copy(store: Store, key: str) -> None:
    """Before a fresh read of a key whose bytes were wrong."""
    if isinstance(store, Forgetful):
        store.forget(key)


def drop_damaged(cache: Store, key: str, why: str) -> tuple[bool, Callable[[], None]]:
    """Whether it was dropped, so that the next read fetches the object from S3 again; and what to call to record the
    damage, if S3 has the right bytes. What cannot be dropped is found again by the next read."""
    dropped, node = False, ""
    if isinstance(cache, Spread):
        with suppress(StoreProblem):
            node = cache.node_of(key)
    if isinstance(cache, Forgetful):
        with suppress(StoreProblem):
            cache.forget(key)
            dropped = True

    def note() -> None:
        _log.warning("the pool's copy of %s was damaged and %s: %s", key, "dropped" if dropped else "stays", why)
        found = {"key": key, "why": why[:300], "by": socket.gethostname(), "dropped": dropped}
        with suppress(StoreProblem):
            name = damage_name(time.time(), node, secrets.token_hex(8))
            cache.write_unique(name, json.dumps(found).encode())

    return dropped, note
