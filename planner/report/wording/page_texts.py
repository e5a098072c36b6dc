"""Headings and explanations of the HTML page. `code` and [links](#id) are marked as in Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.answer.ranges import Range
from planner.answer.row import Row
from planner.report.wording import breakdown, evidence, futures, spoken
from planner.report.wording.figures import days, many, money, usd

CAPACITY_BLOCK = "capacity-block"
KIND = "Cost of the finished training run"
COMPARISON = "The choices"
WATERFALL = "How two choices differ"
GLOSSARY = "Glossary"
WITHOUT_A_BAR = "Not charted (see the table)"
WHAT_WOULD_CHANGE = "What would change the answer"
DEPLOYED = "What would be deployed"
BILLS = "Bills"
PLAN_AND_BILL = "Plan and bill"
MEASURED = "Measured"
NUMBERS_BEHIND = "The numbers behind this picture"

# texts by the name that templates use
TEXTS: dict[str, str] = {
    "kind": KIND,
    "skip": "Skip to the answer",
    "before_tax": "US dollars before tax",
    "same_bytes": "The same plan, prices, seed, draws and version produce this page, byte for byte.",
    # the answer
    "answer": "The answer",
    "see_comparison": "The [comparison](#compare) says what is missing or in the way.",
    "based_on": "Based on",
    "breakdown": breakdown.TITLE,
    "details": "Details",
    "edited": "This price book was edited after it was built.",
    # the comparison
    "comparison": COMPARISON,
    "all": "all",
    "search": "Search",
    "search_hint": "s3 spot",
    "eligible": "eligible",
    "not_eligible": "not eligible",
    "download_bills": "The bills of all choices as CSV",
    # the difference between two choices
    "waterfall": WATERFALL,
    "waterfall_explained": "Planned costs, by part of the bill. Each step adds or saves cost; the last bar is the "
    "total of the second choice. Hover over a figure to see it to the cent.",
    "from_choice": "From",
    "to_choice": "to",
    # words
    "glossary": GLOSSARY,
    "nothing_feasible": "No scenario is feasible.",
    "not_feasible": evidence.NOT_FEASIBLE,
    # what would change
    "what_would_change": WHAT_WOULD_CHANGE,
    "numbers_behind": NUMBERS_BEHIND,
    "break_evens": "Where another scenario becomes the recommended one",
    "no_break_evens": "No value that was tried changes which scenario is recommended.",
    "how_often": "How often each is the cheapest",
    "what_if": "What if",
    "what_if_explained": "Enter a number. The values listed below each field were calculated, in every combination; "
    "costs between them are interpolated and marked. Costs are planned costs. Choices rank as in the answer, and only "
    "those within the limit are shown. Everything else stays as planned.",
    "calculated_word": "calculated",
    "interpolated_word": "interpolated between calculated plans",
    "outside_word": "outside the calculated range",
    # the stack
    "deployed": DEPLOYED,
    "all_resources": "All resources",
    # the bills
    "bills": BILLS,
    "bills_explained": "Planned quantities at the price of each line. Numbers in the last column link to the "
    "[sources](#sources), codes such as C1 to the [equations](#equations).",
    "not_priced": "not priced",
    "calculated": "How each line is calculated, and where its inputs come from",
    "run_numbers": "The numbers of the run behind the bill",
    "ranges_explained": "P10 and P90 are of the simulated outcomes (9 of 10 are below P90). After them, the same "
    "number with the assumption that affects it most at its low and at its high end, the others as planned; "
    "`planner explain` lists every assumption.",
    "at_list_prices": "The same hours and amounts at On-Demand list prices",
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


def footer(version: str, plan_sha256: str, model_sha256: str, outcomes: str) -> str:
    """What gave the page. outcomes: what its kind of plan calls them."""
    made = f"planner {version}, plan {plan_sha256[:12]}, model {model_sha256[:12]}"
    return f"{made}. The same plan, prices, seed, {outcomes} and version give this page byte for byte."


def every_choice(count: int) -> str:
    return f"All {many(count, 'choice')} in a table, with search and filters"


def ranked(count: int, fleet: str, draws: int) -> str:
    each = f", each on {fleet}" if fleet else ""
    drawn = f" P10, P50 and P90 come from {draws:,} draws (simulated outcomes) of the assumptions." if draws else ""
    return f"{many(count, 'feasible scenario')}, eligible ones first{each}.{drawn}"


def bars(*, logarithmic: bool, two: bool = False) -> str:
    scale = " Two bars in one row are two futures, each marked at its average." if two else ""
    scale += " The scale is logarithmic." if logarithmic else ""
    return (
        "Each bar runs from P10 to P90, the mark in it is P50: 1, 5 and 9 of 10 simulated outcomes cost less. An arrow "
        f"means that the bar extends beyond the scale.{scale} Hover over a figure to see it to the dollar."
    )


Headline = tuple[tuple[str, tuple[str, ...]], ...]


def headline(row: Row, cost: Range, run: Range) -> Headline:
    """P50 of the cost, or the average of its two futures, and of the days, each with what it is and with P90."""
    open_end = math.isinf(cost.p90)
    middle, high = usd(cost.p50), usd(cost.p90)
    most = () if open_end else (f"9 of 10 cost less than {high}",)
    ends = () if open_end else (f"9 of 10 take less than {spoken.run_days(run.p90)}",)
    if row.futures and math.isfinite(row.futures[1].p50_usd):
        either, shares = futures.either(row)
        first = (either, (f"{futures.on_average(row)}{shares} of the outcomes", *most))
    elif middle == high:
        first = (middle, ("in 9 of 10 outcomes",))
    else:
        first = (middle, ("half of the outcomes cost less", *most))
    return first, (spoken.run_days(run.p50), ("half take less", *ends))


def planned_headline(cost: Range, run: Range) -> Headline:
    return (usd(cost.plan), ("planned",)), (spoken.run_days(run.plan), ("planned",))


def more_bars(count: int) -> str:
    return f"{many(count, 'more eligible choice')} with a higher cost: see the table."


def not_eligible(why: Sequence[str]) -> str:
    return f"not eligible: {'; '.join(why)}"


def from_to(low: str, high: str) -> str:
    return f"{low} to {high}"


def p90(high: str, *, open_end: bool) -> str:
    return "no P90" if open_end else f"P90 {high}"


def exact(cost: Range, run: Range) -> str:
    """The figures of a bar to the dollar."""
    ends = [("P10", cost.p10, run.p10), ("P50", cost.p50, run.p50), ("P90", cost.p90, run.p90)]
    said = [f"{name} {'never' if math.isinf(at) else f'${money(at)}'} and {days(run)} days" for name, at, run in ends]
    return f"{', '.join(said)}; planned ${money(cost.plan)} and {days(run.plan)} days"


def field(what: str, unit: str) -> str:
    said = FIELDS.get(what) or (f"Node price, {what.removeprefix('prices.')}" if what.startswith("prices.") else what)
    return f"{said}{f', {unit}' if unit not in ('', 'nodes') else ''}"


def calculated_at(values: Sequence[str]) -> str:
    return f"calculated at {', '.join(values)}"


FIELDS = {
    "fleet.nodes": "Nodes",
    "purchase.private_discount": "Discount on On-Demand",
    "purchase.spot_usd_per_hour": "Node price, spot",
}
LIMIT_FIELD = "Limit, days"
LIMIT_HINT = "in 9 of 10 outcomes"


def effects(scenario: str) -> str:
    return f"What the cost of {scenario} depends on"


def recalculated(plans: int, decided: int, *, first_time: bool) -> str:
    """plans: priced for the section; decided: in how many of them everything was decided again. first_time: whether the
    range has the time that people take."""
    people = (
        " Time that people, bugs and bad restarts take is in the range and not in the planned cost, so that no bar "
    )
    people = f"{people}shows it; whether it changes the choice stands below." if first_time else ""
    return (
        f"{plans:,} plans were priced for this section: each assumption alone at its 5th and 95th percentile; in "
        f"{decided:,} of them everything was decided again, block lengths included.{people}"
    )


def unchanged(numbers: int) -> str:
    """What was tried without effect on the decision."""
    verb = "does" if numbers == 1 else "do"
    return f"{many(numbers, 'number')} {verb} not change it at either end, where everything is decided again."


def all_varied(draws: int) -> str:
    return f"Everything varies at once, in {draws:,} draws that are the same for every scenario."


def more_changes(count: int) -> str:
    return f"{many(count, 'more change')}, and what the cost depends on" if count else "What the cost depends on"


def closed_bills(count: int) -> str:
    """For the printed page."""
    return f"Printed: the bills of the answer. To print {many(count, 'more bill')}, open them on the screen first."


def without_calculation(rank: int) -> str:
    return f"To see where a line comes from, with its inputs: `planner explain PLAN '#{rank}' LINE`"


def deployed_by(scenario: str, hourly: str) -> str:
    """hourly: what the stack bills, as it is printed."""
    block = scenario.endswith(f"/{CAPACITY_BLOCK}")
    buy = (
        ["`planner reserve --dry-run` (shows the offers)", "`planner reserve` (spends the block's fee)"]
        if block
        else []
    )
    up = f"`pulumi up` (bills ${hourly} an hour{', of which the nodes of the block are paid' if block else ''})"
    ways = ["`planner stack PLAN --scenario best`", "`planner check PLAN --scenario best`", *buy, up]
    return (
        f"What `pulumi up` creates for {scenario}; `planner preview` lists every resource. To buy and deploy it, in "
        f"this order: {', '.join(ways)}."
    )


def not_deployable(scenario: str, why: str) -> str:
    return f"{scenario} is not drawn: {why}."


def program(version: str) -> str:
    return f"planner {version}."
