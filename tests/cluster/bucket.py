"""The data bucket of a cluster of the tests: moto on loopback, and the environment of a node's jobs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

from infra.node.render import LAUNCH_FILE
from infra.node.zipped import launch_file

ROOT = Path(__file__).resolve().parents[2]
NAME, REGION = "planner-dev-data", "us-east-1"


class Bucket:
    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        self._client: Any = boto3.client("s3", region_name=REGION, endpoint_url=endpoint, **keys)
        self._client.create_bucket(Bucket=NAME)
        for key in self.keys(""):  # servers of one process share what they keep, and another cluster has a job 1 too
            self._client.delete_object(Bucket=NAME, Key=key)

    def keys(self, prefix: str) -> list[str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=NAME, Prefix=prefix)
        return [one["Key"] for page in pages for one in page.get("Contents", ())]

    def text(self, key: str) -> str:
        return self._client.get_object(Bucket=NAME, Key=key)["Body"].read().decode()

    def ends_whole(self, run: str) -> int:
        """Its last step, whose sum is that of a run that nothing interrupted."""
        commits = self.commits(run)
        last = max(commits)
        assert commits[last] == {"sum": sum(step**2 for step in range(1, last + 1))}
        return last

    def commits(self, run: str) -> dict[int, Any]:
        """Step -> its notes."""
        found = [key for key in self.keys(f"checkpoints/{run}/") if key.endswith("COMMIT")]
        return {int(json.loads(self.text(key))["step"]): json.loads(self.text(key))["notes"] for key in found}

    def environment(self) -> dict[str, str]:
        """Of a job, as a node's files and its role give it."""
        return {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL_S3": self.endpoint,
            "PYTHONPATH": str(ROOT / "pool"),
            "PLANNER_ROLE": "gpu",
            "PLANNER_INSTANCE": "i-0000",
            "PLANNER_ADDRESS": "127.0.0.1",
            "PLANNER_REGION": REGION,
            "PLANNER_BUCKET": "none-here",
            "PLANNER_DATA": NAME,
        }


@contextmanager
def bucket() -> Iterator[Bucket]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield Bucket(f"http://{host}:{port}")
    finally:
        server.stop()


def launcher(folder: Path) -> str:
    """`planner-launch` as a node's bundle has it, as words of a shell."""
    path = folder / LAUNCH_FILE
    path.write_bytes(launch_file())
    return f"{sys.executable} {path}"
