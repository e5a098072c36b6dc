"""Everything that `planner traces show` says of some recordings, before any format lays it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.spot.generator import Generator, fitted
from planner.spot.statistics import Market, any_of_zones, market_of
from planner.spot.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One recording. generator: None if it has too few spells to fit one."""

    market: Market
    generator: Generator | None


@dataclass(frozen=True, kw_only=True)
class Zones:
    """Several recordings of one data set together. fractions: of the ticks in which at least one of k zones has
    capacity, for k = 1 to all. days: that all of them cover."""

    gap_seconds: int
    days: float
    fractions: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Recordings:
    """zones: None unless there are several recordings with the same tick."""

    shown: tuple[Shown, ...]
    zones: Zones | None


def recordings_of(traces: Sequence[Trace], nodes: int | None = None) -> Recordings:
    """nodes: size of the gang; without it, as many as each recording ever shows. Recordings are taken as zones from
    their first tick on, as their format has no time of day."""
    markets = [market_of(trace, nodes) for trace in traces]
    shown = tuple(Shown(market=one, generator=fitted(one.trace.up(one.gang))) for one in markets)
    gaps = {trace.gap_seconds for trace in traces}
    if len(traces) < 2 or len(gaps) > 1:
        return Recordings(shown=shown, zones=None)
    ticks = min(trace.ticks for trace in traces)
    common = traces[0].first(ticks)
    fractions = any_of_zones([one.trace.up(one.gang)[:ticks] for one in markets])
    return Recordings(shown=shown, zones=Zones(gap_seconds=gaps.pop(), days=common.days, fractions=fractions))
