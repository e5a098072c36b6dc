"""What systemd does on the machines of a pool while it stands: a daemon that ended by itself starts again, and every
control node is looked at by planner-rejoin."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fleet_pool.node.rejoin import CHECK_S

if TYPE_CHECKING:
    from tests.pool.cluster import Cluster

RESTART_S = 5.0  # RestartSec of the daemons' units


@contextmanager
def kept(cluster: Cluster) -> Iterator[None]:
    """As long as the context lasts."""
    ended = threading.Event()
    timers = [
        threading.Thread(target=_every, args=(seconds, action, ended), daemon=True)
        for seconds, action in ((RESTART_S, lambda: _restart(cluster)), (CHECK_S, lambda: _watch(cluster, ended)))
    ]
    for timer in timers:
        timer.start()
    try:
        yield
    finally:
        ended.set()
        for timer in timers:
            timer.join()


def _every(seconds: float, action: Callable[[], None], ended: threading.Event) -> None:
    while not ended.wait(seconds):
        action()


def _restart(cluster: Cluster) -> None:
    for member in cluster.members:
        member.start_again()


def _watch(cluster: Cluster, ended: threading.Event) -> None:
    for proxy in cluster.proxies:
        proxy.rejoin(ended)
