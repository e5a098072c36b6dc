"""Objects over connections that stay open, as readers of a job have them: one `Links` a thread.

Through the pool a request goes to a gateway, which names the target; both connections are kept. Nothing is tried twice,
but for a connection that the other side had closed meanwhile, and S3 that asks for patience.
"""

from __future__ import annotations

import http.client
import random
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from urllib.parse import urlsplit

from fleet_pool.api import object_path
from fleet_pool.http_request import REDIRECTS
from fleet_pool.operate.s3 import Credentials, Place, object_url, signed
from fleet_pool.problems import Refused, Unreachable

READ_BYTES = 1 << 20
S3 = "s3"  # where objects are, in the place of a target's host
BUSY = 503  # Amazon S3 API reference, "Error responses": SlowDown; clients are to ask again
BUSY_TRIES, BUSY_S = 6, 0.1
RENEW_S = 240.0  # a role's keys are replaced at least 5 minutes before they end (EC2 User Guide)


class Links:
    """gateways: URLs; the first one is asked, the next where it does not answer. shown: headers for them."""

    def __init__(
        self, gateways: Sequence[str], shown: dict[str, str], tls: ssl.SSLContext | None, limit_s: float
    ) -> None:
        self.gateways, self.shown, self.tls, self.limit_s = list(gateways), shown, tls, limit_s
        self._open: dict[str, http.client.HTTPConnection] = {}

    def get(self, bucket: str, key: str) -> tuple[int, str]:
        """(bytes, host of the target) of an object. Raises Refused, Unreachable."""
        return self._object("GET", bucket, key, b"")

    def put(self, bucket: str, key: str, body: bytes) -> str:
        """The host of the target that took it; S3 has it then. Raises Refused, Unreachable."""
        return self._object("PUT", bucket, key, body)[1]

    def delete(self, bucket: str, key: str) -> None:
        """Raises Refused, Unreachable."""
        self._object("DELETE", bucket, key, b"")

    def close(self) -> None:
        for link in self._open.values():
            link.close()
        self._open.clear()

    def _object(self, method: str, bucket: str, key: str, body: bytes) -> tuple[int, str]:
        last: Unreachable | None = None
        for gateway in list(self.gateways):
            url = f"{gateway}{object_path(bucket, key)}?provider=aws"
            try:
                # without the body: a gateway only names the target, and would hang up on one
                status, found, where = self._ask(method, url, b"", self.shown)
            except Unreachable as error:
                last = error
                self.gateways.append(self.gateways.pop(0))
                continue
            if status in REDIRECTS and where:
                status, found, _ = self._ask(method, where, body, self.shown)
            if status >= 300:
                raise Refused(f"the pool refused {method} {key}: HTTP {status}", status)
            return found, urlsplit(where).hostname or ""
        raise last or Unreachable("no gateway is named")

    def _ask(self, method: str, url: str, body: bytes, shown: Mapping[str, str]) -> tuple[int, int, str]:
        """(status, bytes of the body, location). Raises Unreachable."""
        parts = urlsplit(url)
        again = parts.netloc in self._open
        while True:
            link = self._link(parts.scheme, parts.netloc)
            try:
                headers = {**shown, "Content-Length": str(len(body))} if method == "PUT" else dict(shown)
                path = f"{parts.path}?{parts.query}" if parts.query else parts.path
                link.request(method, path, body=body or None, headers=headers)
                answer = link.getresponse()
                length = 0
                while part := answer.read(READ_BYTES):
                    length += len(part)
                return answer.status, length, answer.getheader("location") or ""
            except (OSError, http.client.HTTPException) as error:
                self._open.pop(parts.netloc).close()
                closed = isinstance(error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError))
                if not (again and closed):
                    raise Unreachable(f"{parts.scheme}://{parts.netloc}: {error or type(error).__name__}") from error
                again = False

    def _link(self, scheme: str, netloc: str) -> http.client.HTTPConnection:
        if netloc not in self._open:
            made = http.client.HTTPConnection(netloc, timeout=self.limit_s)
            if scheme == "https":
                context = self.tls or ssl.create_default_context()
                made = http.client.HTTPSConnection(netloc, timeout=self.limit_s, context=context)
            self._open[netloc] = made
        return self._open[netloc]

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


class S3Links(Links):
    """The same with S3 itself. whose: gives keys, which a role replaces every few hours."""

    def __init__(self, where: Place, whose: Callable[[], Credentials], limit_s: float) -> None:
        super().__init__((), {}, None, limit_s)
        self.where, self.whose = where, whose
        self._who, self._until = None, 0.0

    def _object(self, method: str, bucket: str, key: str, body: bytes) -> tuple[int, str]:
        if self._who is None or time.monotonic() > self._until:
            self._who, self._until = self.whose(), time.monotonic() + RENEW_S
        url = object_url(self.where, bucket, key)
        tries = 0
        while True:
            shown = signed(method, url, self.where.region, self._who, datetime.now(timezone.utc), None, body)
            status, found, _ = self._ask(method, url, body, shown)
            if status < 300:
                return found, S3
            tries += 1
            if status != BUSY or tries == BUSY_TRIES:
                raise Refused(f"S3 refused {method} {bucket}/{key}: HTTP {status}", status)
            time.sleep(BUSY_S * 2**tries * random.uniform(0.5, 1.5))
