"""A plan beside its bill: every line by quantity and unit price, and what is on one of them alone.

For a line of both, with planned quantity q and unit price p and billed Q and P, the difference is split as in
`planner diff`: (Q - q) x (p + P) / 2 is the effect of the quantity, (P - p) x (q + Q) / 2 that of the price.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from planner.account.masking import masked
from planner.bills.charges import BilledCharge
from planner.bills.stack_bill import StackBill, stack_bill
from planner.bills.units import in_unit
from planner.bills.usage_lines import MERGED, line_of
from planner.errors import UsageProblem
from planner.estimate.charge_months import Charge, charges_of
from planner.estimate.result import Scenario
from planner.models.bill_lines import bill_line

CENT = 0.005
SECOND = timedelta(seconds=1)
LATE = timedelta(days=1)  # how far the first use may be from the planned start without a note


@dataclass(frozen=True, kw_only=True)
class ReconciledLine:
    """One line. Quantities in `unit`, costs in USD; None: not on this side, or in a unit that cannot be compared.

    line: the plan's, or service and usage type of what no plan has. The two effects add up to the difference.
    """

    line: str
    unit: str
    planned_quantity: float | None
    billed_quantity: float | None
    planned_usd: float
    billed_usd: float
    quantity_effect_usd: float | None
    price_effect_usd: float | None
    in_plan: bool

    @property
    def difference_usd(self) -> float:
        return self.billed_usd - self.planned_usd

    @property
    def planned_unit_usd(self) -> float | None:
        return self.planned_usd / self.planned_quantity if self.planned_quantity else None

    @property
    def billed_unit_usd(self) -> float | None:
        return self.billed_usd / self.billed_quantity if self.billed_quantity else None


@dataclass(frozen=True, kw_only=True)
class Reconciliation:
    """A plan beside its bill, up to `until`. whole: whether that is the end of what was planned.

    left_out: lines of the plan that no bill of the stack can have.
    """

    scenario: str
    stack: str
    start: date
    until: datetime
    whole: bool
    lines: tuple[ReconciledLine, ...]
    bill: StackBill
    left_out: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def planned_usd(self) -> float:
        return sum(line.planned_usd for line in self.lines)

    @property
    def billed_usd(self) -> float:
        return sum(line.billed_usd for line in self.lines)

    @property
    def misses(self) -> tuple[ReconciledLine, ...]:
        """The three lines that differ most, the largest first; differences below a cent are none."""
        wrong = [line for line in self.lines if abs(line.difference_usd) >= CENT]
        return tuple(sorted(wrong, key=lambda line: (-abs(line.difference_usd), line.line))[:3])


def reconcile(
    scenario: Scenario,
    charges: tuple[BilledCharge, ...],
    *,
    stack: str,
    start: date,
    retention_hours: float,
    until: datetime | None = None,
    account: str | None = None,
) -> Reconciliation:
    """A scenario, planned from `start` on, beside the charges of a stack. Raises UsageProblem if there is no bill on
    one of the sides, and as `stack_bill` does."""
    planned = [c for c in charges_of(scenario, start, retention_hours) if _is_billed(c.line.line)]
    if not planned:
        raise UsageProblem(f"{scenario.id} has no bill to compare: `planner compare` says why")
    block = scenario.option.family == "capacity-block"
    hours = sum(line.quantity for line in scenario.bill if line.commitment_status)
    begin = datetime(start.year, start.month, start.day)
    ends = begin + timedelta(hours=hours / scenario.nodes) if block else None
    bill = stack_bill(
        charges, stack, block_node_hours=hours if block else None, block_ends=ends, until=until, account=account
    )
    end = max(charge.end for charge in planned)
    whole = end - bill.until <= SECOND  # exports have whole seconds
    until = end if whole else bill.until
    cut = [(charge, _part(charge, until)) for charge in planned]
    lines = _beside(cut, bill.used, scenario)
    return Reconciliation(
        scenario=scenario.id,
        stack=stack,
        start=start,
        until=until,
        whole=whole,
        lines=lines,
        bill=bill,
        left_out=tuple(dict.fromkeys(line.line for line in scenario.bill if not _is_billed(line.line))),
        notes=(*_notes(bill, begin, whole), *bill.notes),
    )


def _is_billed(line: str) -> bool:
    return bill_line(line).in_stack


def _part(charge: Charge, until: datetime) -> float:
    """The part of a planned charge that lies before the end of the bill."""
    if charge.end <= until:
        return 1.0
    length = charge.end - charge.begin
    return max(0.0, (until - charge.begin) / length) if length else 0.0


def _notes(bill: StackBill, begin: datetime, whole: bool) -> Iterable[str]:
    if bill.first_use is not None and abs(bill.first_use - begin) >= LATE:
        yield (
            f"the first charge is of {bill.first_use:%Y-%m-%d}, the plan starts on {begin:%Y-%m-%d}: "
            f"--set start={bill.first_use:%Y-%m-%d} compares the same days"
        )
    if not whole:
        yield (
            f"the bill ends on {bill.until:%Y-%m-%d %H:%M} UTC, before the plan does: both are compared up to then; "
            "AWS adds charges up to a day later and closes a month some days after its end"
        )
    if bill.unspread_usd:
        yield f"{bill.unspread_usd:,.2f} USD of the fee are paid for the time after that, and in no line"


def _beside(
    planned: list[tuple[Charge, float]], used: tuple[BilledCharge, ...], scenario: Scenario
) -> tuple[ReconciledLine, ...]:
    quantities: dict[str, float] = {}
    costs: dict[str, float] = {}
    units: dict[str, str] = {}
    for charge, part in planned:
        line = MERGED.get(charge.line.line, charge.line.line)
        units.setdefault(line, charge.line.unit)
        quantities[line] = quantities.get(line, 0.0) + charge.quantity * part
        costs[line] = costs.get(line, 0.0) + charge.usd * part
    found: dict[str, list[BilledCharge]] = {}
    for charge in used:
        known = line_of(charge, gpu_type=scenario.instance_type, family=scenario.option.family)
        found.setdefault(known or masked(f"{charge.service} {charge.usage_type}".strip()), []).append(charge)
    lines = [
        _line(name, units[name], quantities[name], costs[name], found.pop(name, []), in_plan=True) for name in units
    ]
    lines += [_line(name, charges[0].unit, None, 0.0, charges, in_plan=False) for name, charges in found.items()]
    return tuple(line for line in lines if line.planned_usd or line.billed_usd or line.planned_quantity)


def _line(
    name: str, unit: str, planned: float | None, planned_usd: float, charges: list[BilledCharge], *, in_plan: bool
) -> ReconciledLine:
    usd = sum(charge.effective for charge in charges)
    converted = [in_unit(charge.quantity, charge.unit, unit) for charge in charges if charge.quantity]
    comparable = [quantity for quantity in converted if quantity is not None]
    quantity = sum(comparable) if len(comparable) == len(converted) else None
    by_quantity, by_price = effects(planned, planned_usd, quantity, usd)
    return ReconciledLine(
        line=name,
        unit=unit,
        planned_quantity=planned,
        billed_quantity=quantity,
        planned_usd=planned_usd,
        billed_usd=usd,
        quantity_effect_usd=by_quantity,
        price_effect_usd=by_price,
        in_plan=in_plan,
    )


def effects(
    planned: float | None, planned_usd: float, billed: float | None, billed_usd: float
) -> tuple[float | None, float | None]:
    """(quantity effect, price effect) in USD; None without a unit price on both sides."""
    if not planned or not billed:
        return None, None
    before, after = planned_usd / planned, billed_usd / billed
    return (billed - planned) * (before + after) / 2, (after - before) * (planned + billed) / 2
