"""The two minutes before a spot instance goes, or a group takes one out: seen in the instance's metadata."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime, timezone

from fleet_pool import settings
from fleet_pool.compat import frozen
from fleet_pool.operate.imds import Metadata
from fleet_pool.problems import PoolProblem, Refused

SPOT_PATH = "meta-data/spot/instance-action"  # EC2 User Guide, "Spot Instance interruption notices": 404 until there is
GROUP_PATH = "meta-data/autoscaling/target-lifecycle-state"  # EC2 Auto Scaling User Guide; 404 outside of a group
LEAVES_GROUP = "Terminated"


@frozen
class Notice:
    """kind: "spot" or "scale-in". action: terminate, stop or hibernate. at: when AWS acts; None where it says not."""

    kind: str
    action: str
    at: datetime | None


def parse_spot(text: str) -> Notice:
    """AWS's two words, {"action", "time"}. Raises ValueError: the notice counts all the same, see `look`."""
    told = json.loads(text)
    at = datetime.strptime(told["time"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    return Notice(kind="spot", action=str(told["action"]), at=at)


def look(metadata: Metadata) -> Notice | None:
    """A notice, if there is one now. Raises Refused or Unreachable."""
    text = metadata.get(SPOT_PATH)
    if text is not None:
        try:
            return parse_spot(text)
        except (ValueError, KeyError, TypeError):
            return Notice(kind="spot", action=text[:40] or "unknown", at=None)  # a notice that we cannot read is one
    if metadata.get(GROUP_PATH) == LEAVES_GROUP:
        return Notice(kind="scale-in", action="terminate", at=None)
    return None


def wait(
    metadata: Metadata,
    tell: Callable[[str], None],
    *,
    poll_s: float = settings.NOTICE_POLL_S,
    sleep: Callable[[float], None] = time.sleep,
) -> Notice:
    """Looks every `poll_s` seconds until there is a notice. Metadata that do not answer are told of once, and tried
    again: a watcher that ends watches nothing."""
    silent = ""
    while True:
        try:
            notice = look(metadata)
        except PoolProblem as error:
            # 403: IMDS is switched off for the instance; that too can be changed while it runs
            why = f"HTTP {error.status}" if isinstance(error, Refused) else str(error)
            if silent != why:
                tell(f"the instance's metadata cannot be read ({why}): looking on every {poll_s:g} s")
            silent = why
        else:
            if silent:
                tell("the instance's metadata answer again")
            silent = ""
            if notice:
                return notice
        sleep(poll_s)


def seconds_left(notice: Notice, now: datetime) -> float:
    """Until AWS acts; two minutes where the notice does not say, never below zero."""
    if notice.at is None:
        return float(settings.NOTICE_S)
    return max(0.0, (notice.at - now).total_seconds())
