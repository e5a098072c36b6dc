"""The signs and short labels of the comparison's tables, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide.comparison import Comparison
from planner.decide.leaders import may_not_finish, p90_is_open, without_node_price
from planner.estimate.result import Scenario
from planner.report.wording import figures
from planner.report.wording.recommendation import commitments

MAY_NOT_FINISH = "!"
MAY_NOT_FINISH_SHORT = "may not finish"
PRICE_MISSING = "price missing"
NO_PRICE = "no price"
_OPEN = "never: more than 1 in 10 outcomes do not finish, so there is no P90"


def legend(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """What the signs in a table of text mean."""
    found: list[str] = []
    if any(may_not_finish(s) for s in shown):
        found.append(f"{MAY_NOT_FINISH}  {_never_ends(shown)}")
    if any(p90_is_open(s) for s in shown):
        found.append(_OPEN)
    if any(s.extrapolated for s in shown):
        found.append(f"*  {_extrapolated()}")
    return [*found, *_commitments(comparison, shown)]


def legend_of_the_page(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """The same for the page, whose table says in words what may not finish."""
    found: list[str] = []
    if any(p90_is_open(s) for s in shown):
        found.append(_OPEN)
    found += _commitments(comparison, shown)
    unpriced = sum(not s.complete for s in shown)
    if unpriced:
        found.append(
            f"≥ or {NO_PRICE}: {figures.many(unpriced, 'scenario')} with a missing price, and therefore no range."
        )
    if any(s.extrapolated for s in shown):
        found.append(f"* {_extrapolated()}")
    return found


def _never_ends(shown: Sequence[Scenario]) -> str:
    shares = [s.unfinished_fraction for s in shown if may_not_finish(s)]
    return f"may not finish: {figures.shares(shares)} of the outcomes never do"


def _extrapolated() -> str:
    return "extrapolated beyond the measured rows of the throughput table"


def _commitments(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    term = commitments(comparison, shown)
    return [f"RI, SP: {term}."] if term else []


def may_not_finish_share(scenario: Scenario) -> str:
    return f"{MAY_NOT_FINISH_SHORT} ({figures.percent(scenario.unfinished_fraction)})"


def planned_usd(scenario: Scenario, floor: str = ">=") -> str:
    """A lower bound where a price is missing, and no figure where it is that of the GPU nodes."""
    if scenario.cost_usd is None:
        return "-"
    if without_node_price(scenario):
        return NO_PRICE
    return ("" if scenario.complete else floor) + figures.dollars(scenario.cost_usd.plan)


def bill_title(comparison: Comparison, rank: int, scenario: Scenario) -> str:
    place = "" if figures.only_fleet(comparison.scenarios) else f", {figures.fleet(scenario)}"
    return f"{rank}. {figures.layout_name(scenario)}, {figures.purchase_words(scenario.option)}{place}"


def bill_link(scenario: Scenario) -> str:
    return f"bill of {scenario.id}"


def bill_summary(scenario: Scenario) -> str:
    """`$4,568,183 in 40.9 days`."""
    assert scenario.days is not None
    days = f"{figures.days(scenario.days.plan)} days"
    if without_node_price(scenario):
        return f"no price for the GPU nodes, {days}"
    return f"{'' if scenario.complete else '≥ '}${figures.money(figures.plan_usd(scenario))} in {days}"


def total_title(scenario: Scenario) -> str:
    if scenario.complete:
        return "Planned cost"
    return "Without the GPU nodes" if without_node_price(scenario) else "Lower bound: a price is missing"
