"""A pool whose drives are full answers 507 to whatever it does not hold yet: a job reads and writes on, from S3."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from fleet_pool import settings
from fleet_pool.client.fallback import FallbackStore

from tests.pool.client.conftest import pool_of, s3_of
from tests.pool.cluster import BUCKET, Cluster, Shape, standing
from tests.pool.daemon import wait_until
from tests.pool.raw_client import Unanswered

LOOKS_S = 10  # the shortest that the engine takes between two looks at its drives


@pytest.fixture
def full(pool_machine: None, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """One node whose drive is filled after `cached` came to lie on it; `cold` is in S3 alone."""
    with standing(Shape(nodes=1, drives=1, drive_gib=1.0, proxies=1)) as cluster:
        for name, value in cluster.s3.environment.items():
            monkeypatch.setenv(name, value)
        client = cluster.client()
        client.cluster({"action": "set-config", "value": {"lru": {"capacity_upd_time": f"{LOOKS_S}s"}}})
        client.put("cached", b"c" * 1000)
        cluster.s3.client().put_object(Bucket=BUCKET, Key="cold", Body=b"x" * 1000)
        cluster.nodes[0].drives[0].fill((settings.OUT_OF_SPACE_PERCENT + 2) / 100)

        def refused() -> bool:
            try:
                client.put("too much", os.urandom(100_000))
            except Unanswered as error:
                return error.status == 507
            return False

        wait_until(refused, "507 to a write", 18 * LOOKS_S, every_s=1)
        yield cluster


def test_what_a_full_pool_does_not_hold_is_read_from_s3_and_writes_go_there(full):
    store = FallbackStore(cache=pool_of(full), truth=s3_of(full))
    for _ in range(5):
        assert store.read("cold") == b"x" * 1000
    store.write_unique("new", b"n" * 1000)
    assert store.counts.by_s3 == 6
    assert store.counts.by_pool == 0
    assert store.read("cached") == b"c" * 1000
    assert store.counts.by_pool == 1, "a full pool still serves what it has"
    assert full.s3.client().get_object(Bucket=BUCKET, Key="new")["Body"].read() == b"n" * 1000
