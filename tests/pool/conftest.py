"""Everything here that stands a pool up runs on one worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pool.fixtures import ONE_WORKER, pool, pool_machine, pool_standing

__all__ = ["pool", "pool_machine", "pool_standing"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and "pool_machine" in getattr(item, "fixturenames", ()):
            item.add_marker(ONE_WORKER)
