"""How the nodes are bought: purchases that AWS refuses, or would bill differently."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from datetime import datetime

from planner.models.block_sizes import BLOCK_SIZES
from planner.plan.wording import did_you_mean, shown
from planner.stack.finding import Finding
from planner.stack.spec import BEFORE_END, BUYING, PLACEHOLDER, Block, Buying, ClusterSpec
from planner.stack.timestamps import parse_timestamp

_RESERVATION = re.compile(r"cr-[0-9a-f]{8,17}", re.ASCII)
# name of at most 255 letters, or arn:aws:ec2:REGION:ACCOUNT:placement-group/NAME
_GROUP = re.compile(
    r"(arn:aws[a-z-]*:ec2:[a-z0-9-]+:[0-9]{12}:placement-group/)?[!-.0-9;-~]([ -.0-9;-~]{0,253}[!-.0-9;-~])?", re.ASCII
)
_AT = ("buying", "kind")


def buying_of(purchase: str) -> tuple[str, ...]:
    """The values of `buying.kind` that fit a purchase option, the first one unless nodes are reserved: Reserved and
    Savings Plan nodes are On-Demand nodes, spot with fallback begins on spot nodes and may move to On-Demand."""
    if purchase == "spot-fallback":
        return "spot", "on-demand"
    if purchase in ("spot", "capacity-block"):
        return (purchase,)
    return "on-demand", "reservation"


def may_buy(buying: Buying, purchase: str) -> bool:
    """Whether nodes may be bought so in a scenario of that purchase option: after a Capacity Block, On-Demand."""
    after_block = buying.left_blocks and purchase == "capacity-block"
    return buying.kind in (buying_of("on-demand") if after_block else buying_of(purchase))


def buying_findings(spec: ClusterSpec) -> Iterator[Finding]:
    buying = spec.buying
    if buying.kind not in BUYING:
        near = did_you_mean(buying.kind, BUYING) or f"one of {', '.join(BUYING)}"
        yield Finding(path=_AT, message=f"unknown purchase {shown(buying.kind)}", remedy=near)
        return
    purchase = spec.scenario.rpartition("/")[2]
    fitting = buying_of(purchase)
    if not may_buy(buying, purchase):
        yield Finding(
            path=_AT,
            message=f"{buying.kind} for a scenario priced as {shown(purchase)[1:-1]}: cost and risk would differ",
            remedy=f"write {' or '.join(fitting)}, or choose another scenario with `planner stack`",
        )
    if buying.left_blocks and not (purchase == "capacity-block" and may_buy(buying, purchase)):
        yield Finding(
            path=("buying", "left_blocks"),
            message=f"{buying.kind} nodes that left a Capacity Block, in a scenario priced as {shown(purchase)[1:-1]}",
            remedy="remove the ids: `planner leave` writes them where a run goes on after its block",
        )
    by_rule = spec.may_leave_spot or bool(spec.scheduler and spec.scheduler.markets)
    if by_rule != (purchase == "spot-fallback"):
        what = "a rule that leaves spot" if by_rule else "no rule that leaves spot"
        yield Finding(
            path=("fallback",),
            message=f"{what} in a scenario priced as {shown(purchase)[1:-1]}",
            remedy="write the file again with `planner stack`",
        )
    yield from _reservation(spec)
    yield from _placement(spec)
    yield from _window(spec)
    yield from _sizes(spec)


def _sizes(spec: ClusterSpec) -> Iterator[Finding]:
    """Every block has a size that AWS sells, and together they hold the fleet."""
    for number, block in enumerate(spec.blocks):
        if block.nodes not in BLOCK_SIZES and spec.fleet.nodes > 0:
            sizes, at = ", ".join(map(str, sorted(BLOCK_SIZES))), ("buying", "further_blocks", number - 1, "nodes")
            yield Finding(
                path=at if number else ("fleet", "nodes"),
                message=f"{block.nodes} nodes in {'a further' if number else 'the first'} Capacity Block: "
                f"AWS sells blocks of {sizes}",
                remedy="`planner stack` writes the blocks of a fleet",
            )
    if spec.buying.further_blocks and not spec.blocks:
        message = f"{spec.buying.kind} with Capacity Blocks"
        yield Finding(path=("buying", "further_blocks"), message=message, remedy="remove them")


def _reservation(spec: ClusterSpec) -> Iterator[Finding]:
    yield from _further_ids(spec)
    buying, at = spec.buying, ("buying", "reservation_id")
    wanted = buying.kind in ("reservation", "capacity-block")
    if wanted and not buying.reservation_id:
        what = "a Capacity Block" if buying.kind == "capacity-block" else "a Capacity Reservation"
        message = f"{what} without its id: nodes would be bought On-Demand in addition to it"
        yield Finding(path=at, message=message, remedy="add its id: --reservation cr-0123456789abcdef0")
    elif not wanted and buying.reservation_id:
        why = (
            "spot capacity cannot be reserved"
            if buying.kind == "spot"
            else "On-Demand nodes of this stack would not use it"
        )
        message = f"{buying.kind} with reservation {shown(buying.reservation_id)[1:-1]}: {why}"
        yield Finding(
            path=at, message=message, remedy="remove the id, or write kind: reservation for an on-demand scenario"
        )
    elif wanted and PLACEHOLDER not in buying.reservation_id and not _RESERVATION.fullmatch(buying.reservation_id):
        message = f"{shown(buying.reservation_id)} is not the id of a Capacity Reservation or Capacity Block"
        yield Finding(path=at, message=message, remedy="write it like cr-0123456789abcdef0")


def _further_ids(spec: ClusterSpec) -> Iterator[Finding]:
    """Each block is another reservation."""
    known = {spec.buying.reservation_id}
    for number, block in enumerate(spec.buying.further_blocks):
        at, given = ("buying", "further_blocks", number, "reservation_id"), shown(block.reservation_id)
        if block.reservation_id in known:
            message = f"{given} holds the nodes of two blocks, and one of them would never start"
            yield Finding(path=at, message=message, remedy="give each block its own id")
        elif PLACEHOLDER not in block.reservation_id and not _RESERVATION.fullmatch(block.reservation_id):
            message = f"{given} is not the id of a Capacity Block"
            yield Finding(path=at, message=message, remedy="write it like cr-0123456789abcdef0")
        known.add(block.reservation_id)


def _placement(spec: ClusterSpec) -> Iterator[Finding]:
    """EC2 User Guide, "Use Capacity Reservations with cluster placement groups": a reservation is created in its group,
    cannot be moved into one later, and only instances of that group use it."""
    buying, at = spec.buying, ("buying", "placement_group")
    if not buying.placement_group:
        return
    if buying.kind != "reservation":
        why = {
            "capacity-block": "the nodes of a block are close together already and cannot use a placement group",
        }.get(buying.kind, "the stack creates its own placement group")
        message = f"{buying.kind} with a placement group: {why}"
        yield Finding(
            path=at, message=message, remedy="remove it; only a Capacity Reservation created in a group needs it"
        )
    elif not _GROUP.fullmatch(buying.placement_group):
        message = f"{shown(buying.placement_group)} is neither the name nor the ARN of a placement group"
        yield Finding(path=at, message=message, remedy="write the placement group that the reservation was created in")


def _window(spec: ClusterSpec) -> Iterator[Finding]:
    """Start and end in UTC, which only a Capacity Block has."""
    buying = spec.buying
    if buying.kind != "capacity-block":
        for name, what, does in (("ends", "an end", "ends by itself"), ("starts", "a start", "starts later")):
            if getattr(buying, name):
                message = f"{buying.kind} with {what}: only a Capacity Block {does}"
                yield Finding(path=("buying", name), message=message, remedy="remove it")
        return
    windows = []
    for number, block in enumerate(spec.blocks):
        at = ("buying", "further_blocks", number - 1) if number else ("buying",)
        windows.append((yield from _window_of(block, at)))
    if len(windows) > 1 and not overlap(windows):
        message = "the Capacity Blocks are never there together, and the job needs the nodes of all of them"
        yield Finding(path=("buying", "further_blocks"), message=message, remedy="use blocks of the same days")


def overlap(windows: Iterable[tuple[datetime | None, datetime | None]]) -> bool:
    """Whether blocks are there together, as far as their starts and ends are known."""
    starts, ends = zip(*windows, strict=True)
    last_start = max((start for start in starts if start), default=None)
    first_end = min((end for end in ends if end), default=None)
    return last_start is None or first_end is None or last_start < first_end - BEFORE_END


def _window_of(
    block: Block, at: tuple[str | int, ...]
) -> Generator[Finding, None, tuple[datetime | None, datetime | None]]:
    """Start and end of one block, where they are known."""
    if not block.ends:
        message = (
            "a Capacity Block without its end: AWS terminates the nodes 30 minutes before it, and unsaved work is lost"
        )
        yield Finding(path=(*at, "ends"), message=message, remedy="add it: --block-ends 2026-11-30T11:30:00Z")
    ends = "" if PLACEHOLDER in block.ends else block.ends
    end = yield from _timestamp_at((*at, "ends"), ends, "write 2026-11-30T11:30:00Z")
    start = yield from _timestamp_at((*at, "starts"), block.starts, "write 2026-11-24T11:30:00Z, or leave it out")
    if start and end and start >= end - BEFORE_END:
        message = f"a block from {block.starts} to {block.ends}: the fleet scales to zero 45 minutes before its end"
        yield Finding(path=(*at, "starts"), message=message, remedy="write start and end of the same block")
    return start, end


def _timestamp_at(path: tuple[str | int, ...], text: str, remedy: str) -> Generator[Finding, None, datetime | None]:
    """The time that is written there; None, and a finding, for text that is not one."""
    try:
        return parse_timestamp(text) if text else None
    except ValueError:
        yield Finding(path=path, message=f"{shown(text)} is not a time in UTC", remedy=remedy)
        return None
