"""Objects through the pool over connections that stay open, as readers of a job have them: one `Links` a thread.

A request goes to a gateway, which names the target; both connections are kept. Nothing is tried twice, but for a
connection that the other side had closed meanwhile.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from fleet_pool.api import object_path
from fleet_pool.http_request import REDIRECTS
from fleet_pool.problems import Refused, Unreachable

READ_BYTES = 1 << 20


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
            try:
                # without the body: a gateway only names the target, and would hang up on one
                status, found, where = self._ask(method, f"{gateway}{object_path(bucket, key)}?provider=aws", b"")
            except Unreachable as error:
                last = error
                self.gateways.append(self.gateways.pop(0))
                continue
            if status in REDIRECTS and where:
                status, found, _ = self._ask(method, where, body)
            if status >= 300:
                raise Refused(f"the pool refused {method} {key}: HTTP {status}", status)
            return found, urlsplit(where).hostname or ""
        raise last or Unreachable("no gateway is named")

    def _ask(self, method: str, url: str, body: bytes) -> tuple[int, int, str]:
        """(status, bytes of the body, location). Raises Unreachable."""
        parts = urlsplit(url)
        again = parts.netloc in self._open
        while True:
            link = self._link(parts.scheme, parts.netloc)
            try:
                headers = {**self.shown, "Content-Length": str(len(body))} if method == "PUT" else self.shown
                link.request(method, f"{parts.path}?{parts.query}", body=body or None, headers=headers)
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
