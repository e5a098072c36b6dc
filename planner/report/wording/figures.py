"""Numbers and names of scenarios as people read them, the same in every format."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence

from planner.answer.ranges import Range
from planner.estimate.result import Scenario
from planner.layouts.registry import ROOMS
from pricing.offers import PurchaseOption

NEVER = "never"  # a percentile beyond the outcomes that finish
NO_END_DAYS = 1095  # beyond three years a run does not end in any useful sense

FAMILIES = {
    "on-demand": "On-Demand",
    "spot": "Spot",
    "spot-fallback": "Spot, then On-Demand",
    "capacity-block": "Capacity Block",
    "ri": "Reserved Instances",
    "sp": "Savings Plans",
}


def dollars(value: float) -> str:
    """USD at a glance, three digits: 2.02B, 13.2M, 412k, 1,234, 52.10; of a run that does not finish, `never`."""
    if math.isinf(value):
        return NEVER
    size = abs(value)
    for unit, name in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if size < 0.9995 * unit or (name == "k" and size < 9_999.5):
            continue
        scaled = value / unit
        digits = 2 if abs(scaled) < 9.995 else 1 if abs(scaled) < 99.95 else 0
        return f"{scaled:.3g}{name}" if abs(scaled) >= 1e6 else f"{scaled:,.{digits}f}{name}"
    return f"{value:,.2f}" if size < 99.995 else f"{value:,.0f}"


def usd(value: float) -> str:
    """`$13.2M`, `-$46.9k` of a credit, or `never`."""
    return NEVER if math.isinf(value) else f"{'-' if value < 0 else ''}${dollars(abs(value))}"


def tick_label(value: float) -> str:
    """USD beside an axis, without zeros that say nothing: 2M, 1.5M, 400k."""
    text = dollars(value)
    return re.sub(r"\.?0+(?=[kMBT]?$)", "", text) if "." in text else text


def tick_labels(values: Sequence[float]) -> list[str]:
    """Labels of one axis, with as many digits as tell them apart: $1.795M, $1.8M, $1.805M."""
    found: list[str] = []
    for digits in range(3, 9):
        found = [f"${tick_label(value) if digits == 3 else _of_digits(value, digits)}" for value in values]
        if len(set(found)) == len(found):
            break
    return found


def _of_digits(value: float, digits: int) -> str:
    size = next(((unit, name) for unit, name in ((1e9, "B"), (1e6, "M"), (1e3, "k")) if abs(value) >= unit), (1.0, ""))
    return f"{float(f'{value / size[0]:.{digits}g}'):,.10g}{size[1]}"


def money(value: float) -> str:
    """USD to sign for: whole dollars from a hundred on, cents below, billions in words; or `never`."""
    if abs(value) >= 999_500_000:
        return dollars(value)
    return f"{value:,.2f}" if abs(value) < 99.995 else f"{value:,.0f}"


def days(value: float) -> str:
    """Days at a glance."""
    if math.isinf(value):
        return NEVER
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


def short_purchase(option: PurchaseOption) -> str:
    """A purchase option for a narrow column: `RI 3y std`."""
    if not option.years:
        return option.id
    kinds = {"standard": "std", "convertible": "conv", "instance": "inst", "compute": "comp"}
    upfront = {"no": "", "partial": " part", "all": " all"}[option.upfront]
    return f"{option.family.upper()} {option.years}y {kinds[option.kind]}{upfront}"


def purchase_words(option: PurchaseOption) -> str:
    """A purchase option in full: `Compute Savings Plan, 1 year, no upfront`."""
    if not option.years:
        return FAMILIES.get(option.family, option.family)
    return option.commitment_words


def layout_name(scenario: Scenario) -> str:
    """As the scenario's id has it: `fsx-lustre+125`."""
    return f"{scenario.layout}+{scenario.variant}" if scenario.variant else scenario.layout


def layout_words(scenario: Scenario) -> str:
    """`fsx-lustre+125` in full: `FSx for Lustre, 125 MB/s per TiB`."""
    room, variant = ROOMS.get(scenario.layout), scenario.variant
    words = room.title if room else scenario.layout
    unit = f" {room.variant_unit}" if room and room.variant_unit and variant.isdigit() else ""
    return f"{words}, {variant}{unit}" if variant else words


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


def plan_usd(scenario: Scenario) -> float:
    """The planned cost to a micro-dollar: the figure of every format, and exactly the sum of its lines in JSON."""
    return round(math.fsum(round(float(line.effective_cost), 6) for line in scenario.bill), 6)


def percent(share: float) -> str:
    """A share in whole percent; never 0% or 100% where it is neither."""
    # to a millionth first, so that a share and the rest of it add up to 100 as printed
    whole = min(max(round(round(share * 100, 6)), 0 if share <= 0 else 1), 100 if share >= 1 else 99)
    return f"{whole}%"


def share(part: float) -> str:
    """A share of a bill to a tenth of a percent; `<0.1%` where it is less."""
    return "<0.1%" if 0 < part < 0.0005 else f"{part:.1%}"


def shares(parts: Sequence[float]) -> str:
    """The lowest and the highest of several shares: `3% to 12%`."""
    ends = list(dict.fromkeys((percent(min(parts)), percent(max(parts)))))
    return " to ".join(ends)


def many(count: int, one: str, more: str = "") -> str:
    """`1 price`, `2 prices`."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
