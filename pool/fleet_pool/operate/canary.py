"""An end-to-end check: write an object, find it in S3 once the write is acknowledged, read it at every gateway.

Each run uses a new key, since keys are written once, and deletes it afterwards through the pool.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

from fleet_pool.api import Client, object_path
from fleet_pool.compat import frozen
from fleet_pool.operate.members import cluster_map
from fleet_pool.operate.table import columns
from fleet_pool.problems import Refused, Unreachable

FOLDER = ".planner-canary/"


@frozen
class Step:
    """what: PUT, S3, GET or DELETE. where: the gateway's id, or S3. wrong: the problem, "" if there is none."""

    what: str
    where: str
    seconds: float
    wrong: str


@frozen
class CanaryRun:
    bucket: str
    key: str
    size: int
    steps: tuple[Step, ...]

    @property
    def passed(self) -> bool:
        """Whether S3 and every gateway returned the bytes. A DELETE that failed does no harm."""
        return not any(step.wrong for step in self.steps if step.what != "DELETE")


def run_canary(
    client: Client,
    bucket: str,
    body: bytes,
    name: str,
    read_s3: Callable[[str, str], bytes],
    *,
    each_s: float,
) -> CanaryRun:
    """The steps and their results. read_s3: gives an object's bytes from S3 itself, by bucket and key. name: of this
    run, never used before. each_s: seconds for each step; a step that fails does not end the run.

    Raises Refused or Unreachable if no gateway has the cluster map, and NoCredentials from read_s3.
    """
    key = FOLDER + name
    gateways = {member.id: member.url for member in cluster_map(client).proxies if not member.leaving}
    steps = []

    def step(what: str, where: str, act: Callable[[], bytes | None]) -> bool:
        start = time.monotonic()
        try:
            found = act()
            wrong = "" if found is None or found == body else _differs(body, found)
        except (Refused, Unreachable) as error:
            wrong = str(error)
        steps.append(Step(what=what, where=where, seconds=time.monotonic() - start, wrong=wrong))
        return not wrong

    first, url = next(iter(gateways.items()))
    try:
        if step("PUT", first, lambda: client.put(url, bucket, key, body, each_s)):
            step("S3", "S3", lambda: read_s3(bucket, key))
            for id_, gateway in gateways.items():
                step("GET", id_, lambda gateway=gateway: client.get(gateway, bucket, key, each_s))
    finally:
        # also after a PUT that was not acknowledged: S3 may have the object
        step("DELETE", first, lambda: _delete(client, bucket, key))
    return CanaryRun(bucket=bucket, key=key, size=len(body), steps=tuple(steps))


def _delete(client: Client, bucket: str, key: str) -> None:
    try:
        client.ask("DELETE", object_path(bucket, key), query={"provider": "aws"}, patience_s=client.attempt_s)
    except Refused as error:
        if error.status != 404:
            raise


def _differs(sent: bytes, found: bytes) -> str:
    if len(found) != len(sent):
        return f"read {len(found)} bytes, wrote {len(sent)}"
    one, other = (hashlib.sha256(part).hexdigest()[:12] for part in (sent, found))
    return f"different bytes: SHA-256 {other}..., expected {one}..."


def as_text(run: CanaryRun) -> str:
    rows = [(step.what, step.where, f"{step.seconds:.3f}", step.wrong or "ok") for step in run.steps]
    return columns(("step", "where", "seconds", ""), rows, right=(2,))


def as_data(run: CanaryRun) -> dict[str, Any]:
    return {
        "schema_version": "1",
        "well": run.passed,
        "bucket": run.bucket,
        "key": run.key,
        "size_bytes": run.size,
        "steps": [vars(step) for step in run.steps],
    }
