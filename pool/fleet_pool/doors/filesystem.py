"""An fsspec file system over the patient reader: fleet://BUCKET/KEY for pandas, PyArrow, datasets, FsspecWriter.

Keys are files, prefixes are folders. Reads go to the pool, and to S3 at once if the pool fails; listings, `info` and
`exists` ask S3 itself. Nothing is cached here, so that a listing is never old.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fsspec import AbstractFileSystem

from fleet_pool.client import open_store
from fleet_pool.client.errors import NotThere
from fleet_pool.client.ranges import fetch
from fleet_pool.client.store import Entry, Store
from fleet_pool.doors.files import Reading, Text, Writing
from fleet_pool.doors.os_errors import as_os_errors

PROTOCOL = "fleet"
THREADS = 8  # ranges that `cat_ranges` reads at once


class PoolFileSystem(AbstractFileSystem):
    """fsspec's interface; options as of `open_store`: pool, direct, region, s3_endpoint_url, digests.

    folder: has a folder for each bucket, instead of S3, to try a job on one machine. staging: where files being
    written are kept until they are closed (default: the system's temporary folder).

    Errors are those of the operating system: FileNotFoundError, PermissionError (also for an invalid key),
    TimeoutError when neither the pool nor S3 answered in time, and OSError for damage.
    """

    protocol = PROTOCOL
    root_marker = ""

    def __init__(self, *, folder: str | None = None, staging: str | None = None, **options: Any) -> None:
        names = ("pool", "direct", "region", "s3_endpoint_url", "digests")
        self._opening = {name: options.pop(name) for name in names if name in options}
        super().__init__(**options)
        self._folder, self._staging = folder, staging
        self._stores: dict[str, Store] = {}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        store, key = self._split(path)
        with as_os_errors(path):
            found = store.level(f"{key}/" if key else "")
            bucket = self._bucket(path)
            infos = [_file(bucket, entry) for entry in found.entries]
            infos += [_directory(f"{bucket}/{folder[:-1]}") for folder in found.folders]
            if not infos and key:
                infos = [_file(bucket, Entry(key=key, size_bytes=store.size(key, fresh=True)))]
        infos.sort(key=lambda info: info["name"])
        return infos if detail else [info["name"] for info in infos]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        store, key = self._split(path)
        with as_os_errors(path):
            if not key:
                return _directory(self._bucket(path))
            try:
                return _file(self._bucket(path), Entry(key=key, size_bytes=store.size(key, fresh=True)))
            except NotThere:
                below = store.level(f"{key}/")
                if not below.entries and not below.folders:
                    raise
                return _directory(f"{self._bucket(path)}/{key}")

    def exists(self, path: str, **_: Any) -> bool:
        """Raises what prevents an answer; fsspec's own would say no while S3 does not answer. The same below."""
        return self._type(path) is not None

    def isfile(self, path: str) -> bool:
        return self._type(path) == "file"

    def isdir(self, path: str) -> bool:
        return self._type(path) == "directory"

    def find(
        self, path: str, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False, **more: Any
    ) -> Any:
        """One listing of everything below a folder, where folders themselves are not asked for."""
        if maxdepth is not None or withdirs:
            return super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=detail, **more)
        store, key = self._split(path)
        with as_os_errors(path):
            entries = store.entries(f"{key}/" if key else "")
        infos = [_file(self._bucket(path), entry) for entry in entries]
        if not infos and self.isfile(path):
            infos = [self.info(path)]
        return {info["name"]: info for info in infos} if detail else [info["name"] for info in infos]

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        store, key = self._split(path)
        with as_os_errors(path):
            first, last = start or 0, end
            if first < 0 or (last is not None and last < 0):
                size = store.size(key)
                first = max(0, size + first) if first < 0 else first
                last = size + last if last is not None and last < 0 else last
            if last is not None and last <= first:
                return b""
            return store.read(key, start=first, length=None if last is None else last - first)

    def cat_ranges(
        self,
        paths: Sequence[str],
        starts: Any,
        ends: Any,
        max_gap: int | None = None,
        on_error: str = "return",
        **_: Any,
    ) -> list[Any]:
        """Reads all at once, some in parallel. max_gap is not used: a range is a request, and no more is read."""
        starts = starts if isinstance(starts, Sequence) else [starts] * len(paths)
        ends = ends if isinstance(ends, Sequence) else [ends] * len(paths)

        def one(path: str, start: int | None, end: int | None) -> Any:
            try:
                return self.cat_file(path, start, end)
            except Exception as error:
                if on_error == "return":
                    return error
                raise

        with ThreadPoolExecutor(THREADS, thread_name_prefix="range") as threads:
            return list(threads.map(one, paths, starts, ends))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        store, key = self._split(path)
        with as_os_errors(path):
            (store.write_once if mode == "create" else store.write)(key, bytes(value))

    def get_file(self, rpath: str, lpath: Any = None, callback: Any = None, outfile: Any = None, **_: Any) -> None:
        """Into a local file in parallel ranges; it appears when it is complete."""
        if outfile is None and not isinstance(lpath, str):
            outfile = lpath
        if outfile is not None:
            outfile.write(self.cat_file(rpath))
            return
        if self.isdir(rpath):
            Path(lpath).mkdir(parents=True, exist_ok=True)
            return
        Path(lpath).parent.mkdir(parents=True, exist_ok=True)
        store, key = self._split(rpath)
        with as_os_errors(rpath):
            fetch(store, key, store.size(key), Path(lpath))

    def put_file(self, lpath: str, rpath: str, callback: Any = None, mode: str = "overwrite", **_: Any) -> None:
        if Path(lpath).is_dir():
            return
        if mode == "create" and self.exists(rpath):
            raise FileExistsError(f"{rpath} exists already")
        store, key = self._split(rpath)
        with as_os_errors(rpath):
            store.write(key, Path(lpath))

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        if self.isdir(path1):
            return
        with tempfile.TemporaryDirectory(dir=self._staging) as folder:
            self.get_file(path1, f"{folder}/copy")
            self.put_file(f"{folder}/copy", path2)

    def rm_file(self, path: str) -> None:
        store, key = self._split(path)
        with as_os_errors(path):
            store.remove(key)

    _rm = rm_file

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        for each in [path] if isinstance(path, str) else path:
            for found in self.expand_path(each) if "*" in each else [each]:
                if self.isfile(found):
                    self.rm_file(found)
                elif not recursive:
                    raise FileNotFoundError(f"{found} is not a file; recursive=True removes a folder")
                else:
                    for below in self.find(found):
                        self.rm_file(below)

    def touch(self, path: str, truncate: bool = True, **_: Any) -> None:
        if truncate or not self.exists(path):
            self.pipe_file(path, b"")

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        """Folders exist as soon as something is in them."""

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """As `mkdir`."""

    def rmdir(self, path: str) -> None:
        """As `mkdir`."""

    def open(self, path: str, mode: str = "rb", *args: Any, **options: Any) -> Any:
        if mode not in ("w", "wt", "x", "xt"):
            return super().open(path, mode, *args, **options)
        text = {name: options.pop(name) for name in ("encoding", "errors", "newline") if name in options}
        return Text(self.open(path, f"{mode[0]}b", *args, **options), **text)

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: Any = None,
        autocommit: bool = True,
        cache_options: Any = None,
        **options: Any,
    ) -> Any:
        store, key = self._split(path)
        if mode == "rb":
            options.pop("size", None)
            with as_os_errors(path):
                size = store.size(key)
            return Reading(self, path, store, key, size, block_size, {**options, "cache_options": cache_options})
        if mode not in ("wb", "xb"):
            raise ValueError(f"{path}: mode {mode!r}: objects are written as a whole; use 'rb', 'wb' or 'xb'")
        return Writing(path, store, key, staging=self._staging, once=mode == "xb", autocommit=autocommit)

    def _type(self, path: str) -> str | None:
        try:
            return self.info(path)["type"]
        except FileNotFoundError:
            return None

    def _bucket(self, path: str) -> str:
        return str(self._strip_protocol(path)).partition("/")[0]

    def _split(self, path: str) -> tuple[Store, str]:
        """The bucket's store, and the key, "" for the bucket itself. Raises PermissionError."""
        bucket, _, key = str(self._strip_protocol(path)).partition("/")
        if not bucket:
            raise PermissionError(f"{path!r} names no bucket: write {PROTOCOL}://BUCKET/KEY")
        if bucket not in self._stores:
            with as_os_errors(path):
                address = f"s3://{bucket}" if self._folder is None else str(Path(self._folder, bucket))
                self._stores[bucket] = open_store(address, **self._opening)
        return self._stores[bucket], key


def _file(bucket: str, entry: Entry) -> dict[str, Any]:
    return {"name": f"{bucket}/{entry.key}", "size": entry.size_bytes, "type": "file"}


def _directory(name: str) -> dict[str, Any]:
    return {"name": name, "size": 0, "type": "directory"}
