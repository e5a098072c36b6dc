"""A difference in words: the first sentence, signed figures with their bounds, lists, and titles."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from planner.report.diff.bills import BillChange, LineChange
from planner.report.diff.differences import Changes, Figure, Side
from planner.report.wording import figures as words
from planner.report.wording import rounding
from planner.report.wording.spoken_choice import spoken_id
from planner.report.wording.spoken_worker import spoken_worker
from planner.report.wording.wrapping import cut

UNKNOWN = "?"
SCENARIOS, NOTES = "Scenarios", "Notes"
PROVENANCE = "Plans, prices and versions"
_NO_SCENARIO = "no scenario is recommended"
MOST_NAMES = 4
VALUE_CELLS = 60
ID_CELLS = 120  # our ids are shorter, but a file may have longer ones


def signed(value: float, shown: Callable[[float], str], before: str = "") -> str:
    """`+$12,340`, `-$5.10`, and `$0` without a sign."""
    text = shown(abs(value))
    nothing = not text.strip("0.,")
    return f"{'' if nothing else '+' if value > 0 else '-'}{before}{text}"


def usd(value: float) -> str:
    return signed(value, words.money, "$")


def percent(figure: Figure) -> str:
    """The change in percent; "" if that is not known."""
    if figure.change is None or not figure.before:
        return ""
    share = 100 * figure.change / abs(figure.before)
    return signed(share, lambda size: f"{size:,.1f}" if size >= 0.05 or size == 0 else words.plain(size, 1)) + " %"


def days(value: float) -> str:
    """A change in days, to a tenth of a day, or finer if it is less than that."""
    if abs(value) > words.NO_END_DAYS:
        return f"{'+' if value > 0 else '-'}>3y"
    return signed(value, lambda size: f"{size:,.1f}" if size >= 0.05 or size < 1e-6 else words.plain(size, 1))


def change(figure: Figure, shown: Callable[[float], str], printed: Callable[[float], str] = words.money) -> str:
    """The change between both sides as `printed`, a bound of it (>=, <=), `?` if nothing is known, or `-` if a side has
    no figure."""
    if figure.before is None or figure.after is None:
        return "-"
    known = [figure.change, figure.change_at_least, figure.change_at_most]
    found = next(
        ((bound, value) for bound, value in zip(("", ">=", "<="), known, strict=True) if value is not None), None
    )
    if found is None:
        return UNKNOWN
    bound, exact = found
    ends = figure.before, figure.after
    drawn = math.isfinite(exact) and (printed is not words.days or max(ends) <= words.NO_END_DAYS)
    moved = rounding.apart(*ends, printed) if drawn else exact
    return bound + shown(moved if moved or printed is words.money else exact)


def short(name: str | None) -> str | None:
    """An id, shortened for a sentence or a list."""
    return None if name is None else cut(words.visible(name), ID_CELLS)


def spoken(name: str | None) -> str | None:
    """A scenario as a sentence names it; an id that is none of ours as it is."""
    if name is None:
        return None
    try:
        said = spoken_worker(name) if name.startswith("workers/") else spoken_id(name, place=True)
    except (ValueError, KeyError):
        said = name
    return short(said)


def headline(changes: Changes) -> str:
    """The change of the recommended scenario's planned cost, days and P90, and which scenario it is."""
    cost, run = changes.best_cost_usd, changes.best_days
    old, new = spoken(changes.best_before), spoken(changes.best_after)
    if old is None and new is None:
        return f"No total before or after: {_NO_SCENARIO}"
    if new is None:
        return f"No total after: {_NO_SCENARIO}. Before: {old}, {_total(cost.before)}"
    if old is None:
        return f"After: {new}, {_total(cost.after)}. No total before: {_NO_SCENARIO}"
    if not changes.different:
        return f"No difference: $0, 0.0 days; recommended: {new}, {_total(cost.after)} planned"
    share = f" ({percent(cost)})" if percent(cost) else ""
    # its cost is exact because this scenario is complete on both sides
    figures = f"{change(cost, usd)}{share}, {change(run, days, words.days)} days"
    which = _which(old, new)
    unlike = _unlike(changes, changes.best_before, changes.best_after)
    planned = f"planned {_total(cost.before)} to {_total(cost.after)}"
    return f"{figures}: recommended, {planned}{_at_p90(changes)}, {which}{unlike}"


