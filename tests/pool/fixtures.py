"""A pool for tests that need one: `pool` stands once a session and is handed over whole to every test."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pytest

from tests.pool.cluster import Cluster, Shape, standing
from tests.pool.machine import missing


def needed(what: str, lacking: Sequence[str]) -> None:
    """Skips where this machine lacks something, saying what; with NEED_POOL=1 a failure."""
    if lacking:
        told = f"no {what} on this machine, it lacks: {'; '.join(lacking)}"
        if os.environ.get("NEED_POOL"):
            pytest.fail(told)
        pytest.skip(told)


@pytest.fixture(scope="session")
def pool_machine() -> None:
    """This machine can stand a pool up. Otherwise: skipped, saying what is missing; with NEED_POOL=1 a failure."""
    needed("pool", missing())


@pytest.fixture(scope="session")
def pool_standing(pool_machine: None) -> Iterator[Cluster]:
    with standing(Shape()) as cluster:
        yield cluster


@pytest.fixture
def pool(pool_standing: Cluster) -> Iterator[Cluster]:
    """Three control nodes, three nodes with two drives each, S3. What a test breaks and leaves is mended after it."""
    yield pool_standing
    pool_standing.mend()
