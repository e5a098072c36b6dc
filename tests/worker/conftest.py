"""S3 on loopback: a worker needs neither root nor namespaces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fleet_pool.launch.bucket import Bucket
from fleet_pool.operate.s3 import Credentials, Place

from tests.pool.s3 import BUCKET, KEYS, REGION, S3Server
from tools.gotools import TOOLS


@dataclass(frozen=True, kw_only=True)
class Loopback:
    """As tests.pool.network.Host, without a namespace."""

    address: str
    enter: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """The real server; its bucket is there."""
    if not TOOLS["versitygw"].path.exists():
        pytest.skip("no S3 server: `make tools` builds versitygw")
    own = os.getpid() % 60_000  # an address of this process, since the port is fixed
    host: Any = Loopback(address=f"127.1.{own // 250}.{own % 250 + 1}")
    server = S3Server(host, tmp_path_factory.mktemp("s3"))
    server.start()
    server.client().create_bucket(Bucket=BUCKET)
    yield server
    server.kill()


@pytest.fixture
def bucket(s3: S3Server) -> Bucket:
    return bucket_of(s3)


def bucket_of(s3: S3Server, patience_s: float = 5.0) -> Bucket:
    who = Credentials(key_id=KEYS["key"], secret=KEYS["secret"], token="")
    return Bucket(BUCKET, Place(region=REGION, endpoint=s3.endpoint), lambda: who, patience_s=patience_s)


@pytest.fixture
def environment(s3: S3Server, tmp_path: Path) -> dict[str, str]:
    """Of a worker's container."""
    (tmp_path / "work").mkdir()
    return {
        **s3.environment,
        "AWS_ENDPOINT_URL_S3": s3.endpoint,
        "PLANNER_DATA": BUCKET,
        "PLANNER_WORKER_FOLDER": str(tmp_path / "work"),
        "PLANNER_WORKER_PACE_S": "0.1",
        "PLANNER_WORKER_BEAT_S": "1",
        "PATH": os.environ["PATH"],
    }
