"""Client of the pool's native API: tries one proxy after another, follows redirects, keeps time limits.

The pool's S3 endpoint (/s3) is not used: it does not know unregistered buckets, and a bucket created there is local to
the pool.
"""

from __future__ import annotations

import json
import random
import ssl
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, urlencode

from fleet_pool import settings
from fleet_pool.http_request import REDIRECTS, Answer, send
from fleet_pool.problems import Refused, Unreachable, UsageProblem

ENDPOINT_VARIABLE = "AIS_ENDPOINT"  # the engine's own variable; here it may hold a list
CERTIFICATE_VARIABLE, KEY_VARIABLE, AUTHORITY_VARIABLE = "AIS_CRT", "AIS_CRT_KEY", "AIS_CLIENT_CA"

# Answers worth a retry: another membership change in progress (409), busy, an election.
PASSING = (409, 429, 502, 503, 504)
LONGEST_PAUSE_S = 3.0


def endpoints(text: str) -> tuple[str, ...]:
    """URLs of proxies from a comma-separated list of addresses or URLs; the default port is the public one.

    Raises UsageProblem.
    """
    found = []
    for word in (part.strip().rstrip("/") for part in text.split(",")):
        if not word:
            continue
        url = word if "://" in word else f"http://{word}"
        scheme, _, place = url.partition("://")
        if scheme not in ("http", "https") or not place or "/" in place or "@" in place:
            raise UsageProblem(f"{word!r} is not a proxy's URL: write http://10.0.0.4:{settings.PROXY_PORT}")
        port = place.rpartition("]")[2].rpartition(":")[2] if ":" in place.rpartition("]")[2] else ""
        if ":" in place.rpartition("]")[2] and not (port.isdigit() and 0 < int(port) < 65536):
            raise UsageProblem(f"{word!r}: {port!r} is not a port: write http://10.0.0.4:{settings.PROXY_PORT}")
        found.append(url if port else f"{url}:{settings.PROXY_PORT}")
    if not found:
        raise UsageProblem(
            f"no pool given: set --endpoint or {ENDPOINT_VARIABLE} to its proxies, such as http://10.0.0.4:51080"
        )
    return tuple(dict.fromkeys(found))


def tls_context(environment: Mapping[str, str]) -> ssl.SSLContext | None:
    """TLS identity and authority from the engine's variables, None if none is set. Raises UsageProblem."""
    certificate, key, authority = (
        environment.get(name) or None for name in (CERTIFICATE_VARIABLE, KEY_VARIABLE, AUTHORITY_VARIABLE)
    )
    if not (certificate or key or authority):
        return None
    if bool(certificate) != bool(key):
        raise UsageProblem(f"set both {CERTIFICATE_VARIABLE} and {KEY_VARIABLE}, or neither")
    try:
        context = ssl.create_default_context(cafile=authority)
        if certificate:
            context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        names = ", ".join(name for name in (certificate, key, authority) if name)
        raise UsageProblem(f"cannot load the certificates ({names}): {error.strerror or error}") from None
    return context


def error_text(answer: Answer) -> str:
    """The pool's own error message."""
    text = answer.headers.get("hdr-error") or answer.body.decode("utf-8", "replace")
    try:
        message = json.loads(text)["message"]
    except (ValueError, KeyError, TypeError):
        message = " ".join(text.split())[:200]
    return str(message) or f"HTTP {answer.status}"


