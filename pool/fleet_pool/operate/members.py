"""Who is in the pool: the cluster map, as the proxies have it, and the proxies that have another one.

A control node that was cut off for a while goes on as primary, of a map without targets or of the whole one, until its
watch (node/stray.py) brings it back: asked first, it would take a drain for done, or order it where nobody hears.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from fleet_pool.api import PASSING, Client, said
from fleet_pool.compat import frozen
from fleet_pool.http_request import Answer
from fleet_pool.problems import Refused, Unreachable

PATH, MAP = "/v1/daemon", {"what": "smap"}
EACH_S = 3.0  # a gateway has its map at hand; one that hangs does not hold the others up for longer
PAUSE_S = 0.5

# flags of a member; source: AIStore 5.0, core/meta/smap.go
NON_ELECTABLE, MAINTENANCE, DECOMMISSION = 1, 4, 8


@frozen
class Member:
    """One daemon. role: "proxy" or "target". url: for clients."""

    id: str
    role: str
    url: str
    flags: int

    @property
    def leaving(self) -> bool:
        """In maintenance or on the way out: nothing is asked of it any more."""
        return bool(self.flags & (MAINTENANCE | DECOMMISSION))


@frozen
class ClusterMap:
    """version: rises with every change. primary: id of the proxy that makes the changes."""

    uuid: str
    version: int
    primary: str
    proxies: tuple[Member, ...]
    targets: tuple[Member, ...]

    def member(self, id_: str) -> Member | None:
        return next((found for found in (*self.proxies, *self.targets) if found.id == id_), None)


@frozen
class DetachedProxy:
    """A proxy that follows another primary than the pool does. url: as it was asked."""

    url: str
    map: ClusterMap


def cluster_map(client: Client, patience_s: float | None = None) -> ClusterMap:
    """The pool's map; the client asks proxies that follow its primary first from then on.

    Raises Refused or Unreachable.
    """
    return maps(client, patience_s)[0]


def maps(client: Client, patience_s: float | None = None) -> tuple[ClusterMap, tuple[DetachedProxy, ...]]:
    """The map of the primary that most proxies follow, and the proxies that follow another one.

    Where two have as many, the map with more targets, then the newer. A proxy that was cut off may hold every target
    still, or count on for itself: neither size nor number says who is the pool. Raises Refused or Unreachable.
    """
    patience_s = client.patience_s if patience_s is None else patience_s
    deadline = time.monotonic() + patience_s
    while True:
        found = each_map(client, min(client.attempt_s, EACH_S, max(patience_s, 0.5)))
        known = {url: told for url, told in found.items() if isinstance(told, ClusterMap)}
        if known:
            followers = Counter(told.primary for told in known.values())
            best = max(known.values(), key=lambda told: (followers[told.primary], len(told.targets), told.version))
            client.first(*(url for url, told in known.items() if told.primary == best.primary))
            detached = [DetachedProxy(url=url, map=told) for url, told in known.items() if told.primary != best.primary]
            return best, tuple(detached)
        refused = [told for told in found.values() if isinstance(told, Refused)]
        silent = [told for told in found.values() if isinstance(told, Unreachable)]
        stays = not silent and not any(told.status in PASSING for told in refused)
        if stays or time.monotonic() + PAUSE_S > deadline:
            raise [*refused, *silent][0]
        time.sleep(PAUSE_S)


def each_map(client: Client, limit_s: float) -> dict[str, ClusterMap | Refused | Unreachable]:
    """The map of every proxy, by its address, or why there is none; all are asked at once."""
    answers = client.each(PATH, MAP, limit_s)
    return {url: _parsed(answer) if isinstance(answer, Answer) else answer for url, answer in answers.items()}


def map_again(client: Client, patience_s: float | None = None) -> ClusterMap:
    """The map once more, from one proxy: whom cluster_map put first. Raises Refused or Unreachable."""
    told = _parsed(client.ask("GET", PATH, query=MAP, patience_s=patience_s))
    if isinstance(told, Refused):
        raise told
    return told


def _parsed(answer: Answer) -> ClusterMap | Refused:
    if answer.status >= 300:
        return Refused(f"{answer.url} has no map: {said(answer)}", answer.status)
    try:
        return parse_map(answer.json())
    except Refused as error:
        return error
    except (KeyError, TypeError, ValueError, AttributeError):
        return Refused(f"{answer.url} does not answer as a pool does", answer.status)


def parse_map(told: Mapping[str, Any]) -> ClusterMap:
    return ClusterMap(
        uuid=told["uuid"],
        version=int(told["version"]),
        primary=told["proxy_si"]["daemon_id"],
        proxies=_members(told["pmap"]),
        targets=_members(told["tmap"]),
    )


def _members(told: Mapping[str, Any]) -> tuple[Member, ...]:
    found = [
        Member(
            id=entry["daemon_id"],
            role=entry["daemon_type"],
            url=entry["public_net"]["direct_url"],
            flags=int(entry.get("flags", 0)),
        )
        for entry in (told or {}).values()
    ]
    return tuple(sorted(found, key=lambda member: member.id))
