"""Who may talk to the pool: with mutual TLS, only who shows a certificate of its authority's."""

from __future__ import annotations

import dataclasses
import http.client
import ssl
import time
from collections.abc import Iterator

import pytest
from fleet_pool import settings
from fleet_pool.node.config import Tls

from tests.pool.certificates import Authority
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


def asked_with(cluster: Cluster, tls: Tls) -> bytes:
    return PoolClient(cluster.addresses, BUCKET, timeout_s=10, tls=tls).get("a")


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


def test_a_node_of_another_authority_does_not_come_in(secure: Cluster) -> None:
    node, ours = secure.nodes[1], secure.targets_in()
    assert len(ours) == 2
    node.kill()
    secure.wait_whole()
    strange = Authority(secure.folder / "elsewhere", "elsewhere")
    strange.issue("node", [f"{secure.network.subnet}.{n}" for n in range(1, 60)])
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
