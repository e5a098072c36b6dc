"""The words of `planner reconcile`: a plan beside its bill."""

from __future__ import annotations

import math
from collections.abc import Mapping

from planner.bills.job_log import JobRecord
from planner.bills.measured import MOST_GOODPUT, Measured
from planner.bills.reconcile import CENT, ReconciledLine, Reconciliation
from planner.errors import UsageProblem
from planner.report.wording.figures import money, percent, plain, quantity
from planner.report.wording.rounding import apart, cents
from planner.report.wording.table import Column

APART = {"tax": "taxes", "credit": "credits", "refund": "refunds", "discount": "discounts", "other": "other charges"}
NOTHING = "The bill is what was planned: no line differs by a cent."


def title(plan_name: str, found: Reconciliation) -> str:
    return f"{plan_name}: {found.scenario}, stack {found.stack}, {found.start:%Y-%m-%d} to {found.until:%Y-%m-%d}"


def headline(found: Reconciliation) -> str:
    """The totals in a sentence."""
    to_date = "" if found.whole else " to date"
    both = f"Billed ${money(found.billed_usd)}, planned ${money(found.planned_usd)}{to_date}"
    change = apart(found.planned_usd, found.billed_usd, money)
    if abs(found.billed_usd - found.planned_usd) < CENT:
        return f"{both}."
    return f"{both}: {_more(change)}{_share(change, found.planned_usd)}."


def _more(change: float) -> str:
    return f"${money(abs(change))} {'more' if change > 0 else 'less'}"


def _share(change: float, planned: float) -> str:
    return f" ({percent(abs(change) / planned)})" if planned else ""


def columns(found: Reconciliation) -> list[Column]:
    """A row a line of plan or bill, then the sums."""
    lines = found.lines
    planned = cents([line.planned_usd for line in lines], found.planned_usd)
    billed = cents([line.billed_usd for line in lines], found.billed_usd)
    changes = [round(after - before, 2) for before, after in zip(planned, billed, strict=True)]
    effects = [_effects(line, change) for line, change in zip(lines, changes, strict=True)]
    sums = round(found.planned_usd, 2), round(found.billed_usd, 2)
    return [
        Column(title="Line", values=[*(line.line for line in lines), "all lines"], text=True, code=True),
        Column(title="Planned $", values=[_cost(usd) for usd in (*planned, sums[0])]),
        Column(title="Billed $", values=[_cost(usd) for usd in (*billed, sums[1])]),
        Column(title="Change $", values=[_signed(usd) for usd in (*changes, sums[1] - sums[0])]),
        Column(title="by quantity", values=[*(_signed(one) for one, _ in effects), ""], keep=1),
        Column(title="by price", values=[*(_signed(other) for _, other in effects), ""], keep=1),
        Column(title="Planned", values=[*(_quantity(line.planned_quantity) for line in lines), ""], keep=2),
        Column(title="Billed", values=[*(_quantity(line.billed_quantity) for line in lines), ""], keep=2),
        Column(title="Unit", values=[*(line.unit for line in lines), ""], text=True, keep=2),
    ]


def _effects(line: ReconciledLine, change: float) -> tuple[float | None, float | None]:
    """Those of quantity and price in cents, which add up to the change as printed."""
    if line.quantity_effect_usd is None or line.price_effect_usd is None:
        return line.quantity_effect_usd, line.price_effect_usd
    one, other = cents([line.quantity_effect_usd, line.price_effect_usd], change)
    return one, other


def _cost(usd: float) -> str:
    return f"{usd:,.2f}"


def _signed(usd: float | None) -> str:
    if usd is None:
        return ""
    return f"{usd:+,.2f}" if abs(usd) >= CENT else "0.00"


def _quantity(value: float | None) -> str:
    return "" if value is None else quantity(value)


def miss(line: ReconciledLine) -> str:
    """One line that differs, in a sentence: how much, and why."""
    change = line.difference_usd
    if not line.in_plan:
        return f"{line.line}: ${money(line.billed_usd)} that the plan does not have."
    if not line.billed_usd:
        return f"{line.line}: nothing was billed; the plan has ${money(line.planned_usd)}."
    said = f"{line.line}: {_more(change)} than planned{_share(change, line.planned_usd)}"
    reasons = [text for text in (_by_quantity(line), _by_price(line)) if text]
    return f"{said}: {' and '.join(reasons)}." if reasons else f"{said}."


