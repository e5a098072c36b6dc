"""What would change the answer, in words: values of parameters, break-evens, and by how much the cheapest leads."""

from __future__ import annotations

import math
from shlex import quote

from planner.answer.recommend import SMALL
from planner.decide.break_evens import BreakEven, Search
from planner.decide.parameters import FIT, PER_NODE_DAY, Parameter
from planner.decide.sensitivity import Swing
from planner.decide.study import Study
from planner.estimate.spot import INTERRUPTION_STREAM, PRICE_STREAM
from planner.plan.assumptions import COUNTED
from planner.report.wording import figures, rounding

NAMES = {
    INTERRUPTION_STREAM: "spot interruption rate",
    PRICE_STREAM: "spot price",
    FIT: "error of the throughput fit",
}
INFEASIBLE = "not feasible"
NOTHING_FEASIBLE = "nothing is feasible"


def name(parameter: Parameter) -> str:
    """The key; words for a stream of draws, which has no key that a plan can set."""
    return NAMES.get(parameter.key, parameter.key) if not parameter.path else parameter.key


def value(parameter: Parameter, number: float) -> str:
    """A value with its unit, as a reader says it: `0.0203 a node-day`, `3,350 TB`, `62%`, `5th percentile`."""
    if not parameter.path:
        which = {parameter.low: 0, parameter.high: 1}.get(number)
        meaning = "" if which is None else end_meaning(parameter, which)
        return f"{round(number * 100)}th percentile" + (f" ({meaning})" if meaning else "")
    if parameter.unit == "fraction":
        return f"{figures.plain(number * 100, 4)}%"
    if parameter.unit.startswith("1/"):
        return f"{figures.plain(number, 4)} a {parameter.unit[2:].strip('()')}"
    if parameter.unit == "ratio":
        return figures.plain(number, 4)
    if parameter.unit == "USD/h":
        return f"${figures.plain(number, 4)}/h"
    unit = COUNTED[parameter.unit] if number == 1 and parameter.unit in COUNTED else parameter.unit
    return f"{figures.plain(number, 4)} {unit}"


def compared(number: float) -> str:
    """Six digits: enough to compare."""
    return figures.plain(number, 6) if abs(number) < 1e6 else f"{number:,.0f}"


def end_of(parameter: Parameter, which: int) -> str:
    """The low (0) or the high (1) end for a column whose unit is `unit_of`. For a stream of draws it is the value at
    that percentile, or the percentile itself if there is no single value."""
    number = (parameter.low, parameter.high)[which]
    if parameter.path:
        return figures.plain(number, 4)
    if parameter.ends is None:
        return f"P{round(number * 100)}"
    return _rate(parameter.ends[which]) if parameter.ends_unit == PER_NODE_DAY else _hourly(parameter.ends[which])


def end_meaning(parameter: Parameter, which: int) -> str:
    """The value at the low (0) or the high (1) percentile of a stream of draws, with its unit; "" if there is none."""
    if parameter.ends is None:
        return ""
    per_node_day = parameter.ends_unit == PER_NODE_DAY
    return f"{_rate(parameter.ends[which])} a node-day" if per_node_day else _hourly(parameter.ends[which])


def _rate(number: float) -> str:
    return f"{number:.3g}"


def _hourly(usd: float) -> str:
    return f"${usd:,.2f}/h"


def unit_of(parameter: Parameter) -> str:
    """The unit of `end_of`; "" if the text has it already."""
    if parameter.path:
        return parameter.unit
    return parameter.ends_unit if parameter.ends_unit == PER_NODE_DAY and parameter.ends else ""


def setting(parameter: Parameter, number: float) -> str:
    """What to type to plan with it: `--set data.hot_dataset=3350TB`; nothing for a stream."""
    if not parameter.path:
        return ""
    return f"--set {quote(f'{parameter.path}={parameter.prefix}{number:.15g}{parameter.suffix}')}"


def short_id(scenario_id: str, fleet: str) -> str:
    """A scenario's id without the instance type where all have the same."""
    layout, _, rest = scenario_id.partition("/")
    return f"{layout}, {rest.partition('/')[2]}" if fleet else scenario_id


