"""Control nodes: the primary killed, alone and with others, all of them, and one that was cut off."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from tests.pool.cluster import Cluster, Member
from tests.pool.daemon import wait_until
from tests.pool.fault import fault

ELECTED_S = 90
CUT_ON_S = 15  # after an election: sooner back, it may still hear of that, since who tells it asks again for a while


def _primary(cluster: Cluster) -> Member:
    wait_until(lambda: cluster.primary() is not None, "a primary to break", ELECTED_S)
    found = cluster.primary()
    assert found is not None, "the pool has no primary to break"
    return found


def _elected(cluster: Cluster, instead_of: Member) -> None:
    """The proxies that are left have made one of them primary, by themselves. Raises TimeoutError."""

    def done() -> bool:
        found = cluster.primary()
        return found not in (None, instead_of) and found.daemon.running

    wait_until(done, "a new primary", ELECTED_S, every_s=0.5)


@fault("primary: SIGKILL of the primary proxy", "primary", 30)
def primary_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    proxy = _primary(cluster)
    proxy.kill()
    yield
    _elected(cluster, instead_of=proxy)
    proxy.start()


@fault("primary: SIGKILL of the primary together with a target", "primary", 30)
def primary_and_target_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    proxy, node = _primary(cluster), rng.choice(cluster.nodes)
    proxy.kill()
    node.kill()
    yield
    _elected(cluster, instead_of=proxy)
    proxy.start()
    node.start()


@fault("primary: two of three proxies killed, the primary one of them", "primary", 60)
def two_proxies_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    first = _primary(cluster)
    second = rng.choice([proxy for proxy in cluster.proxies if proxy is not first])
    first.kill()
    second.kill()
    yield
    _elected(cluster, instead_of=first)
    first.start()
    second.start()


@fault("primary: all proxies killed, back after 5 s", "primary", 60)
def all_proxies_killed(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    for proxy in cluster.proxies:
        proxy.kill()
    time.sleep(5)
    for proxy in cluster.proxies:
        proxy.start()
    yield


@fault("administration: the pool is told to shut down, systemd starts every daemon again", "all targets", 60)
def admin_stop(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    """Every daemon ends with exit code 0, so that only Restart=always brings it back."""
    processes = [member.daemon.process for member in cluster.members]
    cluster.client().cluster({"action": "shutdown"})
    wait_until(lambda: all(each.poll() is not None for each in processes if each), "the end of every daemon", ELECTED_S)
    yield


@fault(f"link: the primary's cable pulled until {CUT_ON_S} s after another is elected", "link cut", 90)
def primary_link_cut(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    """Cut off, it goes on as the primary of nobody. Back on the net it does not find the others by itself and tells
    its clients that there are no targets, even when it is started anew: it has saved the map in which it is alone."""
    _cut_for_good(cluster, _primary(cluster))
    yield


@fault(f"link: the cable of an elected primary pulled until {CUT_ON_S} s after another is elected", "link cut", 120)
def elected_link_cut(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    """It has also saved a configuration that names itself primary and, by chance, nobody else to ask."""
    first = _primary(cluster)
    first.kill()
    _elected(cluster, instead_of=first)
    first.start()
    cluster.wait_whole(ELECTED_S)
    time.sleep(CUT_ON_S)
    _cut_for_good(cluster, _primary(cluster))
    yield


@fault(f"link: the primary cut off and standing still until {CUT_ON_S} s after another is elected", "link cut", 90)
def primary_paused(cluster: Cluster, rng: random.Random) -> Iterator[None]:
    """A host that is moved or hangs. The proxy wakes as primary of the whole pool, from a map that it has had no time
    to empty: every target and proxy answers its pings and follows another one."""
    _cut_for_good(cluster, _primary(cluster), frozen=True)
    yield


def _cut_for_good(cluster: Cluster, proxy: Member, *, frozen: bool = False) -> None:
    """Cut until the others have elected another one, and some time longer."""
    cluster.network.cut(proxy.host)
    if frozen:
        proxy.daemon.freeze()
    _elected(cluster, instead_of=proxy)
    time.sleep(CUT_ON_S)
    cluster.network.mend(proxy.host)
    proxy.daemon.thaw()
    _brought_back(cluster, proxy)


def _brought_back(cluster: Cluster, proxy: Member) -> None:
    """What its watch does, after the timer's pauses and three looks. Raises TimeoutError."""
    wait_until(lambda: cluster.map_of(proxy) != {}, "an answer of the proxy that was cut off", ELECTED_S)
    wait_until(cluster.agreed, "every proxy to follow one primary", 2 * ELECTED_S, every_s=1)
