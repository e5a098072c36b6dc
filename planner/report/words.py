"""How numbers and scenarios are said to people: the same words in the table, the page and the answer."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence

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


def lowest_risk(comparison: Comparison) -> Scenario | None:
    """The complete scenario whose 90th percentile of cost is lowest."""
    complete = [s for s in comparison.scenarios if s.feasible and s.complete and s.cost_usd]
    return min(complete, key=lambda s: (s.cost_usd.p90 if s.cost_usd else 0.0, s.id), default=None)


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
    floor = ">=" if open_ended(scenario) else ""
    place = "" if only_fleet(comparison.scenarios) else f" on {fleet(scenario)}"
    return (
        f"{what}: #{rank_of(comparison, scenario)} {layout_name(scenario)}, {scenario.purchase}{place}: "
        f"${dollars(cost.plan)} planned (P10-P90 ${dollars(cost.p10)} to {floor}${dollars(cost.p90)}), "
        f"{days(run.plan)} days ({days(run.p10)} to {days(run.p90)})."
    )


def _doubt(scenario: Scenario) -> list[str]:
    """What must stand beside the answer, not under it."""
    if not may_not_finish(scenario):
        return []
    return [f"  ! It may not finish: in {scenario.unfinished_fraction:.1%} of the draws it never does."]
