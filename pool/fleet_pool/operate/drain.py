"""Takes a node out without errors at clients: out of the map first, then a pause, then its daemon stops.

There is nothing to flush, since S3 has every object. A skipped step costs retries, never data.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.members import ClusterMap, cluster_map, map_again
from fleet_pool.operate.table import listed
from fleet_pool.problems import PoolProblem, Refused, Unreachable, UsageProblem

CLUSTER = "/v1/cluster"
STOP_LIMIT_S = 60.0
ASKED_S = 1.0  # between two looks at the map, while others do it


@frozen
class Drained:
    """left: ids now in maintenance. absent: ids that were not in the map. active: number of targets left."""

    left: tuple[str, ...]
    absent: tuple[str, ...]
    active: int


def drain(
    client: Client,
    ids: Sequence[str],
    *,
    patience_s: float = settings.NOTICE_S / 2,
    settle_s: float = settings.DRAIN_SETTLE_S,
    ask: Callable[[], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Drained:
    """Takes daemons out of the map, waits until the map shows it, then `settle_s` for requests in flight.

    ask: asks whoever may administer the pool, where this node may not.

    The pool makes one membership change at a time and answers "busy" to others: retried for `patience_s` seconds.
    Raises Refused or Unreachable.
    """
    deadline = time.monotonic() + patience_s
    found = cluster_map(client, patience_s)
    absent = tuple(id_ for id_ in ids if found.member(id_) is None)
    asked = False
    while going := [id_ for id_ in ids if not _left(found, id_)]:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise Unreachable(f"the map still shows {', '.join(going)} after {patience_s:g} s: see `status`")
        if ask is None:
            _maintain(client, going, left_s)
        elif not asked:
            ask()
        asked = True
        time.sleep(0.1 if ask is None else ASKED_S)
        found = map_again(client, max(deadline - time.monotonic(), 1.0))
    if asked:
        sleep(settle_s)
    present = tuple(id_ for id_ in ids if id_ not in absent)
    active = sum(not target.leaving for target in found.targets)
    return Drained(left=present, absent=absent, active=active)


def _maintain(client: Client, ids: Sequence[str], patience_s: float) -> None:
    try:
        client.act(CLUSTER, "start-maintenance", {"sids": list(ids), "skip_rebalance": True}, patience_s=patience_s)
    except Refused as error:
        if error.status != 404:  # one of them has left already: the map says which
            raise


def undrain(client: Client, ids: Sequence[str], *, patience_s: float = 60.0) -> None:
    """Takes daemons that still run out of maintenance. Raises UsageProblem, Refused or Unreachable."""
    deadline = time.monotonic() + patience_s
    found = cluster_map(client, patience_s)
    check_ids(found, ids)
    value = {"sids": list(ids), "skip_rebalance": True}
    client.act(CLUSTER, "stop-maintenance", value, patience_s=max(deadline - time.monotonic(), 1.0))
    while any(_left(map_again(client), id_) for id_ in ids):
        if time.monotonic() > deadline:
            raise Unreachable("the pool accepted the change but its map does not show it yet: see `status`")
        time.sleep(0.2)


def check_ids(found: ClusterMap, ids: Sequence[str]) -> None:
    """Raises UsageProblem for an id that is not in the map, or that is the primary's."""
    known = [member.id for member in (*found.targets, *found.proxies)]
    for id_ in ids:
        if id_ not in known:
            raise UsageProblem(f"the pool has no daemon {id_!r}; it has {listed(known) or 'none'}")
        if id_ == found.primary:
            raise UsageProblem(f"{id_} is the primary proxy and cannot be drained: stop it, and another is elected")


def stop_unit(unit: str, limit_s: float = STOP_LIMIT_S) -> None:
    """Stops a systemd unit. Raises PoolProblem."""
    try:
        done = subprocess.run(["systemctl", "stop", unit], capture_output=True, text=True, timeout=limit_s, check=False)
    except FileNotFoundError:
        raise PoolProblem(f"cannot stop {unit}: no systemctl on this machine") from None
    except subprocess.TimeoutExpired:
        raise PoolProblem(f"{unit} did not stop within {limit_s:g} s: `systemctl status {unit}` says why") from None
    if done.returncode:
        raise PoolProblem(f"cannot stop {unit}: {done.stderr.strip() or f'exit code {done.returncode}'}")


def _left(found: ClusterMap, id_: str) -> bool:
    member = found.member(id_)
    return member is None or member.leaving
