"""Gives the jobs on a node the keys of their own role, since they do not reach the instance metadata.

It assumes the jobs' role with the node's, and serves the keys on loopback in the form that AWS's SDKs and tools know
from containers (AWS SDKs and Tools Reference Guide, "Container credential provider"). Keys are renewed long before
they end; while STS does not answer, the last ones are served as long as they are valid.
"""

from __future__ import annotations

import hmac
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fleet_pool.node.facts import BadFacts, node_of
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import SHOWN_VARIABLE, URL_VARIABLE, credentials
from fleet_pool.operate.sts import Assumed, Sts
from fleet_pool.problems import PoolProblem

ROLE_VARIABLE = "PLANNER_JOBS"  # ARN of the jobs' role, in node.env
PORT = 432  # below 1024, so that no job can answer in its place; unassigned, and below those that clients are given
PATH = "/keys"
URL = f"http://127.0.0.1:{PORT}{PATH}"
LASTS_S = 3600  # the longest for a role assumed with another role's keys (IAM User Guide, "role chaining")
# clients ask for new keys 15 minutes before the end (botocore's advisory refresh): they must find newer ones then
RENEW_BEFORE = timedelta(minutes=30)
AGAIN_S = 15.0


class Keys:
    """The newest keys. assume: asks STS for others."""

    def __init__(self, assume: Callable[[], Assumed], now: Callable[[], datetime] | None = None) -> None:
        self._assume, self._now = assume, now or (lambda: datetime.now(timezone.utc))
        self._newest: Assumed | None = None
        self._why = "STS was not asked yet"

    def renew(self) -> bool:
        """Asks STS if it is time to; False if it was and STS gave none."""
        newest = self._newest
        if newest and newest.ends - self._now() > RENEW_BEFORE:
            return True
        try:
            self._newest = self._assume()
        except PoolProblem as problem:
            self._why = str(problem)
            return False
        self._why = ""
        return True

    def valid(self) -> Assumed | None:
        newest = self._newest
        return newest if newest and newest.ends > self._now() else None

    @property
    def why(self) -> str:
        """Why STS gave none the last time; "" if it did."""
        return self._why

    def keep(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Renews for ever. What fails is said once for each reason."""
        said = ""
        while True:
            renewed = self.renew()
            if self._why != said:
                print(f"planner-credentials: {self._why or 'STS gives keys again'}", flush=True)
                said = self._why
            sleep(60.0 if renewed else AGAIN_S)


class Server(ThreadingHTTPServer):
    """shown: what a client has to show. Other users of this machine can read it; a page or a program elsewhere that a
    job is made to ask in its place cannot."""

    daemon_threads = True

    def __init__(self, keys: Keys, shown: str, port: int = PORT) -> None:
        self.keys, self.shown = keys, shown
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: Server  # type: ignore[assignment]
    timeout = 10

    def do_GET(self) -> None:
        shown = self.headers.get("Authorization", "").encode("utf-8", "replace")
        if self.path != PATH:
            self._error(404, "NotFound", f"keys are at {PATH}")
        elif not hmac.compare_digest(shown, self.server.shown.encode()):
            self._error(401, "Unauthorized", f"show {SHOWN_VARIABLE} of /etc/planner/jobs.env as Authorization")
        else:
            found = self.server.keys.valid()
            if found is None:
                self._error(503, "NoKeys", f"no keys of the jobs' role: {self.server.keys.why}")
            else:
                told = {"AccessKeyId": found.who.key_id, "SecretAccessKey": found.who.secret, "Token": found.who.token}
                self._answer(200, {**told, "Expiration": found.ends.strftime("%Y-%m-%dT%H:%M:%SZ")})

    def _error(self, status: int, code: str, message: str) -> None:
        self._answer(status, {"code": code, "message": message})

    def _answer(self, status: int, data: dict[str, str]) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged."""


def main() -> int:
    """Until it is stopped. Exit code 1 with the reason on standard error."""
    try:
        environment = dict(os.environ)
        # those of jobs are what this serves
        shown = environment.pop(SHOWN_VARIABLE, "")
        environment.pop(URL_VARIABLE, None)
        node, role = node_of(environment), environment.get(ROLE_VARIABLE, "")
        if not (role and shown):
            missing = ROLE_VARIABLE if not role else SHOWN_VARIABLE
            raise BadFacts(f"{missing} is not set: /etc/planner/node.env or /etc/planner/jobs.env is incomplete")
        metadata = Metadata.of(environment)
        port = int(environment.get("PLANNER_PORT") or PORT)

        def assume() -> Assumed:
            sts = Sts(environment, node.region, credentials(environment, metadata))
            return sts.assume(role, node.instance, LASTS_S)

        keys = Keys(assume)
        with Server(keys, shown, port) as server:
            threading.Thread(target=keys.keep, daemon=True).start()
            server.serve_forever()
    except (BadFacts, OSError) as problem:
        print(f"planner-credentials: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
