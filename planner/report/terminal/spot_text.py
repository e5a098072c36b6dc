"""What spot has cost a run, as lines for a terminal and as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.stack.spec import Fallback
    from planner.stack.spot_losses import History, Losses


def lines(stack: str, history: History, found: Losses, rule: Fallback) -> str:
    since = history.begins.strftime("%Y-%m-%d %H:%M UTC")
    verdict = "Move to On-Demand now" if found.moves else "Stay on spot"
    sure = "" if found.certain else ", but the limit lies between the two ends: look at the job's own log"
    repeated = found.interruptions * float(rule.checkpoint_interval_hours)
    rows = [
        f"Stack {stack}, on spot since {since}, job of {rule.nodes} nodes",
        "",
        f"  {_hours(found.waits_low, found.waits_high):>14}  waiting for nodes",
        f"  {found.interruptions * float(rule.restart_hours):>12.1f} h  restarts after {_count(found.interruptions)}",
        f"  {_hours(0.0, repeated):>14}  work since the last checkpoint, done again",
    ]
    if found.unrecorded:
        rows.append(f"  {_hours(0.0, found.unrecorded):>14}  without a record")
    rows += [
        f"  {_hours(found.low, found.high):>14}  in all; the rule counts the middle, {found.middle:.1f} h",
        f"  {found.threshold:>12.1f} h  limit",
        "",
        f"{verdict}{sure}.",
    ]
    if found.moves:
        rows.append(f"Next: planner leave --stack {stack}")
    return "\n".join(rows) + "\n"


def _hours(low: float, high: float) -> str:
    return f"{low:.1f} h" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f} to {high:.1f} h"


def _count(interruptions: int) -> str:
    return f"{interruptions} {'interruption' if interruptions == 1 else 'interruptions'}"


def document(stack: str, history: History, found: Losses, now: datetime) -> dict[str, Any]:
    return {
        "schema_version": "1",
        "stack": stack,
        "since": history.begins.isoformat(),
        "until": now.isoformat(),
        "interruptions": found.interruptions,
        "waits_hours": {"low": found.waits_low, "high": found.waits_high},
        "unrecorded_hours": found.unrecorded,
        "lost_hours": {"low": found.low, "middle": found.middle, "high": found.high},
        "threshold_hours": found.threshold,
        "certain": found.certain,
        "move": found.moves,
    }
