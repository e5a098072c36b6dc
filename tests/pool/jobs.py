"""A training job's store over the pool: the product's Python client, with the keys of the test's S3."""

from __future__ import annotations

import logging

import pytest
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.patience import Patience
from fleet_pool.client.pool import Pool
from fleet_pool.client.s3 import S3

from tests.pool.client.conftest import endpoints
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.s3 import REGION

logging.getLogger("fleet_pool").addHandler(logging.NullHandler())  # a campaign's lines are its rows


def job(cluster: Cluster, *, digests: tuple[str, ...] = (), read_timeout_s: float = 30) -> FallbackStore:
    """With its own memory of sick nodes, as on a machine of its own. Of a pool with TLS the environment has to name the
    certificate and the token."""
    s3 = S3(BUCKET, region=REGION, endpoint_url=cluster.s3.endpoint)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.s3.environment.items():
            patch.setenv(name, value)
        s3._client.meta.endpoint_url  # noqa: B018  made now, while its keys are in the environment
    scheme = "https" if cluster.tls else "http"
    pool = Pool(BUCKET, endpoints(cluster, scheme), connect_timeout_s=1, read_timeout_s=read_timeout_s)
    return FallbackStore(cache=pool, truth=s3, patience=Patience(total_s=60), digests=digests)
