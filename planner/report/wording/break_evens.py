"""Sentences about what would change a decision: how a knob's value is written, what takes over from where."""

from __future__ import annotations

from planner.decide.break_evens import BreakEven, Search
from planner.decide.parameters import FIT, Parameter
from planner.decide.study import Study
from planner.estimate.spot import INTERRUPTION_STREAM, PRICE_STREAM
from planner.plan.assumptions import COUNTED
from planner.report.wording import figures
from planner.report.wording.answer import CLOSE

NAMES = {
    INTERRUPTION_STREAM: "rate of spot reclaims",
    PRICE_STREAM: "spot price",
    FIT: "error of the fitted throughput",
}
_A_NODE_DAY = " a node-day"


def name(parameter: Parameter) -> str:
    """The key; a stream of draws, which has none that anybody can set, in words."""
    return NAMES.get(parameter.key, parameter.key) if not parameter.path else parameter.key


def value(parameter: Parameter, number: float) -> str:
    """A value with its unit, as a reader says it: `0.0203 a node-day`, `3,350 TB`, `62%`, `5th percentile`."""
    if not parameter.path:
        end = parameter.ends[0] if number == parameter.low else parameter.ends[1] if number == parameter.high else ""
        return f"{round(number * 100)}th percentile" + (f" ({end})" if end else "")
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
    """The low (0) or the high (1) end for a column whose unit is `unit_of`; of a stream of draws what its percentile
    means, or the percentile where that differs by fleet."""
    number = (parameter.low, parameter.high)[which]
    if parameter.path:
        return figures.plain(number, 4)
    return parameter.ends[which].removesuffix(_A_NODE_DAY) or f"P{round(number * 100)}"


def unit_of(parameter: Parameter) -> str:
    """The unit of the ends of a knob."""
    if parameter.path:
        return parameter.unit
    return "1/(node-day)" if parameter.ends[0].endswith(_A_NODE_DAY) else ""


def setting(parameter: Parameter, number: float) -> str:
    """What to type to plan with it: `--set data.hot_dataset=3350TB`; nothing for a stream."""
    return f"--set {parameter.path}={number:.15g}{parameter.suffix}" if parameter.path else ""


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
    """What was not searched, as a sentence; "" where nothing was left out."""
    if not study.unsearched:
        return ""
    names = ", ".join(name(parameter) for parameter in study.unsearched)
    return f"Not searched, since no plan can name one value of it: {names}; the table above has what its ends do."


def takes_over(break_even: BreakEven, fleet: str = "") -> str:
    """`from 3,350 TB on: s3-stream, spot`."""
    side = "on" if break_even.value > break_even.parameter.value else "down"
    beyond = (
        " (beyond its range)" if not break_even.inside and break_even.parameter.low < break_even.parameter.high else ""
    )
    then = short_id(break_even.first, fleet) if break_even.first else "nothing is feasible"
    if break_even.first and break_even.before and break_even.before_usd is None:
        then += f", since {short_id(break_even.before, fleet)} is no longer feasible"
    return f"from {value(break_even.parameter, break_even.value)} {side}{beyond}: {then}"


def break_even_sentence(entry: Search, fleet: str = "") -> str:
    """`data.hot_dataset, planned 2,200 TB: from 3,350 TB on: s3-stream, spot`."""
    planned = f"{name(entry.parameter)}, planned {value(entry.parameter, entry.parameter.value)}"
    return f"{planned}; " + "; ".join(
        takes_over(break_even, fleet) for break_even in sorted(entry.break_evens, key=_far)
    )


def lead(study: Study, fleet: str = "") -> str:
    """By how much the cheapest leads as planned, and whether that is little; how sure it is, the draws say."""
    if len(study.ranking) < 2:
        return "It is the only scenario that is feasible and completely priced."
    first, second = study.ranking[:2]
    gap = second.cost_usd - first.cost_usd
    share = gap / first.cost_usd if first.cost_usd else 0.0
    text = f"{short_id(first.id, fleet)} leads {short_id(second.id, fleet)} by ${figures.dollars(gap)} ({share:.1%})"
    return text + (": a small lead" if share < CLOSE else "")
