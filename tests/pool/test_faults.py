"""The short set of faults: what was acknowledged is never lost and never wrong, and errors end by themselves."""

from __future__ import annotations

import random

import pytest

from tests.pool.audit import Load
from tests.pool.campaign import inject, line
from tests.pool.cluster import Cluster
from tests.pool.faults import FAULTS

SHORT = (
    "target_killed",
    "primary_and_target_killed",
    "drive_fails",
    "s3_killed",
    "target_drained",
    "elected_link_cut",
    "bit_rot",
)
# The campaign holds the windows on a machine that does nothing else. Here a whole suite runs beside the pool, whose
# heartbeats are late then, and what is asked is that errors end.
SLACK = 3.0


@pytest.fixture(scope="module")
def load(pool_standing: Cluster) -> Load:
    found = Load(pool_standing, writers=1, readers=2)
    found.prepare(shards=20)
    return found


@pytest.mark.parametrize("name", SHORT)
def test_what_was_acknowledged_is_neither_lost_nor_wrong(pool: Cluster, load: Load, name: str) -> None:
    fault = FAULTS[name]
    row = inject(pool, load, fault, random.Random(name), slack=SLACK)
    print(line(row))
    assert row.acknowledged > 0, "nothing was acknowledged: this run says nothing"
    assert not row.lost, row.lost
    assert not row.wrong, row.wrong
    assert not row.undone, row.undone
    assert not row.broken_rules, (row.broken_rules, row.said)
