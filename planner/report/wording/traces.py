"""The words of `traces show`: what each recording says of its market, and how well drawn ones would be like it."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.wording.figures import percent
from planner.report.wording.table import Column
from planner.spot.shown import Shown, Zones
from planner.spot.statistics import SpellLengths


def hours(value: float | None) -> str:
    """Three digits below a hundred hours."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def columns(shown: Sequence[Shown]) -> list[Column]:
    """The table: first what a planner needs, then what a wide terminal has room for."""
    markets = [one.market for one in shown]
    return [
        Column(title="Trace", values=[m.trace.name for m in markets], text=True),
        Column(title="Nodes", values=[str(m.gang) for m in markets]),
        Column(title="Days", values=[f"{m.trace.days:.1f}" for m in markets]),
        Column(title="Available", values=[percent(m.available_fraction) for m in markets]),
        Column(title="Interrupted", values=[str(m.interruptions) for m in markets]),
        Column(title="MTBF h", values=[hours(m.interruption_free_hours) for m in markets]),
        Column(title="Wait h", values=[hours(m.wait_hours) for m in markets]),
        Column(title="First wait h", values=[hours(m.first_wait_hours) for m in markets], keep=2),
        Column(title="All or none", values=[percent(m.all_or_none_fraction) for m in markets], keep=4),
        Column(title="Lost/h, 1st h", values=[rate(m.hazard_first_hour) for m in markets], keep=3),
        Column(title="later", values=[rate(m.hazard_later) for m in markets], keep=3),
        Column(title="Lost/node-day", values=[rate(m.losses_per_node_day) for m in markets], keep=2),
        Column(title="Up P10/P50/P90 h", values=[spells(one.market.up) for one in shown], keep=5),
        Column(title="Down P10/P50/P90 h", values=[spells(one.market.down) for one in shown], keep=5),
        Column(title="$/h", values=[rate(m.usd_per_hour) for m in markets], keep=4),
    ]


def spells(lengths: SpellLengths) -> str:
    ends = (lengths.p10_hours, lengths.median_hours, lengths.p90_hours)
    return "-" if not lengths.whole else "/".join(hours(end) for end in ends)


def laws(shown: Sequence[Shown]) -> list[Column]:
    """The fitted generators, two rows each; none for a recording with too few spells."""
    rows = [
        (one, name, fit)
        for one in shown
        if one.generator is not None
        for name, fit in (("up", one.generator.up), ("down", one.generator.down))
    ]
    return [
        Column(title="Generator", values=[one.market.trace.name for one, _, _ in rows], text=True),
        Column(title="Spells", values=[f"{fit.spells} {name}" for _, name, fit in rows]),
        Column(title="Law", values=[fit.name for _, _, fit in rows], text=True),
        Column(title="Shape", values=[f"{fit.law.shape:.2f}" for _, _, fit in rows]),
        Column(
            title="Scale h", values=[hours(fit.law.scale_ticks * one.market.trace.tick_hours) for one, _, fit in rows]
        ),
        Column(title="KS", values=[f"{fit.ks_distance:.2f}" for _, _, fit in rows]),
        Column(title="5% limit", values=[f"{fit.ks_limit:.2f}" for _, _, fit in rows], keep=1),
        Column(title="Fits", values=["yes" if fit.fits else "no" for _, _, fit in rows], text=True),
    ]


LAWS = (
    "Generator: lengths of spells with and without the gang, drawn in turns. Shape below 1: the longer a spell has "
    "lasted, the less likely it is to end. KS: largest difference between the recorded and the fitted distribution; a "
    "law fits up to its 5% limit."
)


def as_counted(shown: Sequence[Shown]) -> str:
    """The line of a plan that has the first of these recordings as its own count; "" where its gang never ran."""
    market = shown[0].market
    held = market.available_fraction * market.trace.days * market.gang
    if not held:
        return ""
    waits = "" if market.wait_hours is None else f", wait: {hours(market.wait_hours)}h"
    counted = f"{{interruptions: {market.interruptions}, node_days: {held:.6g}, nodes: {market.gang}{waits}}}"
    return f"A plan takes {market.trace.name} as its own count with --set 'reliability.spot_observed={counted}'"


def missing(shown: Sequence[Shown]) -> list[str]:
    """What the generators do not carry over, as sentences."""
    found: list[str] = []
    for one in shown:
        name, made = one.market.trace.name, one.generator
        if made is None:
            found.append(f"{name}: too few whole spells to fit a generator.")
        elif abs(made.correlation) > made.correlation_limit:
            found.append(
                f"{name}: long spells with the gang coincide with {'long' if made.correlation > 0 else 'short'} ones "
                f"without it (correlation {made.correlation:+.2f}, 5% limit {made.correlation_limit:.2f}); the "
                "generator draws them independently."
            )
    return found


def zones(found: Zones) -> str:
    """How much more any of several zones has than one."""
    shares = [f"{k}: {percent(share)}" for k, share in enumerate(found.fractions, 1)]
    return (
        f"Capacity in at least one of k zones, mean over all choices of k ({found.days:.1f} days that every trace has, "
        f"ticks of {found.gap_seconds} s): {', '.join(shares)}."
    )
