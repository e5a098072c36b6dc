"""What is bought for a stack: how long a block, with which tags, and the spec once it is bought."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime

from planner.errors import UsageProblem
from planner.stack.check_buying import BLOCK_SIZES
from planner.stack.remaining_resources import RESERVATION
from planner.stack.spec import PLACEHOLDER, Buying, ClusterSpec
from planner.stack.timestamps import timestamp_text

HOURS_LOST_AT_END = 0.5  # EC2 User Guide: the nodes of a block are ended from 30 minutes before its end
LONGEST_DAYS = 182
AGREES = 0.005  # how far a given amount may be from the offer's


def block_days(days: float) -> int:
    """The shortest block of at least so many usable days: 1 to 14 by one, then weeks. Raises UsageProblem."""
    wanted = math.ceil(days + HOURS_LOST_AT_END / 24 - 1e-9)
    found = wanted if wanted <= 14 else math.ceil(wanted / 7) * 7
    if not 1 <= found <= LONGEST_DAYS:
        raise UsageProblem(f"a block of {days:g} days: AWS sells 1 to {LONGEST_DAYS} days; --days, or another purchase")
    return found


def amounts_agree(given_usd: float, asked_usd: float) -> bool:
    """Whether an amount given beforehand is that of the offer, within half a percent. Not for what is no number."""
    return abs(given_usd - asked_usd) <= AGREES * asked_usd


def check_purchasable(spec: ClusterSpec, *, open_ended: bool) -> None:
    """Raises UsageProblem where a spec takes no reservation of that kind, or has one."""
    kind = spec.buying.kind
    if open_ended and kind not in ("on-demand", "reservation"):
        raise UsageProblem(f"--capacity-reservation is for on-demand nodes; the stack buys by {kind}")
    if not open_ended and kind != "capacity-block":
        hint = "--capacity-reservation for an On-Demand Capacity Reservation" if kind != "spot" else "spot buys nothing"
        raise UsageProblem(f"the stack buys by {kind}, not by Capacity Block: {hint}")
    if spec.buying.reservation_id and PLACEHOLDER not in spec.buying.reservation_id:
        raise UsageProblem(
            f"the stack has {spec.buying.reservation_id} already: nothing bought. For another one, "
            f"write {PLACEHOLDER}-reservation in its place"
        )
    if not open_ended and spec.fleet.nodes not in BLOCK_SIZES:
        raise UsageProblem(
            f"one Capacity Block has {', '.join(map(str, BLOCK_SIZES))} instances, not {spec.fleet.nodes}"
        )


def tags_of(spec: ClusterSpec) -> dict[str, str]:
    """By which the purchase is found again, also when this program dies before it writes the id down."""
    return {
        "Name": f"planner-{spec.stack}-{RESERVATION}",
        "planner:stack": spec.stack,
        "planner:plan": spec.plan_sha256,
        "planner:component": "fleet",
        "planner:name": RESERVATION,
    }


def with_reservation(
    spec: ClusterSpec,
    *,
    reservation_id: str,
    zone_id: str,
    ends: datetime | None,
    placement_group: str = "",
    starts: datetime | None = None,
) -> ClusterSpec:
    """The spec with what was bought: its id, start and end, its placement group, and the zone that everything now
    stands in. starts: of a block that has not begun. What was said before was of another reservation."""
    buying = Buying(
        kind="reservation" if ends is None else "capacity-block",
        reservation_id=reservation_id,
        placement_group=placement_group,
        starts=timestamp_text(starts) if starts else "",
        ends=timestamp_text(ends) if ends else "",
    )
    return replace(spec, buying=buying, zone_id=zone_id or spec.zone_id)
