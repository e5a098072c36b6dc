"""Objects in S3 itself, with boto3: one try per call; retries are the caller's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fleet_pool.client.errors import AlreadyThere, NotThere, OutOfRange, Refused, StoreProblem, Unavailable
from fleet_pool.client.parts import upload_in_parts
from fleet_pool.client.store import (
    Entry,
    Level,
    checked,
    checked_folder,
    http_range,
    is_folder_marker,
    stream_of,
    whole_file,
)

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 60.0
PART_BYTES = 128 * 2**20  # the part size that the pool uses too; S3 allows at most 5 GiB in a single write
LOST_RACES = 20  # of one write against others to the same key, before the caller waits
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
        """On the condition that the key still holds what it held a moment before (S3 User Guide, "Conditional
        writes"), so that a request that arrives late changes nothing. A lost race is run again: the last one wins."""
        self._unless_changed(key, lambda held: self._put(key, data, _condition(held)))

    def write_unique(self, key: str, data: bytes | Path) -> None:
        self._put(key, data, {})

    def write_once(self, key: str, data: bytes) -> None:
        """Atomic by If-None-Match (S3 User Guide, "Conditional writes")."""
        try:
            self._put(key, data, _condition(None))
        except AlreadyThere:
            if self.read(key) != data:
                raise

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        with self._errors(prefix):
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
            found = [each for page in pages for each in _listed(page)]
        return tuple(sorted(found, key=lambda entry: entry.key))

    def level(self, folder: str) -> Level:
        with self._errors(folder):
            asked = {"Bucket": self._bucket, "Prefix": checked_folder(folder), "Delimiter": "/"}
            pages = list(self._client.get_paginator("list_objects_v2").paginate(**asked))
        found = [each for page in pages for each in _listed(page)]
        folders = {each["Prefix"] for page in pages for each in page.get("CommonPrefixes", ())}
        return Level(entries=tuple(sorted(found, key=lambda entry: entry.key)), folders=tuple(sorted(folders)))

    def size(self, key: str, *, fresh: bool = False) -> int:
        with self._errors(key):
            return int(self._client.head_object(Bucket=self._bucket, Key=checked(key))["ContentLength"])

    def remove(self, key: str) -> None:
        """On the same condition as write: a late request does not remove a newer object."""

        def delete(held: str | None) -> None:
            if held is not None:
                with self._errors(key):
                    self._client.delete_object(Bucket=self._bucket, Key=key, **_condition(held))

        self._unless_changed(key, delete)

    def _unless_changed(self, key: str, act: Callable[[str | None], None]) -> None:
        """Calls `act` with the ETag that the key has now, None without an object, until nobody was quicker."""
        for _ in range(LOST_RACES):
            with suppress(AlreadyThere, NotThere):
                return act(self._etag(key))
        raise Unavailable(f"{key} of {self.place}: {LOST_RACES} times another writer was quicker")

    def _etag(self, key: str) -> str | None:
        try:
            with suppress(NotThere), self._errors(key):
                return str(self._client.head_object(Bucket=self._bucket, Key=checked(key))["ETag"])
        except Refused:
            # a role that may list some prefixes only gets a 403 for a missing object; a listing tells the two apart
            with self._errors(key):
                page = self._client.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
            return next((str(each["ETag"]) for each in page.get("Contents", ()) if each["Key"] == key), None)
        return None

    def _put(self, key: str, data: bytes | Path, condition: Mapping[str, str]) -> None:
        size, _ = whole_file(data)
        with self._errors(key), stream_of(data) as stream:
            if size > PART_BYTES:
                upload_in_parts(self._client, self._bucket, checked(key), stream, size, PART_BYTES, condition)
            else:
                self._client.put_object(Bucket=self._bucket, Key=checked(key), Body=stream, **condition)

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


def _listed(page: Mapping[str, Any]) -> Iterator[Entry]:
    found = (Entry(key=each["Key"], size_bytes=each["Size"]) for each in page.get("Contents", ()))
    return (entry for entry in found if not is_folder_marker(entry))


def _condition(held: str | None) -> dict[str, str]:
    """The request's condition for a key with this ETag, or without an object."""
    return {"IfNoneMatch": "*"} if held is None else {"IfMatch": held}


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
