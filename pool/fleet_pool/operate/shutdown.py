"""A node's last two minutes: notify the job, drain the daemons, stop them, notify AWS.

Each step gets a share of the time. A step that fails is reported and the next one runs: the instance goes away in any
case, and a missed step costs clients some seconds of retries.
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
from fleet_pool.operate.notice import SHORTEST_S, Notice, seconds_left, variables_of
from fleet_pool.problems import PoolProblem

BEFORE_SHARE, DRAIN_SHARE, STOP_SHARE = 0.25, 0.4, 0.2  # of the seconds left; `after` gets the rest


@frozen
class ShutdownSteps:
    """ids: the node's daemons in the map. unit: the daemon's systemd unit, "" to stop nothing. before: words of the
    command that notifies the job; after: of the one that notifies AWS; empty for none. ask: as of `drain`."""

    ids: tuple[str, ...]
    unit: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    settle_s: float = settings.DRAIN_SETTLE_S
    ask: Callable[[], None] | None = None


def shut_down(client: Client, wanted: ShutdownSteps, notice: Notice, tell: Callable[[str], None]) -> bool:
    """Runs all steps in order. Returns whether every step succeeded."""
    left_s = seconds_left(notice, datetime.now(timezone.utc))
    when = f"at {notice.at:%H:%M:%S} UTC, in {left_s:.0f} s" if notice.at else f"within {left_s:.0f} s"
    tell(f"notice: {notice.kind}, this instance will {notice.action} {when}")
    variables = variables_of(notice)

    def limit(share: float) -> float:
        return max(share * left_s, SHORTEST_S)

    def drained() -> None:
        found = drain(client, wanted.ids, patience_s=limit(DRAIN_SHARE), settle_s=wanted.settle_s, ask=wanted.ask)
        for id_ in found.absent:
            tell(f"{id_} was not in the map")

    steps: list[tuple[str, Callable[[], None]]] = []
    if wanted.before:
        steps.append(("notify the job", lambda: run_command(wanted.before, variables, limit(BEFORE_SHARE))))
    steps.append(("drain", drained))
    if wanted.unit:
        steps.append((f"stop {wanted.unit}", lambda: stop_unit(wanted.unit, limit(STOP_SHARE))))
    if wanted.after:
        rest = 1 - BEFORE_SHARE - DRAIN_SHARE - STOP_SHARE
        steps.append(("notify AWS", lambda: run_command(wanted.after, variables, limit(rest))))
    succeeded = True
    for name, step in steps:
        try:
            step()
            tell(f"{name}: done")
        except PoolProblem as error:
            succeeded = False
            tell(f"{name}: failed, continuing: {error}")
    return succeeded


def run_command(words: Sequence[str], more: Mapping[str, str], limit_s: float) -> None:
    """Runs a command of the site, without a shell. more: variables for it. Raises PoolProblem."""
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
