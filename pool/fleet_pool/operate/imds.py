"""The instance metadata service (IMDSv2): a session token, then one request per path."""

from __future__ import annotations

import time
from collections.abc import Mapping

from fleet_pool.http_request import Answer, send
from fleet_pool.problems import Refused

# The AWS SDKs' variable for another endpoint, such as a site's proxy.
ENDPOINT_VARIABLE = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
ENDPOINT = "http://169.254.169.254"
DISABLED_VARIABLE = "AWS_EC2_METADATA_DISABLED"
TOKEN_TTL_S = 21_600  # the longest that AWS gives
LIMIT_S = 2.0  # it is on the same host; EC2 User Guide, "Use the Instance Metadata Service"


class Metadata:
    """Metadata of one instance. limit_s: seconds for each request."""

    def __init__(self, endpoint: str = ENDPOINT, *, limit_s: float = LIMIT_S) -> None:
        self.endpoint = endpoint.rstrip("/")
        self.limit_s = limit_s
        self._token, self._until = "", 0.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Metadata:
        return cls(environment.get(ENDPOINT_VARIABLE) or ENDPOINT)

    def get(self, path: str) -> str | None:
        """Text of /latest/PATH, None if it does not exist (404). Raises Refused or Unreachable."""
        answer = self._ask(path)
        if answer.status == 401:  # the token is from before a restart of the instance
            self._until = 0.0
            answer = self._ask(path)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise Refused(f"the instance metadata service refused {path}: HTTP {answer.status}", answer.status)
        return answer.body.decode("utf-8", "replace").strip()

    def _ask(self, path: str) -> Answer:
        headers = {"X-aws-ec2-metadata-token": self._fresh()}
        return send("GET", f"{self.endpoint}/latest/{path}", headers=headers, limit_s=self.limit_s)

    def _fresh(self) -> str:
        if time.monotonic() < self._until:
            return self._token
        headers = {"X-aws-ec2-metadata-token-ttl-seconds": str(TOKEN_TTL_S)}
        answer = send("PUT", f"{self.endpoint}/latest/api/token", headers=headers, limit_s=self.limit_s)
        if answer.status != 200:
            why = "in a container the hop limit may be too low" if answer.status == 403 else "is this an EC2 instance?"
            raise Refused(f"the instance metadata service gave no token: HTTP {answer.status}; {why}", answer.status)
        self._token, self._until = answer.body.decode("ascii", "replace").strip(), time.monotonic() + TOKEN_TTL_S / 2
        return self._token
