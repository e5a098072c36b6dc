"""Opens a store by its address: s3://BUCKET, with or without a pool in front, or a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from fleet_pool.client.errors import Refused
from fleet_pool.client.fallback import FallbackStore
from fleet_pool.client.folder import Folder
from fleet_pool.client.patience import Patience
from fleet_pool.client.pool import Pool
from fleet_pool.client.s3 import S3
from fleet_pool.client.shared import memory_of
from fleet_pool.client.store import Store, checked

# set by a node's pool.env: all proxies, comma-separated; and the engine's own variable, which names one
ENDPOINTS = ("PLANNER_POOL", "AIS_ENDPOINT")
DATASET = "PLANNER_POOL_DATASET"


def open_store(
    address: str,
    *,
    pool: Sequence[str] | None = None,
    direct: bool = True,
    region: str | None = None,
    s3_endpoint_url: str | None = None,
    patience: Patience | None = None,
    digests: Sequence[str] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Store:
    """The store at `s3://bucket` or in a folder. Opening makes no request.

    pool: URLs of the proxies; default PLANNER_POOL or AIS_ENDPOINT, and S3 alone if both are empty. direct: whether
    to use S3 itself too; a job without access to S3 sets False and waits while the pool does not answer. digests:
    prefixes of data sets whose reads are checked against their manifests; default PLANNER_POOL_DATASET.
    Raises Refused.
    """
    if "://" not in address:
        return Folder(Path(address))
    scheme, _, bucket = address.partition("://")
    if scheme != "s3":
        remedy = "a bucket that is not in S3 is lost with the nodes" if scheme == "ais" else "use s3://BUCKET"
        raise Refused(f"{address}: the store must be s3:// or a folder; {remedy}")
    if not bucket or "/" in bucket.rstrip("/"):
        raise Refused(f"{address}: use s3://BUCKET alone, and put the prefix in the keys")
    bucket = checked(bucket.rstrip("/"))
    named = next(filter(None, (environment.get(name) for name in ENDPOINTS)), "")
    proxies = tuple(pool) if pool is not None else tuple(filter(None, named.split(",")))
    for prefix in digests or ():
        if prefix and not prefix.endswith("/"):
            raise Refused(f"digests: {prefix!r} must end in a slash, as the data set's prefix in `planner pool digest`")
    return FallbackStore(
        cache=Pool(bucket, proxies) if proxies else None,
        truth=S3(bucket, region=region, endpoint_url=s3_endpoint_url) if direct else None,
        patience=patience,
        memory=memory_of(environment),
        digests=tuple(digests) if digests is not None else tuple(filter(None, (environment.get(DATASET, ""),))),
    )
