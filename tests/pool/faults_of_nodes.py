"""Nodes and drives: killed, silent, frozen, drained, one by one, some or all at once."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.operate.drain import drain as leave

from tests.pool.cluster import Cluster, Member
from tests.pool.fault import fault

LINK_CUT_S, LONG_CUT_S, FROZEN_S, DRIVE_FULL_S = 20, 120, 20, 10


@fault("node: SIGKILL of a target, back with its drives", "node", 15)
def target_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    node.kill()
    yield
    node.start()


@fault("node: SIGKILL of a target, replaced by a blank one", "node", 15)
def target_replaced(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    node.kill()
    yield
    node.replace()
    node.start()


@fault("node: the machine gone, its address silent, a blank one in its place", "node", 40)
def machine_gone(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    cluster.network.cut(node.host)
    node.kill()
    yield
    node.replace()
    node.start()


@fault(f"node: target frozen for {FROZEN_S} s", "node", 60, holds_s=FROZEN_S)
def target_frozen(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    node.daemon.freeze()
    yield
    node.daemon.thaw()


@fault("node: SIGKILL of a target and started again at once", "node", 60)
def target_restarted(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    node.kill()
    node.start()
    yield


@fault("drive: every access an input/output error", "drive", 30)
def drive_fails(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    rng.choice(node.drives).fails()
    yield
    _replaced(node)


@fault("drive: turned read-only", "drive", 60)
def drive_read_only(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    rng.choice(node.drives).read_only()
    yield
    _replaced(node)


@fault(f"drive: filled to the last byte by a stranger for {DRIVE_FULL_S} s", "drive", 120, reads_go_on=True)
def drive_full(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    drive = rng.choice(rng.choice(cluster.nodes).drives)
    ballast = drive.fill(0.9999)
    time.sleep(DRIVE_FULL_S)
    ballast.unlink()
    yield


def _replaced(node: Member) -> None:
    """What the operator does about a broken drive: the node is drained, another comes."""
    drain(node)
    node.replace()
    node.start()


@fault("all targets killed, blank ones in their place", "all targets", 60)
def all_targets_replaced(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    for node in cluster.nodes:
        node.kill()
    for node in cluster.nodes:
        node.replace()
        node.start()
    yield


@fault("all targets killed, back with their drives", "all targets", 60)
def all_targets_restarted(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    for node in cluster.nodes:
        node.kill()
    for node in cluster.nodes:
        node.start()
    yield


def _some(cluster: Cluster, rng: random.Random) -> list[Member]:
    """30 % of the nodes, rounded up."""
    return rng.sample(cluster.nodes, max(1, -(-len(cluster.nodes) * 30 // 100)))


@fault("30 % of the nodes killed at once, blank ones in their place", "30 % at once", 30)
def some_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    nodes = _some(cluster, rng)
    for node in nodes:
        node.kill()
    yield
    for node in nodes:
        node.replace()
        node.start()


@fault("30 % of the nodes killed while as many blank ones join", "30 % at once", 60)
def some_killed_while_others_join(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    for node in _some(cluster, rng):
        node.kill()
        node.replace()
        node.start()
    yield


@fault(
    "30 % of the nodes drained within one minute, blank ones in their place",
    "30 % at once",
    limit_s=0.0,
    no_errors=True,
)
def some_drained(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    nodes = _some(cluster, rng)
    for node in nodes:
        drain(node)
    yield
    for node in nodes:
        node.replace()
        node.start()


@fault("spot notice: a node drained, then gone, a blank one in its place", "drain", limit_s=0.0, no_errors=True)
def target_drained(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    drain(node)
    yield
    node.replace()
    node.start()


def drain(node: Member) -> None:
    """What a node does at a spot notice, by the product's own command: out of the map, a moment's patience, stop."""
    proxies = [f"http://{address}:{settings.PROXY_PORT}" for address in node.cluster.addresses]
    left = leave(Client(proxies), [node.id]).left
    assert left == (node.id,), left
    node.daemon.stop()


@fault(f"link: a node's cable pulled for {LINK_CUT_S} s", "link cut", 60)
def link_cut(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    cluster.network.cut(node.host)
    time.sleep(LINK_CUT_S)
    yield
    cluster.network.mend(node.host)


@fault(f"link: a node's cable pulled for {LONG_CUT_S} s", "link cut", 60)
def link_cut_long(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    node = rng.choice(cluster.nodes)
    cluster.network.cut(node.host)
    time.sleep(LONG_CUT_S)
    yield
    cluster.network.mend(node.host)
