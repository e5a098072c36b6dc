"""A control node that was cut off and still takes itself for primary: when that is certain, and how it comes back.

Cut off, it stays primary, of a map from which the targets leave one by one, while the others elect another one. Back on
the net it does not find them, not after a restart either, since it has saved that map, and where it was elected a
configuration that names it primary; a third of the clients hear "no storage targets".
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from fleet_pool import config, settings
from fleet_pool.api import Client
from fleet_pool.node.facts import Node, Stack, daemon_id
from fleet_pool.operate.members import EACH_S, ClusterMap, each_map
from fleet_pool.record import record

CHECK_S = 10  # between two runs of the timer
LOOKS, PAUSE_S = 3, 10.0  # an election takes up to 20 s: what all looks say is no passing state
# The map, and the cluster's configuration: whoever is elected writes its own address into that as the primary's and,
# where the first control node is out of the map, by chance as the only ones to ask, too. Without the two a daemon
# starts from the files that its node wrote.
# Source: AIStore v1.5.0, cmn/fname, ais/earlystart (_tryPrimaryURLs), ais/clustermap (configURLsIC)
SAVED = (".ais.smap", ".ais.conf")


@record
class Look:
    """What the control nodes say at one moment. own: this one's map; None where it does not answer. others: the
    maps of the other ones that answer."""

    own: ClusterMap | None
    others: tuple[ClusterMap, ...]


def look(client: Client, own_url: str) -> Look:
    """client: of all control nodes. own_url: this one among them, as the client names it."""
    told = {url: found for url, found in each_map(client, EACH_S).items() if isinstance(found, ClusterMap)}
    return Look(own=told.pop(own_url, None), others=tuple(told.values()))


def followed(seen: Look, own_id: str, proxies: int) -> str:
    """Id of the primary that the pool follows while this proxy follows itself; "" where nothing is to be done.

    The pool follows another where more than half of all proxies say so, each with targets: two halves of a pool that
    cannot see each other never both give way. A proxy holds no data, so that nothing is lost with its map, whether
    targets are still in that or not.
    """
    if seen.own is None or seen.own.primary != own_id:
        return ""
    primaries = [told.primary for told in seen.others if told.targets and told.primary != own_id]
    return next((primary for primary in primaries if 2 * primaries.count(primary) > proxies), "")


def certain(taken: Iterable[Look], own_id: str, proxies: int) -> str:
    """The same where every look says it; looks are taken one by one, none after one that does not."""
    said = ""
    for seen in taken:
        primary = followed(seen, own_id, proxies)
        if not primary or said not in ("", primary):
            return ""
        said = primary
    return said


def looks(see: Callable[[], Look], sleep: Callable[[float], object] = time.sleep) -> Iterable[Look]:
    """Several, with a pause between two."""
    for number in range(LOOKS):
        if number:
            sleep(PAUSE_S)
        yield see()


def followed_by_others(
    stack: Stack, node: Node, tls: ssl.SSLContext | None, sleep: Callable[[float], object] = time.sleep
) -> str:
    """What is certain of a control node, asked of all of them. Takes as long as the looks."""
    client = Client([config.url(address, settings.PROXY_PORT, stack.tls) for address in stack.proxies], tls=tls)
    own = config.url(node.address, settings.PROXY_PORT, stack.tls)
    return certain(looks(lambda: look(client, own), sleep), daemon_id(node, "proxy"), len(stack.proxies))


def come_back(conf_folder: Path, unit: str, run: Callable[[tuple[str, ...]], object]) -> None:
    """Stops the daemon, puts aside what it saved as primary, and starts it: it asks the others then."""
    run(("systemctl", "stop", unit))
    try:
        for name in SAVED:
            with suppress(FileNotFoundError):
                (conf_folder / name).replace(conf_folder / f"{name}.alone")
    finally:
        run(("systemctl", "start", unit))
