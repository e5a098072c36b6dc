"""What happens at the pool's edges: objects and buckets that come in by another way than its own."""

from __future__ import annotations

import http.client
import os

import pytest
from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.operate.buckets import buckets, register
from fleet_pool.problems import Blocked

from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import wait_until
from tests.pool.raw_client import PoolClient, Unanswered

OLD, NEW = b"as it was " * 5000, b"as it is now, and longer " * 5000


def command_client(pool: Cluster) -> Client:
    return Client([f"http://{address}:{settings.PROXY_PORT}" for address in pool.addresses])


def by_the_s3_door(pool: Cluster, method: str, path: str, body: bytes = b"") -> int:
    """Status of a request to the pool's own S3 door, redirects followed by hand."""
    host, port = pool.addresses[0], settings.PROXY_PORT
    for _ in range(3):
        link = http.client.HTTPConnection(host, port, timeout=20)
        link.request(method, path, body=body, headers={"Authorization": "AWS4-HMAC-SHA256 Credential=x/y"})
        answer = link.getresponse()
        answer.read()
        link.close()
        if answer.status not in (301, 302, 307, 308):
            return answer.status
        place = answer.headers["Location"].partition("://")[2]
        host, _, rest = place.partition(":")
        port, path = int(rest.partition("/")[0]), "/" + rest.partition("/")[2]
    raise AssertionError("too many redirects")


def status_of(client: PoolClient, key: str) -> int:
    try:
        client.get(key)
    except Unanswered as error:
        return error.status
    return 200


def test_a_bucket_made_through_the_s3_door_is_not_in_s3_and_is_refused(pool: Cluster) -> None:
    name = "through-the-door"
    assert by_the_s3_door(pool, "PUT", f"/s3/{name}") == 200
    assert name not in [found["Name"] for found in pool.s3.client().list_buckets()["Buckets"]], "it is S3's: no trap"
    with pytest.raises(Blocked, match=f"ais://{name}"):
        register(command_client(pool), name, "dataset")
    assert all(found.provider == "ais" for found in buckets(command_client(pool)) if found.name == name)


def test_a_bucket_registered_by_the_command_is_in_s3(pool: Cluster) -> None:
    name = "by-the-command"
    store = pool.s3.client()
    store.create_bucket(Bucket=name)
    assert register(command_client(pool), name, "dataset").bucket.evicts
    PoolClient(pool.addresses, name, timeout_s=20).put("key", OLD)
    assert store.get_object(Bucket=name, Key="key")["Body"].read() == OLD


def test_an_object_changed_in_s3_is_stale_until_asked_for_the_latest(pool: Cluster) -> None:
    client, store = pool.client(timeout_s=20), pool.s3.client()
    client.put("changed/behind", OLD)
    assert client.get("changed/behind") == OLD
    store.put_object(Bucket=BUCKET, Key="changed/behind", Body=NEW)
    assert client.get("changed/behind") == OLD, "documented: the cached copy is served"
    assert client.get("changed/behind", latest=True) == NEW
    assert client.get("changed/behind") == NEW, "what was asked for is what is cached now"


def test_a_bucket_of_rewritten_keys_never_serves_the_old_object(pool: Cluster) -> None:
    name = "rewritten"
    store = pool.s3.client()
    store.create_bucket(Bucket=name)
    assert register(command_client(pool), name, "rewritten").bucket.validates
    client = PoolClient(pool.addresses, name, timeout_s=20)
    for n in range(5):
        body = b"%d" % n * (1000 + n)
        store.put_object(Bucket=name, Key="latest", Body=body)
        assert client.get("latest") == body


def test_an_object_that_s3_lost_counts_as_lost_once_it_is_not_cached(pool: Cluster) -> None:
    client, store = pool.client(timeout_s=20), pool.s3.client()
    client.put("deleted/behind", OLD)
    store.delete_object(Bucket=BUCKET, Key="deleted/behind")
    assert client.get("deleted/behind") == OLD, "cached reads do not ask S3"
    client.evict(["deleted/behind"])
    wait_until(lambda: status_of(client, "deleted/behind") == 404, "evicted, and not served any more", 30)


def test_an_object_larger_than_a_part_is_in_s3_whole_when_it_is_acknowledged(pool: Cluster) -> None:
    part_mib = 128  # the default of 5.0
    data = os.urandom(part_mib * 2**20 + 1_000_001)
    client, store = pool.client(timeout_s=120), pool.s3.client(timeout_s=120)
    client.put("large", data)
    got = store.get_object(Bucket=BUCKET, Key="large")
    assert got["ETag"].strip('"').endswith("-2"), "it went up in two parts"
    assert got["Body"].read() == data
    client.evict(["large"])
    assert client.get("large") == data
