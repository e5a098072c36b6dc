"""Where a worker keeps checkpoints: through the storage pool if the machine has one, else straight in S3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from fleet_pool.client.address import ENDPOINTS, open_store
from fleet_pool.client.errors import AlreadyThere, NotThere, Refused, StoreProblem, Unavailable
from fleet_pool.client.store import Entry, Level, Store, checked, checked_folder, http_range, level_of
from fleet_pool.launch.bucket import Bucket
from fleet_pool.problems import PoolProblem, Unreachable


def store_of(environment: Mapping[str, str], bucket: Bucket) -> Store:
    """The pool with S3 behind it where proxies are named and the client's libraries installed; else S3 alone, with the
    standard library."""
    if any(environment.get(name) for name in ENDPOINTS) and find_spec("aistore") and find_spec("boto3"):
        return open_store(f"s3://{bucket.name}", region=environment.get("AWS_REGION"), environment=environment)
    return BucketStore(bucket)


class BucketStore:
    """A bucket as the client's Store. It retries for as long as the bucket does. Ranges are cut from the whole."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    @property
    def place(self) -> str:
        return f"s3://{self._bucket.name}"

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        http_range(start, length)
        with _errors():
            data = self._bucket.read(checked(key))
        if data is None:
            raise NotThere(f"{self.place} has no {key}")
        return data[start : None if length is None else start + length]

    def write(self, key: str, data: bytes | Path) -> None:
        with _errors():
            self._bucket.write(checked(key), data if isinstance(data, bytes) else data.read_bytes())

    def write_unique(self, key: str, data: bytes | Path) -> None:
        self.write(key, data)

    def write_once(self, key: str, data: bytes) -> None:
        with _errors():
            written = self._bucket.put_once(checked(key), data)
        if not written:
            raise AlreadyThere(f"{key} of {self.place} exists already, with other bytes")

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        with _errors():
            found = self._bucket.list(prefix)
        return tuple(Entry(key=key, size_bytes=size) for key, size in zip(found.keys, found.sizes))

    def level(self, folder: str) -> Level:
        return level_of(folder, self.entries(checked_folder(folder)))

    def size(self, key: str, *, fresh: bool = False) -> int:
        found = next((entry for entry in self.entries(checked(key)) if entry.key == key), None)
        if found is None:
            raise NotThere(f"{self.place} has no {key}")
        return found.size_bytes

    def remove(self, key: str) -> None:
        with _errors():
            self._bucket.remove(checked(key))


@contextmanager
def _errors() -> Iterator[None]:
    """Turns the bucket's errors into the client's."""
    try:
        yield
    except Unreachable as error:
        raise Unavailable(str(error)) from None
    except PoolProblem as error:
        problem: StoreProblem = Refused(str(error))
        raise problem from None
