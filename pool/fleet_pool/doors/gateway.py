"""A gateway on this machine's loopback: plain HTTP and a small part of S3's API, for programs that know no pool.

    python -m fleet_pool.doors.gateway s3://BUCKET

Then http://127.0.0.1:8333/BUCKET/KEY reads and writes through the patient client: certificates, token, retries and the
way to S3 are the gateway's business. It serves one bucket to every user of this machine, with its own user's rights.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import sys
from collections.abc import Callable, Sequence
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from fleet_pool.client import Store, StoreProblem, open_store
from fleet_pool.client.errors import NotThere, OutOfRange, Refused, Unavailable
from fleet_pool.client.ranges import pieces
from fleet_pool.doors.staged import staged_file

PORT = 8333
PIECE_BYTES = 2**20
_OF_OBJECTS = frozenset({"acl", "attributes", "legal-hold", "retention", "tagging", "uploadId", "versionId"})
_WHOLE_ONLY = "whole objects only: no parts, no tags, no versions"
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
_LONG_AGO = "2000-01-01T00:00:00.000Z"  # a store tells no times, and S3's clients want one


class Gateway(ThreadingHTTPServer):
    """bucket: the only one that is served. staging: a folder for uploads on their way."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, store: Store, bucket: str, *, port: int = PORT, staging: str | None = None) -> None:
        self.store, self.bucket, self.staging = store, bucket, staging
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Gateway  # type: ignore[assignment]

    def do_GET(self) -> None:
        self._guarded(self._get)

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        self._guarded(self._put)

    def do_DELETE(self) -> None:
        self._guarded(self._delete)

    def do_POST(self) -> None:
        self._guarded(lambda key, _: self._error(501, "NotImplemented", "no uploads in parts, no deletions in lots"))

    def _guarded(self, act: Callable[[str, dict[str, str]], object]) -> None:
        """Finds bucket and key, and answers a store's errors with S3's."""
        url = urlsplit(self.path)
        bucket, _, key = unquote(url.path.lstrip("/")).partition("/")
        query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        query.pop("x-id", None)  # the name of the call, which some of AWS's SDKs add
        self._unread = self._length() or 0
        try:
            if bucket != self.server.bucket:
                self._error(404, "NoSuchBucket", f"this gateway serves {self.server.bucket}")
            else:
                act(key, query)
        except NotThere as problem:
            self._error(404, "NoSuchKey", str(problem))
        except OutOfRange as problem:
            self._error(416, "InvalidRange", str(problem))
        except Refused as problem:
            self._error(403, "AccessDenied", str(problem))
        except Unavailable as problem:
            self._error(503, "SlowDown", str(problem))
        except StoreProblem as problem:
            self._error(500, "InternalError", str(problem))
        # a body that nobody has read would be taken for the next request
        if self._unread > PIECE_BYTES or "Transfer-Encoding" in self.headers:
            self.close_connection = True
        elif self._unread:
            self.rfile.read(self._unread)

    def _length(self) -> int | None:
        said = self.headers.get("Content-Length", "")
        return int(said) if said.isdecimal() else None

    def _delete(self, key: str, query: dict[str, str]) -> None:
        if query:  # such as ?tagging, which is not the object
            self._error(501, "NotImplemented", _WHOLE_ONLY)
            return
        self.server.store.remove(key)
        self._answer(204)

    def _get(self, key: str, query: dict[str, str]) -> None:
        if not key:
            if "location" in query:
                self._error(501, "NotImplemented", "objects and listings only")
            else:
                self._list(query)
            return
        if not _OF_OBJECTS.isdisjoint(query):
            self._error(501, "NotImplemented", _WHOLE_ONLY)
            return
        size = self.server.store.size(key)
        asked = self._range(size)
        begin, end = asked or (0, size)
        headers = {"Content-Length": str(end - begin), "Accept-Ranges": "bytes", "ETag": _tag(size)}
        if asked:  # 206 also for a range that is the whole: some clients take nothing else for it
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{size}"
        found = pieces(self.server.store, key, end - begin, begin=begin)
        first = next(found, (0, b""))[1] if self.command == "GET" else b""  # an error is still an answer here
        self._answer(206 if asked else 200, headers=headers)
        if self.command == "HEAD":
            return
        try:
            self.wfile.write(first)
            for _, piece in found:
                self.wfile.write(piece)
        except StoreProblem as problem:  # too late for an answer: the client sees a body that ends early
            self.log_error("%s", problem)
            self.close_connection = True

    def _put(self, key: str, query: dict[str, str]) -> None:
        length = self._length()
        chunked = "Transfer-Encoding" in self.headers
        if query or not key or length is None or chunked or self.headers.get("x-amz-copy-source"):
            self.close_connection = True
            self._error(501, "NotImplemented", "whole objects only: no parts, no copies, and Content-Length is needed")
            return
        if "STREAMING" in self.headers.get("x-amz-content-sha256", ""):
            self.close_connection = True
            self._error(501, "NotImplemented", "bodies in signed chunks are not understood: sign the whole, or not")
            return
        file, path = staged_file(self.server.staging)
        with file:
            digest = hashlib.md5(usedforsecurity=False)
            while self._unread:
                piece = self.rfile.read(min(PIECE_BYTES, self._unread))
                if not piece:  # hung up: nothing is written
                    self.close_connection, self._unread = True, 0
                    return
                file.write(piece)
                digest.update(piece)
                self._unread -= len(piece)
            file.flush()
            if self.headers.get("Content-MD5") not in (None, base64.b64encode(digest.digest()).decode()):
                self._error(400, "BadDigest", "the body has another MD5 than Content-MD5 says")
                return
            self.server.store.write(key, path)
        self._answer(200, headers={"ETag": _tag(length)})

    def _list(self, query: dict[str, str]) -> None:
        """S3's ListObjectsV2 in one page."""
        prefix, folders = query.get("prefix", ""), list[str]()
        if query.get("delimiter") == "/":
            level = self.server.store.level(prefix[: prefix.rfind("/") + 1])
            entries = [each for each in level.entries if each.key.startswith(prefix)]
            folders = [each for each in level.folders if each.startswith(prefix)]
        else:
            entries = list(self.server.store.entries(prefix))
        after = query.get("start-after", "")
        entries, folders = [each for each in entries if each.key > after], [each for each in folders if each > after]
        rows = "".join(
            f"<Contents><Key>{escape(each.key)}</Key><Size>{each.size_bytes}</Size><LastModified>{_LONG_AGO}"
            f"</LastModified><ETag>{escape(_tag(each.size_bytes))}</ETag></Contents>"
            for each in entries
        )
        rows += "".join(f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in folders)
        head = f"<Name>{self.server.bucket}</Name><Prefix>{escape(prefix)}</Prefix><IsTruncated>false</IsTruncated>"
        counted = f"<KeyCount>{len(entries) + len(folders)}</KeyCount>"
        self._xml(200, f'<ListBucketResult xmlns="{_NAMESPACE}">{head}{counted}{rows}</ListBucketResult>')

    def _range(self, size: int) -> tuple[int, int] | None:
        """[begin, end) of the Range header; None without one that is understood. Raises OutOfRange."""
        asked = self.headers.get("Range", "")
        if not asked.startswith("bytes=") or "," in asked:
            return None
        first, _, last = asked[len("bytes=") :].partition("-")
        try:
            begin = int(first) if first else max(0, size - int(last))
            end = min(size, int(last) + 1) if first and last else size
        except ValueError:
            return None
        if begin >= end:
            raise OutOfRange(f"{asked} of {size} bytes")
        return begin, end

    def _xml(self, status: int, text: str) -> None:
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()
        self._answer(status, body, {"Content-Type": "application/xml", "Content-Length": str(len(body))})

    def _error(self, status: int, code: str, message: str) -> None:
        self._xml(status, f"<Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>")

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        told = {"Content-Length": str(len(body)), "Last-Modified": formatdate(946_684_800, usegmt=True)}
        for name, value in {**told, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if body and self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Errors alone are logged."""

    def log_error(self, format: str, *args: object) -> None:
        print(f"gateway: {format % args}", file=sys.stderr, flush=True)


def _tag(size_bytes: int) -> str:
    """An ETag in the form of an upload in parts, which no client takes for an MD5."""
    return f'"{size_bytes:032x}-1"'


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fleet_pool.doors.gateway", description=__doc__)
    parser.add_argument("store", help="s3://BUCKET, or a folder to try it on one machine")
    parser.add_argument("--port", type=int, default=PORT, help=f"on 127.0.0.1 [default: {PORT}; 0 for any]")
    parser.add_argument("--staging", help="folder for uploads on their way, best on the node's NVMe")
    about = "check reads below this prefix against its digest manifest; may be given again [default: of pool.env]"
    parser.add_argument("--digests", metavar="PREFIX", action="append", help=about)
    parser.add_argument("--s3-endpoint-url", help="of another S3-compatible server")
    given = parser.parse_args(words)
    try:
        store = open_store(given.store, s3_endpoint_url=given.s3_endpoint_url, digests=given.digests)
        bucket = given.store.rstrip("/").rpartition("/")[2]
        with Gateway(store, bucket, port=given.port, staging=given.staging) as gateway:
            print(f"http://127.0.0.1:{gateway.server_port}/{bucket}", flush=True)
            gateway.serve_forever()
    except (StoreProblem, OSError) as problem:
        print(f"gateway: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
