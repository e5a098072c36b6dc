"""The members of the pool: the cluster map that most proxies have, and the proxies that have another one.

A control node that was cut off goes on as primary of its own map, with or without targets, until node/rejoin.py brings
it back. Asked first, it would report a drain as done, or send it to daemons that no longer listen to it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from fleet_pool.api import PASSING, Client, error_text
from fleet_pool.compat import frozen
from fleet_pool.http_request import Answer
from fleet_pool.problems import Refused, Unreachable

PATH, MAP = "/v1/daemon", {"what": "smap"}
EACH_S = 3.0  # a gateway has its map in memory; one that hangs must not delay the others
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
        """Whether it is in maintenance or being removed, so that it gets no requests."""
        return bool(self.flags & (MAINTENANCE | DECOMMISSION))


@frozen
class ClusterMap:
    """version: rises with every change. primary: id of the proxy that makes changes."""

    uuid: str
    version: int
    primary: str
    proxies: tuple[Member, ...]
    targets: tuple[Member, ...]

    def member(self, id_: str) -> Member | None:
        return next((found for found in (*self.proxies, *self.targets) if found.id == id_), None)


@frozen
class DetachedProxy:
    """A proxy that follows another primary than the pool does. url: where it was asked. map: its own."""

    url: str
    map: ClusterMap


def cluster_map(client: Client, patience_s: float | None = None) -> ClusterMap:
    """The pool's map. From then on the client asks proxies that follow its primary first.

    Raises Refused or Unreachable.
    """
    return maps(client, patience_s)[0]


def maps(client: Client, patience_s: float | None = None) -> tuple[ClusterMap, tuple[DetachedProxy, ...]]:
    """The map of the primary that most proxies follow, and the proxies that follow another one.

    A tie goes to the map with more targets, then to the newer one. Targets and version alone do not tell: a proxy that
    was cut off may still list every target, or have raised its version by itself. Raises Refused or Unreachable.
    """
    patience_s = client.patience_s if patience_s is None else patience_s
    deadline = time.monotonic() + patience_s
    while True:
        found = each_map(client, min(client.attempt_s, EACH_S, max(patience_s, 0.5)))
        known = {url: answer for url, answer in found.items() if isinstance(answer, ClusterMap)}
        if known:
            followers = Counter(each.primary for each in known.values())
            best = max(known.values(), key=lambda each: (followers[each.primary], len(each.targets), each.version))
            client.first(*(url for url, each in known.items() if each.primary == best.primary))
            detached = [DetachedProxy(url=url, map=each) for url, each in known.items() if each.primary != best.primary]
            return best, tuple(detached)
        refused = [answer for answer in found.values() if isinstance(answer, Refused)]
        silent = [answer for answer in found.values() if isinstance(answer, Unreachable)]
        final = not silent and not any(answer.status in PASSING for answer in refused)
        if final or time.monotonic() + PAUSE_S > deadline:
            raise [*refused, *silent][0]
        time.sleep(PAUSE_S)


def each_map(client: Client, limit_s: float) -> dict[str, ClusterMap | Refused | Unreachable]:
    """By URL of each proxy: its map, or the error. All are asked at once."""
    answers = client.each(PATH, MAP, limit_s)
    return {url: _parsed(answer) if isinstance(answer, Answer) else answer for url, answer in answers.items()}


def map_again(client: Client, patience_s: float | None = None) -> ClusterMap:
    """The current map from one proxy, the one that cluster_map put first. Raises Refused or Unreachable."""
    found = _parsed(client.ask("GET", PATH, query=MAP, patience_s=patience_s))
    if isinstance(found, Refused):
        raise found
    return found


def _parsed(answer: Answer) -> ClusterMap | Refused:
    if answer.status >= 300:
        return Refused(f"{answer.url} has no map: {error_text(answer)}", answer.status)
    try:
        return parse_map(answer.json())
    except Refused as error:
        return error
    except (KeyError, TypeError, ValueError, AttributeError):
        return Refused(f"{answer.url} does not answer like a pool", answer.status)


def parse_map(entries: Mapping[str, Any]) -> ClusterMap:
    return ClusterMap(
        uuid=entries["uuid"],
        version=int(entries["version"]),
        primary=entries["proxy_si"]["daemon_id"],
        proxies=_members(entries["pmap"]),
        targets=_members(entries["tmap"]),
    )


def _members(entries: Mapping[str, Any]) -> tuple[Member, ...]:
    found = [
        Member(
            id=entry["daemon_id"],
            role=entry["daemon_type"],
            url=entry["public_net"]["direct_url"],
            flags=int(entry.get("flags", 0)),
        )
        for entry in (entries or {}).values()
    ]
    return tuple(sorted(found, key=lambda member: member.id))
