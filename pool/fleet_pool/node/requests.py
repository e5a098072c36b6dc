"""What a node asks the pool's control nodes: to sign its certificate, and to take it out of the pool.

A request is an object below `join/` in the artifact bucket. A node's role writes there only below its own
aws:userid, which is ROLEID:INSTANCE for the role of an instance (IAM User Guide, "IAM policy elements: Variables and
tags", principal key values). So the key of a request says which instance wrote it, and AWS vouches for that. Answers
are below `issued/`, which control nodes alone write. Requests may come twice and late; answering again is harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from fleet_pool.compat import frozen
from fleet_pool.launch.bucket import Bucket
from fleet_pool.launch.here import bucket_of
from fleet_pool.node.facts import Node
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import credentials
from fleet_pool.operate.sts import Sts
from fleet_pool.problems import Refused

JOIN, ISSUED = "join/", "issued/"
CERTIFICATE, LEAVE = "certificate", "leave"
KEY = re.compile(rf"{JOIN}(?P<user>[A-Z0-9]+:(?P<instance>i-[0-9a-f]{{8,17}}))/(?P<kind>{CERTIFICATE}|{LEAVE})")
PATIENCE_S = 20.0  # of one call to S3


@frozen
class Request:
    """key: of the object. user: aws:userid of the writer. kind: CERTIFICATE or LEAVE. size: bytes."""

    key: str
    user: str
    instance: str
    kind: str
    size: int


@frozen
class Answer:
    """certificate: PEM; "" if the request was refused for the reason `refused`."""

    certificate: str
    refused: str


def waiting(bucket: Bucket) -> tuple[Request, ...]:
    """Every request that is not answered, and nothing else that lies there. Raises PoolProblem."""
    listed = bucket.list(JOIN)
    named = ((KEY.fullmatch(key), key, size) for key, size in zip(listed.keys, listed.sizes))
    return tuple(Request(key=key, size=size, **match.groupdict()) for match, key, size in named if match)


def answer(bucket: Bucket, request: Request, certificate: str = "", refused: str = "") -> None:
    """Raises PoolProblem."""
    told = {"certificate": certificate, "refused": refused}
    bucket.write(_issued(request.user), json.dumps(told).encode())


class Asker:
    """This node's own requests."""

    def __init__(self, bucket: Bucket, user: str) -> None:
        self._bucket, self._user = bucket, user

    @classmethod
    def of(cls, node: Node, environment: Mapping[str, str]) -> Asker:
        """With this node's role. Raises PoolProblem."""
        sts = Sts(environment, node.region, credentials(environment, Metadata.of(environment)))
        return cls(artefacts_of(node, environment), sts.user_id())

    def ask(self, kind: str, data: bytes = b"") -> None:
        """Raises PoolProblem."""
        self._bucket.write(f"{JOIN}{self._user}/{kind}", data)

    def answer(self) -> Answer | None:
        """The newest answer about the certificate; it may be one to an earlier request. Raises PoolProblem."""
        key = _issued(self._user)
        if not self._bucket.list(key).keys:
            return None
        found = self._bucket.read_json(key)
        try:
            return Answer(certificate=str(found["certificate"]), refused=str(found["refused"]))
        except (KeyError, TypeError):
            raise Refused(f"{key} in {self._bucket.name} is not an answer of a control node", 200) from None


def artefacts_of(node: Node, environment: Mapping[str, str]) -> Bucket:
    """The artifact bucket. Raises PoolProblem."""
    return bucket_of(environment, node, PATIENCE_S, name=node.artefacts_bucket)


def _issued(user: str) -> str:
    return f"{ISSUED}{user}/{CERTIFICATE}"
