"""One HTTP request with a time limit for all of it: to the pool, the instance metadata service, and S3."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from fleet_pool.compat import frozen
from fleet_pool.problems import Refused, Unreachable

REDIRECTS = (301, 307, 308)  # the ones that keep the method


@frozen
class Answer:
    """An HTTP answer. headers: by lowercase name. url: that answered."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body's JSON. Raises Refused if it is not JSON, as when another program listens there."""
        try:
            return json.loads(self.body)
        except ValueError:
            start = self.body[:80].decode("utf-8", "replace")
            raise Refused(f"{self.url} is not a pool: its answer is not JSON: {start!r}", self.status) from None


def send(
    method: str,
    url: str,
    *,
    limit_s: float,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    tls: ssl.SSLContext | None = None,
) -> Answer:
    """One request without following redirects, over within `limit_s` even if bytes trickle in. Raises Unreachable.

    The time for a DNS look-up is not limited; the pool is addressed by IP.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Unreachable(f"{url!r} is not a URL: write http://10.0.0.4:51080")
    start = time.monotonic()
    if parts.scheme == "https":
        context = tls or ssl.create_default_context()
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=limit_s, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=limit_s)
    late = threading.Event()
    try:
        connection.connect()
        # the socket's own limit restarts with every byte; this one does not
        watch = threading.Timer(max(0.0, start + limit_s - time.monotonic()), _cut, (connection.sock, late))
        watch.daemon = True
        watch.start()
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(method, path, body=body or None, headers=_with_length(method, body, headers or {}))
            response = connection.getresponse()
            found = response.read()
        finally:
            watch.cancel()
    except (OSError, http.client.HTTPException) as error:
        why = (
            f"no answer within {round(limit_s, 1) or limit_s:g} s"
            if late.is_set() or isinstance(error, socket.timeout)
            else _why(error)
        )
        raise Unreachable(f"{parts.scheme}://{parts.netloc}: {why}") from error
    finally:
        connection.close()
    kept = {name.lower(): value for name, value in response.getheaders()}
    return Answer(url=url, status=response.status, headers=kept, body=found)


def _with_length(method: str, body: bytes, headers: Mapping[str, str]) -> dict[str, str]:
    """Content-Length for a request without a body, which http.client leaves out."""
    length = {} if body or method in ("GET", "HEAD") else {"Content-Length": "0"}
    return {**headers, **length}


def _cut(open_socket: socket.socket, late: threading.Event) -> None:
    late.set()
    with suppress(OSError):
        open_socket.shutdown(socket.SHUT_RDWR)


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}; set AIS_CLIENT_CA to the pool's authority"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason or error}): AIS_CRT and AIS_CRT_KEY need a certificate the pool trusts"
    if isinstance(error, http.client.IncompleteRead):
        return f"the answer ended after {len(error.partial)} bytes"
    if isinstance(error, http.client.HTTPException):
        return f"the answer is incomplete or not HTTP ({type(error).__name__})"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return str(error)
