"""What would change the answer, in words: values of parameters, break-evens, and by how much the cheapest leads."""

from __future__ import annotations

import math
from shlex import quote

from planner.answer.recommend import SMALL
from planner.decide.break_evens import BreakEven, Search, how_far
from planner.decide.enumerate import way_of
from planner.decide.parameters import FIT, PER_NODE_DAY, Parameter
from planner.decide.sensitivity import Swing
from planner.decide.study import Study
from planner.estimate.spot import INTERRUPTION_STREAM, PRICE_STREAM
from planner.plan.assumptions import COUNTED
from planner.report.wording import figures, rounding
from planner.report.wording.number_names import number_name
from planner.report.wording.spoken_choice import spoken_id

NAMES = {
    INTERRUPTION_STREAM: "spot interruption rate",
    PRICE_STREAM: "spot price",
    FIT: "error of the throughput fit",
}
P50_OF = " (P50)"
INFEASIBLE = "not feasible"
NOTHING = "nothing meets the limits"
MOST_NAMED = 3  # numbers that change nothing but a length


def name(parameter: Parameter) -> str:
    """The key; words for a stream of draws, which has no key that a plan can set."""
    return NAMES.get(parameter.key, parameter.key) if not parameter.path else parameter.key


def words(parameter: Parameter) -> str:
    """The number in words, as the subject of a sentence: `the rate of node failures`."""
    return f"the {name(parameter)}" if not parameter.path else number_name(parameter.key)


def title(parameter: Parameter) -> str:
    """The same beside a bar or in a cell: `Rate of node failures`."""
    said = words(parameter).removeprefix("the ")
    return said[:1].upper() + said[1:]


def swing_title(swing: Swing) -> str:
    """The same of a bar, with what it is the cost of where that is not the planned one."""
    return f"{title(swing.parameter)}{P50_OF if swing.low.is_p50 else ''}"


def value(parameter: Parameter, number: float) -> str:
    """A value with its unit, as a reader says it: `0.0203 per node-day`, `3,350 TB`, `62%`, `5th percentile`."""
    if not parameter.path:
        which = {parameter.low: 0, parameter.high: 1}.get(number)
        meaning = "" if which is None else end_meaning(parameter, which)
        return f"{round(number * 100)}th percentile" + (f" ({meaning})" if meaning else "")
    if parameter.unit == "fraction":
        return f"{figures.plain(number * 100, 4)}%"
    if parameter.unit.startswith("1/"):
        return f"{figures.plain(number, 4)} per {parameter.unit[2:].strip('()').replace('1000', '1,000')}"
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
    return f"{_rate(parameter.ends[which])} per node-day" if per_node_day else _hourly(parameter.ends[which])


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
    """What changes the decision: first what does so inside its range, then what the plan states without one, then what
    lies beyond its range; of each the nearest in proportion first."""
    found = [entry for entry in study.searches if entry.break_evens]

    def place(entry: Search) -> tuple[int, float, str]:
        inside = any(break_even.inside for break_even in entry.break_evens)
        group = 0 if inside else 1 if entry.parameter.low == entry.parameter.high else 2
        return group, how_far(entry.break_evens[0]), entry.parameter.key

    return sorted(found, key=place)


def unmoved(study: Study) -> list[Search]:
    """What was tried and changes nothing."""
    return [
        entry for entry in study.searches if not entry.lengths and {entry.low.id, entry.high.id} == {entry.planned.id}
    ]


def lengths(study: Study) -> str:
    """What changes only how much of the same is bought; "" where nothing does."""
    found = [entry for entry in study.searches if entry.lengths and not entry.break_evens]
    if not found:
        return ""
    first = sorted(found, key=lambda entry: -max(abs(days - (entry.planned.block_days or 0)) for days in entry.lengths))
    names = [words(entry.parameter) for entry in first[:MOST_NAMED]]
    named = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    most = f", {named} most" if len(found) > len(names) else f": {named}"
    every = [days for entry in found for days in entry.lengths]
    span = " or ".join(dict.fromkeys(figures.plain(days, 4) for days in (min(every), max(every))))
    verb = "changes" if len(found) == 1 else "change"
    return (
        f"{figures.many(len(found), 'more number')} {verb} only how long the Capacity Block should be, which is "
        f"{figures.plain(found[0].planned.block_days or 0, 4)} days as planned and {span} at an end of the range{most}."
    )


def planned_value(parameter: Parameter) -> str:
    return value(parameter, parameter.value) if parameter.path else "as observed"


def first_at_ends(swing: Swing, leader: str, fleet: str = "") -> str:
    """Which other scenario is recommended at the low and at the high end."""
    ends = (("low", swing.low), ("high", swing.high))
    found = [f"at {which}: {_choice(end.first, fleet)}" for which, end in ends if end.first != leader]
    return "; ".join(found) or "the same"


