"""Digest manifests of data sets: a checksum of every MiB of every object, so that any read can be checked. Pure.

The engine checks what was written through it, on whole reads; of what it fetched from S3 it has no checksum of its own
(under KMS the ETag is none), and of ranges it has none at all. A manifest lies in S3 below its data set's prefix: pages
with the digests, written once, and an index of pages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fleet_pool.compat import frozen

FOLDER = ".planner-digests/"  # below a data set's prefix
INDEX = "index.json"
DAMAGED = ".planner-canary/damaged/"  # one record of each damaged copy; the targets may write there
FORMAT = 1
PART_BYTES = 2**20
DIGEST_BYTES = 16  # of BLAKE2b: against decay, not against malice, so half of the usual length
PAGE_PARTS = 8_192  # digests of one page: 8 GiB of objects, 270 kB


class BadManifest(ValueError):
    """A page or an index that is not one."""


@frozen
class Digest:
    """Of one object. parts: the digests of its MiBs, in hexadecimal, one behind the other."""

    size_bytes: int
    parts: str

    def wrong_part(self, start: int, data: bytes) -> int | None:
        """Number of the first part that differs in data from `start` on, which begins at a part and ends at one or at
        the object's end; None if all are right."""
        for offset in range(0, len(data), PART_BYTES):
            number = (start + offset) // PART_BYTES
            at = number * DIGEST_BYTES * 2
            if part_digest(memoryview(data)[offset : offset + PART_BYTES]) != self.parts[at : at + DIGEST_BYTES * 2]:
                return number
        return None


@frozen
class Page:
    """first, last: keys, of the objects sorted by key. key: where the page lies. digest: of the page itself."""

    first: str
    last: str
    key: str
    digest: str


@frozen
class Index:
    """objects, size_bytes: of the whole data set."""

    prefix: str
    made: str
    objects: int
    size_bytes: int
    pages: tuple[Page, ...]

    def page_of(self, key: str) -> Page | None:
        """The page that has a key if the manifest has it."""
        low, high = 0, len(self.pages)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.pages[middle].last < key else (low, middle)
        return self.pages[low] if low < len(self.pages) and self.pages[low].first <= key else None


def damage_name(at_s: float, node: str, unique: str) -> str:
    """The key of a record. node: address and port of the target that had the copy, "" if that is not known."""
    return f"{DAMAGED}{int(at_s):012d}-{node}-{unique}.json"


def damage_of(name: str) -> tuple[int, str] | None:
    """When, in seconds since 1970, and at which target; None for another key."""
    at, _, rest = name[len(DAMAGED) :].partition("-")
    return (int(at), rest.rpartition("-")[0]) if name.startswith(DAMAGED) and at.isdecimal() else None


def part_digest(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def digest_of(parts: Iterable[bytes]) -> Digest:
    """Of an object that comes in parts of PART_BYTES, the last one shorter."""
    size, found = 0, []
    for part in parts:
        size += len(part)
        found.append(part_digest(part))
    return Digest(size_bytes=size, parts="".join(found))


def index_key(prefix: str) -> str:
    return f"{prefix}{FOLDER}{INDEX}"


def is_manifest(key: str) -> bool:
    """Whether a key is of a manifest and not of the data."""
    return f"/{FOLDER}" in f"/{key}"


def pages_of(digests: Mapping[str, Digest]) -> list[dict[str, Digest]]:
    """The objects, sorted by key, in groups of about PAGE_PARTS digests."""
    pages: list[dict[str, Digest]] = []
    count = PAGE_PARTS
    for key in sorted(digests):
        if count >= PAGE_PARTS:
            pages.append({})
            count = 0
        pages[-1][key] = digests[key]
        count += len(digests[key].parts) // (2 * DIGEST_BYTES) + 1
    return pages


def page_bytes(objects: Mapping[str, Digest]) -> bytes:
    listed = {key: [digest.size_bytes, digest.parts] for key, digest in objects.items()}
    return json.dumps({"format": FORMAT, "part_bytes": PART_BYTES, "objects": listed}, sort_keys=True).encode()


def index_bytes(prefix: str, made: str, pages: Sequence[Page], digests: Mapping[str, Digest]) -> bytes:
    body = {
        "format": FORMAT,
        "prefix": prefix,
        "made": made,
        "objects": len(digests),
        "size_bytes": sum(each.size_bytes for each in digests.values()),
        "pages": [[page.first, page.last, page.key, page.digest] for page in pages],
    }
    return json.dumps({**body, "digest": _index_digest(body)}).encode()


def _index_digest(body: Mapping[str, Any]) -> str:
    """Of all but itself: a flipped bit in a page's digest would make every page look wrong."""
    return part_digest(json.dumps({name: body[name] for name in sorted(body) if name != "digest"}).encode())


def parse_page(data: bytes, page: Page) -> dict[str, Digest]:
    """Raises BadManifest, also if the bytes are not those that the index names."""
    if part_digest(data) != page.digest:
        raise BadManifest(f"{page.key} differs from what the index says of it")
    try:
        body = json.loads(data)
        if body["format"] != FORMAT or body["part_bytes"] != PART_BYTES:
            raise BadManifest(f"{page.key} has format {body['format']}, parts of {body['part_bytes']} bytes")
        return {key: Digest(size_bytes=int(size), parts=str(parts)) for key, (size, parts) in body["objects"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadManifest(f"{page.key} is not a page of digests: {error}") from None


def parse_index(data: bytes, prefix: str) -> Index:
    """Raises BadManifest."""
    try:
        body = json.loads(data)
        if body["format"] != FORMAT or body["prefix"] != prefix:
            raise BadManifest(f"{index_key(prefix)} has format {body['format']}, of the prefix {body['prefix']!r}")
        if body.get("digest") != _index_digest(body):
            raise BadManifest(f"{index_key(prefix)} differs from its own digest")
        pages = tuple(Page(first=a, last=b, key=key, digest=digest) for a, b, key, digest in body["pages"])
        return Index(
            prefix=prefix,
            made=str(body["made"]),
            objects=int(body["objects"]),
            size_bytes=int(body["size_bytes"]),
            pages=pages,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadManifest(f"{index_key(prefix)} is not an index of digests: {error}") from None
