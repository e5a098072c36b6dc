"""An end-to-end check of every target: write an object through it, find it in S3 once the write is acknowledged, read
it back; then one of them at every gateway.

Each run uses new keys, since keys are written once, and deletes them afterwards through the pool.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from fleet_pool.api import Client, object_path
from fleet_pool.compat import frozen
from fleet_pool.http_request import send
from fleet_pool.operate.members import Member, cluster_map
from fleet_pool.operate.table import columns
from fleet_pool.problems import Refused, Unreachable

FOLDER = ".planner-canary/"
AT_ONCE = 8  # targets
TRIES_A_TARGET = 64  # names; of 400 targets the last is found after 400 x (ln 400 + 0.6) names on average


@frozen
class Step:
    """what: PUT, S3, GET or DELETE. where: the id of the target, or of the gateway for its GET. wrong: the problem, ""
    if there is none."""

    what: str
    where: str
    seconds: float
    wrong: str


@frozen
class CanaryRun:
    """key: what the keys of the run begin with."""

    bucket: str
    key: str
    size: int
    steps: tuple[Step, ...]

    @property
    def passed(self) -> bool:
        """Whether S3, every target and every gateway returned the bytes. A DELETE that failed does no harm."""
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
    found = cluster_map(client)
    gateways = {member.id: member.url for member in found.proxies if not member.leaving}
    targets = [member for member in found.targets if not member.leaving]
    first, url, keys = _keys_by(client, gateways, bucket, FOLDER + name, targets)
    missing = [target.id for target in targets if target.id not in keys]
    steps = [Step(what="PUT", where=id_, seconds=0.0, wrong=f"{first} sends no key to this target") for id_ in missing]

    def step(what: str, where: str, act: Callable[[], bytes | None]) -> Step:
        start = time.monotonic()
        try:
            seen = act()
            wrong = "" if seen is None or seen == body else _differs(body, seen)
        except (Refused, Unreachable) as error:
            wrong = str(error)
        return Step(what=what, where=where, seconds=time.monotonic() - start, wrong=wrong)

    def through(target: str, key: str) -> list[Step]:
        made = [step("PUT", target, lambda: client.put(url, bucket, key, body, each_s))]
        if not made[0].wrong:
            made.append(step("S3", target, lambda: read_s3(bucket, key)))
            made.append(step("GET", target, lambda: client.get(url, bucket, key, each_s)))
        return made

    try:
        with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
            for made in threads.map(through, keys, keys.values()):
                steps += made
        well = [each.where for each in steps if each.what == "GET" and not each.wrong]
        if well:
            for id_, gateway in gateways.items():
                steps.append(step("GET", id_, lambda g=gateway: client.get(g, bucket, keys[well[0]], each_s)))
    finally:
        # also after a PUT that was not acknowledged: S3 may have the object
        for target, key in keys.items():
            steps.append(step("DELETE", target, lambda key=key: _delete(client, bucket, key)))
    return CanaryRun(bucket=bucket, key=FOLDER + name, size=len(body), steps=tuple(steps))


def _keys_by(
    client: Client, gateways: Mapping[str, str], bucket: str, begin: str, targets: Sequence[Member]
) -> tuple[str, str, dict[str, str]]:
    """The first gateway that answers, its address, and its key for each target. Raises Unreachable if none does."""
    silent: Unreachable | None = None
    for id_, url in gateways.items():
        try:
            return id_, url, _key_of_each(client, url, bucket, begin, targets)
        except Unreachable as problem:
            silent = problem
    raise silent or Unreachable("the map has no gateway that stays")


def _key_of_each(client: Client, gateway: str, bucket: str, begin: str, targets: Sequence[Member]) -> dict[str, str]:
    """A key for each target, by its id: the engine gives every key to one target by its hash, so names are tried."""
    ids = {target.url: target.id for target in targets}
    found: dict[str, str] = {}
    for number in range(TRIES_A_TARGET * len(targets)):
        if len(found) == len(targets):
            break
        key = f"{begin}-{number}"
        url = f"{gateway}{object_path(bucket, key)}?provider=aws"
        answer = send("GET", url, headers=client.shown, tls=client.tls, limit_s=client.attempt_s)
        where = urlsplit(answer.headers.get("location", ""))
        id_ = ids.get(f"{where.scheme}://{where.netloc}")
        if id_:
            found.setdefault(id_, key)
    return found


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
