"""The data bucket as the meeting place: objects that are written once, listings, and S3's own clock.

A node's role and the standard library are enough. Every call is tried again for a while where S3 or the way to it
fails; what S3 refuses for good is raised at once.
"""

from __future__ import annotations

import json
import random
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlencode

from fleet_pool.compat import frozen
from fleet_pool.http_request import Answer, send
from fleet_pool.operate.s3 import Credentials, Place, object_url, signed
from fleet_pool.problems import NoCredentials, Refused, Unreachable

LIMIT_S = 20.0  # of one request, and no more than the caller's patience
SHORTEST_S = 1.0
PATIENCE_S = 60.0  # of one call
PASSING = (408, 409, 429, 500, 502, 503, 504)  # 409: S3 decides between two conditional writes
LONGEST_WAIT_S = 4.0
RENEW_S = 240.0  # a role's keys are replaced at least 5 minutes before they end (EC2 User Guide)


@frozen
class Listed:
    """Keys below a prefix. folders: the parts up to the delimiter. idle_s: since the newest of the keys was written,
    by S3's clock; None without keys. sizes: bytes of each key."""

    keys: tuple[str, ...]
    folders: tuple[str, ...]
    idle_s: float | None
    sizes: tuple[int, ...] = ()


class Bucket:
    """One bucket. whose: gives credentials, which a role replaces every few hours."""

    def __init__(
        self, name: str, where: Place, whose: Callable[[], Credentials], *, patience_s: float = PATIENCE_S
    ) -> None:
        self.name, self._where, self._whose, self._patience_s = name, where, whose, patience_s
        self._who: Credentials | None = None
        self._until = 0.0

    def read(self, key: str) -> bytes | None:
        """An object's bytes; None if it does not exist. A role that may list only some prefixes gets a 403 for a
        missing object, so read only what a listing has shown."""
        answer = self._ask("GET", object_url(self._where, self.name, key), missing=True)
        return None if answer.status == 404 else answer.body

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """At most `length` bytes from `start` on. Raises Refused, also for a missing object."""
        url = object_url(self._where, self.name, key)
        return self._ask("GET", url, more={"range": f"bytes={start}-{start + length - 1}"}).body

    def read_json(self, key: str) -> Any:
        """An object's JSON; None if it does not exist. Raises Refused for anything else."""
        found = self.read(key)
        try:
            return None if found is None else json.loads(found)
        except ValueError:
            raise Refused(f"{key} in {self.name} is not JSON: another program wrote it", 200) from None

    def write(self, key: str, data: bytes) -> None:
        self._ask("PUT", object_url(self._where, self.name, key), body=data)

    def write_once(self, key: str, value: Any) -> bool:
        """Writes a record if nobody has; False if it exists (S3 User Guide, "Conditional writes")."""
        return self.put_once(key, (json.dumps(value, sort_keys=True, indent=1) + "\n").encode())

    def put_once(self, key: str, data: bytes) -> bool:
        """As write_once, of bytes; True too if they are there already."""
        url = object_url(self._where, self.name, key)
        answer = self._ask("PUT", url, body=data, more={"if-none-match": "*"}, taken=True)
        if answer.status != 412:
            return True
        # a try whose answer was lost may have been ours
        return self.read(key) == data

    def remove(self, key: str) -> None:
        """Deletes an object; a missing one is no error."""
        self._ask("DELETE", object_url(self._where, self.name, key), missing=True)

    def list(self, prefix: str, *, after: str = "", delimiter: str = "") -> Listed:
        """Every key below a prefix that sorts behind `after`, sorted."""
        sizes: dict[str, int] = {}
        folders: list[str] = []
        newest, token = "", ""
        while True:
            query = {"list-type": "2", "prefix": prefix, "delimiter": delimiter, "start-after": after}
            query["continuation-token"] = token
            answer = self._ask("GET", f"{self._root}?{_query(query)}")
            page = _page(answer)
            for each in page.iterfind("{*}Contents"):
                sizes[each.findtext("{*}Key") or ""] = int(each.findtext("{*}Size") or 0)
                newest = max(newest, each.findtext("{*}LastModified") or "")
            folders += [each.findtext("{*}Prefix") or "" for each in page.iterfind("{*}CommonPrefixes")]
            token = page.findtext("{*}NextContinuationToken") or ""
            if not token:
                keys = tuple(sorted(sizes))
                return Listed(
                    keys=keys,
                    folders=tuple(sorted(folders)),
                    idle_s=_idle_s(answer, newest),
                    sizes=tuple(sizes[key] for key in keys),
                )

    @property
    def _root(self) -> str:
        return object_url(self._where, self.name, "")

    def _ask(
        self,
        method: str,
        url: str,
        *,
        body: bytes = b"",
        more: Mapping[str, str] | None = None,
        missing: bool = False,
        taken: bool = False,
    ) -> Answer:
        """Raises NoCredentials, Refused, Unreachable."""
        deadline, wait = time.monotonic() + self._patience_s, 0.25
        while True:
            problem: Refused | Unreachable | NoCredentials
            try:
                answer = self._once(method, url, body, more)
                if answer.status < 300 or (missing and answer.status == 404) or (taken and answer.status == 412):
                    return answer
                said = " ".join(answer.body[:300].decode("utf-8", "replace").split())
                problem = Refused(f"S3 refused {method} {url}: HTTP {answer.status} {said}", answer.status)
                if answer.status in (401, 403):
                    self._until = 0.0
                if answer.status not in PASSING and "RequestTimeTooSkewed" not in said and "ExpiredToken" not in said:
                    raise problem
            except (Unreachable, NoCredentials) as error:
                problem = error
            left = deadline - time.monotonic()
            if left <= 0:
                raise problem
            time.sleep(min(wait * random.uniform(0.5, 1.5), left))
            wait = min(wait * 2, LONGEST_WAIT_S)

    def _once(self, method: str, url: str, body: bytes, more: Mapping[str, str] | None) -> Answer:
        if self._who is None or time.monotonic() >= self._until:
            self._who, self._until = self._whose(), time.monotonic() + RENEW_S
        headers = signed(method, url, self._where.region, self._who, datetime.now(timezone.utc), more, body)
        limit_s = max(min(LIMIT_S, self._patience_s), SHORTEST_S)
        return send(method, url, headers=headers, body=body, limit_s=limit_s)


def _query(values: Mapping[str, str]) -> str:
    """Sorted and encoded as the signature wants it."""
    given = sorted((name, value) for name, value in values.items() if value)
    return urlencode(given, quote_via=quote, safe="-_.~")


def _page(answer: Answer) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(answer.body)
    except ElementTree.ParseError:
        raise Refused(f"{answer.url} is not S3: its listing is not XML", answer.status) from None


def _idle_s(answer: Answer, newest: str) -> float | None:
    """Both times are S3's own, so that no clock of a node counts."""
    if not newest:
        return None
    written = datetime.strptime(newest[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    date = answer.headers.get("date")
    now = parsedate_to_datetime(date) if date else datetime.now(timezone.utc)
    return max(0.0, (now - written).total_seconds())
