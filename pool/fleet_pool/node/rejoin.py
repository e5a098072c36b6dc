"""A control node that was cut off and still acts as primary: how that is detected, and how it rejoins the pool.

While it is cut off it stays primary of its own map, which loses its targets one by one, and the other control nodes
elect a new primary. When the network is back it does not find them, not even after a restart: it saved that map and,
if it was elected, a configuration that names it primary. A third of the clients then get "no storage targets".
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.node import config
from fleet_pool.node.facts import Node, Stack, daemon_id
from fleet_pool.operate.members import EACH_S, ClusterMap, each_map

CHECK_S = 10  # between two runs of the timer
OBSERVATIONS, PAUSE_S = 3, 10.0  # an election takes up to 20 s: a state seen in all of them is not a passing one
# The map and the cluster's configuration. A proxy that is elected writes its own address into the configuration as the
# primary's and, if the first control node is not in the map, sometimes as the only address to ask. Without these two
# files a daemon starts from the files that its node wrote.
# Source: AIStore v1.5.0, cmn/fname, ais/earlystart (_tryPrimaryURLs), ais/clustermap (configURLsIC)
SAVED_STATE = (".ais.smap", ".ais.conf")


@frozen
class Observation:
    """The maps of the control nodes at one moment. own: this node's; None if it does not answer. others: of the other
    control nodes that answer."""

    own: ClusterMap | None
    others: tuple[ClusterMap, ...]


def observe(client: Client, own_url: str) -> Observation:
    """One observation. client: has all control nodes. own_url: this node's URL in that client."""
    maps = {url: found for url, found in each_map(client, EACH_S).items() if isinstance(found, ClusterMap)}
    return Observation(own=maps.pop(own_url, None), others=tuple(maps.values()))


def majority_primary(seen: Observation, own_id: str, proxies: int) -> str:
    """Id of the primary that most proxies follow while this proxy follows itself; "" if nothing is wrong.

    More than half of all proxies must name the other primary, each with targets in its map, so that two halves of a
    split pool never both give way. A proxy holds no data: discarding its map loses nothing.
    """
    if seen.own is None or seen.own.primary != own_id:
        return ""
    primaries = [other.primary for other in seen.others if other.targets and other.primary != own_id]
    return next((primary for primary in primaries if 2 * primaries.count(primary) > proxies), "")


def confirmed_primary(taken: Iterable[Observation], own_id: str, proxies: int) -> str:
    """The primary that every observation names, else "". Stops taking observations at the first that differs."""
    confirmed = ""
    for seen in taken:
        primary = majority_primary(seen, own_id, proxies)
        if not primary or confirmed not in ("", primary):
            return ""
        confirmed = primary
    return confirmed


def observations(
    take: Callable[[], Observation], sleep: Callable[[float], object] = time.sleep
) -> Iterable[Observation]:
    """OBSERVATIONS of them, PAUSE_S seconds apart."""
    for number in range(OBSERVATIONS):
        if number:
            sleep(PAUSE_S)
        yield take()


def primary_of_others(
    stack: Stack,
    node: Node,
    tls: ssl.SSLContext | None,
    token: str = "",
    sleep: Callable[[float], object] = time.sleep,
) -> str:
    """Id of the primary that the other control nodes confirm, "" if this node need not rejoin. Takes about 20 s if a
    first observation names one."""
    proxies = [config.url(address, settings.PROXY_PORT, stack.tls) for address in stack.proxies]
    client = Client(proxies, tls=tls, token=token)
    own_url = config.url(node.address, settings.PROXY_PORT, stack.tls)
    taken = observations(lambda: observe(client, own_url), sleep)
    return confirmed_primary(taken, daemon_id(node, "proxy"), len(stack.proxies))


def restart_as_follower(conf_folder: Path, unit: str, run: Callable[[tuple[str, ...]], object]) -> None:
    """Stops the daemon, moves the state that it saved as primary aside, and starts it; it then asks the others."""
    run(("systemctl", "stop", unit))
    try:
        for name in SAVED_STATE:
            with suppress(FileNotFoundError):
                (conf_folder / name).replace(conf_folder / f"{name}.alone")
    finally:
        run(("systemctl", "start", unit))
