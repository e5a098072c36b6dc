"""A pool that fails on command: a proxy and a target on loopback, speaking as much of the native API as a client asks.

The proxy redirects, the target answers with the next of its faults; with none left it answers as the engine does. Keys
below other/ are another node's: the same server by another name.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import xxhash

HANG_UP, CUT, ANOTHER_SUM, NO_REDIRECT, ALONE = "hang-up", "cut", "another-sum", "no-redirect", "alone"
LATE, TRICKLE = "late", "trickle"  # a read's answer begins after 3 s; its body comes in 16 pieces, 0.2 s each
LOST_WORK = "lost-work"  # a write that the engine itself cleaned away, which it says with 404


class FaultyPool:
    """objects: what it holds. faults: what befalls the target's next answers, a status or one of the words above;
    `always`: every answer. pause_*: how slowly a target takes a body and answers a write. seen: (method, key, query)
    as the target got them; proxied_bytes: bodies at the proxy."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.faults: deque[int | str] = deque()
        self.always: int | str | None = None
        self.seen: list[tuple[str, str, dict[str, list[str]]]] = []
        self.proxied_bytes = 0
        self.piece_bytes, self.pause_a_piece_s, self.pause_before_answer_s = 2**21, 0.0, 0.0
        self._servers = [_served(_handler(self, proxy=True)), _served(_handler(self, proxy=False))]
        self.endpoint, self.target = (f"http://127.0.0.1:{server.server_port}" for server in self._servers)

    def next_fault(self) -> int | str | None:
        return self.faults.popleft() if self.faults else self.always

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


@contextmanager
def faulty_pool() -> Iterator[FaultyPool]:
    pool = FaultyPool()
    try:
        yield pool
    finally:
        pool.close()


def _served(handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


def _handler(pool: FaultyPool, *, proxy: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def _any(self) -> None:
            body, left = b"", int(self.headers.get("Content-Length", 0))
            while len(body) < left:
                body += self.rfile.read(min(pool.piece_bytes, left - len(body)))
                time.sleep(pool.pause_a_piece_s)
            if proxy:
                pool.proxied_bytes += len(body)
                if pool.always == NO_REDIRECT:
                    self._answer(200, b"")
                elif pool.always == ALONE:  # a primary that was cut off, on an empty map
                    self._answer(400, b'{"message":"no storage targets in the cluster","status":400}')
                else:
                    target = pool.target.replace("127.0.0.1", "localhost") if "/other/" in self.path else pool.target
                    self._answer(307, b"", {"Location": target + self.path})
                return
            url = urlsplit(self.path)
            key = unquote(url.path.removeprefix("/v1/objects/bucket/"))
            pool.seen.append((self.command, key, parse_qs(url.query)))
            fault = pool.next_fault()
            if fault == HANG_UP:
                self.close_connection = True
            elif fault == LOST_WORK:
                message = b"[fs-path] s3://bucket/put.key: work file does not exist"
                self._answer(404, b'{"tcode":"PathError","message":"%s","status":404}' % message)
            elif isinstance(fault, int):
                self._answer(fault, b'{"message":"told to","status":%d}' % fault)
            elif self.command == "PUT":
                time.sleep(pool.pause_before_answer_s)
                pool.objects[key] = body
                self._answer(200, b"")
            elif self.command == "DELETE":
                pool.objects.pop(key, None)
                self._answer(200, b"")
            elif key not in pool.objects:
                self._answer(404, b'{"message":"aws-error[NoSuchKey: s3://bucket/key]","status":404}')
            else:
                time.sleep(3 if fault == LATE else 0)
                self._object(pool.objects[key], fault)

        def _object(self, data: bytes, fault: str | None) -> None:
            told = xxhash.xxh64_hexdigest(data if fault != ANOTHER_SUM else data + b"?")
            headers = {"Ais-Checksum-Type": "xxhash2", "Ais-Checksum-Value": told}
            asked = self.headers.get("Range")
            if asked and fault != "range-ignored":
                first, _, last = asked.removeprefix("bytes=").partition("-")
                if int(first) >= len(data):
                    self._answer(416, b"")
                    return
                data = data[int(first) : int(last) + 1 if last else None]
                self._answer(206, data, headers)
            elif fault == CUT:
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2])
                self.close_connection = True
            elif fault == TRICKLE:
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with suppress(OSError):
                    for start in range(0, len(data), len(data) // 16):
                        self.wfile.write(data[start : start + len(data) // 16])
                        time.sleep(0.2)
            else:
                self._answer(200, data, headers)

        def _answer(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_DELETE = _any

    return Handler
