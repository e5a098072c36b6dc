"""The S3 server below the pool: versitygw over a folder, in a namespace of its own; it keeps its data when killed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import boto3
import botocore.config
import botocore.exceptions

from tests.pool.daemon import Daemon, wait_until
from tests.pool.network import Host
from tools.gotools import TOOLS

PORT = 9000
REGION = "us-east-1"
BUCKET = "train"
KEYS = {"key": "pooltest", "secret": "generated-for-tests"}  # of a server on a bridge that nobody else sees


class S3Server:
    """Its bytes lie under `folder`. `standin` puts a server in its place that answers every request with one error."""

    def __init__(self, host: Host, folder: Path) -> None:
        self.host, self.folder = host, folder
        self.endpoint = f"http://{host.address}:{PORT}"
        self.daemon = self._versitygw(KEYS["secret"])
        self._standin: Daemon | None = None

    def _versitygw(self, secret: str) -> Daemon:
        data, versions = (self.folder / name for name in ("data", "versions"))
        for path in (data, versions):
            path.mkdir(parents=True, exist_ok=True)
        program = [str(TOOLS["versitygw"].path), "--port", f"{self.host.address}:{PORT}", "--region", REGION, "--quiet"]
        # The pool asks every bucket for its versioning: without a folder for versions the server answers 501. ETag and
        # checksum are extended attributes of an object's file, so that one rename replaces all three, as in S3. In
        # files beside it (--sidecar) they change first: then a read meanwhile, or two writers, and they differ.
        store = ["posix", "--versioning-dir", str(versions), str(data)]
        keys = {"ROOT_ACCESS_KEY": KEYS["key"], "ROOT_SECRET_KEY": secret}
        return Daemon(self.host, program + store, self.folder / "s3.log", keys)

    def start(self) -> None:
        self.daemon.start()
        wait_until(self.answers, f"S3 at {self.endpoint} ({self.daemon.tail(3)})", 30)

    def kill(self) -> None:
        self.daemon.kill()

    def another_secret(self) -> None:
        """Started anew with another secret: every signature of the pool is wrong."""
        self.daemon.kill()
        self.daemon = self._versitygw("another-secret")
        self.daemon.start()

    def standin(self, status: int, code: str) -> None:
        """Instead of S3, a server that answers everything with one error."""
        self.daemon.kill()
        here = str(Path(__file__).with_name("errors_only.py"))
        command = [sys.executable, here, self.host.address, str(PORT), str(status), code]
        self._standin = Daemon(self.host, command, self.folder / "standin.log", {})
        self._standin.start()

    def restore(self) -> None:
        """S3 as it was."""
        if self._standin is not None:
            self._standin.kill()
            self._standin = None
        self.daemon.kill()
        self.daemon = self._versitygw(KEYS["secret"])
        self.start()

    def client(self, timeout_s: float = 20) -> Any:
        """boto3 straight to the server: the second way to every object. Proxies of the environment are not asked."""
        config = botocore.config.Config(
            proxies={},
            retries={"max_attempts": 2},
            connect_timeout=timeout_s,
            read_timeout=timeout_s,
            s3={"addressing_style": "path"},
            max_pool_connections=32,
        )
        return boto3.Session().client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=KEYS["key"],
            aws_secret_access_key=KEYS["secret"],
            config=config,
        )

    def answers(self) -> bool:
        try:
            self.client(timeout_s=2).list_buckets()
        except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError):
            return False
        return True

    @property
    def environment(self) -> dict[str, str]:
        """What a daemon of the pool is told of this S3."""
        return {
            "AWS_ACCESS_KEY_ID": KEYS["key"],
            "AWS_SECRET_ACCESS_KEY": KEYS["secret"],
            "AWS_REGION": REGION,
            "S3_ENDPOINT": self.endpoint,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
