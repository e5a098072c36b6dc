from tests.pool.fixtures import pool_machine

__all__ = ["pool_machine"]
