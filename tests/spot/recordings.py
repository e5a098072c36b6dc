"""Recordings for tests: the public ones where they are beside this repository, else short ones made here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planner.spot.generator import SpellLaw
from planner.spot.trace import Trace
from planner.spot.trace_file import trace_in

PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "traces"
needs_public = pytest.mark.skipif(
    not (PUBLIC / "README.md").exists(), reason="the public traces are not beside this repository (../shared/traces)"
)


def public(folder: str) -> list[Trace]:
    """Every recording of one data set, in the order of its names."""
    found = [trace_in(path) for path in sorted((PUBLIC / folder).glob("*.json"))]
    assert found, folder
    return found


def made(counts: list[int] | np.ndarray, gap_seconds: int = 600) -> Trace:
    return Trace(name="made", gap_seconds=gap_seconds, nodes=np.asarray(counts, dtype=np.int64))


def alternating(up: SpellLaw, down: SpellLaw, spells: int, seed: int) -> np.ndarray:
    """A series whose spells are drawn in turns, the first one with capacity."""
    rng = np.random.default_rng(seed)
    lengths = np.stack((up.drawn((spells,), rng), down.drawn((spells,), rng)), axis=1).ravel()
    return np.repeat(np.arange(2 * spells) % 2 == 0, lengths)
