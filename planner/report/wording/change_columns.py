"""The tables of a difference: scenarios, and the lines of a bill, before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from planner.report.diff.bills import BillChange, LineChange
from planner.report.diff.differences import ScenarioChange
from planner.report.wording import changes, figures
from planner.report.wording.table import Column

TOTAL = "all lines"  # the sum of a bill, including lines that are not shown


def scenario_columns(rows: Sequence[ScenarioChange]) -> list[Column]:
    def column(title: str, value: Callable[[ScenarioChange], str], *, keep: int = 0) -> Column:
        return Column(title=title, values=[value(row) for row in rows], keep=keep)

    def dollars(value: float) -> str:
        return changes.signed(value, figures.money)

    return [
        column("#", _ranks),
        Column(title="Scenario", values=[figures.visible(row.id) for row in rows], text=True, code=True),
        column("Before $", lambda row: _end(row.cost_usd.before, row.cost_usd.before_is_floor, *_before(row))),
        column("After $", lambda row: _end(row.cost_usd.after, row.cost_usd.after_is_floor, *_after(row))),
        column("+/- $", lambda row: _moved(row, changes.change(row.cost_usd, dollars))),
        column("+/- %", lambda row: changes.percent(row.cost_usd).removesuffix(" %"), keep=3),
        column("P90 +/- $", lambda row: changes.change(row.cost_p90_usd, dollars), keep=2),
        column("Days before", lambda row: _run(row.days.before), keep=4),
        column("Days after", lambda row: _run(row.days.after), keep=4),
        column("+/- days", lambda row: changes.change(row.days, changes.days, figures.days)),
        column("P90 +/- days", lambda row: changes.change(row.days_p90, changes.days, figures.days), keep=5),
    ]


def _ranks(row: ScenarioChange) -> str:
    """The rank, or `before>after` if it changed."""
    ends = ["-" if rank is None else str(rank) for rank in (row.rank_before, row.rank_after)]
    return ends[1] if ends[0] == ends[1] else f"{ends[0]}>{ends[1]}"


def _before(row: ScenarioChange) -> tuple[bool, bool]:
    return row.status != "added" and row.rank_before is None, bool(row.unpriced_before)


def _after(row: ScenarioChange) -> tuple[bool, bool]:
    return row.status != "removed" and row.rank_after is None, bool(row.unpriced_after)


def _end(value: float | None, floor: bool, refused: bool, unpriced: bool) -> str:
    if refused:
        return "infeasible"
    if value is None:
        return "no price" if unpriced else "-"
    return (">=" if floor else "") + figures.money(value)


def _moved(row: ScenarioChange, change: str) -> str:
    """The change of its cost, or that the scenario is new or was removed."""
    if row.rank_before is None and row.rank_after is None:
        return "-"
    known = row.status not in ("added", "removed", "now feasible", "no longer feasible")
    if known:
        return changes.UNKNOWN if change == "-" else change
    return "removed" if row.rank_after is None else "new"


def _run(value: float | None) -> str:
    return "-" if value is None else figures.days(value)


def bill_columns(bill: BillChange, lines: Sequence[LineChange]) -> list[Column]:
    """The lines and their sum."""

    def column(
        title: str,
        value: Callable[[LineChange], float | None],
        shown: Callable[[float], str],
        total: float | None = None,
        *,
        keep: int = 0,
    ) -> Column:
        found = [value(line) for line in lines] + [total]
        return Column(title=title, values=["" if v is None else shown(v) for v in found], keep=keep)

    def moved(value: float) -> str:
        return changes.signed(value, lambda size: f"{size:,.2f}")

    def effect(title: str, which: int) -> Column:
        """One part of what each line moved, and that of every line of the bill."""
        total = math.fsum(_moved_by(line)[which] or 0.0 for line in bill.lines)
        return column(title, lambda line: _moved_by(line)[which], moved, total)

    names = [figures.visible(line.line) for line in lines]
    units = [figures.visible(line.unit) for line in lines]
    statuses = ["" if line.status in ("changed", "same") else line.status for line in lines]
    return [
        Column(title="Line", values=[*names, TOTAL], text=True, code=True),
        column("Quantity before", lambda line: line.quantity_before, figures.quantity, keep=2),
        column("Quantity after", lambda line: line.quantity_after, figures.quantity, keep=2),
        Column(title="Unit", values=[*units, ""], text=True, keep=3),
        column("Price before", lambda line: line.unit_price_before_usd, figures.plain, keep=1),
        column("Price after", lambda line: line.unit_price_after_usd, figures.plain, keep=1),
        effect("By quantity $", 0),
        effect("By price $", 1),
        effect("+/- $", 2),
        Column(title="", values=[*statuses, ""], text=True),
    ]


def _moved_by(line: LineChange) -> tuple[float | None, float | None, float]:
    """In cents: by quantity, by price and both, which is their sum as printed."""
    ends = line.quantity_effect_usd, line.price_effect_usd
    one, other = (None if usd is None else round(usd, 2) for usd in ends)
    both = round(line.change_usd, 2) if one is None or other is None else round(one + other, 2)
    return one, other, both
