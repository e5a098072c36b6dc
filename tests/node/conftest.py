"""What stands on loop devices and namespaces shares the pool tests' fixture and worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pool.fixtures import ONE_WORKER, pool_machine

__all__ = ["pool_machine"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and "pool_machine" in getattr(item, "fixturenames", ()):
            item.add_marker(ONE_WORKER)
