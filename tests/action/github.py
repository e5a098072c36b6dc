"""Issue comments as GitHub's REST API has them, on loopback: pages, permissions, and a record of what was asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN, READ_ONLY = "t0ken", "read-0nly"


class GitHub:
    """comments: of pull request 7, oldest first. asked: (method, path) of each request."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.url = ""

    def add(self, body: str) -> dict[str, Any]:
        number = len(self.comments) + 1
        made = {"id": number, "body": body, "html_url": f"https://github.example/o/r/pull/7#issuecomment-{number}"}
        self.comments.append(made)
        return made

    def answer(self, method: str, target: str, token: str, body: Any) -> tuple[int, Any]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        self.asked.append((method, path))
        if token not in (TOKEN, READ_ONLY):
            return 401, {"message": "Bad credentials"}
        if method == "GET" and path == "/repos/o/r/issues/7/comments":
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[(page - 1) * size : page * size]
        if token == READ_ONLY:
            return 403, {"message": "Resource not accessible by integration"}
        if len(body["body"]) > 65_536:
            return 422, {"message": "Body is too long"}
        if method == "POST" and path == "/repos/o/r/issues/7/comments":
            return 201, self.add(body["body"])
        match = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        if method == "PATCH" and match:
            made = self.comments[int(match[1]) - 1]
            made["body"] = body["body"]
            return 200, made
        return 404, {"message": "Not Found"}


@contextmanager
def serving() -> Iterator[GitHub]:
    hub = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            status, found = hub.answer(self.command, self.path, token, body)
            sent = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PATCH = answer

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
