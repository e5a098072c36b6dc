"""Who may talk to the pool, and do what: certificates of its authority's let in, tokens say what for."""

from __future__ import annotations

import base64
import dataclasses
import http.client
import json
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.node.config import Tls

from tests.pool.certificates import Authority, Tokens
from tests.pool.cluster import BUCKET, Cluster, Shape, standing
from tests.pool.raw_client import PoolClient, Unanswered

SECRET = b"only for those who may " * 1000
# TLS 1.3 tells a client of it after the handshake, or not at all before the connection is gone
HUNG_UP = r"(?i)certificate|alert|reset|closed|eof|pipe"
REFUSED = (OSError, http.client.HTTPException, Unanswered)


@pytest.fixture(scope="module")
def secure(pool_machine: None) -> Iterator[Cluster]:
    with standing(Shape(nodes=2, drives=1, proxies=1, mutual_tls=True)) as cluster:
        cluster.client().put("a", SECRET)
        yield cluster


def client_with(cluster: Cluster, token: str, tls: Tls | None = None) -> PoolClient:
    return PoolClient(cluster.addresses, BUCKET, timeout_s=10, tls=tls or cluster.tls, token=token)


def asked_with(cluster: Cluster, tls: Tls) -> bytes:
    assert cluster.tokens is not None
    return client_with(cluster, cluster.tokens.job, tls).get("a")


def test_a_certificate_of_the_authority_reads_and_writes(secure: Cluster) -> None:
    assert asked_with(secure, secure.authority.issue("job")) == SECRET
    assert secure.s3.client().get_object(Bucket=BUCKET, Key="a")["Body"].read() == SECRET


def test_without_a_certificate_nothing_is_answered(secure: Cluster) -> None:
    assert secure.tls is not None
    with pytest.raises(REFUSED, match=HUNG_UP):
        asked_with(secure, dataclasses.replace(secure.tls, certificate="", key=""))


def test_an_expired_certificate_is_refused(secure: Cluster) -> None:
    expired = secure.authority.issue("expired", days=-1)
    with pytest.raises(REFUSED, match=HUNG_UP):
        asked_with(secure, expired)


def test_a_stranger_s_certificate_is_refused(secure: Cluster) -> None:
    stranger = Authority(secure.folder / "stranger", "another pool").issue("job")
    with pytest.raises(REFUSED, match=HUNG_UP):
        asked_with(secure, dataclasses.replace(stranger, authority=str(secure.authority.certificate)))


@pytest.mark.parametrize("port", [settings.PROXY_PORT, settings.PROXY_INTRA_PORT])
def test_plain_http_is_refused(secure: Cluster, port: int) -> None:
    plain = PoolClient(secure.addresses, BUCKET, timeout_s=10)
    with pytest.raises(REFUSED):
        plain.asked_of(secure.addresses[0], port, "GET", "/v1/daemon?what=smap")


def test_the_test_s_own_client_checks_the_pool_too(secure: Cluster) -> None:
    assert secure.tls is not None
    other = Authority(secure.folder / "other", "not the pool's")
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED") as caught:
        asked_with(secure, dataclasses.replace(secure.tls, authority=str(other.certificate)))
    assert isinstance(caught.value.__cause__, ssl.SSLError | OSError)


