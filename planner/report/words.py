"""How numbers and scenarios are said to people: the same words in the table, the page and the answer."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from planner.decide.result import Comparison, Scenario
from planner.decide.uncertainty import Range

NO_END_DAYS = 1095  # beyond three years a run does not end in any useful sense
P90_OPEN = 0.1  # with this share of unfinished draws the 90th percentile is among them, hence only a floor

FAMILIES = {
    "on-demand": "On-demand",
    "spot": "Spot",
    "capacity-block": "Capacity Block",
    "ri": "Reserved Instances",
    "sp": "Savings Plans",
}
LAYOUTS = {
    "converged": "NVMe of the GPU nodes, pooled over S3",
    "fsx-lustre": "FSx for Lustre",
    "separate-nvme": "Separate NVMe cluster over S3",
    "s3-stream": "Streaming from S3",
}


def dollars(value: float) -> str:
    """USD at a glance, three digits: 2.02B, 13.2M, 412k, 1,234, 52.10."""
    size = abs(value)
    for unit, name in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if size < 0.9995 * unit or (name == "k" and size < 9_999.5):
            continue
        scaled = value / unit
        digits = 2 if abs(scaled) < 9.995 else 1 if abs(scaled) < 99.95 else 0
        return f"{scaled:.3g}{name}" if abs(scaled) >= 1e6 else f"{scaled:,.{digits}f}{name}"
    return f"{value:,.2f}" if size < 99.995 else f"{value:,.0f}"


def money(value: float) -> str:
    """USD to sign for: whole dollars from a hundred on, cents below, billions in words."""
    if abs(value) >= 999_500_000:
        return dollars(value)
    return f"{value:,.2f}" if abs(value) < 99.995 else f"{value:,.0f}"


def days(value: float) -> str:
    """Days at a glance."""
    if value > NO_END_DAYS:
        return ">3y"
    return f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def plain(value: float, digits: int = 6) -> str:
    """Any number, to so many digits, without an exponent: 21.957642, 0.0000004, 445,067."""
    if value == 0 or not 1e-12 < abs(value) < 1e15:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(value: float) -> str:
    """A quantity of a bill: three decimals under each other, so that quantity x price can be checked by hand."""
    return f"{value:,.3f}" if value == 0 or abs(value) >= 0.0995 else plain(value, 4)


def span(value: Range, shown: Callable[[float], str]) -> str:
    return f"{shown(value.p10)}-{shown(value.p90)}"


def visible(text: str) -> str:
    """Text in which nothing acts: control and direction characters, and halves of pairs, as escapes.

    Line breaks, tabs and other spaces become a space. A name cannot then move a cursor, turn a line around
    or end a row.
    """
    if text.isprintable():
        return text
    shown = []
    for char in text:
        category = unicodedata.category(char)
        if char in "\n\r\t" or category == "Zs":
            shown.append(" ")
        elif category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            shown.append(f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}")
        else:
            shown.append(char)
    return "".join(shown)


def family(purchase: str) -> str:
    """`ri-1y-standard-no-upfront` is of the family `ri`."""
    head = purchase.split("-")[0]
    return head if head in ("ri", "sp") else purchase


def short_purchase(purchase: str) -> str:
    """`ri-3y-standard-no-upfront` as it fits 80 columns: `RI 3y std`."""
    parts = purchase.split("-")
    if parts[0] not in ("ri", "sp"):
        return purchase
    kinds = {"standard": "std", "convertible": "conv", "instance": "inst", "compute": "comp"}
    upfront = {"no": "", "partial": " part", "all": " all"}[parts[3]]
    return f"{parts[0].upper()} {parts[1]} {kinds[parts[2]]}{upfront}"


def purchase_words(purchase: str) -> str:
    """`sp-1y-compute-no-upfront` in full: `Compute Savings Plan, 1 year, no upfront`."""
    parts = purchase.split("-")
    if parts[0] not in ("ri", "sp"):
        return FAMILIES.get(purchase, purchase)
    years = "1 year" if parts[1] == "1y" else f"{parts[1].removesuffix('y')} years"
    upfront = {"no": "no upfront", "partial": "partial upfront", "all": "all upfront"}[parts[3]]
    if parts[0] == "ri":
        return f"Reserved Instances, {years}, {parts[2]}, {upfront}"
    kind = {"instance": "EC2 Instance", "compute": "Compute"}[parts[2]]
    return f"{kind} Savings Plan, {years}, {upfront}"


def layout_name(scenario: Scenario) -> str:
    """As the scenario's id has it: `fsx-lustre+125`."""
    return f"{scenario.layout}+{scenario.variant}" if scenario.variant else scenario.layout


