"""Checks what is read of a data set against its digest manifest, whole and by part."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fleet_pool.client.errors import Damaged, NotThere, StoreProblem
from fleet_pool.client.locks import ProcessLock
from fleet_pool.digests import (
    PART_BYTES,
    BadManifest,
    Digest,
    Index,
    Page,
    index_key,
    is_manifest,
    parse_index,
    parse_page,
)

PAGES = 64  # kept in memory, 8 GiB of objects each, 300 kB
LOOK_AGAIN_S = 60.0  # for a manifest that could not be read

_log = logging.getLogger("fleet_pool.client")

Read = Callable[..., bytes]  # read(key, start=, length=, fresh=)


class Manifests:
    """prefixes: of data sets. copies(key, newest): what each store has of a key, the best first; newest: what S3 has
    now, before what the pool kept. A data set without a manifest is read unchecked.

    No read waits for a manifest: while neither the pool nor S3 gives it, what the pool has is read unchecked.
    """

    def __init__(self, prefixes: tuple[str, ...], copies: Callable[[str, bool], Iterable[bytes]]) -> None:
        self._prefixes, self._copies = tuple(sorted(prefixes, key=len, reverse=True)), copies
        self._begin()

    def _begin(self) -> None:
        self._indexes: dict[str, Index | None] = {}
        self._again_s: dict[str, float] = {}
        self._pages: OrderedDict[str, dict[str, Digest]] = OrderedDict()
        self._lock = ProcessLock()

    def __getstate__(self) -> dict[str, Any]:
        return {"_prefixes": self._prefixes, "_copies": self._copies}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def of(self, key: str) -> Digest | None:
        """The digest of an object; None if there is none, or if the manifest cannot be read, which is logged."""
        prefix = next((prefix for prefix in self._prefixes if key.startswith(prefix)), None)
        if prefix is None or is_manifest(key):
            return None
        with self._lock:
            index = self._index(prefix)
            page = index.page_of(key) if index else None
            return self._page(page, prefix).get(key) if page else None

    def renewed(self, key: str) -> Digest | None:
        """As `of`, after checking, at most once a minute, whether the manifest was replaced."""
        with self._lock:
            for prefix in (each for each in self._prefixes if key.startswith(each)):
                replaced = f"{prefix} replaced"
                if prefix in self._indexes and self._may_look(replaced):
                    self._again_s[replaced] = time.monotonic() + LOOK_AGAIN_S
                    held = self._indexes.pop(prefix)
                    self._index(prefix)
                    self._indexes.setdefault(prefix, held)
                break
        return self.of(key)

    def _index(self, prefix: str) -> Index | None:
        if prefix not in self._indexes and self._may_look(prefix):
            try:
                # it may have been written anew, and then the pool has the one before
                self._indexes[prefix] = self._parsed(
                    index_key(prefix), lambda data: parse_index(data, prefix), newest=True
                )
            except NotThere:
                self._indexes[prefix] = None
                _log.info("%s has no digest manifest: its reads are not checked", prefix)
            except (StoreProblem, BadManifest) as problem:
                self._look_later(prefix, prefix, problem)
        return self._indexes.get(prefix)

    def _page(self, page: Page, prefix: str) -> Mapping[str, Digest]:
        if page.key not in self._pages:
            if not self._may_look(page.key):
                return {}
            try:
                self._pages[page.key] = self._parsed(page.key, lambda data: parse_page(data, page))
            except (StoreProblem, BadManifest) as problem:
                self._look_later(page.key, prefix, problem)
                return {}
            while len(self._pages) > PAGES:
                self._pages.popitem(last=False)
        self._pages.move_to_end(page.key)
        return self._pages[page.key]

    def _may_look(self, key: str) -> bool:
        return time.monotonic() >= self._again_s.get(key, 0.0)

    def _look_later(self, key: str, prefix: str, problem: Exception) -> None:
        self._again_s[key] = time.monotonic() + LOOK_AGAIN_S
        _log.warning("reads of %s are not checked: %s", prefix, problem)

    def _parsed(self, key: str, parse: Callable[[bytes], Any], newest: bool = False) -> Any:
        """Of the first copy that is one: a cached manifest may be damaged too."""
        wrong = BadManifest(f"{key} was not read")
        for data in self._copies(key, newest):
            try:
                return parse(data)
            except BadManifest as problem:
                wrong = problem
        raise wrong


def read_checked(
    read: Read,
    digest: Digest,
    key: str,
    start: int,
    length: int | None,
    fresh: bool,
    damaged: Callable[[str, str], Callable[[], None]],
) -> bytes:
    """The bytes, checked part by part: whole parts are read, and what was not asked for is cut off.

    damaged(key, why): drops a copy that differs before S3 is read; what it returns is called if S3 has the right
    bytes. Raises Damaged if S3's bytes differ too.
    """
    begin = start // PART_BYTES * PART_BYTES
    last_part = digest.size_bytes if length is None else -(-(start + length) // PART_BYTES) * PART_BYTES
    end = min(last_part, digest.size_bytes)
    if start >= digest.size_bytes:  # empty, or beyond the end as far as the manifest knows
        return read(key, start=start, length=length, fresh=fresh)
    whole = begin == 0 and end == digest.size_bytes
    why, record = "", None
    for again in (fresh, True):
        data = read(key, start=begin, length=None if whole else end - begin, fresh=again)
        why = _differs(digest, begin, end, data)
        if not why:
            if record is not None:
                record()
            last = len(data) if length is None else min(start - begin + length, len(data))
            return data if (start, last) == (begin, len(data)) else data[start - begin : last]
        if again:
            break
        record = damaged(key, why)
    raise Damaged(
        f"{key}: {why} in S3 itself. If it was changed on purpose, write its manifest anew (`planner pool digest`); "
        "if not, restore the version before from S3"
    )


def _differs(digest: Digest, begin: int, end: int, data: bytes) -> str:
    if len(data) != end - begin:
        return f"{len(data)} of {end - begin} bytes"
    wrong = digest.wrong_part(begin, data)
    return "" if wrong is None else f"the MiB from byte {wrong * PART_BYTES} on differs from the manifest"