def start(break_even: BreakEven) -> str:
    """`3,350 TB and up`."""
    here, planned = break_even.value, break_even.parameter.value
    side = "" if here == planned else " and up" if here > planned else " and down"
    return f"{'exactly ' if here == planned else ''}{value(break_even.parameter, here)}{side}"


def beyond(break_even: BreakEven) -> str:
    """Said where the break-even lies outside the range of the assumption."""
    return (
        "beyond the assumed range"
        if not break_even.inside and break_even.parameter.low < break_even.parameter.high
        else ""
    )


def first_from(break_even: BreakEven, fleet: str = "") -> str:
    return _choice(break_even.then.id, fleet)


def _choice(scenario_id: str | None, fleet: str) -> str:
    return spoken_id(scenario_id, place=not fleet) if scenario_id else NOTHING


def break_even_sentence(entry: Search, fleet: str = "") -> str:
    """`If the size of the training data rises to 3,350 TB (planned: 2,200 TB; data.hot_dataset), S3 streaming on
    spot becomes the recommended choice, at $94k; if it falls to 1,000 TB, FSx for Lustre does, at $103k.`"""
    first, *more = entry.break_evens
    parameter = entry.parameter
    as_planned = "" if first.value == parameter.value else f"planned: {value(parameter, parameter.value)}; "
    becomes = "becomes the recommended choice"
    again = "does" if first.then.id else becomes  # after "nothing meets the limits" there is nothing to refer to
    text = f"If {words(parameter)} {_passes(first)} ({as_planned}{parameter.key}), {_then(first, fleet, becomes)}"
    return "; ".join([text, *(f"if it {_passes(one)}, {_then(one, fleet, again)}" for one in more)]) + "."


def stop_sentence(break_even: BreakEven, fleet: str = "") -> str:
    """`From $54.2/h for a node (planned: $41.53/h), S3 streaming with On-Demand nodes is the better choice.`"""
    above, planned = (value(break_even.parameter, usd) for usd in (break_even.value, break_even.parameter.value))
    return f"From {above} for a node (planned: {planned}), {_choice(break_even.then.id, fleet)} is the better choice."


def _passes(break_even: BreakEven) -> str:
    parameter = break_even.parameter
    if break_even.value == parameter.value:
        return f"is exactly {value(parameter, break_even.value)}, which is assumed in a range"
    verb = "rises to" if break_even.value > parameter.value else "falls to"
    outside = f", {beyond(break_even)}" if beyond(break_even) else ""
    return f"{verb} {value(parameter, break_even.value)}{outside}"


def _then(break_even: BreakEven, fleet: str, verb: str) -> str:
    if not break_even.then.id:
        return NOTHING
    usd = break_even.then.usd
    return f"{_choice(break_even.then.id, fleet)} {verb}" + ("" if usd is None else f", at ${figures.dollars(usd)}")


def lead(study: Study, fleet: str = "") -> str:
    """By how much the recommended one leads the next that could replace it, and whether that is a small lead."""
    if not study.searches[0].planned.id:
        return "Nothing meets the limits as planned."
    if len(study.ranking) < 2:
        return "Only one scenario is feasible and completely priced."
    first, *others = study.ranking
    # of node counts only a few are varied, so that the next of these is not the next of all
    another = [one for one in others if way_of(one.id) != way_of(first.id)]
    if not another and first.id.split("/")[1] != others[0].id.split("/")[1]:
        return "Every other choice that was varied differs in its node count alone."
    second = another[0] if another else others[0]
    names = [_choice(one.id, fleet) for one in (first, second)]
    names[0] = names[0][:1].upper() + names[0][1:]
    if math.isinf(second.ranked_usd):
        counts = "" if fleet else ", with this or another number of nodes"
        return f"Only {spoken_id(first.id, place=False)} can be recommended{counts}."
    gap = second.ranked_usd - first.ranked_usd
    share = gap / first.ranked_usd if first.ranked_usd else 0.0
    ends = first.ranked_usd, second.ranked_usd
    # ranked with the effort, so this is not the difference of the two costs
    by = rounding.usd_apart(*ends)
    than = f"{_next_of(first.id, second.id)}, {names[1]}"
    text = f"{names[0]} costs {by} less than {than}, including the effort of operating it"
    return text + (": a small lead" if share < SMALL else "")


def _next_of(first: str, second: str) -> str:
    """What the second one is the next of: of a plan with many choices only the best of each kind is compared."""
    (store, _, buy), (other_store, _, other_buy) = (one.split("/") for one in (first, second))
    if store == other_store:
        return "the next choice" if buy == other_buy else "the next other way to buy"
    return "the next other storage" if buy == other_buy else "the next other storage and way to buy"
