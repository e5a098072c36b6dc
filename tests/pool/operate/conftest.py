"""A real pool for the command: three nodes with two drives each, two control nodes, S3 below; once for this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

import pytest
from fleet_pool.operate.command import main

from tests.pool.cluster import FORMING_S, Cluster, Shape, standing
from tests.pool.daemon import wait_until
from tests.pool.s3 import KEYS, REGION

NAMES = ("AIS_CRT", "AIS_CRT_KEY", "AIS_CLIENT_CA", "AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL")


@pytest.fixture(scope="package")
def standing_pool(pool_machine: None) -> Iterator[Cluster]:
    with standing(Shape(nodes=3, drives=2, proxies=2)) as cluster:
        yield cluster


@pytest.fixture
def real(standing_pool: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """The pool, and the environment by which the command finds it and S3. What a test breaks is mended after it."""
    set_environment(standing_pool, monkeypatch, "http")
    # a daemon that stands in the map may take a moment more until it answers for itself
    count = str(len(standing_pool.nodes))
    with redirect_stdout(StringIO()):
        wait_until(lambda: main(["status", "--targets", count]) == 0, "a pool that is well", FORMING_S, every_s=1)
    yield standing_pool
    standing_pool.mend()


def set_environment(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "AIS_ENDPOINT": ",".join(f"{scheme}://{address}" for address in cluster.addresses),
        "AWS_ACCESS_KEY_ID": KEYS["key"],
        "AWS_SECRET_ACCESS_KEY": KEYS["secret"],
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL_S3": cluster.s3.endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)


@dataclass(frozen=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """command("status", "--json"): its exit code and what it said."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        code = main(words)
        out, err = capsys.readouterr()
        return Said(code=code, out=out, err=err)

    return run
