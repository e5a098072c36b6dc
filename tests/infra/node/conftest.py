"""What stands on loop devices and namespaces shares the pool tests' fixture and worker."""

from __future__ import annotations

from tests.pool.fixtures import pool_machine

__all__ = ["pool_machine"]