def with_break_evens(study: Study) -> list[Search]:
    """What changes the leader: first what does so inside its range, then what the plan states without one, then what
    lies beyond its range; of each the nearest in proportion first."""
    found = [entry for entry in study.searches if entry.break_evens]

    def place(entry: Search) -> tuple[int, float, str]:
        inside = any(break_even.inside for break_even in entry.break_evens)
        group = 0 if inside else 1 if entry.parameter.low == entry.parameter.high else 2
        return group, min(map(_far, entry.break_evens)), entry.parameter.key

    return sorted(found, key=place)


def _far(break_even: BreakEven) -> float:
    planned = break_even.parameter.value or break_even.parameter.high or 1.0
    return abs(break_even.value - break_even.parameter.value) / abs(planned)


def unmoved(study: Study) -> list[Search]:
    """What was tried and changes nothing."""
    return [entry for entry in study.searches if not entry.break_evens]


def untried(study: Study) -> str:
    """What was not searched; "" where everything was."""
    if not study.unsearched:
        return ""
    names = ", ".join(name(parameter) for parameter in study.unsearched)
    return (
        f"Not searched, because a plan cannot set a single value of it: {names}. The table above shows the effect of "
        "its low and high end."
    )


def planned_value(parameter: Parameter) -> str:
    return value(parameter, parameter.value) if parameter.path else "as observed"


def cheapest_at_ends(swing: Swing, leader: str) -> str:
    """Which other scenario is the cheapest at the low and at the high end."""
    ends = (("low", swing.low), ("high", swing.high))
    found = [f"at {which}: {end.first or NOTHING_FEASIBLE}" for which, end in ends if end.first != leader]
    return "; ".join(found) or "the same"


def start(break_even: BreakEven) -> str:
    """`3,350 TB and up`."""
    side = "up" if break_even.value > break_even.parameter.value else "down"
    return f"{value(break_even.parameter, break_even.value)} and {side}"


def beyond(break_even: BreakEven) -> str:
    """Said where the break-even lies outside the range of the assumption."""
    return "beyond its range" if not break_even.inside and break_even.parameter.low < break_even.parameter.high else ""


def cheapest_from(break_even: BreakEven, fleet: str = "") -> str:
    return short_id(break_even.first, fleet) if break_even.first else NOTHING_FEASIBLE


def takes_over(break_even: BreakEven, fleet: str = "") -> str:
    """`above 3,350 TB: s3-stream, spot becomes the cheapest`."""
    side = "above" if break_even.value > break_even.parameter.value else "below"
    outside = f" ({beyond(break_even)})" if beyond(break_even) else ""
    where = f"{side} {value(break_even.parameter, break_even.value)}{outside}"
    if not break_even.first:
        return f"{where}: {NOTHING_FEASIBLE}"
    because = ""
    if break_even.before and break_even.before_usd is None:
        because = f", because {short_id(break_even.before, fleet)} is no longer feasible"
    return f"{where}: {short_id(break_even.first, fleet)} becomes the cheapest{because}"


def break_even_sentence(entry: Search, fleet: str = "") -> str:
    """`data.hot_dataset (planned: 2,200 TB): above 3,350 TB: s3-stream, spot becomes the cheapest`."""
    return f"{_planned(entry.parameter)} " + "; ".join(
        takes_over(f, fleet) for f in sorted(entry.break_evens, key=_far)
    )


def nearest(entry: Search, fleet: str = "") -> str:
    """The same with the first break-even alone."""
    return f"{_planned(entry.parameter)} {takes_over(entry.break_evens[0], fleet)}"


def _planned(parameter: Parameter) -> str:
    return f"{name(parameter)} (planned: {value(parameter, parameter.value)}),"


def lead(study: Study, fleet: str = "") -> str:
    """By how much the recommended one leads the next that could replace it, and whether that is a small lead."""
    if len(study.ranking) < 2:
        return "Only one scenario is feasible and completely priced."
    first, second = study.ranking[:2]
    if math.isinf(second.ranked_usd):
        return f"{short_id(first.id, fleet)} is the only scenario that can be recommended."
    gap = second.ranked_usd - first.ranked_usd
    share = gap / first.ranked_usd if first.ranked_usd else 0.0
    ends = first.ranked_usd, second.ranked_usd
    # ranked with the effort, so this is not the difference of the two costs
    by = f"{rounding.usd_apart(*ends)}, effort included"
    text = f"{short_id(first.id, fleet)} leads {short_id(second.id, fleet)} by {by}"
    return text + (": a small lead" if share < SMALL else "")
