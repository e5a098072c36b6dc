"""Capacity Blocks: no placement group, valid schedules, and all nodes stopped before the block ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    GROUP,
    INSTANCE,
    TEMPLATE,
    is_block,
    node_configs,
    placement_of,
    templates_of,
)
from planner.lint.read.values import at, flag, given, literal, many, texts, whole
from planner.lint.rule import Hits, rule

SCHEDULE = "autoscaling:Schedule"
NOTICE = timedelta(minutes=30)  # AWS starts to terminate the nodes of a block this long before its end


@rule(
    "PG-BLOCK",
    GROUP,
    TEMPLATE,
    what="a placement group with a Capacity Block",
    why="Every launch fails: nodes of a Capacity Block are already placed close together, and EC2 rejects a "
    "placement group",
    remedy="Remove the placement group",
    example="placement.groupName with marketType capacity-block",
)
def placement_group_with_block(graph: Graph) -> Hits:
    seen = set()
    for group in [*graph.of(GROUP), *graph.of(TEMPLATE)]:
        templates = [group] if group.kind == TEMPLATE else templates_of(graph, group)
        for resource, where, _ in placement_of(graph, group) if any(map(is_block, templates)) else ():
            if (resource, where) not in seen:
                seen.add((resource, where))
                yield resource, where, "a placement group with a Capacity Block"


@rule(
    "BLOCK-MARKET",
    TEMPLATE,
    INSTANCE,
    what="a Capacity Block without its market type",
    why="Every launch fails, and the block is paid: EC2 starts nodes in a Capacity Block only with the market type "
    "capacity-block",
    remedy="Set instanceMarketOptions.marketType: capacity-block",
    example="capacityReservationId of a Capacity Block, and no instanceMarketOptions",
)
def block_without_market_type(graph: Graph) -> Hits:
    """EC2 User Guide, "Launch instances using Capacity Blocks"."""
    bought_so = str(graph.stack.get("scenario", "")).endswith("/capacity-block")
    for template in node_configs(graph):
        where = "capacityReservationSpecification.capacityReservationTarget.capacityReservationId"
        target = at(template.inputs, where)
        if not given(target) or is_block(template) or given(at(template.inputs, "instanceMarketOptions.marketType")):
            continue
        of_block = graph.target(target, "ec2:CapacityBlockReservation") is not None
        users = [group for group in graph.of(GROUP) if template in templates_of(graph, group)]
        if of_block or bought_so or any(True for group in users for _ in _ends(graph, group)):
            yield template, "instanceMarketOptions", "launches into a Capacity Block as an On-Demand node"


def _time(value: object) -> datetime | None:
    text = literal(value)
    try:
        found = datetime.fromisoformat(text) if text else None
        return found and (found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _ends(graph: Graph, group: Resource) -> Iterator[datetime]:
    """When a group's block ends, if the graph says: from a reservation, or a tag that ends in `block-ends`."""
    for template in templates_of(graph, group):
        target = at(template.inputs, "capacityReservationSpecification.capacityReservationTarget.capacityReservationId")
        found = graph.target(target, "ec2:CapacityBlockReservation", "ec2:CapacityReservation")
        if found and (end := _time(found.inputs.get("endDate"))):
            yield end
    for resource in [group, *templates_of(graph, group)]:
        for tag in many(resource.inputs.get("tags")):
            pairs = [(tag.get("key"), tag.get("value"))] if "key" in tag else tag.items()
            for key, value in pairs:
                if isinstance(key, str) and key.endswith(("block-ends", "block_ends")) and (end := _time(value)):
                    yield end
    for key in ("block_ends", "blockEnds"):
        if end := _time(graph.stack.get(key)):
            yield end


def _hour_of_a_block(moment: datetime) -> bool:
    """Whether a time is within 30 minutes before 11:30 UTC, when every block ends."""
    return NOTICE >= moment.replace(hour=11, minute=30, second=0, microsecond=0) - moment >= timedelta(0)


@rule(
    "BLOCK-END",
    GROUP,
    SCHEDULE,
    what="nodes of a Capacity Block that run until AWS terminates them",
    why="Unsaved work is lost: AWS starts to terminate the nodes 30 minutes before the block ends (11:30 UTC)",
    remedy="Add a scheduled action that sets min, desired and max to 0 more than 30 minutes before the end, and "
    "remove protectFromScaleIn",
    example="a scheduled action at 11:15 UTC of the last day",
)
def nodes_at_end_of_block(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        if not any(map(is_block, templates_of(graph, group))):
            continue
        schedules = graph.pointing(group, SCHEDULE, "autoscalingGroupName")
        down = [
            s for s in schedules if whole(s.inputs.get("desiredCapacity")) == 0 or whole(s.inputs.get("maxSize")) == 0
        ]
        if not down:
            yield group, "", "no scheduled action sets the group to 0 nodes before the block ends"
        ends = min(_ends(graph, group), default=None)
        for schedule in down:
            start = _time(schedule.inputs.get("startTime"))
            late = start is not None and (ends - start <= NOTICE if ends else _hour_of_a_block(start))
            if late and start is not None:
                end = f"{ends:%Y-%m-%d %H:%M} UTC" if ends else "11:30 UTC, when blocks end"
                yield schedule, "startTime", f"{start:%Y-%m-%d %H:%M} is less than 30 minutes before {end}"
            for key in ("minSize", "desiredCapacity"):
                value = schedule.inputs.get(key)
                unknown = isinstance(value, str) and literal(value) is None
                if not unknown and whole(value) != 0:
                    said = "not set to 0" if value is None else f"{value}, not 0"
                    yield schedule, key, f"{said}, so the group keeps its nodes"
        if flag(group.inputs.get("protectFromScaleIn")):
            yield group, "protectFromScaleIn", "protected nodes keep running despite the scheduled action"
        stopped = {"ScheduledActions", "Terminate"} & set(texts(group.inputs.get("suspendedProcesses")))
        if stopped:
            message = f"with {' and '.join(sorted(stopped))} suspended, no scheduled action terminates the nodes"
            yield group, "suspendedProcesses", message


@rule(
    "SCHEDULE-TIME",
    SCHEDULE,
    what="a scheduled action without a valid time",
    why="AWS rejects the action: startTime has the form YYYY-MM-DDThh:mm:ssZ, in UTC",
    remedy="Set a time such as 2026-12-01T10:45:00Z, or a recurrence",
    example="startTime: tomorrow",
)
def invalid_schedule_time(graph: Graph) -> Hits:
    for schedule in graph.of(SCHEDULE):
        for key in ("startTime", "endTime"):
            value = literal(schedule.inputs.get(key))
            if value and not (re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value) and _time(value)):
                yield schedule, key, f"{value!r} is not a time in UTC"
        if not given(schedule.inputs.get("startTime")) and not given(schedule.inputs.get("recurrence")):
            yield schedule, "startTime", "neither a time nor a recurrence"
