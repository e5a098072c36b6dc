"""Where a job's objects are, as one line: s3://bucket/prefix, with or without a pool before it, or a folder."""

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
from fleet_pool.client.store import Store, checked

# what nodes of a stack tell jobs in pool.env: all proxies, with commas between; the engine's own variable names one
ENDPOINTS = ("PLANNER_POOL", "AIS_ENDPOINT")


def open_store(
    address: str,
    *,
    pool: Sequence[str] | None = None,
    direct: bool = True,
    region: str | None = None,
    s3_endpoint_url: str | None = None,
    patience: Patience | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Store:
    """The store at `s3://bucket` or in a folder. Opening asks nobody anything.

    pool: the proxies; those of PLANNER_POOL or AIS_ENDPOINT where none are given, and S3 alone where both are empty.
    direct: also ask S3 itself; a job without access to it turns that off, and waits where others read on.
    Raises Refused.
    """
    if "://" not in address:
        return Folder(Path(address))
    scheme, _, bucket = address.partition("://")
    if scheme != "s3":
        remedy = "a bucket that is not in S3 is lost with the nodes" if scheme == "ais" else "say s3://BUCKET"
        raise Refused(f"{address}: objects are in s3:// or in a folder; {remedy}")
    if not bucket or "/" in bucket.rstrip("/"):
        raise Refused(f"{address}: say s3://BUCKET alone, and the rest as the beginning of keys")
    bucket = checked(bucket.rstrip("/"))
    named = next(filter(None, (environment.get(name) for name in ENDPOINTS)), "")
    proxies = tuple(pool) if pool is not None else tuple(filter(None, named.split(",")))
    return FallbackStore(
        cache=Pool(bucket, proxies) if proxies else None,
        truth=S3(bucket, region=region, endpoint_url=s3_endpoint_url) if direct else None,
        patience=patience,
    )
