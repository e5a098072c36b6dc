"""The engine that these tests need: skipped by name where it is not built, a failure where CI says it must be."""

from __future__ import annotations

import pytest

from tests.engine.driver import need_engine


@pytest.fixture(scope="session")
def engine_built() -> None:
    """For `pytest.mark.usefixtures`: NEED_ENGINE in the environment, which CI sets, makes a skip a failure."""
    need_engine()
