"""One node of the pool, its S3 and a job's client on this machine: every way to move objects, measured."""

from __future__ import annotations

import random
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from fleet_pool import settings
from fleet_pool.api import Client, bucket_path
from fleet_pool.client.pool import Pool
from fleet_pool.client.s3 import S3
from fleet_pool.operate import jobs
from fleet_pool.problems import Refused

from benchmarks.pool_rates import THREADS, Meter, Moved, Rate, in_threads
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import Daemon, wait_until
from tests.pool.s3 import PORT as S3_PORT
from tests.pool.s3 import REGION

SENDER_PORT, PACED_PORT = 5201, 9001
STREAMING_COLD_GET = 1 << 12  # AIStore v1.5.0, cmn/feat/feat.go: a cold object is sent while it is fetched
SENDER = """
import os, socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
for _ in range(int(sys.argv[3]) - 1):
    os.fork()
while True:
    link, _ = server.accept()
    try:
        while True:
            link.sendall(bytes(1 << 20))
    except OSError:
        pass
"""


class Bench:
    """One node with two drives, its proxy and S3, and the client that a job uses for both."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        proxies = [f"http://{address}:{settings.PROXY_PORT}" for address in cluster.addresses]
        self.pool, self.operator = Pool(BUCKET, tuple(proxies), read_timeout_s=120), Client(proxies)
        self.s3 = S3(BUCKET, region=REGION, endpoint_url=cluster.s3.endpoint)
        pids = {member.role: member.daemon.process.pid for member in cluster.members if member.daemon.process}
        assert cluster.s3.daemon.process is not None
        self.meter = Meter({"pool": [pids["target"], pids["proxy"]], "S3": [cluster.s3.daemon.process.pid]})

    def rates(self, size: int, count: int) -> dict[str, Rate]:
        """Every way to move `count` objects of this size."""
        data, keys = random.Random(size).randbytes(size), [f"{size}/{n}" for n in range(count)]

        def read(store: Pool | S3) -> Callable[[], Moved]:
            return in_threads(lambda n: len(store.read(keys[n])), range(count))

        def write(store: Pool | S3, prefix: str) -> Callable[[], Moved]:
            def one(n: int) -> int:
                store.write_unique(f"{prefix}{size}/{n}", data)
                return size

            return in_threads(one, range(count))

        best, prefix = self.meter.best, f"{size}/"
        found = {"S3 write": best(write(self.s3, "")), "S3 read": best(read(self.s3))}
        found["write"] = best(write(self.pool, "w"))
        self.evict(f"w{prefix}")
        found["cold"] = best(read(self.pool), lambda: self.evict(prefix))
        self._set({"features": str(STREAMING_COLD_GET)})
        found["streamed"] = best(read(self.pool), lambda: self.evict(prefix))
        self._set({"features": "0"})
        found["prefetch"] = best(lambda: self.prefetch(prefix), lambda: self.evict(prefix))
        found["ranges"] = best(lambda: self.prefetch(prefix, ranged=True), lambda: self.evict(prefix))
        self.evict(prefix)
        in_threads(lambda n: len(self.pool.read(keys[n])), range(count))()
        found["warm"] = best(read(self.pool))
        self.evict(prefix)
        return found

    def evict(self, prefix: str) -> None:
        jobs.wait(
            self.operator, jobs.evict(self.operator, BUCKET, prefix), limit_s=120, show=lambda _: None, poll_s=0.1
        )

    def prefetch(self, prefix: str, ranged: bool = False) -> Moved:
        """By the engine's job, in the time between its start and the end of the last object."""
        begun = _stamps(self._snaps({"kind": "blob-download"}), "start-time")
        job = jobs.prefetch(self.operator, BUCKET, prefix, ranges_from=2**20 if ranged else 0)
        done = jobs.wait(self.operator, job, limit_s=300, show=lambda _: None, poll_s=0.1)
        own = self._snaps({"id": job.id})
        start, ends = min(_stamps(own, "start-time")), _stamps(own, "end-time")
        blobs = self._snaps({"kind": "blob-download"})
        if len(_stamps(blobs, "start-time")) > len(begun):  # the job itself looks for their end every 4 s only
            ends = [end for end in _stamps(blobs, "end-time") if end > start]
        return Moved(bytes=done.bytes, seconds=max(ends) - start)

    def _snaps(self, which: Mapping[str, str]) -> list[dict[str, str]]:
        try:
            answer = self.operator.ask("GET", "/v1/cluster", query={"what": "qryxstats"}, value=which).json()
        except Refused:  # none of this kind yet
            return []
        return [snap for snaps in answer.values() for snap in snaps or ()]

    @contextmanager
    def paced(self, bytes_per_s: int) -> Iterator[None]:
        """The pool reaches S3 by connections that carry so much each."""
        host = self.cluster.s3.host
        here = [sys.executable, str(Path(__file__).with_name("paced.py")), host.address]
        rates = [str(PACED_PORT), str(S3_PORT), str(bytes_per_s)]
        relay = Daemon(host, [*here, *rates], self.cluster.folder / "paced.log", {})
        relay.start()
        try:
            wait_until(lambda: _connects(host.address, PACED_PORT), "the paced way to S3", 20)
            self._endpoint(f"http://{host.address}:{PACED_PORT}")
            yield
        finally:
            self._endpoint(self.cluster.s3.endpoint)
            relay.kill()

    def _endpoint(self, url: str) -> None:
        self._set({"extra": {"aws": {"endpoint": url}}})

    def _set(self, properties: Mapping[str, object]) -> None:
        """Of the bucket in the pool."""
        self.operator.act(bucket_path(BUCKET), "set-bprops", properties, method="PATCH", query={"provider": "aws"})

    def large(self, size: int, count: int, stream_bytes_per_s: int) -> Iterator[tuple[str, Rate]]:
        """Cold objects, with S3 as fast for each connection as it is on AWS, or a part of it."""
        body = random.Random(size).randbytes(min(size, 2**23)) * max(1, size // 2**23)
        for n in range(count):
            self.s3.write_unique(f"large/{size}/{n}", body)
        prefix = f"large/{size}/"
        once = {"before": lambda: self.evict(prefix), "runs": 1}
        with self.paced(stream_bytes_per_s):
            read = in_threads(lambda n: len(self.pool.read(f"{prefix}{n}")), range(count), threads=count)
            yield "cold", self.meter.best(read, **once)
            yield "prefetch", self.meter.best(lambda: self.prefetch(prefix), **once)
            yield "ranges", self.meter.best(lambda: self.prefetch(prefix, ranged=True), **once)
        self.evict(prefix)

    def network_gb_per_s(self, seconds: float = 1.0) -> float:
        """Bytes a second out of a node's namespace by as many plain TCP connections as the readers have."""
        host = self.cluster.nodes[0].host
        command = [sys.executable, "-c", SENDER, host.address, str(SENDER_PORT), str(THREADS)]
        sender = Daemon(host, command, self.cluster.folder / "sender.log", {})
        sender.start()

        def receive(_: int) -> int:
            buffer, moved, end = bytearray(1 << 20), 0, time.perf_counter() + seconds
            with socket.create_connection((host.address, SENDER_PORT), timeout=5) as link:
                while time.perf_counter() < end:
                    moved += link.recv_into(buffer)
            return moved

        try:
            wait_until(lambda: _connects(host.address, SENDER_PORT), "a sender in the node", 20)
            return self.meter.best(in_threads(receive, range(THREADS))).gb_per_s
        finally:
            sender.kill()

    def drive_gb_per_s(self) -> tuple[float, float]:
        """(read, write) of files on one drive, as the daemon does it: through the page cache, nothing synced."""
        folder, data = self.cluster.nodes[0].drives[0].mount, random.Random(0).randbytes(8_000_000)
        paths = [folder / f"bench{n}" for n in range(12)]
        written = self.meter.best(in_threads(lambda n: paths[n].write_bytes(data), range(12))).gb_per_s
        got = self.meter.best(in_threads(lambda n: len(paths[n].read_bytes()), range(12))).gb_per_s
        for path in paths:
            path.unlink()
        return got, written


def _connects(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=5).close()
    except OSError:
        return False
    return True


def _stamps(snaps: list[dict[str, str]], name: str) -> list[float]:
    """Seconds since 1970 of the engine's times."""
    return [datetime.fromisoformat(snap[name]).timestamp() for snap in snaps]
