"""Which node gets which rank: neighbours in the network get neighbouring ranks. Pure.

AWS answers DescribeInstanceTopology with the network nodes above an instance, from the top layer down to the one that
it is attached to (EC2 User Guide, "How Amazon EC2 topology works", read 2026-11-23). Rings and trees of collectives
mostly talk to the next rank, so ranks below one switch belong together.
"""

from __future__ import annotations

from collections.abc import Sequence

from fleet_pool.compat import frozen


@frozen
class Member:
    """A node that offers itself. incarnation: of its agent, new at every start. layers: network nodes above it, from
    the top; empty if unknown. unknown: why."""

    instance: str
    incarnation: str
    address: str
    layers: tuple[str, ...] = ()
    unknown: str = ""


@frozen
class Order:
    """Members by rank, and what the ranks follow."""

    members: tuple[Member, ...]
    why: str


def rank_order(members: Sequence[Member], wanted: int) -> Order:
    """The first `wanted` members: by network layers, then by instance id; by instance id alone if the layers of any
    are unknown."""
    unknown = sorted(member.instance for member in members if not member.layers)
    if unknown:
        first = next(member for member in members if member.instance == unknown[0])
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        why = f"by instance id: no network layers of {first.instance}{more} ({first.unknown or 'AWS names none'})"
        ordered = sorted(members, key=lambda member: member.instance)
        return Order(members=tuple(ordered[:wanted]), why=why)
    ordered = sorted(members, key=lambda member: (member.layers, member.instance))
    return Order(members=tuple(_closest(ordered, wanted)), why="by network layers, then by instance id")


def _closest(ordered: Sequence[Member], wanted: int) -> Sequence[Member]:
    """With spare nodes: the stretch of the order that hangs below the fewest network nodes, the first of equals."""
    starts = range(max(1, len(ordered) - wanted + 1))

    def spread(start: int) -> tuple[int, ...]:
        some = ordered[start : start + wanted]
        deepest = max((len(member.layers) for member in some), default=0)
        return tuple(len({member.layers[: depth + 1] for member in some}) for depth in range(deepest))

    best = min(starts, key=lambda start: (spread(start), start))
    return ordered[best : best + wanted]
