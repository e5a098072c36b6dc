"""A full pool: LRU down to the low watermark, and beyond the high one 507 and S3 instead of a wrong answer."""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.node import config

from tests.pool.audit import Promise, judge
from tests.pool.cluster import BUCKET, Cluster, Shape, standing
from tests.pool.daemon import wait_until
from tests.pool.raw_client import PoolClient, Unanswered

MARKS = config.watermarks(settings.LOWEST_LOW_PERCENT)
LOOKS_S = 3 * settings.CAPACITY_UPDATE_S  # a target looks at its drives once in this, and evicts then
MIB = 2**20


@pytest.fixture(scope="module")
def small(pool_machine: None) -> Iterator[Cluster]:
    with standing(Shape(nodes=1, drives=2, drive_gib=1.0, proxies=1, low_watermark_percent=MARKS.low)) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def written(small: Cluster) -> list[Promise]:
    """Objects until both drives are well over the high watermark."""
    rng, client, found = random.Random(9), small.client(timeout_s=30), []
    while min(drive.used_fraction for drive in small.nodes[0].drives) < (MARKS.high + 5) / 100:
        key, data = f"fill/{len(found):05d}", rng.randbytes(8 * MIB)
        acknowledged(client, key, data)
        sha256 = hashlib.sha256(data).hexdigest()
        found.append(Promise(key=key, size=len(data), sha256=sha256, at_s=time.monotonic()))
    return found


def acknowledged(client: PoolClient, key: str, data: bytes) -> None:
    """Written, however often it takes: a filling drive may clean a write away that is under way, and says so."""
    for left in range(4, -1, -1):
        try:
            client.put(key, data)
            return
        except Unanswered:
            if not left:
                raise


def aged(drive: Path, hours: float) -> None:
    """Every file of a drive was last read so many hours ago."""
    then = time.time() - hours * 3600
    for path in drive.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            os.utime(path, (then, then))


def test_drives_fall_to_the_low_watermark_and_nothing_is_lost(small: Cluster, written: list[Promise]) -> None:
    node = small.nodes[0]
    full = [drive.used_fraction for drive in node.drives]
    node.daemon.stop()
    for drive in node.drives:
        aged(drive.mount, hours=3)
    node.start()
    small.wait_whole()

    def fallen() -> bool:
        return all(drive.used_fraction <= (MARKS.low + 3) / 100 for drive in node.drives)

    wait_until(fallen, f"drives at {MARKS.low} %, from {full}", LOOKS_S, every_s=1)
    verdict = judge(small, written)
    assert verdict.acknowledged == len(written) > 20
    assert not verdict.lost
    assert not verdict.wrong


def test_a_full_drive_answers_507_serves_what_it_has_and_writes_again_when_there_is_room(small: Cluster) -> None:
    node, client, store = small.nodes[0], small.client(timeout_s=30), small.s3.client()
    client.put("cached", b"c" * MIB)
    store.put_object(Bucket=BUCKET, Key="cold", Body=b"x" * MIB)
    ballast = [drive.fill((MARKS.out_of_space + 2) / 100) for drive in node.drives]

    def refused() -> bool:
        try:
            client.put("too-much", b"y" * MIB)
        except Unanswered as error:
            return error.status == 507
        return False

    wait_until(refused, "507 to a write", LOOKS_S, every_s=1)
    with pytest.raises(Unanswered) as caught:
        client.get("cold")
    assert caught.value.status == 507
    assert client.get("cached") == b"c" * MIB, "what is cached is served from a full drive"
    # the way round that the training client takes: S3 itself
    store.put_object(Bucket=BUCKET, Key="too-much", Body=b"y" * MIB)
    for path in ballast:
        path.unlink()
    wait_until(lambda: not refused(), "writes again", LOOKS_S, every_s=1)
    assert client.get("cold") == b"x" * MIB
