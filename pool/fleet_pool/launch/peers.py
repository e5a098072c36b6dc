"""Nodes watch each other over their own network: a small answer says who runs what. Silence is measured on the
watcher's own clock, so that clocks are never compared."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fleet_pool.http_request import send
from fleet_pool.launch.ranks import Member
from fleet_pool.problems import PoolProblem

PORT = 29399  # TCP, on the node's own address; the fleet's security group allows it between its nodes
LIMIT_S = 5.0
AT_ONCE = 32


class Answering:
    """Answers `status()` as JSON to everyone who asks, until closed. Raises OSError if the port is taken."""

    def __init__(self, address: str, status: Callable[[], Mapping[str, Any]]) -> None:
        class Handler(BaseHTTPRequestHandler):
            timeout = LIMIT_S

            def do_GET(self) -> None:
                body = json.dumps(status()).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer((address, PORT), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Watch:
    """Who answered, and since when others have not."""

    def __init__(self) -> None:
        self._heard: dict[Member, float] = {}

    def ask(self, members: Iterable[Member]) -> dict[Member, Mapping[str, Any]]:
        """The answers of those that answer as the very agent that was expected."""
        asked = list(members)
        now = time.monotonic()
        for member in asked:
            self._heard.setdefault(member, now)
        if not asked:
            return {}
        with ThreadPoolExecutor(max_workers=min(AT_ONCE, len(asked))) as pool:
            answers = dict(zip(asked, pool.map(_status, asked)))
        found = {member: answer for member, answer in answers.items() if answer is not None}
        for member in found:
            self._heard[member] = time.monotonic()
        return found

    def silent_s(self, member: Member) -> float:
        """Seconds since it last answered, or was first asked."""
        now = time.monotonic()
        return now - self._heard.get(member, now)


def _status(member: Member) -> Mapping[str, Any] | None:
    try:
        found = send("GET", f"http://{member.address}:{PORT}/", limit_s=LIMIT_S).json()
    except PoolProblem:
        return None
    if not isinstance(found, dict):
        return None
    same = (found.get("instance"), found.get("incarnation")) == (member.instance, member.incarnation)
    return found if same else None
