"""What is said of one explained number: its range, what affects it, where its inputs come from."""

from __future__ import annotations

import math

from planner.decide.comparison import Comparison
from planner.decide.explain import Explanation
from planner.decide.leaders import rank_of, without_node_price
from planner.decide.spreads import Spread
from planner.estimate.bounds import reason
from planner.estimate.result import Scenario
from planner.models.bill import Unpriced
from planner.models.derived import Derived, steps_of
from planner.models.equation import Equation, numbered
from planner.report.wording import evidence, figures
from planner.report.wording.break_evens import compared, end_of
from planner.report.wording.eligibility import why_not
from planner.report.wording.figures import visible
from planner.report.wording.origins import how

CHOOSE_A_SCENARIO = "planner explain PLAN '#1' lists the numbers of one; `best` is the first"
CHOOSE_A_FIELD = "Each line also has LINE.pricing_quantity, LINE.effective_unit_price and so on, as in -f json."
MAIN = (  # what most people ask about, of a hundred numbers
    *("cost_usd", "cost_usd.p50", "cost_usd.p90", "mean_cost_usd", "usd_per_useful_gpu_hour", "on_time_fraction"),
    *("days", "days.p50", "days.p90", "useful_gpu_hours", "run.hours", "goodput.useful_fraction", "goodput.mtbf_hours"),
    *("storage.required_read_gb_per_s", "storage.read_gb_per_s", "block_plan.days", "block_plan.outlast_fraction"),
)
BILL_LINES, OTHER_NUMBERS, INPUTS = "Lines of the bill", "Other numbers", "Inputs"
NO_NUMBER_THERE = "-: the scenario has no such number there"
AS_ABOVE = " (as above)"
NONE = "none"


def scenario_entry(scenario: Scenario) -> str:
    """What a scenario costs, in the list to choose one from."""
    if not scenario.feasible or scenario.cost_usd is None:
        return evidence.NOT_FEASIBLE.lower()
    if without_node_price(scenario):
        return "no price"
    return f"{'' if scenario.complete else '>= '}${figures.dollars(scenario.cost_usd.plan)}"


def scenario_title(comparison: Comparison, scenario: Scenario) -> str:
    return f"#{rank_of(comparison, scenario)} {scenario.id}"


def not_recommended(scenario: Scenario) -> list[str]:
    """Why the scenario is not feasible or not eligible; empty if it is."""
    if not scenario.feasible:
        return [f"{evidence.NOT_FEASIBLE}: {'; '.join(map(visible, scenario.why_not))}"]
    return [f"Not eligible: {'; '.join(why_not(scenario))}"] if scenario.shortfalls else []


def lower_bound(scenario: Scenario) -> str:
    return f"a lower bound without a range: {visible(reason(scenario))}"


def formula(derived: Derived) -> tuple[str, list[str], str]:
    """(the equation or what the number is, its steps with the numbers, its source)."""
    if not derived.equation:
        label = derived.label if derived.expression else how(derived)
        return visible(label), steps_of(derived) or ([derived.expression] if derived.expression else []), ""
    entry: Equation = numbered(derived.equation)
    return f"{entry.number} {entry.name}: {entry.summary}", steps_of(derived), f"source: {entry.source}"


def more_inputs(count: int) -> str:
    which = "1 of these numbers has" if count == 1 else f"{count} of these numbers have"
    return f"{which} inputs of their own: explain one by its id, or show all with --depth 0"


def draws(comparison: Comparison, found: Explanation) -> str:
    """The range of the number in the draws; "" without."""
    spread = found.draws
    if spread is None:
        return ""
    drawn = f"{comparison.draws:,} draws (simulated outcomes), seed {comparison.seed}"
    if spread.p10 == spread.p90:
        return f"P10, P50 and P90 are equal in {drawn}."
    ends = f"P10 {compared(spread.p10)}, P50 {compared(spread.p50)}, P90 {compared(spread.p90)}"
    return f"{ends} {found.derived.unit}, of {drawn}"


def movers(found: Explanation) -> str:
    """The title of the table of what affects the number, or that nothing does."""
    what = found.moved.id
    if not found.movers:
        return f"It does not change {what}." if found.assumed else "No assumption changes it."
    if found.assumed:
        return f"Its effect on {what}, recalculated at its low and high end:"
    depends = "it" if what == found.derived.id else f"the planned figure, {what},"
    return f"What {depends} depends on, recalculated at the low and high end of each assumption:"


def reach(spread: Spread | None) -> str:
    """`P10 3,935, P90 10,526; spot price $5.21/h: 3,936, $14.09/h: 10,527`; "" where nothing is known."""
    found = []
    ends, widest = (spread.draws, spread.widest) if spread else (None, None)
    if ends is not None and not math.isclose(ends.p10, ends.p90, rel_tol=1e-9):
        found.append(f"P10 {compared(ends.p10)}, P90 {compared(ends.p90)}")
    if widest is not None:
        low, high = (NONE if value is None else compared(value) for value in (widest.at_low, widest.at_high))
        parameter = widest.parameter
        found.append(f"{parameter.key} at {end_of(parameter, 0)}: {low}, at {end_of(parameter, 1)}: {high}")
    return "; ".join(found)


def no_value(comparison: Comparison, entry: Unpriced) -> list[str]:
    """Why a line without a price has no value, and what is near."""
    near = [visible(text) for text in entry.nearest]
    return [
        f"{entry.line} has no value: {visible(evidence.no_price(entry))}",
        f"The price book of {comparison.prices.as_of} does not have it; the total is a lower bound.",
        f"Nearest: {'; '.join(near)}." if near else "No similar price is known.",
    ]