def layout_words(scenario: Scenario) -> str:
    """`fsx-lustre+125` in full: `FSx for Lustre, 125 MB/s per TiB`."""
    words = LAYOUTS.get(scenario.layout, scenario.layout)
    variant = scenario.variant
    return f"{words}, {variant} MB/s per TiB" if variant.isdigit() else f"{words}, {variant}" if variant else words


def fleet(scenario: Scenario) -> str:
    return f"{scenario.nodes:,} x {scenario.instance_type}"


def short_types(scenarios: Sequence[Scenario]) -> dict[str, str]:
    """Instance types as they fit a column: `p5` where no other size of it is there, else `p5.48xl`."""
    types = list(dict.fromkeys(s.instance_type for s in scenarios))
    heads = [name.split(".")[0] for name in types]
    return {
        name: head if heads.count(head) == 1 else name.replace("xlarge", "xl")
        for name, head in zip(types, heads, strict=True)
    }


def only_fleet(scenarios: Sequence[Scenario]) -> str:
    """The fleet that all feasible scenarios (or else all) share, or nothing where they differ."""
    found = {fleet(s) for s in scenarios if s.feasible} or {fleet(s) for s in scenarios}
    return found.pop() if len(found) == 1 else ""


def open_ended(scenario: Scenario) -> bool:
    """Whether P90 is only a floor, because so many draws do not finish."""
    return scenario.unfinished_fraction >= P90_OPEN


def may_not_finish(scenario: Scenario) -> bool:
    """Whether the draws that do not finish are worth a flag; the warning has the same threshold."""
    return scenario.unfinished_fraction >= 0.005


def without_nodes(scenario: Scenario) -> bool:
    """Whether the GPU nodes themselves have no price: the rest of such a bill says nothing of its total."""
    return any(entry.line == "fleet.compute" for entry in scenario.unpriced)


def lowest_p90(scenarios: Sequence[Scenario]) -> Scenario | None:
    """The complete scenario whose 90th percentile of cost is lowest."""
    complete = [s for s in scenarios if s.feasible and s.complete and s.cost_usd]
    return min(complete, key=lambda s: (s.cost_usd.p90 if s.cost_usd else 0.0, s.id), default=None)


def lowest_risk(comparison: Comparison) -> Scenario | None:
    return lowest_p90(comparison.scenarios)


def picks(comparison: Comparison) -> list[Scenario]:
    """What the answer names: the lowest planned cost, and the lowest P90 where that is another scenario."""
    found = {s.id: s for s in (comparison.best, lowest_risk(comparison)) if s}
    return list(found.values())


def plan_usd(scenario: Scenario) -> float:
    """The planned cost to a micro-dollar: the figure of every format, and exactly the sum of its lines in JSON."""
    return round(math.fsum(round(float(line.effective_cost), 6) for line in scenario.bill), 6)


def percent(share: float) -> str:
    """A share in whole percent; never 0% or 100% where it is neither."""
    whole = min(max(round(share * 100), 0 if share <= 0 else 1), 100 if share >= 1 else 99)
    return f"{whole}%"


def dearer(scenario: Scenario) -> float | None:
    """The share of the draws that cost more than planned; None without a range."""
    cost = scenario.cost_usd
    if cost is None or scenario.cost_plan_percentile is None or cost.p10 == cost.p90:
        return None
    return 1 - scenario.cost_plan_percentile / 100


def chances(scenario: Scenario) -> list[str]:
    """How the draws judge what is planned."""
    over = dearer(scenario)
    said = [] if over is None else [f"{percent(over)} of the draws cost more"]
    if scenario.on_time_fraction is not None:
        said.append(f"on time in {percent(scenario.on_time_fraction)} of the draws")
    return said