class Client:
    """The proxies of one pool. token: shown to them; "" for none.

    attempt_s: limit of one request. patience_s: limit of one call with its retries.
    """

    def __init__(
        self,
        proxies: Sequence[str],
        *,
        tls: ssl.SSLContext | None = None,
        token: str = "",
        attempt_s: float = 10.0,
        patience_s: float = 30.0,
    ) -> None:
        self.proxies = tuple(proxies)
        self.tls = tls
        self.shown = {"Authorization": f"Bearer {token}"} if token else {}
        self.attempt_s = attempt_s
        self.patience_s = patience_s

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        value: Any = None,
        headers: Mapping[str, str] | None = None,
        patience_s: float | None = None,
    ) -> Answer:
        """An answer below 400 from the first proxy that gives one. Only for requests that may be sent twice.

        Raises Refused for a final error at once; after `patience_s` the last error, Refused or Unreachable.
        """
        deadline = time.monotonic() + (self.patience_s if patience_s is None else patience_s)
        pause = 0.2
        heard: Refused | None = None
        limit = self.attempt_s
        while True:
            last: Refused | Unreachable | None = None
            for proxy in self.proxies:
                limit = min(self.attempt_s, max(deadline - time.monotonic(), 0.5))
                try:
                    answer = self.once(method, proxy + path, query=query, value=value, headers=headers, limit_s=limit)
                except Unreachable as error:
                    last = last or error
                    continue
                if answer.status < 400:
                    self.first(proxy)
                    return answer
                refusal = Refused(f"the pool refused {method} {path}: {error_text(answer)}", answer.status)
                if answer.status not in PASSING:
                    raise refusal
                last = heard = refusal
            left = deadline - time.monotonic()
            if left <= pause:
                assert last is not None
                # an error answer says more than a timeout that our own deadline cut short
                raise heard if heard and limit < self.attempt_s else last
            # random, so that a hundred nodes that leave at once do not retry in step
            time.sleep(min(pause * random.uniform(0.5, 1.5), left))
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def once(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str] | None = None,
        value: Any = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        limit_s: float | None = None,
    ) -> Answer:
        """One request to one daemon, following redirects. Raises Unreachable."""
        headers = {**self.shown, **(headers or {})}
        if value is not None:
            body = json.dumps(value).encode()
            headers["Content-Type"] = "application/json"
        deadline = time.monotonic() + (self.attempt_s if limit_s is None else limit_s)
        url += f"?{urlencode(query)}" if query else ""
        for _ in range(5):
            left = max(deadline - time.monotonic(), 0.1)
            answer = send(method, url, headers=headers, body=body, tls=self.tls, limit_s=left)
            if answer.status not in REDIRECTS or "location" not in answer.headers:
                return answer
            url = answer.headers["location"]
        raise Unreachable(f"{url}: too many redirects")

    def act(self, path: str, action: str, value: Any = None, *, method: str = "PUT", **more: Any) -> Answer:
        """Sends an action message, which is how anything is changed. Raises Refused or Unreachable."""
        message: dict[str, Any] = {"action": action}
        if value is not None:
            message["value"] = value
        return self.ask(method, path, value=message, **more)

    def put(self, proxy: str, bucket: str, key: str, body: bytes, limit_s: float) -> None:
        """Writes an object through one proxy; returns when S3 has it. Raises Refused or Unreachable.

        The first request has no body: the proxy answers with the target's URL and would hang up on a body.
        """
        url = f"{proxy}{object_path(bucket, key)}?provider=aws"
        deadline = time.monotonic() + limit_s
        answer = send("PUT", url, headers=self.shown, tls=self.tls, limit_s=limit_s)
        if answer.status in REDIRECTS and "location" in answer.headers:
            url = answer.headers["location"]
        elif answer.status >= 400:
            raise Refused(f"PUT {key} through {proxy}: {error_text(answer)}", answer.status)
        left = max(deadline - time.monotonic(), 0.1)
        answer = self.once("PUT", url, body=body, limit_s=left)
        if answer.status >= 300:
            raise Refused(f"PUT {key} through {proxy}: {error_text(answer)}", answer.status)

    def get(self, proxy: str, bucket: str, key: str, limit_s: float) -> bytes:
        """An object's bytes through one proxy. Raises Refused or Unreachable."""
        url = proxy + object_path(bucket, key)
        answer = self.once("GET", url, query={"provider": "aws"}, limit_s=limit_s)
        if answer.status >= 300:
            raise Refused(f"GET {key} through {proxy}: {error_text(answer)}", answer.status)
        return answer.body

    def each(self, path: str, query: Mapping[str, str], limit_s: float) -> dict[str, Answer | Unreachable]:
        """One request to every proxy at once, each with `limit_s` seconds; by URL, in the order of the proxies."""

        def one(proxy: str) -> Answer | Unreachable:
            try:
                return self.once("GET", proxy + path, query=query, limit_s=limit_s)
            except Unreachable as error:
                return error

        with ThreadPoolExecutor(max_workers=len(self.proxies)) as pool:
            return dict(zip(self.proxies, pool.map(one, self.proxies)))

    def first(self, *proxies: str) -> None:
        """Makes these the first to be asked."""
        self.proxies = (*proxies, *(other for other in self.proxies if other not in proxies))


def bucket_path(bucket: str) -> str:
    return f"/v1/buckets/{quote(bucket, safe='')}"


def object_path(bucket: str, key: str) -> str:
    return f"/v1/objects/{quote(bucket, safe='')}/{quote(key)}"
