"""A node joins: the command of its unit, a control node's own code, the AWS CLI, and a real S3 server on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import boto3
import pytest
from fleet_pool import settings
from fleet_pool.node import command
from fleet_pool.node.authority import Authority
from fleet_pool.node.certificates import Store
from fleet_pool.node.facts import Node
from fleet_pool.node.requests import artefacts_of

from tests.infra.node.machine import AWS, ROLE_ID, Metadata
from tests.infra.node.test_scripts import need
from tests.pool.daemon import wait_until
from tests.pool.node.nodes import CASES
from tools.gotools import TOOLS

KEYS = ("test", "testtest")
FREE = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
INSTANCE = "i-0a00000000000000a"
STACK = replace(next(case.stack for case in CASES if case.name == "p5"), name="dev", proxies=("127.0.0.1",))


def node(role: str, number: int, instance: str) -> Node:
    return Node(
        role=role,
        instance=instance,
        address="127.0.0.1",
        number=number,
        group="",
        region="us-east-1",
        artefacts_bucket="artefacts",
        data_bucket="train",
    )


@pytest.fixture
def s3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its URL; the environment is that of an instance with a role."""
    if not TOOLS["versitygw"].built:
        told = "versitygw is not built (make tools)"
        pytest.fail(told) if os.environ.get("NEED_POOL") else pytest.skip(told)
    (tmp_path / "s3").mkdir()
    port = subprocess.run(["python3", "-c", FREE], capture_output=True, text=True, check=True).stdout.strip()
    words = ["--access", KEYS[0], "--secret", KEYS[1], "--region", "us-east-1", "--port", f"127.0.0.1:{port}"]
    server = subprocess.Popen(
        [str(TOOLS["versitygw"].path), *words, "posix", str(tmp_path / "s3")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    metadata = Metadata("127.0.0.1", {"127.0.0.1": INSTANCE}, "dev", KEYS)
    url = f"http://127.0.0.1:{port}"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/aws").write_text(AWS.format(real=need("aws", "awscli"), endpoint=url))
    (tmp_path / "bin/aws").chmod(0o755)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "AWS_ACCESS_KEY_ID": KEYS[0],
        "AWS_SECRET_ACCESS_KEY": KEYS[1],
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": url,
        "AWS_ENDPOINT_URL_STS": metadata.endpoint,
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        client = boto3.client("s3", endpoint_url=url)

        def made() -> bool:
            try:
                client.create_bucket(Bucket="artefacts")
            except Exception:
                return False
            return True

        wait_until(made, "the S3 server", 30)
        yield url
    finally:
        metadata.close()
        server.terminate()
        server.wait(10)


@pytest.mark.real
def test_a_gpu_node_gets_its_certificate_and_the_job_s_token_and_no_secret_of_control_nodes(
    s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid():
        pytest.skip("needs root")
    need("openssl", "openssl")
    assert shutil.which("curl")
    monkeypatch.setattr(command, "USER", "root")  # there is no user `planner` here
    control = node("control", 0, "i-0c00000000000000c")
    for name in ("control", "gpu"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(settings, "TLS_FOLDER", str(tmp_path / "control"))
    command.certificate(STACK, control)
    store = Store(bucket="artefacts", region="us-east-1")
    signs = Authority(STACK, control, artefacts_of(control, os.environ), store, lambda: pytest.fail("nobody leaves"))
    over = threading.Event()

    def turns() -> None:
        while not over.wait(0.5):
            signs.look()

    thread = threading.Thread(target=turns)
    thread.start()
    try:
        monkeypatch.setattr(settings, "TLS_FOLDER", str(tmp_path / "gpu"))
        command.certificate(STACK, node("gpu", -1, INSTANCE))
    finally:
        over.set()
        thread.join()
    signs.look()
    files = {name: sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("control", "gpu")}
    assert files["gpu"] == ["authority.crt", "daemon.env", "job.token", "node.crt", "node.key"]
    assert set(files["control"]) - set(files["gpu"]) == {"admin.token"}
    listed = boto3.client("s3", endpoint_url=s3).list_objects_v2(Bucket="artefacts")["Contents"]
    assert [entry["Key"] for entry in listed] == [
        *(f"authority/{name}" for name in ("authority.crt", "job.token", "token.pub")),
        *(f"control/{name}" for name in ("admin.token", "authority.key", "token.key")),
        f"issued/{ROLE_ID}:{INSTANCE}/certificate",
    ]
