"""Machines for the launcher, as namespaces; PyTorch in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.launch.fleet import Fleet
from tests.pool.fixtures import pool_machine
from tools.torch_cpu import installed

__all__ = ["pool_machine"]


@pytest.fixture
def fleet(pool_machine: None) -> Iterator[Fleet]:
    with Fleet.standing() as made:
        yield made


@pytest.fixture(scope="session")
def torch() -> None:
    if not installed():
        pytest.skip("PyTorch is not here: `make launch-real` installs it into .tools/torch (2.4 GB) and runs this")
