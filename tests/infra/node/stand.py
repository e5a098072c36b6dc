"""What nodes that boot on this machine find outside of themselves: network, S3 with their bundle, metadata, drives."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from fleet_pool import settings
from fleet_pool.node.facts import Stack
from fleet_pool.settings import DAEMON, JUICEFS

from infra.artefacts import Bundle, bundle
from infra.node.built import POOL_FILE
from infra.node.zipped import pool_file
from infra.userdata import text_of
from tests.infra.node.machine import Metadata
from tests.pool.daemon import wait_until
from tests.pool.machine import remove_folder, remove_stale, scratch
from tests.pool.network import Host, Network
from tests.pool.node.nodes import CASES
from tests.pool.s3 import REGION, S3Server
from tools.gotools import TOOLS

ARTEFACTS, DATA = "artefacts", "train"
INSTANCES = {"control": "i-0c00000000000000c", "target": "i-0a00000000000000a"}
JOB_ROLE = "arn:aws:iam::123456789012:role/planner-dev-fleet-job-role"
KNOWN = {"PLANNER_REGION": REGION, "PLANNER_BUCKET": ARTEFACTS, "PLANNER_DATA": DATA}


class Runs(Protocol):
    """A node on which commands can be run."""

    def run(self, *command: str, check: bool = True) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Stand:
    """hosts: a control node and a target, by name. drives: the target's. folder: for files, gone at the end."""

    folder: Path
    hosts: dict[str, Host]
    drives: list[str]
    stack: Stack
    made: Bundle
    s3: S3Server
    metadata: Metadata
    network: Network

    @property
    def told(self) -> dict[str, str]:
        """What an instance's role and its metadata would give."""
        return given(self.s3, self.metadata)

    def drives_of(self, name: str) -> list[str]:
        return self.drives if name == "target" else []

    def user_data(self, name: str, **more: str) -> str:
        role = (
            {"PLANNER_ROLE": "control", "PLANNER_NUMBER": "0"}
            if name == "control"
            else {"PLANNER_ROLE": "gpu", "PLANNER_EXPECTED": "drives=2", "PLANNER_JOBS": JOB_ROLE}
        )
        return text_of(self.made, {**KNOWN, **role, **more})

    def notice(self) -> None:
        """AWS takes the spot instance back, in 100 s."""
        at = datetime.now(UTC) + timedelta(seconds=100)
        told = {"action": "terminate", "time": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        self.metadata.notices["spot/instance-action"] = json.dumps(told)

    def url(self, path: str) -> str:
        return f"https://{self.stack.proxies[0]}:{settings.PROXY_PORT}/v1/{path}"

    def curl(self, node: Runs, *words: str, certificate: bool = True) -> str:
        """As a job on a node would."""
        tls = settings.TLS_FOLDER
        mine = []
        if certificate:
            token = json.loads(node.run("cat", f"{tls}/job.token"))["token"]
            mine = [
                "--cert",
                f"{tls}/node.crt",
                "--key",
                f"{tls}/node.key",
                "--header",
                f"Authorization: Bearer {token}",
            ]
        always = ["--silent", "--show-error", "--location", "--max-time", "20", "--cacert", f"{tls}/authority.crt"]
        return node.run("curl", *always, *mine, *words, check=False)

    def stands(self, node: Runs) -> bool:
        """Whether there is a map with a target in it."""
        return '"tmap":{"t' in self.curl(node, self.url("daemon?what=smap")).replace(" ", "")

    def object_url(self, key: str) -> str:
        return self.url(f"objects/{DATA}/{key}?provider=aws")

    def put(self, node: Runs, key: str) -> str:
        """What the pool has acknowledged under a key; tried until it does: the map is there before the buckets are."""
        attempts, written = itertools.count(), ""

        def put_one() -> bool:
            nonlocal written
            written = f"{key} {next(attempts)}"
            words = ("--request", "PUT", "--write-out", "%{http_code}", "--data-binary", written)
            return self.curl(node, *words, self.object_url(key)).endswith("200")

        wait_until(put_one, f"a write of {key} that the pool takes", 120, every_s=0.5)
        return written

    def in_s3(self, key: str) -> str:
        return self.s3.client().get_object(Bucket=DATA, Key=key)["Body"].read().decode()


@contextmanager
def standing(reserved_vcpu: int, *, files: bool = False) -> Iterator[Stand]:
    """All of it. reserved_vcpu: kept for the target. files: whether the target's node mounts files."""
    remove_stale()
    folder, network = scratch(), Network()
    metadata = s3 = None
    try:
        drives = [loop_drive(folder / f"drive{n}") for n in range(2)]
        s3 = S3Server(network.add("s3", 253), folder / "s3")
        s3.start()
        hosts = {"control": network.add("c0", 1), "target": network.add("t0", 11)}
        case = next(case for case in CASES if case.name == "p5")
        stack = replace(
            case.stack, proxies=(hosts["control"].address,), drives=2, reserved_vcpu=reserved_vcpu, files=files
        )
        made = bundle(stack)
        upload(s3, made)
        addresses = {host.address: INSTANCES[name] for name, host in hosts.items()}
        keys = (s3.environment["AWS_ACCESS_KEY_ID"], s3.environment["AWS_SECRET_ACCESS_KEY"])
        metadata = Metadata(f"{network.subnet}.254", addresses, stack.name, keys)
        yield Stand(
            folder=folder,
            hosts=hosts,
            drives=drives,
            stack=stack,
            made=made,
            s3=s3,
            metadata=metadata,
            network=network,
        )
    finally:
        if s3:
            s3.kill()
        if metadata:
            metadata.close()
        network.close()
        remove_folder(folder)


def given(s3: S3Server, metadata: Metadata) -> dict[str, str]:
    """Environment of a node's programs."""
    endpoints = {
        "AWS_ENDPOINT_URL_S3": s3.endpoint,
        "AWS_ENDPOINT_URL_STS": metadata.endpoint,
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.endpoint,
    }
    return {**s3.environment, **endpoints}


def loop_drive(file: Path) -> str:
    with file.open("wb") as made:
        made.truncate(2 * 2**30)
    command = ["losetup", "--find", "--show", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def upload(s3: S3Server, made: Bundle) -> None:
    """What `pulumi up` uploads, into buckets that it makes."""
    client = s3.client()
    for bucket in (ARTEFACTS, DATA):
        client.create_bucket(Bucket=bucket)
    for name, data in made.files.items():
        client.put_object(Bucket=ARTEFACTS, Key=made.key(name), Body=data)
    client.put_object(Bucket=ARTEFACTS, Key=made.key(POOL_FILE), Body=pool_file())
    programs = {DAEMON: TOOLS["aisnode"].path, JUICEFS: Path(sys.executable).parent / JUICEFS}
    for name, path in programs.items():
        if name in made.binaries:
            client.upload_file(str(path), ARTEFACTS, made.key(name))
