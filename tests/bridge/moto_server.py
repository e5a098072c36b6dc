"""An AWS on loopback: moto's server, a process of its own on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.bridge.process import with_its_parent

REGION = "us-east-1"
STARTS_S = 120  # moto's imports on a machine that is busy
RECORDED = "requests.jsonl"
SETTINGS = {
    "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",  # roles are given AWS's own policy for Systems Manager
    "AWS_DEFAULT_REGION": REGION,
    "MOTO_ENABLE_RECORDING": "true",  # every request, for actions.py
    "MOTO_RECORDER_FILEPATH": RECORDED,
}


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Its address. folder: for its log, and for the requests that it gets."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [*with_its_parent(), sys.executable, "-m", "tests.bridge.moto_process", str(port)]
    with (
        (folder / "moto.log").open("w") as log,
        subprocess.Popen(command, env=_env(), stdout=log, stderr=log, cwd=folder) as process,
    ):
        try:
            _wait(address, process)
            yield address
        finally:
            process.kill()


def _env() -> dict[str, str]:
    return {**os.environ, **SETTINGS, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/moto-api/", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"moto's server did not answer at {address}")


def credentials(address: str) -> Mapping[str, str]:
    """Environment with which the provider's code, and boto3, talk to this server and to nothing else."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "CHECKPOINT_DISABLE": "1",
        "HTTP_PROXY": "",
        "HTTPS_PROXY": "",
        "NO_PROXY": "*",
    }


# the provider's own settings, as keys of a stack file
CONFIG = {
    "aws:skipCredentialsValidation": "true",
    "aws:skipMetadataApiCheck": "true",
    "aws:s3UsePathStyle": "true",
    "aws:maxRetries": "3",
    "aws:accessKey": "testing",
    "aws:secretKey": "testing",
}
