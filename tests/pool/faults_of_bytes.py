"""Bytes that are wrong, late or written twice: decayed copies, keys that two jobs write, writes that S3 gets late."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from tests.pool.cluster import Cluster
from tests.pool.fault import fault
from tests.pool.rewrites import Late, Rewrites
from tests.pool.rot import Rot

REWRITTEN_S, LOST, STALL_S = 15, 20, 12


@fault("bit rot: one bit, or every byte, of each cached copy of a data set", "bytes", 0, no_errors=True, witness=Rot)
def bit_rot(cluster: Cluster, rng: random.Random, rot: Rot) -> Iterator[None]:
    rot.damage()
    yield


@fault(
    f"bytes: two jobs write and remove the same keys for {REWRITTEN_S} s, while one packet of S3's in {LOST} is lost",
    "bytes",
    60,
    reads_go_on=True,
    witness=Rewrites,
)
def keys_rewritten(cluster: Cluster, rng: random.Random, rewrites: Rewrites) -> Iterator[None]:
    """Lost packets come again after some tenths of a second: answers of S3 overtake each other."""
    cluster.network.drop(cluster.s3.host, percent=100 // LOST)
    time.sleep(REWRITTEN_S)
    cluster.network.mend(cluster.s3.host)
    yield


@fault(
    f"bytes: the nodes' packets to S3 are lost for {STALL_S} s, the jobs' are not, and two jobs write the same keys",
    "bytes",
    60,
    reads_go_on=True,
    witness=Late,
)
def zombie_writes(cluster: Cluster, rng: random.Random, late: Late) -> Iterator[None]:
    for node in cluster.nodes:
        cluster.network.drop(node.host, sent_to=cluster.s3.host.address)
    began = time.monotonic()
    late.hand_over()
    time.sleep(max(0.0, STALL_S - (time.monotonic() - began)))
    for node in cluster.nodes:
        cluster.network.mend(node.host)
    yield
    time.sleep(STALL_S)  # a kernel sends again at growing intervals
