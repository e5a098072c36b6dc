"""What a node does with its last two minutes: the job is told, the daemons leave the map, stop, and AWS is told.

Each step has its share of the time, and a step that fails is told and passed over: the instance goes either way, and
what a missed step costs is seconds of retries at clients.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.compat import frozen
from fleet_pool.operate.drain import drain, stop_unit
from fleet_pool.operate.notice import Notice, seconds_left
from fleet_pool.problems import PoolProblem

BEFORE_SHARE, DRAIN_SHARE, STOP_SHARE = 0.25, 0.4, 0.2  # of the seconds that are left; the rest is for `after`
SHORTEST_S = 5.0


@frozen
class ShutdownSteps:
    """ids: the node's daemons in the map. unit: of systemd, its daemon's; "" where nothing is stopped. before: a
    command that tells the job; after: one that tells AWS. Words of each, none where there is none."""

    ids: tuple[str, ...]
    unit: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    settle_s: float = settings.DRAIN_SETTLE_S


def shut_down(client: Client, steps_wanted: ShutdownSteps, notice: Notice, tell: Callable[[str], None]) -> bool:
    """All steps in order; whether each went well."""
    left_s = seconds_left(notice, datetime.now(timezone.utc))
    when = f"at {notice.at:%H:%M:%S} UTC, in {left_s:.0f} s" if notice.at else f"within {left_s:.0f} s"
    tell(f"notice: {notice.kind}, this instance will {notice.action} {when}")
    told = {
        "POOL_NOTICE_KIND": notice.kind,
        "POOL_NOTICE_ACTION": notice.action,
        "POOL_NOTICE_TIME": notice.at.strftime("%Y-%m-%dT%H:%M:%SZ") if notice.at else "",
    }

    def limit(share: float) -> float:
        return max(share * left_s, SHORTEST_S)

    def drained() -> None:
        found = drain(client, steps_wanted.ids, patience_s=limit(DRAIN_SHARE), settle_s=steps_wanted.settle_s)
        for id_ in found.absent:
            tell(f"{id_} was not in the map any more")

    steps: list[tuple[str, Callable[[], None]]] = []
    if steps_wanted.before:
        steps.append(("tell the job", lambda: run_command(steps_wanted.before, told, limit(BEFORE_SHARE))))
    steps.append(("leave the map", drained))
    if steps_wanted.unit:
        steps.append((f"stop {steps_wanted.unit}", lambda: stop_unit(steps_wanted.unit, limit(STOP_SHARE))))
    if steps_wanted.after:
        rest = 1 - BEFORE_SHARE - DRAIN_SHARE - STOP_SHARE
        steps.append(("tell AWS", lambda: run_command(steps_wanted.after, told, limit(rest))))
    well = True
    for name, step in steps:
        try:
            step()
            tell(f"{name}: done")
        except PoolProblem as error:
            well = False
            tell(f"{name}: failed, going on: {error}")
    return well


def run_command(words: Sequence[str], more: Mapping[str, str], limit_s: float) -> None:
    """A command of the site's, without a shell. Raises PoolProblem."""
    try:
        done = subprocess.run(
            list(words), env={**os.environ, **more}, stdin=subprocess.DEVNULL, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        raise PoolProblem(f"{words[0]} took longer than {limit_s:g} s") from None
    except OSError as error:
        raise PoolProblem(f"{words[0]}: {error.strerror}") from None
    if done.returncode:
        raise PoolProblem(f"{words[0]}: exit code {done.returncode}")