def _at_p90(changes: Changes) -> str:
    """What 1 in 10 outcomes exceed may move the other way; "" without draws."""
    figure = changes.best_cost_p90_usd
    if changes.after.draws == 0 or figure.change is None or figure.before is None or figure.after is None:
        return ""
    return f" and P90 {_total(figure.before)} to {_total(figure.after)} ({change(figure, usd)})"


def _which(old: str, new: str) -> str:
    return f"still {new}" if old == new else f"now {new} instead of {old}"


def _unlike(changes: Changes, before: str | None, after: str | None) -> str:
    """A caution if another scenario is first perhaps only because a price became known or unknown."""
    if before == after or before is None or after is None:
        return ""
    rows = {row.id: row for row in changes.scenarios}
    if rows[after].unpriced_before:
        return "; not directly comparable: this scenario had a missing price before"
    if rows[before].unpriced_after:
        return "; not directly comparable: the earlier scenario has a missing price now"
    return ""


def _total(value: float | None) -> str:
    return "unknown" if value is None else f"${words.money(value)}"


def lowest_p90(changes: Changes) -> str:
    """The lowest P90 of each side, from `safest_*`; "" if a side has none, or nothing that is eligible."""
    figure = changes.safest_cost_p90_usd
    old, new = spoken(changes.safest_before), spoken(changes.safest_after)
    if None in (changes.best_before, changes.best_after):
        return ""
    if not changes.different or old is None or new is None or figure.before is None or figure.after is None:
        return ""
    which = _which(old, new)
    bounds = [f"{'>' if low else ''}{_total(value)}" for value, low in _ends(figure)]
    unlike = _unlike(changes, changes.safest_before, changes.safest_after)
    moved = change(figure, usd)
    moved = "change unknown" if moved == UNKNOWN else moved
    return f"Lowest P90 of the eligible scenarios: {moved}, {' to '.join(bounds)}, {which}{unlike}"


def _ends(figure: Figure) -> list[tuple[float | None, bool]]:
    return [(figure.before, figure.before_is_floor), (figure.after, figure.after_is_floor)]


def names(changes: Changes) -> list[str]:
    """The plans' names; only one if they are the same."""
    return list(dict.fromkeys([changes.before.plan_name, changes.after.plan_name]))


def origins(changes: Changes) -> list[str]:
    """Plan, prices, draws and seed of each side."""
    return [f"before: {_origin(changes.before)}", f"after:  {_origin(changes.after)}"]


def _origin(side: Side) -> str:
    draws = "" if side.draws is None else f", {side.draws:,} draws" if side.draws else ", no draws"
    age = "" if side.prices_age_days is None else f" ({side.prices_age_days:,} days old)"
    return f"plan {side.plan_sha256[:12]}, prices of {short(side.prices_as_of)}{age}{draws}, seed {side.seed}"


def changed_lines(bill: BillChange) -> list[LineChange]:
    """The lines that changed, the largest change first."""
    return sorted((line for line in bill.lines if line.status != "same"), key=lambda line: -abs(line.change_usd))


def bill_title(bill: BillChange) -> str:
    before, after = short(bill.before), short(bill.after)
    return f"Bill of {after}" if bill.before == bill.after else f"Bill of {before} to {after}"


def bill_remarks(bill: BillChange) -> list[str]:
    """What the table of its lines does not show: unchanged lines, and why the sum is not a real change."""
    found = []
    rest = len(bill.lines) - len(changed_lines(bill))
    if rest:
        found.append(f"{words.many(rest, 'line')} unchanged")
    if bill.price_found_usd:
        found.append(
            f"{usd(bill.price_found_usd)} of the change is a price that was unknown before, so not a real increase"
        )
    if bill.price_lost_usd:
        found.append(f"{usd(bill.price_lost_usd)} of the change is a price that is unknown now, so not a saving")
    if not bill.exact:
        missing = ", ".join(dict.fromkeys([*bill.unpriced_before, *bill.unpriced_after]))
        found.append(f"this is the change of the lines with a price, not of the total; no price for: {missing}")
    return found


