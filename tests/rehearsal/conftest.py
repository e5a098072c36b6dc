"""The engine and the machine for a pool; both skip by name where they are not here."""

from tests.engine.conftest import engine_built
from tests.pool.fixtures import pool_machine

__all__ = ["engine_built", "pool_machine"]