def _by_quantity(line: ReconciledLine) -> str:
    effect, planned, billed = line.quantity_effect_usd, line.planned_quantity, line.billed_quantity
    if effect is None or planned is None or billed is None or abs(effect) < CENT:
        return ""
    what = f"{quantity(billed)} instead of {quantity(planned)} {line.unit}"
    return f"${money(abs(effect))} {'more' if effect > 0 else 'less'} for {what}"


def _by_price(line: ReconciledLine) -> str:
    effect, planned, billed = line.price_effect_usd, line.planned_unit_usd, line.billed_unit_usd
    if effect is None or planned is None or billed is None or abs(effect) < CENT:
        return ""
    what = f"${plain(billed)} instead of ${plain(planned)} per unit"
    return f"${money(abs(effect))} {'more' if effect > 0 else 'less'} at {what}"


def misses(found: Reconciliation) -> list[str]:
    """The three largest, each in a sentence."""
    return [miss(line) for line in found.misses] or [NOTHING]


def notes(found: Reconciliation) -> list[str]:
    """What the comparison does not show, or how it was made."""
    said = [_sentence(text) for text in found.notes]
    apart = _amounts(found.bill.apart)
    if apart:
        said.append(f"Apart from these lines, with the stack's tag: {apart}.")
    elsewhere = _amounts(found.bill.elsewhere)
    if elsewhere:
        said.append(f"Account-wide charges without a stack tag: {elsewhere}.")
    if found.left_out:
        said.append(f"Not compared, because the stack cannot cause these charges: {', '.join(found.left_out)}.")
    return said


MOST_OVER = 1.01  # node-hours of jobs over those that were billed: the two are of the same nodes


def check_held(used: float, billed_hours: float, file: str, nodes: str = "GPU nodes") -> None:
    """Raises UsageProblem where jobs held more node-hours than were billed."""
    if used > billed_hours * MOST_OVER:
        raise UsageProblem(
            f"{file}: jobs held {used:,.1f} node-hours in the time of the bill, which has {billed_hours:,.1f} of "
            f"{nodes}: give the accounting of the stack's own cluster, and its time zone"
        )


def by_project(held: Mapping[str, float], billed_hours: float, usd: float, file: str) -> str:
    """What each account pays of a bill by its node-hours, idle nodes apart; the amounts add up to the bill. Raises
    UsageProblem where jobs held more node-hours than were billed, or none."""
    used = math.fsum(held.values())
    if not used:
        raise UsageProblem(f"{file}: no job held nodes in the time of the bill")
    check_held(used, billed_hours, file)
    parts = {**held, "idle nodes": max(billed_hours - used, 0.0)}
    shares = [hours / max(billed_hours, used) for hours in parts.values()]
    amounts = cents([share * usd for share in shares], usd)
    said = [f"{name} ${money(each)} ({percent(s)})" for name, each, s in zip(parts, amounts, shares, strict=True)]
    return f"the bill by project, by node-hours in {file}: {', '.join(said)}"


def _amounts(found: dict[str, float]) -> str:
    return ", ".join(f"{APART[kind]} {'-' if usd < 0 else ''}${money(abs(usd))}" for kind, usd in found.items())


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def measured(values: tuple[Measured, ...], goodput: tuple[float, float] | None, log: JobRecord | None) -> list[str]:
    """What was measured, each beside what was planned."""
    said = []
    if goodput is not None and goodput[0] > MOST_GOODPUT:
        said.append(
            f"No goodput: the log has {quantity(goodput[0] * goodput[1])} node-hours of kept work, the bill "
            f"{quantity(goodput[1])} in all. They are not of the same run or not of the same time"
        )
    elif goodput is not None:
        said.append(f"Goodput {percent(goodput[0])}: work that was kept, of {quantity(goodput[1])} billed node-hours")
    if log is not None:
        counts = f"{log.failures} failures and {log.interruptions} spot interruptions"
        said.append(f"{counts} in {plain(log.node_days, 4)} node-days")
    for entry in values:
        if isinstance(entry.value, float):
            planned = "" if entry.planned is None else f", planned {plain(entry.planned, 4)}"
            said.append(f"{entry.path} {plain(entry.value, 4)} {entry.unit}{planned}: {entry.how}")
    return said
