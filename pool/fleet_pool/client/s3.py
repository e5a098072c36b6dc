"""Objects in S3 itself, with boto3: one try per call; retries are the caller's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fleet_pool.client.errors import AlreadyThere, NotThere, OutOfRange, Refused, StoreProblem, Unavailable
from fleet_pool.client.store import Entry, Level, checked, checked_folder, http_range, stream_of, whole_file

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 60.0
PART_BYTES = 128 * 2**20  # the part size that the pool uses too; S3 allows at most 5 GiB in a single write
# temporary errors with status 400 or 403: credentials being renewed, a clock being set
_SOON = ("ExpiredToken", "RequestTimeTooSkewed", "RequestTimeout", "SlowDown", "ConditionalRequestConflict")


class S3:
    """A bucket in S3. endpoint_url: of another S3-compatible server. Credentials are found as boto3 does.

    Raises Refused if boto3 is not installed.
    """

    def __init__(self, bucket: str, *, region: str | None = None, endpoint_url: str | None = None) -> None:
        self._bucket, self._region, self._endpoint_url = bucket, region, endpoint_url
        self._clients: dict[int, Any] = {}
        try:
            import boto3  # noqa: F401  only whether it is installed
        except ModuleNotFoundError as error:
            missing = f"reading S3 needs {error.name}, which is not installed"
            raise Refused(f"{missing}: pip install 'fleet-pool[client]'") from None

    @property
    def place(self) -> str:
        return f"s3://{self._bucket}" + (f" at {self._endpoint_url}" if self._endpoint_url else "")

    def __getstate__(self) -> dict[str, Any]:
        """Without connections: a data loader's worker opens its own."""
        return {**self.__dict__, "_clients": {}}

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        asked = http_range(start, length)
        with self._errors(key):
            ranged = {"Range": asked} if asked else {}
            return self._client.get_object(Bucket=self._bucket, Key=checked(key), **ranged)["Body"].read()

    def write(self, key: str, data: bytes | Path) -> None:
        size, _ = whole_file(data)
        with self._errors(key), stream_of(data) as stream:
            if size <= PART_BYTES:
                self._client.put_object(Bucket=self._bucket, Key=checked(key), Body=stream)
                return
            from boto3.s3.transfer import TransferConfig

            parts = TransferConfig(multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES)
            self._client.upload_fileobj(stream, self._bucket, checked(key), Config=parts)

    def write_once(self, key: str, data: bytes) -> None:
        """Atomic by If-None-Match (S3 User Guide, "Conditional writes")."""
        try:
            with self._errors(key):
                self._client.put_object(Bucket=self._bucket, Key=checked(key), Body=data, IfNoneMatch="*")
        except AlreadyThere:
            if self.read(key) != data:
                raise

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        with self._errors(prefix):
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
            listed = [each for page in pages for each in page.get("Contents", ())]
        found = [Entry(key=each["Key"], size_bytes=each["Size"]) for each in listed]
        return tuple(sorted(found, key=lambda entry: entry.key))

    def level(self, folder: str) -> Level:
        with self._errors(folder):
            asked = {"Bucket": self._bucket, "Prefix": checked_folder(folder), "Delimiter": "/"}
            pages = list(self._client.get_paginator("list_objects_v2").paginate(**asked))
        found = [Entry(key=each["Key"], size_bytes=each["Size"]) for page in pages for each in page.get("Contents", ())]
        folders = {each["Prefix"] for page in pages for each in page.get("CommonPrefixes", ())}
        return Level(entries=tuple(sorted(found, key=lambda entry: entry.key)), folders=tuple(sorted(folders)))

    def size(self, key: str, *, fresh: bool = False) -> int:
        with self._errors(key):
            return int(self._client.head_object(Bucket=self._bucket, Key=checked(key))["ContentLength"])

    def remove(self, key: str) -> None:
        with self._errors(key):
            self._client.delete_object(Bucket=self._bucket, Key=checked(key))

    @property
    def _client(self) -> Any:
        """This process's client; a fork must not share connections."""
        if os.getpid() not in self._clients:
            import boto3
            from botocore.config import Config

            config = Config(
                connect_timeout=CONNECT_TIMEOUT_S,
                read_timeout=READ_TIMEOUT_S,
                retries={"total_max_attempts": 1},  # type: ignore[arg-type]
                max_pool_connections=32,
            )
            self._clients[os.getpid()] = boto3.Session().client(
                "s3", region_name=self._region, endpoint_url=self._endpoint_url, config=config
            )
        return self._clients[os.getpid()]

    @contextmanager
    def _errors(self, key: str) -> Iterator[None]:
        """Turns errors of botocore into ours."""
        from botocore import exceptions

        try:
            yield
        except exceptions.ClientError as error:
            status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
            code = str(error.response.get("Error", {}).get("Code", ""))
            raise _problem(status, code, f"{key} of {self.place}: {error}", self._bucket) from None
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.NoRegionError) as error:
            remedy = "a node's come from its instance role; a job without access to S3 sets direct=False"
            raise Refused(f"{self.place}: {error}; {remedy}") from None
        except (exceptions.ParamValidationError, exceptions.InvalidRegionError, ValueError) as error:
            raise Refused(f"{key} of {self.place}: {error}") from None
        except exceptions.BotoCoreError as error:
            raise Unavailable(f"{key} of {self.place}: {type(error).__name__}: {error}") from None


def _problem(status: int, code: str, message: str, bucket: str) -> StoreProblem:
    """The error for an answer of S3."""
    if code == "NoSuchBucket":
        return Refused(f"{message}; create {bucket} first, or correct its name")
    if status == 404:
        return NotThere(message)
    if status == 412:
        return AlreadyThere(message)
    if status == 416:
        return OutOfRange(message)
    if code in _SOON or status in (408, 429) or status >= 500:
        return Unavailable(message, status=status)
    return Refused(message)
