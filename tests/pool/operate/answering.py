"""A real HTTP server on loopback that answers as a test says, late, in drips or not at all where that is the test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as it arrived. query: single values."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, kw_only=True)
class Say:
    """An answer. silent: none comes; drip_s: a pause before each byte of the body; short: bytes held back."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False
    drip_s: float = 0
    short: int = 0


def say_json(told: Any, status: int = 200) -> Say:
    return Say(status=status, body=json.dumps(told).encode(), headers={"Content-Type": "application/json"})


@dataclass
class Server:
    url: str
    asked: list[Asked]

    def __str__(self) -> str:
        return self.url


@contextmanager
def answering(answer: Callable[[Asked], Say]) -> Iterator[Server]:
    """Serves until the block ends; `asked` has every request in order."""
    seen: list[Asked] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(method=self.command, path=parts.path, query=query, headers=headers, body=body)
            seen.append(asked)
            said = answer(asked)
            if said.silent:
                over.wait(30)
                self.close_connection = True
                return
            self.send_response(said.status)
            for name, value in said.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            if self.command != "HEAD":
                self._written(said)

        def _written(self, said: Say) -> None:
            try:
                if not said.drip_s:
                    self.wfile.write(said.body[: len(said.body) - said.short])
                for byte in said.body if said.drip_s else b"":
                    if over.is_set():
                        break
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(said.drip_s)
            except OSError:
                pass  # the one that asked has hung up
            if said.short or said.drip_s:
                self.close_connection = True

        do_GET = do_PUT = do_POST = do_HEAD = do_PATCH = do_DELETE = _any

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError):
                super().handle()

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Server(url=f"http://127.0.0.1:{server.server_address[1]}", asked=seen)
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def nobody() -> Iterator[str]:
    """An address where nobody listens: one that was free a moment ago."""
    with answering(lambda _: Say()) as server:
        url = server.url
    yield url
