"""What the tests ask the pool with: one attempt each, no retry, so that every error is seen.

It shares nothing with the product's own client: a judge does not borrow the scales of the judged.
"""

from __future__ import annotations

import http.client
import itertools
import json
import ssl
import urllib.parse
from typing import Any

from fleet_pool import settings
from fleet_pool.node import config

_turn = itertools.count()


class Unanswered(Exception):
    """An answer other than 200 or 206. status: of HTTP; said: what the pool said."""

    def __init__(self, status: int, said: str, where: str) -> None:
        super().__init__(f"{status} from {where}: {said[:300]}")
        self.status, self.said = status, said


class PoolClient:
    """Objects of one S3 bucket through the pool's native API.

    A client knows all proxies, as jobs do: one that cannot be reached is passed over within the same attempt. What a
    target answers, or fails to answer, is the attempt's result.
    """

    def __init__(
        self, addresses: list[str], bucket: str, timeout_s: float, tls: config.Tls | None = None, token: str = ""
    ) -> None:
        self.addresses, self.bucket, self.timeout_s, self.token = addresses, bucket, timeout_s, token
        self.context: ssl.SSLContext | None = None
        if tls is not None:
            self.context = ssl.create_default_context(cafile=tls.authority)
            if tls.certificate:
                self.context.load_cert_chain(tls.certificate, tls.key)

    def put(self, key: str, data: bytes) -> None:
        """Stored in S3 when this returns. Raises Unanswered, OSError."""
        self._asked("PUT", self._object(key), data)

    def get(self, key: str, latest: bool = False) -> bytes:
        """The object's bytes. latest: S3 is asked for a newer version first. Raises Unanswered, OSError."""
        return self._asked("GET", self._object(key) + ("&latest-ver=true" if latest else ""))

    def evict(self, keys: list[str]) -> None:
        """Out of the drives; S3 keeps them. Returns when the job has been taken."""
        message = {"action": "evict-listrange", "value": {"objnames": keys, "template": ""}}
        self._asked("DELETE", f"/v1/buckets/{self.bucket}?provider=aws", json.dumps(message).encode(), json_body=True)

    def register(self, bucket: str) -> None:
        """The pool looks at the bucket in S3 and remembers it."""
        self._asked("HEAD", f"/v1/buckets/{bucket}?provider=aws")

    def map(self) -> dict[str, Any]:
        return json.loads(self._asked("GET", "/v1/daemon?what=smap"))

    def cluster(self, message: dict[str, Any]) -> bytes:
        """One action on the cluster."""
        return self._asked("PUT", "/v1/cluster", json.dumps(message).encode(), json_body=True)

    def asked_of(self, address: str, port: int, method: str, path: str, body: bytes = b"") -> bytes:
        """One daemon asked directly."""
        return self._one(method, f"{self._scheme}://{address}:{port}{path}", body, bool(body))

    @property
    def _scheme(self) -> str:
        return "http" if self.context is None else "https"

    def _object(self, key: str) -> str:
        return f"/v1/objects/{self.bucket}/{urllib.parse.quote(key)}?provider=aws"

    def _asked(self, method: str, path: str, body: bytes = b"", json_body: bool = False) -> bytes:
        first = next(_turn)
        for n in range(len(self.addresses)):
            address = self.addresses[(first + n) % len(self.addresses)]
            where = f"{self._scheme}://{address}:{settings.PROXY_PORT}{path}"
            try:
                return self._one(method, where, body, json_body)
            except _NoProxy as error:
                if n == len(self.addresses) - 1:
                    raise OSError(f"no proxy: {error}") from error
        raise AssertionError("unreachable")

    def _one(self, method: str, where: str, body: bytes, json_body: bool) -> bytes:
        """The proxy asked without the body, then whoever it names with it."""
        headers = {"Content-Type": "application/json"} if json_body else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            answer, said = self._sent(method, where, body if json_body else b"", headers)
        except (OSError, http.client.HTTPException) as error:
            raise _NoProxy(f"{where}: {error!r}") from error
        if answer.status in (301, 302, 307, 308):
            where = answer.headers["Location"]
            try:
                answer, said = self._sent(method, where, body, headers)
            except (OSError, http.client.HTTPException) as error:
                raise OSError(f"{where}: {error!r}") from error
        if answer.status not in (200, 206):
            raise Unanswered(answer.status, said.decode(errors="replace"), where)
        return said

    def _sent(
        self, method: str, where: str, body: bytes, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        url = urllib.parse.urlsplit(where)
        assert url.hostname is not None
        if self.context is not None:
            link = http.client.HTTPSConnection(url.hostname, url.port, timeout=self.timeout_s, context=self.context)
        else:
            link = http.client.HTTPConnection(url.hostname, url.port, timeout=self.timeout_s)
        try:
            link.request(method, f"{url.path}?{url.query}", body=body or None, headers=headers)
            answer = link.getresponse()
            return answer, answer.read()
        finally:
            link.close()


class _NoProxy(OSError):
    """This proxy cannot be asked; another one can."""