def reasons(changes: Changes) -> list[str]:
    """Scenarios that were added, removed, or became feasible or infeasible; prices that became known or unknown."""
    found = []
    for status, before in (("added", "Added"), ("removed", "Removed"), ("now feasible", "Now feasible")):
        names = [f"{short(row.id)}" for row in changes.scenarios if row.status == status]
        if names:
            found.append(f"{before}: {_some(names)}")
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in changes.scenarios:
        if row.status == "no longer feasible":
            groups.setdefault(row.why_not_after, []).append(f"{short(row.id)}")
    found += [f"No longer feasible: {_some(ids)}: {'; '.join(why)}" for why, ids in groups.items()]
    for before, after, what in (
        ("unpriced_before", "unpriced_after", "Price missing now"),
        ("unpriced_after", "unpriced_before", "Price no longer missing"),
    ):
        lines: dict[str, list[str]] = {}
        for row in changes.scenarios:
            if row.status not in ("added", "removed"):
                for line in getattr(row, after):
                    if line not in getattr(row, before):
                        lines.setdefault(line, []).append(f"{short(row.id)}")
        found += [f"{what}: {line} ({words.many(len(ids), 'scenario')})" for line, ids in lines.items()]
    return found


def _some(names: list[str]) -> str:
    """The first few: the table above has all."""
    more = len(names) - MOST_NAMES
    return ", ".join([*names[:MOST_NAMES], *([f"and {more} more"] if more > 0 else [])])


def lists(changes: Changes) -> list[tuple[str, list[str]]]:
    """Everything that is not in a table, as titled lists."""
    found = [(SCENARIOS, reasons(changes)), *values(changes), (NOTES, list(changes.notes))]
    return [(title, texts) for title, texts in found if texts]


def values(changes: Changes) -> list[tuple[str, list[str]]]:
    """Keys of the plan and assumptions that changed, as titled lists."""
    found = []
    if changes.plan_keys:
        found.append(("Plan", [f"{v.key}: {value(v.before)} -> {value(v.after)}" for v in changes.plan_keys]))
    elif changes.plan_keys is None and changes.before.plan_sha256 != changes.after.plan_sha256:
        found.append(("Plan", ["the plans differ; the changed keys are known only if both sides are plan files"]))
    if changes.assumptions:
        found.append(
            ("Assumptions", [f"{v.key}: {_assumed(v.before)} -> {_assumed(v.after)}" for v in changes.assumptions])
        )
    return found


def value(given: Any) -> str:
    """A value of a plan, shortened if it is long; numbers in the plan's base units (bytes, hours, fractions)."""
    if given is None:
        return "not set"
    if isinstance(given, int | float) and not isinstance(given, bool):
        return words.plain(float(given), 12)
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return text if len(text) <= VALUE_CELLS else text[: VALUE_CELLS - 1] + "…"


def _assumed(given: Any) -> str:
    if given is None:
        return "not used"
    low, high = words.plain(given["low"]), words.plain(given["high"])
    return f"{words.plain(given['value'])} ({low} to {high}) {given['unit']}"


def unchanged_scenarios(count: int) -> str:
    return f"{words.many(count, 'scenario')} unchanged"


def more_entries(count: int, dots: str) -> str:
    return f"{dots} and {count:,} more: --top 0 shows all"


def scenarios_title(differing: int, same: int) -> str:
    """For the folded table of a comment."""
    return f"Scenarios that changed: {differing:,}" + (f"; {same:,} unchanged" if same else "")


def folded_bill_title(number: int) -> str:
    """For the folded table of a comment. number: from 1; the first one is of the recommended scenario."""
    return "Bill of the recommended scenario, line by line" if number == 1 else f"Bill {number}, line by line"


def effects(bill: BillChange) -> str:
    return f"by quantity {usd(bill.quantity_effect_usd)}, by price {usd(bill.price_effect_usd)}"
