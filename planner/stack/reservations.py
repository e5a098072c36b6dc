"""Buying capacity for a stack: whether it may, for how many days, with which tags, and the spec afterwards."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime

from planner.errors import UsageProblem
from planner.stack.check_buying import overlap
from planner.stack.remaining_resources import RESERVATION
from planner.stack.spec import PLACEHOLDER, Block, Buying, ClusterSpec, is_known
from planner.stack.timestamps import parse_timestamp, timestamp_text

HOURS_LOST_AT_END = 0.5  # EC2 User Guide: AWS terminates the nodes from 30 minutes before the end of a block
LONGEST_DAYS = 182
TOLERANCE = 0.005  # how far the confirmed amount may be from the offer, as a fraction


def block_days(days: float) -> int:
    """Days of the shortest block with so many usable days: 1 to 14, then whole weeks. Raises UsageProblem."""
    wanted = math.ceil(days + HOURS_LOST_AT_END / 24 - 1e-9)
    found = wanted if wanted <= 14 else math.ceil(wanted / 7) * 7
    if not 1 <= found <= LONGEST_DAYS:
        raise UsageProblem(
            f"a block of {days:g} days: AWS sells 1 to {LONGEST_DAYS} days. Use --days, or another purchase"
        )
    return found


def check_days(days: int) -> None:
    """Raises UsageProblem for a length that AWS does not sell, as a block or as an extension of one."""
    if days > 14 and days % 7:
        raise UsageProblem(f"--days {days}: beyond 14 days AWS sells whole weeks")


def amounts_agree(given_usd: float, asked_usd: float) -> bool:
    """Whether a confirmed amount is that of the offer, within half a percent. False for NaN."""
    return abs(given_usd - asked_usd) <= TOLERANCE * asked_usd


def check_purchasable(spec: ClusterSpec, *, open_ended: bool) -> None:
    """Raises UsageProblem where a spec cannot use a reservation of that kind, or already has one."""
    kind = spec.buying.kind
    if open_ended and kind not in ("on-demand", "reservation"):
        raise UsageProblem(f"--capacity-reservation is for On-Demand nodes; this stack uses {kind}")
    if not open_ended and kind != "capacity-block":
        hint = "use --capacity-reservation for a Capacity Reservation" if kind != "spot" else "spot cannot be reserved"
        raise UsageProblem(f"this stack uses {kind}, not a Capacity Block: {hint}")
    ids = [block.reservation_id for block in spec.blocks] or [spec.buying.reservation_id]
    if all(map(is_known, ids)):
        raise UsageProblem(
            f"nothing bought: the stack already has {', '.join(ids)}. For another one, "
            f"write {PLACEHOLDER}-reservation in its place"
        )


def to_buy(spec: ClusterSpec) -> tuple[int, Block]:
    """The first of the stack's Capacity Blocks that is not bought, with its place among them."""
    return next((n, block) for n, block in enumerate(spec.blocks) if not is_known(block.reservation_id))


def bought(spec: ClusterSpec) -> tuple[Block, ...]:
    """The Capacity Blocks that the stack file has."""
    return tuple(block for block in spec.blocks if is_known(block.reservation_id))


def together(spec: ClusterSpec, starts: datetime, ends: datetime) -> bool:
    """Whether a further block is there at the same time as those that are bought."""
    windows = [(_moment(block.starts), _moment(block.ends)) for block in bought(spec)]
    return overlap([(starts, ends), *windows])


def _moment(text: str) -> datetime | None:
    return parse_timestamp(text) if is_known(text) else None


def tags_of(spec: ClusterSpec, number: int = 0) -> dict[str, str]:
    """Tags that identify the purchase, even if the program stops before it writes the id into the stack file. number:
    of the block among several."""
    return {
        "Name": f"planner-{spec.stack}-{RESERVATION}" + (f"-{number + 1}" if number else ""),
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
    """The spec with the purchase: its id, start and end, its placement group, and its zone for the whole stack. starts:
    of a block that has not begun. Earlier values are dropped, since they belong to another reservation. A block takes
    the place of the first that is missing. No node waits for a canary: all are paid from now on."""
    bought_now = {
        "reservation_id": reservation_id,
        "starts": timestamp_text(starts) if starts else "",
        "ends": timestamp_text(ends) if ends else "",
    }
    further = list(spec.buying.further_blocks)
    number = to_buy(spec)[0] if spec.blocks else 0
    if number:
        further[number - 1] = replace(further[number - 1], **bought_now)
        return replace(spec, buying=replace(spec.buying, further_blocks=tuple(further)))
    buying = Buying(
        kind="reservation" if ends is None else "capacity-block",
        placement_group=placement_group,
        further_blocks=tuple(further),
        left_blocks=spec.buying.left_blocks,
        block_days=spec.buying.block_days,
        **bought_now,
    )
    return replace(spec, buying=buying, zone_id=zone_id or spec.zone_id, canary=False)
