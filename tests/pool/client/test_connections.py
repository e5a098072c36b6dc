"""A client keeps its connections to every node of a large fleet, and opens them once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from fleet_pool.client.pool import Pool

NODES = 400  # of the largest fleet that is planned for


class Fleet(ThreadingHTTPServer):
    """A proxy at 127.0.0.1 and targets at 127.0.M.N, all of them this server. opened: connections so far."""

    opened = 0

    def get_request(self) -> Any:
        self.opened += 1
        return super().get_request()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        host, _, port = self.headers["Host"].partition(":")
        node = int(self.path.partition("?")[0].rpartition("/")[2])
        self.send_response(307 if host.startswith("127.0.0.") else 200)
        self.send_header("Location", f"http://127.0.{1 + node // 200}.{1 + node % 200}:{port}{self.path}")
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    server = Fleet(("", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_reading_from_every_node_again_opens_no_connection(fleet: Fleet):
    pool = Pool("bucket", (f"http://127.0.0.1:{fleet.server_port}",))
    for _ in range(3):
        for node in range(1, NODES + 1):
            pool.read(str(node))
    assert fleet.opened == NODES + 1


def test_another_proxy_and_a_new_token_open_no_connection_to_a_node_again(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
):
    pool = Pool("bucket", tuple(f"http://127.0.0.{number}:{fleet.server_port}" for number in (1, 2)))
    for token in ("first", "renewed"):
        monkeypatch.setenv("AIS_AUTHN_TOKEN", token)
        for _ in range(2):
            for node in range(1, 41):
                pool.read(str(node))
            pool.pass_over()
    assert fleet.opened == 40 + 2
