"""A damaged copy in the pool: dropped, and recorded where `planner pool status` finds it."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import time
from contextlib import suppress

from fleet_pool.client.errors import StoreProblem
from fleet_pool.client.stale import Forgetful
from fleet_pool.client.store import Store
from fleet_pool.digests import DAMAGED

_log = logging.getLogger("fleet_pool.client")


def drop_damaged(cache: Store, key: str, why: str) -> None:
    """The next read fetches the object from S3 again. What cannot be dropped is found again by the next read."""
    dropped = False
    if isinstance(cache, Forgetful):
        with suppress(StoreProblem):
            cache.forget(key)
            dropped = True
    _log.warning("the pool's copy of %s was damaged and %s: %s", key, "dropped" if dropped else "stays", why)
    record = {"key": key, "why": why[:300], "by": socket.gethostname(), "dropped": dropped}
    with suppress(StoreProblem):
        name = f"{DAMAGED}{int(time.time()):012d}-{secrets.token_hex(8)}.json"
        cache.write_unique(name, json.dumps(record).encode())
