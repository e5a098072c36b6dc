"""What a control node does for the others: it signs their certificates and takes those out of the pool that leave.

Every control node looks at the requests in turn. Two that answer the same one, one that is restarted in between, or a
request that comes again do no harm: another certificate of the same key, a node that has left already.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.launch.bucket import Bucket
from fleet_pool.node.certificates import CannotSign, Store, fetch_error, in_memory, sign
from fleet_pool.node.facts import Node, Stack
from fleet_pool.node.own_proxies import tend
from fleet_pool.node.requests import CERTIFICATE, LEAVE, Request, answer, waiting
from fleet_pool.operate.drain import drain
from fleet_pool.problems import PoolProblem, Refused

EVERY_S = 15.0  # of each control node; the others look in between, so a request waits 5 s with three of them
LARGEST_BYTES = 8192  # of a request for a certificate; ours have 400
AT_ONCE = 200  # EC2 API Reference, DescribeInstances: values of one filter
COMMAND_S = 60.0
PRESENT = ("pending", "running")
TAG = "planner:stack"


class NotOurs(Exception):
    """The request is not that of a node of this stack: why."""


@frozen
class Instance:
    """state: as EC2 names it. stack: of the tag that the launch gave it."""

    address: str
    state: str
    stack: str


def described(instances: Sequence[str], region: str, run: Callable[[Sequence[str]], str]) -> dict[str, Instance]:
    """What EC2 says of instances, by id; those that it does not know are missing. Raises CannotSign."""
    found: dict[str, Instance] = {}
    for first in range(0, len(instances), AT_ONCE):
        # a filter, since an id that is not known would fail the whole question
        asked = f"Name=instance-id,Values={','.join(instances[first : first + AT_ONCE])}"
        words = ("aws", "ec2", "describe-instances", "--filters", asked, "--region", region, "--output", "json")
        try:
            told = json.loads(run(words))["Reservations"]
            for each in (instance for reservation in told for instance in reservation["Instances"]):
                tags = {tag["Key"]: tag["Value"] for tag in each.get("Tags", ())}
                found[each["InstanceId"]] = Instance(
                    address=each.get("PrivateIpAddress", ""), state=each["State"]["Name"], stack=tags.get(TAG, "")
                )
        except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as error:
            said = (str(getattr(error, "stderr", "") or "").strip() or repr(error)).splitlines()[-1]
            raise CannotSign(f"aws ec2 describe-instances: {said}") from None
    return found


def address_of(instance: str, found: Instance | None, stack: str) -> str:
    """The address that its certificate is for. Raises NotOurs. Pure."""
    if found is None:
        raise NotOurs(f"EC2 does not know {instance}")
    if found.stack != stack:
        raise NotOurs(f"{instance} has no tag {TAG}={stack}")
    if found.state not in PRESENT:
        raise NotOurs(f"{instance} is {found.state}")
    if not found.address:
        raise NotOurs(f"{instance} has no address")
    return found.address


def seconds_to_turn(now_s: float, number: int, of: int) -> float:
    """Until this control node's next turn: they share EVERY_S evenly, by the clock. Pure."""
    return (number * EVERY_S / of - now_s) % EVERY_S or EVERY_S


class Authority:
    """One control node's part. pool: gives a client with the administrator's token."""

    def __init__(
        self,
        stack: Stack,
        node: Node,
        bucket: Bucket,
        store: Store,
        pool: Callable[[], Client],
        run: Callable[[Sequence[str]], str] | None = None,
    ) -> None:
        self._stack, self._node, self._bucket, self._store, self._pool = stack, node, bucket, store, pool
        self._run = run or _run

    def forever(self, now: Callable[[], float] = time.time, sleep: Callable[[float], None] = time.sleep) -> None:
        while True:
            self.look()
            sleep(seconds_to_turn(now(), self._node.number, len(self._stack.proxies)))

    def look(self) -> None:
        """Answers every request that it can; the others stay for the next turn. Says what it did and what failed."""
        if self._stack.files:
            self._tend()
        try:
            found = waiting(self._bucket)
        except PoolProblem as problem:
            print(f"cannot look for requests: {problem}", flush=True)
            return
        # control nodes that look at the same time begin at different ones
        begin = len(found) * self._node.number // len(self._stack.proxies)
        found = (*found[begin:], *found[:begin])
        for kind, act in ((LEAVE, self._drain), (CERTIFICATE, self._sign)):
            requests = [request for request in found if request.kind == kind]
            try:
                if requests:
                    act(requests)
            except (PoolProblem, CannotSign, OSError) as problem:
                print(f"{len(requests)} requests ({kind}) wait for the next turn: {problem}", flush=True)

    def _tend(self) -> None:
        try:
            admitted = tend(self._pool(), self._stack, self._node.data_bucket)
        except PoolProblem as problem:
            print(f"the proxies of GPU nodes wait for the next turn: {problem}", flush=True)
            return
        if admitted:
            print(f"admitted as non-electable: {' '.join(admitted)}", flush=True)

    def _drain(self, requests: Sequence[Request]) -> None:
        """Takes their targets out in one change. A target's id names its instance, so that each leaves for itself."""
        targets = [settings.daemon_id("target", request.instance) for request in requests]
        done = drain(self._pool(), targets, settle_s=0)
        if done.left:
            print(f"left the pool: {' '.join(done.left)}", flush=True)
        for request in requests:
            self._bucket.remove(request.key)

    def _sign(self, requests: Sequence[Request]) -> None:
        instances = described([request.instance for request in requests], self._node.region, self._run)
        with tempfile.TemporaryDirectory(prefix="planner-", dir=in_memory()) as made:
            why = fetch_error(Path(made), self._store)
            if why:
                raise CannotSign(why)
            for request in requests:
                self._answer(request, instances.get(request.instance), Path(made))

    def _answer(self, request: Request, found: Instance | None, authority: Path) -> None:
        name = request.instance
        try:
            if not 0 < request.size <= LARGEST_BYTES:
                raise NotOurs(f"{name} sent {request.size} bytes, which is no request for a certificate")
            address = address_of(name, found, self._stack.name)
            try:
                # in a range: it may have been replaced by a larger one since it was listed
                asked = self._bucket.read_range(request.key, 0, LARGEST_BYTES)
            except Refused as problem:
                if problem.status == 404:
                    return  # another control node was first
                if problem.status == 416:
                    raise NotOurs(f"{name} sent nothing") from None
                raise
            certificate = sign(asked.decode("utf-8", "replace"), authority, name, (address, "127.0.0.1"))
        except (NotOurs, CannotSign) as problem:
            answer(self._bucket, request, refused=str(problem))
            print(f"refused: {problem}", flush=True)
        else:
            answer(self._bucket, request, certificate=certificate)
            print(f"{name}: signed for {address}", flush=True)
        self._bucket.remove(request.key)


def _run(words: Sequence[str]) -> str:
    return subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_S, check=True).stdout
