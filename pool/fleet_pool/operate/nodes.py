"""What each daemon reports about itself. All are asked at once; one that hangs costs its own time limit only.

A daemon whose status request hangs may still serve data (seen after an interrupted rebalance), so it is asked for its
health next. A daemon that answers neither is reported as silent.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.members import Member
from fleet_pool.problems import PoolProblem, Refused, Unreachable

AT_ONCE = 512  # all daemons of 400 nodes: fewer would wait for those that hang
HEALTH_LIMIT_S = 2.0


@frozen
class Space:
    """A target's drives, in bytes. fullest_percent: of the fullest drive. from_s3: bytes read from S3 so far."""

    total: int
    used: int
    drives: int
    fullest_percent: float
    from_s3: int


@frozen
class Served:
    """Since the daemon started: reads of whole objects or ranges, their mean time, writes, and calls that failed."""

    reads: int
    read_mean_s: float
    writes: int
    errors: int


@frozen
class Node:
    """heard: "status", "health" (the status request hung), or "silent". flags: 0 if silent. primary: id of the one
    that it follows. at_s: when it answered, on the monotonic clock. why: the problem, "" if there was none."""

    member: Member
    heard: str
    flags: int
    space: Space | None
    version: str
    primary: str
    at_s: float
    why: str
    served: Served | None = None


def nodes(client: Client, members: Sequence[Member], *, limit_s: float, each_s: float) -> tuple[Node, ...]:
    """In the order given. limit_s: for all together, after which the others count as silent. each_s: for one answer."""
    deadline = time.monotonic() + limit_s
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, max(len(members), 1))) as pool:
        return tuple(pool.map(lambda member: node(client, member, deadline, each_s), members))


def node(client: Client, member: Member, deadline: float, each_s: float) -> Node:
    """One daemon, asked at its own address: a proxy in between would hang with it."""
    why = ""
    questions = (
        ("status", f"{member.url}/v1/daemon", {"what": "node_status"}, each_s),
        ("health", f"{member.url}/v1/health", {"cii": "true"}, min(HEALTH_LIMIT_S, each_s)),
    )
    for heard, url, query, limit_s in questions:
        left_s = min(limit_s, deadline - time.monotonic())
        if left_s <= 0:
            return silent(member, why or "not asked: no time left")
        try:
            answer = client.once("GET", url, query=query, limit_s=left_s)
            if answer.status != 200:
                raise Refused(f"HTTP {answer.status}", answer.status)
            told = answer.json()
            return parse_status(member, told, why) if heard == "status" else parse_health(member, told, why)
        except Unreachable as error:
            why = why or str(error)
            if "within" not in str(error):
                return silent(member, why)  # nothing listens there: the second question would fail too
        except PoolProblem as error:
            why = why or str(error)
        except (KeyError, TypeError, ValueError, AttributeError):
            why = why or "its answer has an unknown format: does it run another version of the engine?"
    return silent(member, why)


def parse_status(member: Member, told: dict[str, Any], why: str = "") -> Node:
    cluster = told["cluster"]
    return Node(
        member=member,
        heard="status",
        flags=int(cluster["flags"]),
        space=_space(told) if member.role == "target" else None,
        served=_served(told.get("tracker") or {}) if member.role == "target" else None,
        version=str(told.get("ais_version", "")),
        primary=cluster["smap"]["Primary"]["id"],
        at_s=time.monotonic(),
        why=why,
    )


def parse_health(member: Member, told: dict[str, Any], why: str) -> Node:
    return Node(
        member=member,
        heard="health",
        flags=int(told["flags"]),
        space=None,
        version="",
        primary=told["smap"]["Primary"]["id"],
        at_s=time.monotonic(),
        why=why,
    )


def silent(member: Member, why: str) -> Node:
    return Node(
        member=member,
        heard="silent",
        flags=0,
        space=None,
        version="",
        primary="",
        at_s=time.monotonic(),
        why=why,
    )


def _space(told: dict[str, Any]) -> Space:
    capacity = told["capacity"]
    drives = capacity.get("mountpaths") or {}
    used, free = int(capacity.get("total_used", 0)), int(capacity.get("total_avail", 0))
    return Space(
        total=used + free,
        used=used,
        drives=len(drives),
        fullest_percent=float(capacity.get("pct_max", 0)),
        from_s3=int(told.get("tracker", {}).get("aws.get.size", 0)),
    )


# counts of failed calls; source: AIStore 5.0, stats/common.go and stats/target_stats.go
_ERRORS = ("err.get.n", "err.put.n", "err.del.n", "err.http.write.n")


def _served(tracker: dict[str, Any]) -> Served:
    reads = int(tracker.get("get.n", 0))
    return Served(
        reads=reads,
        read_mean_s=int(tracker.get("get.ns.total", 0)) / max(reads, 1) / 1e9,
        writes=int(tracker.get("put.n", 0)),
        errors=sum(int(tracker.get(name, 0)) for name in _ERRORS),
    )
