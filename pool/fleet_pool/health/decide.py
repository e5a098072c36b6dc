"""From findings to one decision: what is done with the node, and what keeps it from being done. Pure.

The brake is AWS's own (ECS developer guide, "GPU auto repair": at most 20 % of a group drained at a time, one node
where there are fewer than nine): a limit that is wrong for a whole fleet must not stop the fleet.
"""

from __future__ import annotations

from collections.abc import Sequence

from fleet_pool.compat import frozen
from fleet_pool.health.judge import Finding
from fleet_pool.health.limits import Action

MOST_OUT, SMALL = 0.2, 9  # share of a group, and the size from which it counts
HOUR_S = 3600.0
REPLACED_MOST = 2  # of one place in an hour
RESTART_COUNTS_S = 24 * HOUR_S  # a second restart within a day would help no more


@frozen
class Past:
    """What was done. at_s: Unix time. place: what stays when the instance changes: the node's name in Slurm, or the
    first instance of a chain. check: the fault."""

    at_s: float
    place: str
    instance: str
    action: Action
    check: str


@frozen
class Group:
    """nodes: in the group, 0 where that is unknown. out: those that take no jobs now, without this one."""

    nodes: int
    out: int


@frozen
class Decision:
    """page: why a person has to look; "" if nobody has to. Only action and reason are done."""

    action: Action
    check: str
    reason: str
    page: str = ""


def allowed(nodes: int) -> int:
    """How many of so many nodes may be out at once."""
    return 1 if nodes < SMALL else int(MOST_OUT * nodes)


def decision(findings: Sequence[Finding], past: Sequence[Past], place: str, group: Group, now_s: float) -> Decision:
    """What follows. past: of the whole group. The first of the gravest findings is the reason."""
    worst = max(findings, key=lambda each: each.action, default=None)
    if worst is None or worst.action <= Action.REPORT:
        return Decision(action=worst.action if worst else Action.OK, check=worst.check if worst else "", reason="")
    action, reason = worst.action, f"{worst.check}: {worst.said}"
    mine = [each for each in past if each.place == place]
    restarts = (each for each in mine if each.action is Action.RESTART and now_s - each.at_s < RESTART_COUNTS_S)
    if action is Action.RESTART and any(restarts):
        action, reason = Action.REPLACE, f"{reason}; a restart did not help"
    held = ""
    if not group.nodes:
        held = "how many nodes of its group are out is not known"
    elif group.out >= allowed(group.nodes):
        held = f"{group.out} of {group.nodes} nodes are out, {allowed(group.nodes)} may be"
    if held:
        return Decision(action=Action.REPORT, check=worst.check, reason=reason, page=f"not drained: {held}")
    if action is Action.REPLACE and replaced(mine, now_s) >= REPLACED_MOST:
        page = f"not replaced again: {REPLACED_MOST} replacements within an hour did not help"
        return Decision(action=Action.DRAIN, check=worst.check, reason=reason, page=page)
    return Decision(action=action, check=worst.check, reason=reason)


def replaced(past: Sequence[Past], now_s: float) -> int:
    """Replacements within the hour."""
    return sum(each.action is Action.REPLACE and now_s - each.at_s < HOUR_S for each in past)


def keeps_its_drain(mine: tuple[float, str], others: Sequence[tuple[float, str]], nodes: int) -> bool:
    """Whether this node may stay out when several went out at the same moment, each of which saw none: the earliest
    may, by time and then name, so that all come to the same answer."""
    return sum(other < mine for other in others) < allowed(nodes)


def place_of(instance: str, launched_s: float, past: Sequence[Past]) -> str:
    """Whose place an instance of an Auto Scaling group has. The group does not say whom a new instance replaces; it is
    taken for the last one that was replaced within an hour before its launch and that no other failing instance stands
    for. So a chain of replacements may count one too many, and never one too few."""
    own = [each.place for each in past if each.instance == instance]
    if own:
        return own[0]
    before = [p for p in past if p.action is Action.REPLACE and 0 <= launched_s - p.at_s < HOUR_S]
    length = {p.place: sum(q.place == p.place for q in before) for p in before}
    # the instance after p in its chain has a record of the same place that is later than p's
    last = [p for p in before if not any(q.place == p.place and q.at_s > p.at_s for q in past)]
    return max(last, key=lambda p: (length[p.place], p.at_s)).place if last else instance


def costs(nodes: int, usd_per_node_hour: float | None) -> str:
    """What a gang costs that waits for one of its nodes: `gang of 64 waits: $3,522/h`."""
    if not nodes:
        return ""
    if usd_per_node_hour is None:
        return f"gang of {nodes} waits (no price on this node)"
    return f"gang of {nodes} waits: ${int(nodes * usd_per_node_hour):,}/h"
