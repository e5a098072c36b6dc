"""Capacity Blocks against the time of day: one that is over holds no node, one that has begun needs no start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from planner.stack.finding import Finding
from planner.stack.spec import BEFORE_END, ClusterSpec, is_known
from planner.stack.timestamps import parse_timestamp


def over(spec: ClusterSpec, now: datetime) -> Iterator[Finding]:
    """Each block that is over at that time, or so near its end that the fleet would be scaled to zero at once.

    spec: without findings of its own, so that its times can be read.
    """
    for number, block in enumerate(spec.blocks):
        if is_known(block.ends) and parse_timestamp(block.ends) - BEFORE_END <= now:
            at = ("buying", "further_blocks", number - 1) if number else ("buying",)
            yield Finding(
                path=(*at, "ends"),
                message=f"the Capacity Block {block.reservation_id} ends at {block.ends}, and it is "
                f"{now:%Y-%m-%dT%H:%MZ}: no node of it starts from 45 minutes before its end on",
                remedy="buy another with `planner reserve`, go on On-Demand with `planner leave`, or remove the stack",
            )


def begun(spec: ClusterSpec, now: datetime) -> ClusterSpec:
    """The spec without the starts that are past: AWS refuses a scheduled action in the past, and drops one that ran.

    terraform-provider-aws pull request 3033: "Given start time is in the past".
    """
    buying = spec.buying
    further = tuple(replace(block, starts=_later(block.starts, now)) for block in buying.further_blocks)
    starts = _later(buying.starts, now)
    if (starts, further) == (buying.starts, buying.further_blocks):
        return spec
    return replace(spec, buying=replace(buying, starts=starts, further_blocks=further))


def _later(starts: str, now: datetime) -> str:
    return starts if is_known(starts) and parse_timestamp(starts) > now else "" if is_known(starts) else starts
