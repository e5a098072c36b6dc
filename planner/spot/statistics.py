"""What a recording says of its market: how much could be had, how often it was lost, how long it took to come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from planner.spot.trace import HOURS_PER_DAY, Flags, Trace, spells_of


@dataclass(frozen=True, kw_only=True)
class SpellLengths:
    """Lengths of the spells that a recording has whole, in hours; None where it has none.

    mean_hours counts the spells that the recording cuts off too: hours in all spells by the ends seen (the maximum
    likelihood of a constant rate). The quantiles are of whole spells alone.
    """

    whole: int
    mean_hours: float | None
    p10_hours: float | None
    median_hours: float | None
    p90_hours: float | None


@dataclass(frozen=True, kw_only=True)
class Market:
    """One series, for a gang of `gang` nodes.

    available_fraction: of the ticks, those in which the whole gang could run. all_or_none_fraction: in which all nodes
    or none could. node_fraction: of the nodes, on average. interruptions: of the gang. interruption_free_hours: mean
    time that the gang runs between interruptions (gang MTBF). wait_hours: mean time from an interruption until the
    gang is complete again. first_wait_hours: the same from a random moment, zero where the gang is there.
    losses_per_node_day: nodes lost, by day that a node was held. hazard_first_hour, hazard_later: chance per hour of
    losing a complete gang, in its first hour and after it. usd_per_hour: mean price while the gang could run.
    """

    trace: Trace
    gang: int
    available_fraction: float
    all_or_none_fraction: float
    node_fraction: float
    interruptions: int
    up: SpellLengths
    down: SpellLengths
    first_wait_hours: float | None
    losses: int
    losses_per_node_day: float | None
    hazard_first_hour: float | None
    hazard_later: float | None
    usd_per_hour: float | None

    @property
    def interruption_free_hours(self) -> float | None:
        return self.up.mean_hours

    @property
    def wait_hours(self) -> float | None:
        return self.down.mean_hours


def market_of(trace: Trace, gang: int | None = None) -> Market:
    """What a series says of gangs of this size; without one, of as many nodes as it ever shows (at least one)."""
    size = max(gang or trace.most, 1)
    up = trace.up(size)
    held = np.minimum(trace.nodes, size)
    lost = int(np.maximum(held[:-1] - held[1:], 0).sum())
    node_days = float(held.sum()) * trace.tick_hours / HOURS_PER_DAY
    first, later = _hazards(up, trace.tick_hours)
    prices = trace.usd_per_hour
    return Market(
        trace=trace,
        gang=size,
        available_fraction=float(up.mean()),
        all_or_none_fraction=float(((held == 0) | up).mean()),
        node_fraction=float(held.mean() / size),
        interruptions=int((up[:-1] & ~up[1:]).sum()),
        up=_lengths(up, trace.tick_hours),
        down=_lengths(~up, trace.tick_hours),
        first_wait_hours=_first_wait(up, trace.tick_hours),
        losses=lost,
        losses_per_node_day=lost / node_days if node_days else None,
        hazard_first_hour=first,
        hazard_later=later,
        usd_per_hour=float(prices[up].mean()) if prices is not None and up.any() else None,
    )


def _lengths(flags: Flags, tick_hours: float) -> SpellLengths:
    """Of the spells in which a flag is set."""
    spells = spells_of(flags)
    ends = int((flags[:-1] & ~flags[1:]).sum())
    whole = spells.length[spells.up & spells.whole] * tick_hours
    p10, p50, p90 = (float(x) for x in np.quantile(whole, (0.1, 0.5, 0.9))) if len(whole) else (None, None, None)
    mean = float(flags.sum()) * tick_hours / ends if ends else None
    return SpellLengths(whole=len(whole), mean_hours=mean, p10_hours=p10, median_hours=p50, p90_hours=p90)


def _first_wait(up: Flags, tick_hours: float) -> float | None:
    """Mean hours from a random tick until the gang is there, over the ticks after which the recording shows it."""
    if not up.any():
        return None
    known = up[: len(up) - int(np.argmax(up[::-1]))]
    at = np.arange(len(known))
    following = np.minimum.accumulate(np.where(known, at, len(known))[::-1])[::-1]
    return float((following - at).mean() * tick_hours)


def _hazards(up: Flags, tick_hours: float) -> tuple[float | None, float | None]:
    """Interruptions per hour held, within the first hour of a spell and later. The first spell of a recording has no
    known age and is left out."""
    ages = ages_of(up)
    known = up & (ages > 0)
    at_risk, lost = known[:-1], known[:-1] & ~up[1:]
    young = ages[:-1] * tick_hours <= 1

    def rate(which: Flags) -> float | None:
        hours = float((at_risk & which).sum()) * tick_hours
        return float((lost & which).sum()) / hours if hours else None

    return rate(young), rate(~young)


def ages_of(flags: Flags) -> NDArray[np.int64]:
    """How many ticks each tick's state has lasted, this one included; 0 in the first spell, whose age is unknown."""
    spells = spells_of(flags)
    age = np.arange(len(flags)) - np.repeat(spells.start, spells.length) + 1
    age[: spells.length[0]] = 0
    return age


def any_of_zones(series: Sequence[Flags]) -> tuple[float, ...]:
    """Share of the ticks in which at least one of k zones has capacity, for k = 1 to all, as the mean over every choice
    of k zones. With u of n zones up, a choice of k misses them all in C(n-u, k) of C(n, k) cases."""
    together = np.array(series)
    zones = len(together)
    seen = np.bincount(together.sum(axis=0), minlength=zones + 1) / together.shape[1]
    return tuple(
        float(sum(share * (1 - comb(zones - u, k) / comb(zones, k)) for u, share in enumerate(seen)))
        for k in range(1, zones + 1)
    )
