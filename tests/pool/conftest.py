"""Everything here that stands a pool up runs on one worker."""

from __future__ import annotations

from tests.pool.fixtures import pool, pool_machine, pool_standing

__all__ = ["pool", "pool_machine", "pool_standing"]
