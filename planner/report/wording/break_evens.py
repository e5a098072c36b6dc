"""Sentences about what would change a decision: how a knob's value is written, what takes over from where."""

from __future__ import annotations

from planner.decide.break_evens import Flip, Search
from planner.decide.parameters import FIT, Knob
from planner.decide.study import Study
from planner.estimate.spot import SPOT_HAZARD, SPOT_PRICE
from planner.plan.assumptions import COUNTED
from planner.report.wording import figures
from planner.report.wording.answer import CLOSE

NAMES = {
    SPOT_HAZARD: "rate of spot reclaims",
    SPOT_PRICE: "spot price",
    FIT: "error of the fitted throughput",
}
_A_NODE_DAY = " a node-day"


def name(knob: Knob) -> str:
    """The key; a stream of draws, which has none that anybody can set, in words."""
    return NAMES.get(knob.key, knob.key) if not knob.path else knob.key


def value(knob: Knob, number: float) -> str:
    """A value with its unit, as a reader says it: `0.0203 a node-day`, `3,350 TB`, `62%`, `5th percentile`."""
    if not knob.path:
        end = knob.ends[0] if number == knob.low else knob.ends[1] if number == knob.high else ""
        return f"{round(number * 100)}th percentile" + (f" ({end})" if end else "")
    if knob.unit == "fraction":
        return f"{figures.plain(number * 100, 4)}%"
    if knob.unit.startswith("1/"):
        return f"{figures.plain(number, 4)} a {knob.unit[2:].strip('()')}"
    if knob.unit == "ratio":
        return figures.plain(number, 4)
    if knob.unit == "USD/h":
        return f"${figures.plain(number, 4)}/h"
    unit = COUNTED[knob.unit] if number == 1 and knob.unit in COUNTED else knob.unit
    return f"{figures.plain(number, 4)} {unit}"


def compared(number: float) -> str:
    """Six digits: enough to compare."""
    return figures.plain(number, 6) if abs(number) < 1e6 else f"{number:,.0f}"


def end_of(knob: Knob, which: int) -> str:
    """The low (0) or the high (1) end for a column whose unit is `unit_of`; of a stream of draws what its percentile
    means, or the percentile where that differs by fleet."""
    number = (knob.low, knob.high)[which]
    if knob.path:
        return figures.plain(number, 4)
    return knob.ends[which].removesuffix(_A_NODE_DAY) or f"P{round(number * 100)}"


def unit_of(knob: Knob) -> str:
    """The unit of the ends of a knob."""
    if knob.path:
        return knob.unit
    return "1/(node-day)" if knob.ends[0].endswith(_A_NODE_DAY) else ""


def setting(knob: Knob, number: float) -> str:
    """What to type to plan with it: `--set data.hot_dataset=3350TB`; nothing for a stream."""
    return f"--set {knob.path}={number:.15g}{knob.suffix}" if knob.path else ""


def short_id(scenario_id: str, fleet: str) -> str:
    """A scenario's id without the instance type where all have the same."""
    layout, _, rest = scenario_id.partition("/")
    return f"{layout}, {rest.partition('/')[2]}" if fleet else scenario_id


def flipped(study: Study) -> list[Search]:
    """What changes the leader: first what does so inside its range, then what the plan states without one, then what
    lies beyond its range; of each the nearest in proportion first."""
    found = [entry for entry in study.searches if entry.flips]

    def place(entry: Search) -> tuple[int, float, str]:
        inside = any(flip.inside for flip in entry.flips)
        group = 0 if inside else 1 if entry.knob.low == entry.knob.high else 2
        return group, min(map(_far, entry.flips)), entry.knob.key

    return sorted(found, key=place)


def _far(flip: Flip) -> float:
    planned = flip.knob.value or flip.knob.high or 1.0
    return abs(flip.value - flip.knob.value) / abs(planned)


def unmoved(study: Study) -> list[Search]:
    """What was tried and changes nothing."""
    return [entry for entry in study.searches if not entry.flips]


def untried(study: Study) -> str:
    """What was not searched, as a sentence; "" where nothing was left out."""
    if not study.unsearched:
        return ""
    names = ", ".join(name(knob) for knob in study.unsearched)
    return f"Not searched, since no plan can name one value of it: {names}; the table above has what its ends do."


def takes_over(flip: Flip, fleet: str = "") -> str:
    """`from 3,350 TB on: s3-stream, spot`."""
    side = "on" if flip.value > flip.knob.value else "down"
    beyond = " (beyond its range)" if not flip.inside and flip.knob.low < flip.knob.high else ""
    then = short_id(flip.first, fleet) if flip.first else "nothing is feasible"
    if flip.first and flip.before and flip.before_usd is None:
        then += f", since {short_id(flip.before, fleet)} is no longer feasible"
    return f"from {value(flip.knob, flip.value)} {side}{beyond}: {then}"


def flip_sentence(entry: Search, fleet: str = "") -> str:
    """`data.hot_dataset, planned 2,200 TB: from 3,350 TB on: s3-stream, spot`."""
    planned = f"{name(entry.knob)}, planned {value(entry.knob, entry.knob.value)}"
    return f"{planned}; " + "; ".join(takes_over(flip, fleet) for flip in sorted(entry.flips, key=_far))


def lead(study: Study, fleet: str = "") -> str:
    """By how much the cheapest leads as planned, and whether that is little; how sure it is, the draws say."""
    if len(study.ranking) < 2:
        return "It is the only scenario that is feasible and completely priced."
    first, second = study.ranking[:2]
    gap = second.cost_usd - first.cost_usd
    share = gap / first.cost_usd if first.cost_usd else 0.0
    text = f"{short_id(first.id, fleet)} leads {short_id(second.id, fleet)} by ${figures.dollars(gap)} ({share:.1%})"
    return text + (": a small lead" if share < CLOSE else "")
