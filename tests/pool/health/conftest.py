"""A fake node whose programs come first on the path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pool.health.node import FakeNode


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNode:
    found = FakeNode(tmp_path)
    monkeypatch.setenv("PATH", f"{found.bin}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return found