def many(count: int, one: str, more: str = "") -> str:
    """`1 price`, `2 prices`."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def stale(comparison: Comparison) -> list[str]:
    """Old prices by line and date: the purchase options of the GPU nodes that are of one day are one entry."""
    groups: dict[str, list[str]] = {}
    for entry in comparison.stale:
        what, _, fact = entry.partition(": ")
        groups.setdefault(fact, []).append(what)
    bought = {s.purchase for s in comparison.scenarios}
    found = []
    for fact, things in groups.items():
        nodes = [short_purchase(thing) for thing in things if thing in bought]
        names = [thing for thing in things if thing not in bought]
        found += [f"{thing}: {fact}" for thing in names]
        found += [f"fleet.compute ({', '.join(nodes)}): {fact}"] if nodes else []
    return found


def limits(comparison: Comparison) -> list[str]:
    """The budget and the deadline of the plan against what the answer names."""
    constraints = comparison.plan.get("constraints")
    run = comparison.plan.get("run")
    constraints = constraints if isinstance(constraints, Mapping) else {}
    run = run if isinstance(run, Mapping) else {}
    budget, longest, deadline = constraints.get("max_cost_usd"), constraints.get("max_days"), run.get("deadline")
    there = [(rank_of(comparison, s), s, s.cost_usd, s.days) for s in picks(comparison)]
    found = []
    if isinstance(budget, int | float):
        said = [
            f"#{rank} is planned at ${money(cost.plan)}, {_side(cost.p90, budget, 'P90')}"
            for rank, s, cost, _ in there
            if cost is not None
        ]
        found.append("; ".join([f"Budget ${money(budget)}: no scenario above it counts as feasible", *said]))
    known = [(longest, "constraints.max_days"), (deadline / 24 if deadline else None, "run.deadline")]
    ends = [(value, name) for value, name in known if isinstance(value, int | float)]
    for value, name in ends:
        said = [
            f"#{rank} is planned at {days(run.plan)} days"
            + (f", on time in {percent(s.on_time_fraction)} of the draws" if s.on_time_fraction is not None else "")
            for rank, s, _, run in there
            if run is not None
        ]
        if len(ends) > 1:
            said = said if value == min(end for end, _ in ends) else []
        found.append("; ".join([f"At most {value:g} days ({name})", *said]))
    return found


def reuse(comparison: Comparison) -> float:
    """What the plan says the unused rest of a commitment is worth to others, as a share."""
    purchase = comparison.plan.get("purchase")
    value = purchase.get("reuse_value") if isinstance(purchase, Mapping) else None
    return float(value) if isinstance(value, int | float) else 0.0


def commitments(comparison: Comparison, shown: Sequence[Scenario]) -> str:
    """What a Reserved Instance or a Savings Plan among them is charged."""
    if not any(family(s.purchase) in ("ri", "sp") for s in shown):
        return ""
    if reuse(comparison):
        return f"the whole term is charged, less {percent(reuse(comparison))} of its unused rest (purchase.reuse_value)"
    return "the whole term is charged; purchase.reuse_value gives the unused rest a value"


def _side(value: float, limit: float, name: str) -> str:
    return f"its {name} of ${money(value)} is {'above' if value > limit else 'within'} the budget"


def staff(comparison: Comparison) -> list[str]:
    """Salaries that are in the totals, with the assumption behind them."""
    for scenario in picks(comparison):
        for line in scenario.bill:
            if line.line == "people.staff":
                return [
                    f"Staff is in the totals: {quantity(line.quantity)} {line.unit} at "
                    f"${money(line.effective_unit_price)}, ${money(line.effective_cost)} in "
                    f"#{rank_of(comparison, scenario)} (assumed: {line.price_source})"
                ]
    return []


def answer(comparison: Comparison) -> list[str]:
    """The answer in a few sentences: cheapest planned, and the one that holds up when things go wrong."""
    best, safe = comparison.best, lowest_risk(comparison)
    if best is None or safe is None or best.cost_usd is None or safe.cost_usd is None:
        return ["No scenario is both feasible and completely priced: there is no total to sign."]
    if safe.id == best.id:
        return [_sentence(comparison, "Lowest planned cost, and lowest in bad luck (P90)", best), *_doubt(best)]
    lines = [_sentence(comparison, "Lowest planned cost", best), *_doubt(best)]
    lines.append(_sentence(comparison, "Lowest in bad luck (P90)", safe))
    return [*lines, *_doubt(safe)]


def trade(best: Scenario, safe: Scenario) -> str:
    """What the safer choice costs and what it saves."""
    assert best.cost_usd is not None and safe.cost_usd is not None  # noqa: PT018
    more, less = safe.cost_usd.plan - best.cost_usd.plan, best.cost_usd.p90 - safe.cost_usd.p90
    least = "at least " if open_ended(best) else ""
    return f"${dollars(more)} more as planned, {least}${dollars(less)} less at P90"


def rank_of(comparison: Comparison, scenario: Scenario) -> int:
    return next(rank for rank, entry in enumerate(comparison.scenarios, 1) if entry.id == scenario.id)


def _sentence(comparison: Comparison, what: str, scenario: Scenario) -> str:
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018
    cost, run = scenario.cost_usd, scenario.days
    floor = ">" if open_ended(scenario) else ""
    place = "" if only_fleet(comparison.scenarios) else f" on {fleet(scenario)}"
    return (
        f"{what}: #{rank_of(comparison, scenario)} {layout_name(scenario)}, {scenario.purchase}{place}: "
        f"${dollars(cost.plan)} planned (P10-P90 ${dollars(cost.p10)} to {floor}${dollars(cost.p90)}), "
        f"{days(run.plan)} days ({days(run.p10)} to {days(run.p90)})"
        + "".join(f"; {chance}" for chance in chances(scenario))
        + "."
    )


def _doubt(scenario: Scenario) -> list[str]:
    """What must stand beside the answer, not under it."""
    if not may_not_finish(scenario):
        return []
    return [f"  ! It may not finish: in {scenario.unfinished_fraction:.1%} of the draws it never does."]
