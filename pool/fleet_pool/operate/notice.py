"""Notice that this instance will be taken away (spot interruption or scale-in), from the instance metadata."""

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
SHORTEST_S = 5.0  # for each step, where the stated time has passed: this clock may be ahead of AWS's


@frozen
class Notice:
    """kind: "spot" or "scale-in". action: terminate, stop or hibernate. at: when AWS acts, None if not stated."""

    kind: str
    action: str
    at: datetime | None


def parse_spot(text: str) -> Notice:
    """AWS's {"action", "time"}. Raises ValueError, KeyError or TypeError for any other text; see `current`."""
    notice = json.loads(text)
    at = datetime.strptime(notice["time"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    return Notice(kind="spot", action=str(notice["action"]), at=at)


def current(metadata: Metadata) -> Notice | None:
    """The notice, if there is one now. Raises Refused or Unreachable."""
    text = metadata.get(SPOT_PATH)
    if text is not None:
        try:
            return parse_spot(text)
        except (ValueError, KeyError, TypeError):
            return Notice(kind="spot", action=text[:40] or "unknown", at=None)  # an unreadable notice is still a notice
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
    """Checks every `poll_s` seconds until there is a notice. Metadata that cannot be read are reported once and tried
    again, so that the watch never ends without a notice."""
    silent = ""
    while True:
        try:
            notice = current(metadata)
        except PoolProblem as error:
            # 403: IMDS is disabled for the instance; that can change while it runs
            why = f"HTTP {error.status}" if isinstance(error, Refused) else str(error)
            if silent != why:
                tell(f"cannot read the instance metadata ({why}); trying again every {poll_s:g} s")
            silent = why
        else:
            if silent:
                tell("the instance metadata can be read again")
            silent = ""
            if notice:
                return notice
        sleep(poll_s)


def variables_of(notice: Notice) -> dict[str, str]:
    """What the commands of a site find in their environment."""
    return {
        "POOL_NOTICE_KIND": notice.kind,
        "POOL_NOTICE_ACTION": notice.action,
        "POOL_NOTICE_TIME": notice.at.strftime("%Y-%m-%dT%H:%M:%SZ") if notice.at else "",
    }


def seconds_left(notice: Notice, now: datetime) -> float:
    """Seconds until AWS acts, at least 0; two minutes if the notice does not say."""
    if notice.at is None:
        return float(settings.NOTICE_S)
    return max(0.0, (notice.at - now).total_seconds())
