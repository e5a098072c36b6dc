"""A real pool of three nodes and two proxies over a real S3 server, for the tests that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from fleet_pool import settings
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.patience import Patience
from fleet_pool.client.pool import Pool
from fleet_pool.client.s3 import S3
from fleet_pool.client.store import Store

from tests.pool.cluster import BUCKET, Cluster, Shape, standing
from tests.pool.s3 import REGION


def endpoints(cluster: Cluster, scheme: str = "http") -> tuple[str, ...]:
    return tuple(f"{scheme}://{address}:{settings.PROXY_PORT}" for address in cluster.addresses)


@pytest.fixture(scope="session")
def environment() -> Iterator[dict[str, str]]:
    """What a job finds in its environment: nothing of the user's own that would lead its calls elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "AWS_CA_BUNDLE", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AIS_ENDPOINT"):
            patch.delenv(name, raising=False)
            patch.delenv(name.lower(), raising=False)
        yield {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


@pytest.fixture(scope="package")
def standing_cluster(pool_machine: None, environment: dict[str, str]) -> Iterator[Cluster]:
    """Three nodes, two proxies, S3; the environment of this process holds the keys of that S3 meanwhile."""
    with standing(Shape(nodes=3, drives=1, proxies=2)) as cluster, pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.s3.environment.items():
            patch.setenv(name, value)
        yield cluster


@pytest.fixture
def cluster(standing_cluster: Cluster) -> Iterator[Cluster]:
    """The pool, whole; what a test breaks and leaves is mended after it."""
    yield standing_cluster
    standing_cluster.mend()


def s3_of(cluster: Cluster) -> S3:
    return S3(BUCKET, region=REGION, endpoint_url=cluster.s3.endpoint)


def pool_of(cluster: Cluster) -> Pool:
    return Pool(BUCKET, endpoints(cluster), read_timeout_s=60)


@pytest.fixture
def store(cluster: Cluster) -> Store:
    """The pool with S3 behind it, as a job opens it."""
    return FallbackStore(cache=pool_of(cluster), truth=s3_of(cluster), patience=Patience())
