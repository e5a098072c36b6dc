"""Which node is slow, from the bandwidth of sets of nodes, and what earlier passes make of it. Pure.

A collective over a set runs at the pace of its slowest node. So a set that is fast clears all its nodes, and a set that
is slow is halved. A node alone has no partner: the last suspects are tried with nodes that are known to be well.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from fleet_pool.compat import frozen

FEWEST_PASSES = 3  # before a median of earlier passes is a reference
Nodes = tuple[str, ...]


@frozen
class Searched:
    """slow: with every well node they were tried with. unclear: no two of these nodes are fast together, so the
    network or the measurement may be at fault."""

    slow: Nodes
    unclear: Nodes


def slow_nodes(nodes: Sequence[str], fast: Callable[[Nodes], bool]) -> Searched:
    """fast: whether a set of two or more nodes is. About 2 log2(n) sets for one slow node."""
    every = tuple(nodes)
    if len(every) < 2 or fast(every):
        return Searched(slow=(), unclear=())
    well: list[str] = []
    suspects: list[str] = []
    sets: list[Nodes] = [every]
    if len(every) == 2:
        return Searched(slow=(), unclear=every)
    while sets:
        whole = sets.pop()
        middle = (len(whole) + 1) // 2
        for half in (whole[:middle], whole[middle:]):
            if len(half) == 1:
                suspects += half
            elif fast(half):
                well += half
            elif len(half) == 2:
                suspects += half
            else:
                sets.append(half)
    suspects.sort(key=every.index)
    if not well:
        well = list(next(filter(fast, combinations(suspects, 2)), ()))
        if not well:
            return Searched(slow=(), unclear=every)
    # slow with two well nodes where there are two, so that one bad pass accuses nobody
    slow = [node for node in suspects if node not in well and not any(fast((witness, node)) for witness in well[:2])]
    return Searched(slow=tuple(slow), unclear=())


def rounds(nodes: Sequence[str], number: int) -> list[list[Nodes]]:
    """Pairs that run at the same time, in rounds: every node has another partner in each (circle method)."""
    ring: list[str | None] = [*nodes, *([None] if len(nodes) % 2 else [])]
    found = []
    for _ in range(min(number, len(ring) - 1)):
        halves = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]))
        found.append([(a, b) for a, b in halves if a is not None and b is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return found


def slow_in_pairs(gb_s: Mapping[Nodes, float], share: float) -> Nodes:
    """Nodes whose best pair is below that share of the median of all nodes' best: a slow node spoils its partners'
    passes with it, not their other ones."""
    best: dict[str, float] = {}
    for pair, speed in gb_s.items():
        for node in pair:
            best[node] = max(best.get(node, 0.0), speed)
    if not best:
        return ()
    limit = share * statistics.median(best.values())
    return tuple(sorted(node for node, speed in best.items() if speed < limit))


@frozen
class Pass:
    """One measurement. gb_s: bus bandwidth (NVIDIA/nccl-tests, PERFORMANCE.md), 0 if it did not end. program: what
    measured, since figures of two programs are not compared."""

    at_s: float
    program: str
    nodes: Nodes
    gb_s: float


@frozen
class Usual:
    """Of earlier passes over as many nodes with the same program. passes: how many."""

    passes: int
    median: float
    p5: float


def usual(passes: Sequence[Pass], program: str, nodes: int) -> Usual | None:
    """None below FEWEST_PASSES. Passes that did not end do not count."""
    speeds = sorted(p.gb_s for p in passes if p.program == program and len(p.nodes) == nodes and p.gb_s > 0)
    if len(speeds) < FEWEST_PASSES:
        return None
    return Usual(passes=len(speeds), median=statistics.median(speeds), p5=percentile(speeds, 0.05))


def percentile(ordered: Sequence[float], share: float) -> float:
    """Between neighbours in proportion. ordered: sorted, not empty."""
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def bus_gb_s(size_bytes: float, seconds: float, ranks: int) -> float:
    """Bus bandwidth of one all-reduce (nccl-tests, PERFORMANCE.md): size / time * 2 (n - 1) / n."""
    return size_bytes / seconds * 2 * (ranks - 1) / ranks / 1e9