def test_a_job_uses_objects_and_administers_nothing(secure: Cluster) -> None:
    """With the same certificate: what a job may do is in its token, which the proxies check."""
    assert secure.tokens is not None
    job = client_with(secure, secure.tokens.job)
    job.put("of a job", b"1")
    assert job.get("of a job") == b"1"
    assert secure.nodes[0].id in str(job.map())
    bucket = f"/v1/buckets/{BUCKET}?provider=aws"
    target = secure.nodes[0].id
    refused = {
        "the cluster's shutdown": ("PUT", "/v1/cluster", {"action": "shutdown"}),
        "a node's maintenance": ("PUT", "/v1/cluster", {"action": "start-maintenance", "value": {"sid": target}}),
        "a node's removal": ("PUT", "/v1/cluster", {"action": "rm-unsafe", "value": {"sid": target}}),
        "a setting": ("PUT", "/v1/cluster", {"action": "set-config", "value": {"features": "0"}}),
        "a daemon's setting": ("PUT", "/v1/daemon", {"action": "shutdown"}),
        "a bucket's eviction": ("DELETE", bucket, {"action": "evict-remote-bck"}),
        "a bucket's removal": ("DELETE", bucket, {"action": "destroy-bck"}),
        "a bucket's properties": ("PATCH", bucket, {"action": "set-bprops", "value": {"lru": {"enabled": False}}}),
        "a bucket of its own": ("POST", "/v1/buckets/another", {"action": "create-bck"}),
        "a node's fetch of any URL": (
            "POST",
            "/v1/download",
            {"type": "single", "object_name": "x", "link": "http://a/x", "bucket": {"name": BUCKET, "provider": "aws"}},
        ),
        "an archive of objects": ("PUT", bucket, {"action": "archive", "value": {"archname": "x", "objnames": ["a"]}}),
    }
    for what, (method, path, message) in refused.items():
        with pytest.raises(Unanswered) as caught:
            job._asked(method, path, json.dumps(message).encode(), json_body=True)
        assert caught.value.status in (403, 405), what  # 405: of a bucket in S3, nobody may
    for member in secure.nodes:  # the targets' own door to clients changes nothing, whoever asks
        shut = json.dumps({"action": "shutdown"}).encode()
        with pytest.raises(Unanswered) as caught:
            job.asked_of(member.host.address, settings.TARGET_PORT, "PUT", "/v1/daemon", shut)
        assert caught.value.status == 403
    assert len(secure.targets_in()) == 2
    assert job.get("a") == SECRET


@pytest.mark.parametrize("token", ["none", "expired", "of another key", "that says it is an administrator's"])
def test_without_a_valid_token_nothing_is_answered(secure: Cluster, tmp_path: Path, token: str) -> None:
    assert secure.tokens is not None
    head, body, signature = secure.tokens.job.split(".")
    more = json.loads(base64.urlsafe_b64decode(body + "==")) | {"admin": True}
    forged = base64.urlsafe_b64encode(json.dumps(more).encode()).rstrip(b"=").decode()
    shown = {
        "none": "",
        "expired": secure.tokens.signed("job", days=-1),
        "of another key": Tokens(tmp_path).admin,
        "that says it is an administrator's": f"{head}.{forged}.{signature}",
    }[token]
    with pytest.raises(Unanswered) as caught:
        client_with(secure, shown).get("a")
    assert caught.value.status in (401, 403)


def test_an_administrator_takes_a_bucket_s_copies_off_the_nodes(secure: Cluster) -> None:
    bucket = f"/v1/buckets/{BUCKET}?provider=aws&keep_bck_md=true"
    secure.client()._asked("DELETE", bucket, json.dumps({"action": "evict-remote-bck"}).encode(), json_body=True)
    assert secure.client().get("a") == SECRET


def test_a_node_of_another_authority_does_not_come_in(secure: Cluster) -> None:
    node, ours = secure.nodes[1], secure.targets_in()
    assert len(ours) == 2
    node.kill()
    secure.wait_whole()
    strange = Authority(secure.folder / "elsewhere", "elsewhere")
    strange.issue("node", [f"{secure.network.subnet}.{n}" for n in range(1, 60)])
    Tokens(strange.folder)
    ours_folder, node.tls_folder = node.tls_folder, strange.folder
    node.replace()
    node.start()
    end = time.monotonic() + 15
    while time.monotonic() < end:
        assert node.id not in secure.targets_in()
        time.sleep(1)
    assert asked_with(secure, secure.authority.issue("job after")) == SECRET
    node.tls_folder = ours_folder
    node.replace()
    node.start()
    secure.wait_whole()
