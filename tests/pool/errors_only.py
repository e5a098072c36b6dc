"""A server that answers every request with one S3 error: python errors_only.py ADDRESS PORT STATUS CODE."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ErrorsOnly(BaseHTTPRequestHandler):
    """503 SlowDown, 400 ExpiredToken, 403 AccessDenied ..."""

    protocol_version = "HTTP/1.1"
    status, code = 503, "SlowDown"

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = f"<Error><Code>{self.code}</Code><Message>on purpose</Message></Error>".encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    address, port, status, code = sys.argv[1:]
    ErrorsOnly.status, ErrorsOnly.code = int(status), code
    ThreadingHTTPServer((address, int(port)), ErrorsOnly).serve_forever()
