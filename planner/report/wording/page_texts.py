"""Headings and explanations of the HTML page. `code` and [links](#id) are marked as in Markdown."""

from __future__ import annotations

from planner.report.wording import evidence
from planner.report.wording.figures import many

KIND = "Cost of the finished training run"
COST_AGAINST_TIME = "Cost against time"
COMPARISON = "Comparison"
WHAT_WOULD_CHANGE = "What would change the answer"
DEPLOYED = "What would be deployed"
BILLS = "Bills"
NUMBERS_BEHIND = "The numbers behind this picture"

# texts by the name that templates use
TEXTS: dict[str, str] = {
    "kind": KIND,
    "skip": "Skip to the answer",
    "before_tax": "US dollars before tax",
    "same_bytes": "The same plan, prices, seed, draws and version give this page byte for byte.",
    # the answer
    "answer": "The answer",
    "see_comparison": "The [comparison](#compare) says what is missing or in the way.",
    "based_on": "Based on",
    "breakdown": "Breakdown",
    "details": "Details",
    "edited": "This price book was edited after it was built.",
    # cost against time
    "cost_against_time": COST_AGAINST_TIME,
    "chart_caption": "Points are planned values, with every assumption at its central value. Points that would overlap "
    "are drawn side by side. Whiskers run from P10 to P90; an arrow means that a whisker continues beyond the axis. "
    "Numbers are ranks in the [comparison](#compare), which has every figure.",
    # the comparison
    "comparison": COMPARISON,
    "all": "all",
    "nothing_feasible": "No scenario is feasible.",
    "not_feasible": evidence.NOT_FEASIBLE,
    # what would change
    "what_would_change": WHAT_WOULD_CHANGE,
    "numbers_behind": NUMBERS_BEHIND,
    "break_evens": "Where another scenario becomes the cheapest",
    "no_break_evens": "No value that was tried changes which scenario is the cheapest.",
    "how_often": "How often each is the cheapest",
    "what_if": "What if",
    "what_if_explained": "The three assumptions with the largest effect on the cost. Every combination is calculated, "
    "none is interpolated; everything else stays as planned.",
    # the stack
    "deployed": DEPLOYED,
    "all_resources": "All resources",
    # the bills
    "bills": BILLS,
    "bills_explained": "Planned quantities at the price of each line. Numbers in the last column link to the "
    "[sources](#sources), codes such as C1 to the [equations](#equations).",
    "not_priced": "not priced",
    "rounded": "The total is exact; lines are rounded and may not add up to it.",
    "calculated": "How each line is calculated, and where its inputs come from",
    "run_numbers": "The numbers of the run behind the bill",
    "ranges_explained": "P10 and P90 are of the simulated outcomes (9 of 10 are below P90). After them, the same "
    "number with the assumption that affects it most at its low and at its high end, the others as planned; "
    "`planner explain` lists every assumption.",
    "at_list_prices": "The same at list prices",
    "cash_due": "Cash due",
    "cash_total": "Total",
    "gpu_time": "Where GPU time goes",
    "storage": "Storage",
    # what the figures are based on
    "unpriced": evidence.UNPRICED,
    "assumptions": evidence.ASSUMPTIONS,
    "assumptions_explained": f"Estimates that no price list has. {evidence.ASSUMED_RANGE}",
    "equations": "Equations",
    "equations_explained": "`planner calc NAME` evaluates one and shows its steps.",
    "sources": evidence.SOURCES,
    "grades": f"{evidence.GRADES} {evidence.BASES}",
    "stale": evidence.STALE,
    "provenance": evidence.PROVENANCE,
    "plan_as_read": "The plan as it was read, with defaults and overrides",
}


def ranked(count: int, fleet: str, draws: int) -> str:
    each = f", each on {fleet}" if fleet else ""
    drawn = f" P10, P50 and P90 come from {draws:,} draws (simulated outcomes) of the assumptions." if draws else ""
    return f"{many(count, 'feasible scenario')}, eligible ones first{each}.{drawn}"


def not_drawn(beyond: int, factor: int, unpriced: int) -> list[str]:
    """What the picture of cost and time does not show."""
    found = []
    if beyond:
        found.append(
            f"Not drawn: {many(beyond, 'scenario')} planned at more than {factor} times the lowest planned cost; the "
            "table has them."
        )
    if unpriced:
        found.append(f"Not drawn: {many(unpriced, 'scenario')} with a missing price.")
    return found


def effects(scenario: str) -> str:
    return f"What the cost of {scenario} depends on"


def recalculated(plans: int) -> str:
    return (
        f"{plans:,} plans were priced for this section: each assumption alone at its 5th and 95th percentile, and "
        "further out if that changes which scenario is the cheapest."
    )


def unchanged(numbers: int, runs: int) -> str:
    """What was tried without effect on the ranking."""
    verb = "changes" if numbers == 1 else "change"
    return (
        f"{many(numbers, 'number')} {verb} nothing, tried at {runs:,} values from a quarter of the low end to four "
        "times the high end."
    )


def all_varied(draws: int) -> str:
    return f"Everything varies at once, in {draws:,} draws that are the same for every scenario."


def more_changes(count: int) -> str:
    return f"{many(count, 'more change')}, and what the cost depends on" if count else "What the cost depends on"


def closed_bills(count: int) -> str:
    """For the printed page."""
    return f"On paper: the bills of the answer. {many(count, 'other bill')} can be opened before printing."


def without_calculation(rank: int) -> str:
    return f"To see where a line comes from, with its inputs: `planner explain PLAN '#{rank}' LINE`"


def deployed_by(scenario: str) -> str:
    return f"What `pulumi up` creates for {scenario}; `planner preview` lists every resource."


def not_deployable(scenario: str, why: str) -> str:
    return f"{scenario} is not drawn: {why}."


def program(version: str) -> str:
    return f"planner {version}."
