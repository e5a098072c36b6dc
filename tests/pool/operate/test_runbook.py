"""docs/operations.md, "When the pool fails": the commands for a sick node and for wrong bytes, run as they are written,
and what the control nodes tell CloudWatch meanwhile."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from fleet_pool.node import ready, watch
from fleet_pool.problems import Code

from tests.pool.cluster import FORMING_S, Cluster
from tests.pool.daemon import wait_until
from tests.pool.grey import slow_link
from tests.pool.s3 import BUCKET

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
NAMED_WITHIN_S, SIZE = 60.0, 2**20 + 4321


def commands(row: str) -> list[str]:
    """Of the row of the table that begins with these words, in their order."""
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"| {row}")]
    return re.findall(r"`((?:planner pool|aws) [^`]+)`", line)


def words(written: str, **names: str) -> list[str]:
    """A command as typed, with its words in capitals filled in."""
    for name, value in names.items():
        written = re.sub(rf"\b{name}\b", value, written)
    assert not re.search(r"\b[A-Z]{2,}\b", re.sub("|".join(map(re.escape, names.values())) or "$^", "", written)), (
        written
    )
    return shlex.split(written)


def pool_problems(real: Cluster) -> float:
    """What a control node publishes for the alarm `pool-problems`."""
    told = watch.of_pool(real.stack, (), {"PLANNER_POOL": os.environ["AIS_ENDPOINT"]})
    return next(each.value for each in told if each.metric == watch.POOL_PROBLEMS)


def test_a_sick_node_is_named_drained_and_let_back(real: Cluster, command: Callable):
    status, drain, undrain = (words(each, ID="ID") for each in commands("a node is sick"))
    node, client = real.nodes[1], real.client(timeout_s=30)
    # the first bucket by name has something small cached on each node, which a slow link delays little
    small = f"a-{uuid.uuid4().hex[:12]}"
    real.s3.client().create_bucket(Bucket=small)
    assert command("register", small, "--kind", "dataset").code == Code.OK
    client.bucket = small
    for number in range(24):
        client.put(f"runbook/{number}", bytes(1000))
    client.bucket = BUCKET
    for number in range(24):
        client.put(f"runbook/{number}", os.urandom(2**20))
    assert pool_problems(real) == 0
    with slow_link(real, node):
        said = command(*status[2:])
        end_s = time.monotonic() + NAMED_WITHIN_S
        while said.code != Code.BLOCKER and time.monotonic() < end_s:
            said = command(*status[2:])
        assert said.code == Code.BLOCKER
        assert re.search(rf"error: {node.id}: sick: ", said.out), said.out
        assert pool_problems(real) >= 1, "nobody is paged"
        done = command(*drain[2:-1], node.id)
        assert done.code == Code.OK, done.err
        assert node.id not in active(command)
        assert client.get("runbook/3"), "the others serve its share"
    back = command(*undrain[2:-1], node.id)
    assert back.code == Code.OK, back.err
    wait_until(lambda: active(command) == {each.id for each in real.nodes}, "the node back", FORMING_S)
    assert command(*status[2:]).code == Code.OK


def active(command: Callable) -> set[str]:
    nodes = json.loads(command("status", "--json").out)["nodes"]
    return {node["id"] for node in nodes if node["role"] == "target" and not node["leaving"]}


def test_wrong_bytes_are_healed_and_what_s3_has_wrong_is_restored(real: Cluster, command: Callable):
    verify, evict, digest, versions, restore, evict_key, verify_again, drain = commands("wrong bytes:")
    assert drain in commands("a node is sick")
    bucket, prefix = f"walk-{uuid.uuid4().hex[:12]}", "set/"
    s3, client = real.s3.client(), real.client(timeout_s=30)
    client.bucket = bucket
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    objects = {f"{prefix}{number}": os.urandom(SIZE) for number in range(4)}
    for key, data in objects.items():
        s3.put_object(Bucket=bucket, Key=key, Body=data)
    assert command("register", bucket, "--kind", "dataset").code == Code.OK
    names = {"BUCKET": bucket, "PREFIX": prefix}

    def run(written: str, **more: str):
        return command(*words(written, **names, **more)[2:])

    # without a manifest: what is cached may be anything, so it goes, and a manifest is written
    client.get(f"{prefix}0")
    decay(real, bucket, f"{prefix}0")
    assert run(verify).code == Code.USAGE
    assert run(evict).code == Code.OK
    assert run(digest).code == Code.OK
    for key, data in objects.items():
        assert client.get(key) == data
    # a copy decays: verify says so once, and then all is right
    assert pool_problems(real) == 0
    decay(real, bucket, f"{prefix}1")
    assert client.get(f"{prefix}1") != objects[f"{prefix}1"]
    assert run(verify).code == Code.BLOCKER
    assert run(verify).code == Code.OK
    assert client.get(f"{prefix}1") == objects[f"{prefix}1"]
    assert pool_problems(real) >= 1, "nobody is paged"
    assert f"1 cached object of {bucket} found damaged in the last 7 days, 1 of them on " in command("status").out
    # another program changed an object in S3
    key = f"{prefix}2"
    s3.put_object(Bucket=bucket, Key=key, Body=bytes(SIZE))
    command("evict", bucket, "--prefix", key)
    client.get(key)
    broken = run(verify)
    assert broken.code == Code.BLOCKER
    assert f"BROKEN  {key}" in broken.out
    listed = json.loads(aws(real, words(versions, **names, KEY=key)))["Versions"]
    [older] = [each for each in listed if not each["IsLatest"]]
    aws(real, words(restore, **names, KEY=key, ID=older["VersionId"]))
    assert run(evict_key, KEY=key).code == Code.OK
    client.get(key)
    assert run(verify_again).code == Code.OK
    assert client.get(key) == objects[key]


def decay(real: Cluster, bucket: str, key: str) -> None:
    paths = [path for node in real.nodes for drive in node.drives for path in drive.mount.rglob(Path(key).name)]
    [copy] = [path for path in paths if bucket in str(path) and str(path).endswith(key)]
    with copy.open("r+b") as file:
        file.write(bytes(100))


def aws(real: Cluster, command: list[str]) -> str:
    program = shutil.which(command[0])
    if program is None:
        pytest.skip("no AWS CLI here (Debian: apt-get install awscli)")
    done = subprocess.run(
        [program, "--endpoint-url", real.s3.endpoint, "--output", "json", *command[1:]],
        env={**os.environ, "AWS_PAGER": "", "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_target_that_is_missing_pages_by_its_own_node(real: Cluster):
    """By `fleet-problems`; the alarm of a machine that is gone is the group's count, or what the others say of it."""
    node = real.nodes[0]
    facts = dataclasses.replace(node._facts, group="planner-dev-fleet-group")
    environment = {"PLANNER_POOL": os.environ["AIS_ENDPOINT"]}
    assert ready.pool(real.stack, facts, environment) == "3 targets"
    node.kill()
    wait_until(lambda: node.id not in (real.targets_in() or {node.id}), "the map without it", FORMING_S)
    with pytest.raises(ready.NotReady, match="the pool lists 2 targets, not this node's"):
        ready.pool(real.stack, facts, environment)
    [told] = watch.of_node(facts, [ready.Found(name="pool", ready=False, said="not this node's")])
    assert (told.metric, told.value) == (watch.NODE_PROBLEMS, 1)
