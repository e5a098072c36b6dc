"""Nodes that are sick and not dead, for a while; what they acknowledge meanwhile counts as from any other."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from tests.pool.cluster import Cluster
from tests.pool.fault import fault
from tests.pool.grey import packet_loss, slow_drives, slow_link, unheard, without_s3

SICK_S = 15


@fault(f"sick: a node's link at 2 Mbit/s for {SICK_S} s", "sick node", 60)
def link_slow(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    with slow_link(cluster, rng.choice(cluster.nodes)):
        time.sleep(SICK_S)
    yield


@fault(f"sick: a node's drives read 100 KB/s for {SICK_S} s", "sick node", 60)
def drives_slow(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    with slow_drives(cluster, rng.choice(cluster.nodes)):
        time.sleep(SICK_S)
    yield


@fault(f"sick: half of a node's packets lost for {SICK_S} s", "sick node", 60)
def packets_lost(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    with packet_loss(cluster, rng.choice(cluster.nodes)):
        time.sleep(SICK_S)
    yield


@fault(f"sick: clients do not hear a node for {SICK_S} s, the pool does", "sick node", 60)
def node_unheard(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    with unheard(cluster, rng.choice(cluster.nodes)):
        time.sleep(SICK_S)
    yield


@fault(f"sick: a node without a way to S3 for {SICK_S} s", "sick node", 60, reads_go_on=True)
def node_without_s3(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    with without_s3(cluster, rng.choice(cluster.nodes)):
        time.sleep(SICK_S)
    yield


@fault("power: a node's drives stop without writing their log, the node formats them and comes back", "power loss", 60)
def power_lost(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    """`planner-prepare` keeps drives after an orderly stop alone."""
    node = rng.choice(cluster.nodes)
    for drive in node.drives:
        drive.fails()
    node.kill()
    yield
    for drive in node.drives:
        drive.renew()
    node.start()
