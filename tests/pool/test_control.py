"""The pool as a whole: how it comes up, and what is left of it when its memory is gone."""

from __future__ import annotations

import hashlib
import http.client
import time

import pytest

from tests.pool.audit import Promise, judge
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.raw_client import PoolClient, Unanswered


def some_promises(pool: Cluster, name: str, count: int = 10) -> list[Promise]:
    client, found = pool.client(timeout_s=30), []
    for n in range(count):
        data = hashlib.sha256(f"{name}{n}".encode()).digest() * 2000
        client.put(f"{name}/{n}", data)
        sha256 = hashlib.sha256(data).hexdigest()
        found.append(Promise(key=f"{name}/{n}", size=len(data), sha256=sha256, at_s=time.monotonic()))
    return found


def test_a_pool_comes_up_from_nothing_by_itself(pool: Cluster) -> None:
    """In the time that `standing` gives it; nobody helped."""
    pool.wait_whole()
    assert pool.formed_s > 0


def test_a_dead_node_s_address_may_be_used_again_once_it_has_left_the_map(pool: Cluster) -> None:
    """Before that the new daemon would answer for the dead one, and the map would keep both."""
    node = pool.nodes[0]
    promises = some_promises(pool, "address")
    node.kill()
    pool.wait_whole()
    old = node.host.address
    node.replace(same_address=True)
    node.start()
    pool.wait_whole()
    assert node.host.address == old
    verdict = judge(pool, promises)
    assert not verdict.lost
    assert not verdict.wrong


def test_a_drive_of_another_node_is_refused(pool: Cluster) -> None:
    """A node that finds another one's objects on its drives does not start: they would be served under its name."""
    node = pool.nodes[1]
    some_promises(pool, "stamped")
    node.kill()
    pool.wait_whole()
    node.rename()
    node.start()
    assert node.daemon.process is not None
    assert node.daemon.process.wait(timeout=60) != 0
    assert "storage integrity error" in node.daemon.tail(40)
    node.replace()
    node.start()
    pool.wait_whole()


def test_control_nodes_that_lost_everything_and_blank_nodes_lose_no_object(pool: Cluster) -> None:
    """The pool's memory is a cache as well: S3 and one registration bring it back."""
    promises = some_promises(pool, "memory")
    for member in pool.members:
        member.kill()
    for proxy in pool.proxies:
        proxy.forget()
    for node in pool.nodes:
        node.replace()
    for member in pool.members:
        member.start()
    pool.wait_whole(120)
    pool.register()
    verdict = judge(pool, promises)
    assert verdict.acknowledged == len(promises)
    assert not verdict.lost
    assert not verdict.wrong


def test_an_acknowledged_write_is_in_s3_before_the_answer(pool: Cluster) -> None:
    client, store = pool.client(timeout_s=30), pool.s3.client()
    for n, size in enumerate((0, 1, 4096, 5 * 2**20)):
        data = bytes([n]) * size
        client.put(f"before/{n}", data)
        assert store.get_object(Bucket=BUCKET, Key=f"before/{n}")["Body"].read() == data


def test_no_write_is_acknowledged_while_s3_is_down(pool: Cluster) -> None:
    client = pool.client(timeout_s=30)
    client.put("cached/here", b"here")
    pool.s3.kill()
    with pytest.raises((Unanswered, OSError, http.client.HTTPException)):
        client.put("away/1", b"1")
    assert client.get("cached/here") == b"here"
    pool.s3.restore()
    with pytest.raises(Unanswered) as caught:
        PoolClient(pool.addresses, BUCKET, timeout_s=30).get("away/1")
    assert caught.value.status == 404, "refused, and nothing left behind"
    client.put("away/1", b"1")
