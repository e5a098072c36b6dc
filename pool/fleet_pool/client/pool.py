"""Objects through the pool, with the engine's official SDK: one try per call; retries are the caller's.

The SDK's own retries are off: they would wait 90 s for a dead node while S3 could answer at once. The body of a write
is sent to the target only. Without TLS the SDK would send it to the proxy too, which only redirects and hangs up.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from fleet_pool.client.errors import (
    AlreadyThere,
    Corrupt,
    Damaged,
    NotThere,
    OutOfRange,
    Refused,
    StoreProblem,
    Unavailable,
)
from fleet_pool.client.store import (
    Entry,
    Level,
    checked,
    checked_folder,
    http_range,
    is_folder_marker,
    level_of,
    stream_of,
    whole_file,
)
from fleet_pool.problems import UsageProblem
from fleet_pool.tokens import job_token

CONNECT_TIMEOUT_S = 3.0
CONNECTIONS = 32  # per daemon, so that many threads can read at once
DAEMONS = 512  # whose connections are kept: 400 nodes and the proxies; beyond it a read opens a new one
READ_TIMEOUT_S = 30.0  # between two bytes; a cold object is fetched completely before its first byte is sent
# a body may take this long and no longer: a node below the floor is slower than S3 for one stream by far
BODY_GRACE_S, FLOOR_BYTES_PER_S, PIECE_BYTES = 3.0, 5e6, 2**18
# a write returns when S3 has it, so large ones get more time. One stream to S3 reaches 80 to 100 MB/s.
SLOWEST_UPLOAD_BYTES_PER_S = 50e6
PROVIDER = {"provider": "aws"}  # the SDK's default would be a bucket on the nodes' drives only
REDIRECTS = (301, 307, 308)  # the ones that keep the method
_XXHASH = "xxhash2"  # XXH64, of objects that the pool wrote; those that it fetched have S3's MD5


class Via:
    """The way of one call through the pool. target: the node that it was sent to, once that is known. avoid: whether
    not to ask a node; refused: whether it was not asked."""

    def __init__(self, avoid: Callable[[str], bool] = lambda target: False) -> None:
        self.target, self.avoid, self.refused = "", avoid, False


class Pool:
    """An S3 bucket as the pool serves it.

    endpoints: URLs of the proxies, such as https://10.0.0.10:51080; if one does not answer, the next is used.
    Certificates come from the engine's variables AIS_CRT, AIS_CRT_KEY and AIS_CLIENT_CA. Raises Refused if the SDK is
    not installed.
    """

    def __init__(
        self,
        bucket: str,
        endpoints: tuple[str, ...],
        *,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        read_timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        for endpoint in endpoints:
            if not endpoint.startswith(("http://", "https://")):
                raise Refused(f"pool endpoint {endpoint!r} needs http:// or https://, as in https://10.0.0.10:51080")
        if not endpoints:
            raise Refused("no pool endpoint given: give at least one proxy, preferably all")
        self._bucket, self._endpoints = bucket, endpoints
        self._timeout_s = (connect_timeout_s, read_timeout_s)
        self._start = os.getpid() % len(endpoints)  # spreads jobs over the proxies
        self._clients: dict[tuple[int, str, str], Any] = {}
        self._connections: dict[int, Any] = {}
        _sdk()

    @property
    def place(self) -> str:
        return f"s3://{self._bucket} through the pool at {self._endpoint}"

    def __getstate__(self) -> dict[str, Any]:
        """Without connections: a data loader's worker opens its own."""
        return {**self.__dict__, "_clients": {}, "_connections": {}}

    def read(self, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        return self.read_via(Via(), key, start=start, length=length, fresh=fresh)

    def read_via(self, via: Via, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False) -> bytes:
        """As read. via: learns which node is asked, and may refuse it."""
        asked = http_range(start, length)
        with self._errors(key, via):
            answer = self._target(via, "GET", key, asked=asked, fresh=fresh)
            try:
                data, expected = self._body(answer, key, via)
            finally:
                answer.close()
        if expected is not None and len(data) != expected:
            raise Damaged(f"{key} of {self.place} ends after {len(data)} of {expected} bytes")
        if asked is None:
            _compare(data, answer.headers, f"{key} of {self.place}")
        elif answer.status_code != 206:  # the range was ignored: this is the whole object
            data = data[start : None if length is None else start + length]
        return data

    def write(self, key: str, data: bytes | Path) -> None:
        """Only for a key without an object, or with these bytes: the engine sends a write to S3 without a condition,
        and a late one would replace a newer object. Raises Refused."""
        size, _ = whole_file(data)
        try:
            there = self.read(key, fresh=True)
        except NotThere:
            self.write_unique(key, data)
            return
        with stream_of(data) as stream:
            if len(there) != size or there != stream.read():
                remedy = "open the store with access to S3 itself (direct=True), or write a new key"
                raise Refused(
                    f"{key} of {self.place} has other bytes, and the pool cannot replace them safely; {remedy}"
                )

    def write_unique(self, key: str, data: bytes | Path) -> None:
        self.write_via(Via(), key, data)

    def write_via(self, via: Via, key: str, data: bytes | Path) -> None:
        """As write_unique. via: learns which node is asked, and may refuse it."""
        size, what = whole_file(data)
        with self._errors(key, via):
            target = self._located(via, self._request("PUT", key, allow_redirects=False), key)
            with stream_of(data) as stream:  # an empty stream would be sent chunked
                answer = self._send(target, stream if size else b"", size)
            if answer.status_code != 200:
                raise _problem(answer.status_code, answer.text, f"{key} of {self.place} ({what})", via.target)

    def write_once(self, key: str, data: bytes) -> None:
        """Checks, then writes: the pool has no conditional write, so two simultaneous writers are not detected."""
        try:
            there = self.read(key, fresh=True)
        except NotThere:
            self.write_unique(key, data)
            return
        if there != data:
            raise AlreadyThere(f"{key} of {self.place} exists already, with other bytes")

    def entries(self, prefix: str) -> tuple[Entry, ...]:
        with self._errors(prefix):
            listed = self._client.bucket(self._bucket, **PROVIDER).list_objects_iter(prefix=prefix, props="name,size")
            found = [Entry(key=each.name, size_bytes=int(each.size)) for each in listed]
        return tuple(sorted((each for each in found if not is_folder_marker(each)), key=lambda entry: entry.key))

    def level(self, folder: str) -> Level:
        """Lists everything below the folder: the engine's own limit to one level is not used."""
        return level_of(folder, self.entries(checked_folder(folder)))

    def size(self, key: str, *, fresh: bool = False) -> int:
        with self._errors(key):
            answer = self._request("HEAD", key, fresh=fresh)
        size = answer.headers.get("Content-Length")  # which the engine leaves out for an empty object
        if size is None and answer.headers.get("Ais-Present") != "true":
            raise Unavailable(f"{key} of {self.place}: the answer has no size")
        return int(size or 0)

    def remove(self, key: str) -> None:
        with self._errors(key):  # the engine answers 200 for a missing object, 404 for an unknown bucket
            self._request("DELETE", key)

    def forget(self, key: str) -> None:
        """Drops the nodes' copy of an object; S3 keeps it. Returns when it is gone."""
        message = {"action": "evict-listrange", "name": f"{self._bucket}/{key}"}
        with suppress(NotThere), self._errors(key):
            self._request("DELETE", key, json=message)

    def node_of(self, key: str) -> str:
        """Address and port of the node that has the key, or would have it."""
        via = Via()
        with self._errors(key, via):
            self._located(via, self._request("GET", key, allow_redirects=False), key)
        return via.target

    @property
    def _endpoint(self) -> str:
        return self._endpoints[self._start % len(self._endpoints)]

    @property
    def _client(self) -> Any:
        """This process's SDK client for the current proxy."""
        try:
            token = job_token(os.environ)  # renewed while the job runs
        except UsageProblem as problem:
            raise Refused(str(problem)) from None
        process = os.getpid()
        mine = (process, self._endpoint, token)
        client = self._clients.get(mine)
        if client is None:
            # the same ones for every proxy and token: those of 400 nodes twice are more files than a process may open
            connections = self._connections.get(process) or self._connections.setdefault(process, _adapter())
            client = self._clients[mine] = _client(self._endpoint, self._timeout_s, token, connections)
        return client

    def _request(self, method: str, key: str, *, asked: str | None = None, fresh: bool = False, **more: Any) -> Any:
        params = {**PROVIDER, **({"latest-ver": "true"} if fresh else {})}
        headers = {"Range": asked} if asked else {}
        path = f"objects/{self._bucket}/{quote(checked(key))}"
        return self._client.cluster().client.request(method, path, params=params, headers=headers, **more)

    def _located(self, via: Via, answer: Any, key: str) -> str:
        """Where the proxy's answer sends a request. Raises Unavailable if it names nobody, or one that rests."""
        location = answer.headers.get("Location")
        if answer.status_code not in REDIRECTS or not location:
            raise Unavailable(f"{self.place} named no target for {key}", status=answer.status_code)
        via.target = urlsplit(location).netloc
        via.refused = via.avoid(via.target)
        if via.refused:
            raise Unavailable(f"{key}: node {via.target} of the pool is left alone for a while", target=via.target)
        return location

    def _target(self, via: Via, method: str, key: str, *, asked: str | None, fresh: bool) -> Any:
        """The answer of the node that has the object, its body unread. Raises StoreProblem and errors of requests."""
        where = self._located(via, self._request(method, key, asked=asked, fresh=fresh, allow_redirects=False), key)
        requests = self._client.cluster().client
        headers = {"Range": asked} if asked else {}
        if requests.token:
            headers["Authorization"] = f"Bearer {requests.token}"
        session = requests.session_manager.session
        answer = session.request(
            method, where, headers=headers, timeout=self._timeout_s, stream=True, allow_redirects=False
        )
        if answer.status_code >= 300:
            text = answer.text
            answer.close()
            raise _problem(answer.status_code, text, f"{key} of {self.place}", via.target)
        return answer

    def _body(self, answer: Any, key: str, via: Via) -> tuple[bytes, int | None]:
        """The body and its announced size, in the time that a slow but useful node would need."""
        told = answer.headers.get("Content-Length")
        expected = int(told) if told is not None else None
        end_s = time.monotonic() + BODY_GRACE_S + (expected or 0) / FLOOR_BYTES_PER_S
        pieces = []
        while piece := answer.raw.read(PIECE_BYTES, decode_content=False):
            pieces.append(piece)
            if expected is not None and time.monotonic() > end_s and sum(map(len, pieces)) < expected:
                raise Unavailable(
                    f"{key} of {self.place}: {sum(map(len, pieces))} of {expected} bytes in "
                    f"{BODY_GRACE_S + expected / FLOOR_BYTES_PER_S:.0f} s from {via.target}",
                    target=via.target,
                )
        return pieces[0] if len(pieces) == 1 else b"".join(pieces), expected

    def pass_over(self) -> None:
        """Ask another proxy from now on."""
        self._start += 1

    def _send(self, target: str, body: Any, size: int) -> Any:
        requests = self._client.cluster().client
        headers = {"Content-Type": "application/octet-stream"}
        if requests.token:
            headers["Authorization"] = f"Bearer {requests.token}"
        connect_s, read_s = self._timeout_s
        timeout_s = (connect_s, read_s + size / SLOWEST_UPLOAD_BYTES_PER_S)
        session = requests.session_manager.session
        return session.put(target, data=body, headers=headers, timeout=timeout_s, allow_redirects=False)

    @contextmanager
    def _errors(self, key: str, via: Via | None = None) -> Iterator[None]:
        """Turns errors of the SDK and its libraries into ours. After a lost connection the next proxy is used."""
        import requests
        import urllib3
        from aistore.sdk.errors import AISError

        try:
            yield
        except AISError as error:
            problem = _problem(error.status_code, error.message, f"{key} of {self.place}", via.target if via else "")
            if _no_targets(error.message):  # a proxy that was cut off answers this while its map is empty
                self._start += 1
            raise problem from None
        except (requests.exceptions.InvalidURL, requests.exceptions.MissingSchema) as error:
            raise Refused(f"{self.place}: {error}") from None
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            place, cause = self.place, _cause(error)
            target = via.target if via else ""
            self._start += not target
            if isinstance(error, requests.exceptions.SSLError) and "CERTIFICATE" in cause.upper():
                remedy = "check the certificate, key and authority in AIS_CRT, AIS_CRT_KEY and AIS_CLIENT_CA"
                raise Refused(f"{key} of {place}: {cause}; {remedy}") from None
            raise Unavailable(f"{key} of {place}: {cause}", target=target) from None


def _sdk() -> Any:
    try:
        import aistore.sdk
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        missing = f"reading the pool needs {library}, which is not installed"
        raise Refused(f"{missing}: pip install 'fleet-pool[client]'") from None
    return aistore.sdk


def _adapter() -> Any:
    """The connections of one process to all daemons. The SDK keeps as many daemons as connections to each."""
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    return HTTPAdapter(max_retries=Retry(total=0, read=False), pool_connections=DAEMONS, pool_maxsize=CONNECTIONS)


def _client(endpoint: str, timeout_s: tuple[float, float], token: str, connections: Any) -> Any:
    """An SDK client that tries once and uses no configuration but its arguments and the engine's AIS_ variables."""
    from aistore.sdk.retry_config import RetryConfig
    from tenacity import Retrying, stop_after_attempt
    from urllib3.util.retry import Retry

    once = RetryConfig(
        http_retry=Retry(total=0, read=False), network_retry=Retrying(stop=stop_after_attempt(1), reraise=True)
    )
    client = _sdk().Client(
        endpoint, retry_config=once, timeout=timeout_s, max_pool_size=CONNECTIONS, token=token or None
    )
    session = client.cluster().client.session_manager.session
    # REQUESTS_CA_BUNDLE would override the pool's authority, HTTP_PROXY would lead out of the VPC
    session.trust_env = False
    for scheme in ("http://", "https://"):
        session.mount(scheme, connections)
    return client


def _cause(error: Exception) -> str:
    """The root cause, without wrappers and memory addresses."""
    inner = error.args[0] if error.args else error
    cause = getattr(inner, "reason", None) or inner
    return f"{type(error).__name__}: {re.sub(r'<[^<>]* at 0x[0-9a-f]+>[:,]? ?', '', str(cause))}"


_LOST_WORK = (
    "work file does not exist"  # seen on a filling drive: the engine deleted the temporary file of a running write
)


def _problem(status: int, text: str, what: str, target: str = "") -> StoreProblem:
    """The error for a status and message of the pool."""
    message = f"{what}: {status} {text.strip()[:300]}"
    if _LOST_WORK in text:
        return Unavailable(message, status=status, target=target)
    if "ErrLmetaCorrupted" in text:  # its file is shorter than it says: the copy is at fault, not the node
        return Corrupt(message)
    if status in (404, 410):  # 410: asked for the newest, and S3 has none
        return NotThere(message)
    if status == 416:
        return OutOfRange(message)
    # 409 and 423: another reader is fetching the object
    if status in (408, 409, 423, 429) or status >= 500 or _no_targets(text):
        return Unavailable(message, status=status, target=target)
    return Refused(message)


def _no_targets(text: str) -> bool:
    """Whether a proxy has no target in its map, which the engine answers with 400 (cmn/err.go, ErrNoNodes)."""
    return "no storage targets in the cluster" in text


def _compare(data: bytes, headers: Mapping[str, str], what: str) -> None:
    """Checks the bytes against the checksum of an object that the pool wrote. Raises Corrupt."""
    import xxhash

    if headers.get("Ais-Checksum-Type") == _XXHASH:
        found, expected = xxhash.xxh64_hexdigest(data), headers.get("Ais-Checksum-Value")
        if found != expected:
            raise Corrupt(f"{what}: checksum {found}, {expected} when written; `evict` it to refetch it from S3")
