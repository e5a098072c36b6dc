"""A pool that lets in whoever shows a certificate of its authority: the client does, whatever else is set around it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from fleet_pool.client.errors import Refused
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.pool import Pool
from fleet_pool.node.config import Tls

from tests.pool.client.conftest import endpoints
from tests.pool.cluster import BUCKET, Cluster, Shape, standing


@pytest.fixture(scope="module")
def secured(pool_machine: None, environment: dict[str, str]) -> Iterator[Cluster]:
    with standing(Shape(nodes=1, drives=1, proxies=1, mutual_tls=True)) as cluster:
        yield cluster


@pytest.fixture
def identity(secured: Cluster) -> Tls:
    assert secured.tls is not None
    return secured.tls


def _pool(cluster: Cluster, scheme: str = "https") -> FallbackStore:
    return FallbackStore(cache=Pool(BUCKET, endpoints(cluster, scheme)), truth=None)


def test_with_the_engines_own_variables_objects_go_both_ways(secured, identity, monkeypatch, tmp_path):
    """REQUESTS_CA_BUNDLE, set on many images, would go over the pool's authority if the client listened to it."""
    monkeypatch.setenv("AIS_CRT", identity.certificate)
    monkeypatch.setenv("AIS_CRT_KEY", identity.key)
    monkeypatch.setenv("AIS_CLIENT_CA", identity.authority)
    monkeypatch.setenv("AIS_AUTHN_TOKEN_FILE", str(secured.folder / "tls" / "job.token"))
    other = tmp_path / "other.pem"
    other.write_text("")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(other))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(other))
    store, path, data = _pool(secured), tmp_path / "file", os.urandom(20_000_000)
    path.write_bytes(data)
    store.write_unique("large", data)
    store.write_unique("file", path)
    assert store.read("large") == store.read("file") == data
    assert store.read("large", start=5, length=10) == data[5:15]
    assert store.counts.failed_tries == 0


@pytest.mark.parametrize("shown", ["nothing", "no certificate", "plain http"])
def test_without_them_the_pool_lets_nobody_in_and_the_error_says_why_at_once(secured, identity, monkeypatch, shown):
    for name in ("AIS_CRT", "AIS_CRT_KEY", "AIS_CLIENT_CA", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    if shown == "no certificate":
        monkeypatch.setenv("AIS_CLIENT_CA", identity.authority)
    store = _pool(secured, "http" if shown == "plain http" else "https")
    said = "HTTP request to an HTTPS server" if shown == "plain http" else "AIS_CRT, AIS_CRT_KEY and AIS_CLIENT_CA"
    with pytest.raises(Refused, match=said):
        store.read("large")
    assert store.counts.failed_tries >= 1
