"""S3 below the pool: away, slow, restarted, refusing."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

from tests.pool.cluster import Cluster
from tests.pool.fault import fault

S3_DOWN_S, S3_SLOW_S = 15, 20


@fault(f"S3: killed, back after {S3_DOWN_S} s", "S3 down", 60, reads_go_on=True)
def s3_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    cluster.s3.kill()
    time.sleep(S3_DOWN_S)
    cluster.s3.restore()
    yield


@fault("S3: killed, back after 60 s", "S3 down", 120, reads_go_on=True)
def s3_killed_long(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    cluster.s3.kill()
    time.sleep(60)
    cluster.s3.restore()
    yield


@fault(f"S3: its link cut for {S3_DOWN_S} s", "S3 down", 90, reads_go_on=True)
def s3_link_cut(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    cluster.network.cut(cluster.s3.host)
    time.sleep(S3_DOWN_S)
    cluster.network.mend(cluster.s3.host)
    yield


@fault("S3: killed and started again at once", "S3 restarted", 60, reads_go_on=True)
def s3_restarted(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    cluster.s3.restore()
    yield


@fault(f"S3: slow, stopped nine tenths of the time for {S3_SLOW_S} s", "S3 slow", 60, reads_go_on=True)
def s3_slow(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    over = threading.Event()

    def stutter() -> None:
        while not over.is_set():
            cluster.s3.daemon.freeze()
            over.wait(1.8)
            cluster.s3.daemon.thaw()
            over.wait(0.2)

    thread = threading.Thread(target=stutter, daemon=True)
    thread.start()
    time.sleep(S3_SLOW_S)
    over.set()
    thread.join()
    cluster.s3.daemon.thaw()
    yield


@fault(f"S3: frozen for {S3_SLOW_S} s", "S3 slow", 60, reads_go_on=True)
def s3_frozen(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    cluster.s3.daemon.freeze()
    time.sleep(S3_SLOW_S)
    cluster.s3.daemon.thaw()
    yield


@fault(f"S3: answers 503 for {S3_DOWN_S} s", "S3 refusing", 60, reads_go_on=True)
def s3_503(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    yield from _standing_in(cluster, 503, "SlowDown")


@fault(f"S3: the token has expired, for {S3_DOWN_S} s", "S3 refusing", 60, reads_go_on=True)
def s3_expired_token(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    yield from _standing_in(cluster, 400, "ExpiredToken")


def _standing_in(cluster: Cluster, status: int, code: str) -> Iterator[None]:
    cluster.s3.standin(status, code)
    time.sleep(S3_DOWN_S)
    cluster.s3.restore()
    yield


@fault(f"S3: wrong credentials for {S3_DOWN_S} s", "S3 refusing", 60, reads_go_on=True)
def s3_wrong_secret(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    cluster.s3.another_secret()
    time.sleep(S3_DOWN_S)
    cluster.s3.restore()
    yield
