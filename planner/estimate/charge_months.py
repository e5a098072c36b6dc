"""A bill by calendar month: when each line of a scenario is used, and what is paid for commitments.

AWS bills by calendar month, and price tiers start again with each. The planned run starts at midnight UTC of its first
day. What is used evenly over a run is divided by hours; a GB-month by hours of their own month, as AWS divides it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from planner.estimate.committed_purchase import UPFRONT_SHARE
from planner.estimate.result import Scenario
from planner.models.bill import PlannedLine
from planner.models.bill_lines import BLOCK_MORE, COMPUTE, COMPUTE_FALLBACK, bill_line
from planner.models.calendar_months import hours_of_month, month_starts
from planner.models.number import scalar
from planner.models.tiered_storage import tiered_storage

TIERED = "T10"  # the equation of storage whose tiers start again each month
# how long the nodes are bought as at the start; what follows is On-Demand, or another block
FIRST_HOURS = ("run.spot_hours", "fleet.committed_run_hours", "fleet.block_used_hours")


@dataclass(frozen=True, kw_only=True)
class Charge:
    """One line in one calendar month. begin, end: UTC, the end exclusive. usd: the effective cost."""

    line: PlannedLine
    begin: datetime
    end: datetime
    quantity: float
    usd: float


@dataclass(frozen=True, kw_only=True)
class Payment:
    """Money due for a commitment or a Capacity Block, whatever is used of it.

    begin, end: the time that it pays for. billed: a day of the month on whose bill it is. recurring: one of the monthly
    payments. node_hours: what it buys.
    """

    begin: datetime
    end: datetime
    billed: datetime
    recurring: bool
    node_hours: float
    usd: float


def charges_of(scenario: Scenario, start: date, retention_hours: float) -> tuple[Charge, ...]:
    """Every line of a planned bill by month, in the order of the bill; a line's parts add up to it.

    retention_hours: for which data stays in S3 after the run. A scenario without a bill has none.
    """
    spans = [_hours_of(line, scenario, retention_hours) for line in scenario.bill]
    return _charges(scenario.bill, spans, start)


def even_charges_of(bill: Sequence[PlannedLine], start: date, hours: float) -> tuple[Charge, ...]:
    """The same of a bill that is used evenly for so many hours from its start."""
    return _charges(bill, [(0.0, hours)] * len(bill), start)


def _charges(bill: Sequence[PlannedLine], spans: Sequence[tuple[float, float]], start: date) -> tuple[Charge, ...]:
    return tuple(
        charge
        for line, span in zip(bill, spans, strict=True)
        for charge in _by_month(line, *span, start)
        if charge.quantity or charge.usd
    )


def payments_of(scenario: Scenario, start: date) -> tuple[Payment, ...]:
    """What is paid for the commitment of a scenario, upfront and by month; adds up to the effective cost of its used
    and unused hours, and is empty without one. Of a part that other work takes over (`reuse_value`), nothing is paid.
    """
    later = [line for line in scenario.bill if line.line == BLOCK_MORE]
    committed = [line for line in scenario.bill if line.commitment_status and line not in later]
    usd = sum(line.effective_cost for line in committed)
    node_hours = sum(line.quantity for line in committed)
    if not committed or not node_hours:
        return ()
    begin, hours = _midnight(start), node_hours / scenario.nodes
    end = begin + timedelta(hours=hours)
    option = scenario.option
    upfront = 1.0 if option.family == "capacity-block" else UPFRONT_SHARE[option.upfront or "no"]
    found = []
    if upfront:
        terms = round(hours / option.term_hours) if option.years else 1  # each is paid when it begins
        part, term = upfront / terms, (end - begin) / terms
        for since in (begin + number * term for number in range(terms)):
            once = Payment(
                begin=since,
                end=since + term,
                billed=since,
                recurring=False,
                node_hours=node_hours * part,
                usd=usd * part,
            )
            found.append(once)
    if upfront < 1:
        for month, until in _months(start, 0.0, hours):
            part = (until - month) / (end - begin) * (1 - upfront)
            found.append(
                Payment(
                    begin=month, end=until, billed=month, recurring=True, node_hours=node_hours * part, usd=usd * part
                )
            )
    for line in later:  # bought when the first block ends, at the latest
        until = end + timedelta(hours=line.quantity / scenario.nodes)
        found.append(
            Payment(
                begin=end,
                end=until,
                billed=end,
                recurring=False,
                node_hours=line.quantity,
                usd=line.effective_cost,
            )
        )
    return tuple(found)


def _hours_of(line: PlannedLine, scenario: Scenario, retention_hours: float) -> tuple[float, float]:
    """From which to which hour after the start a line is used."""
    run = (scenario.days.plan if scenario.days else 0.0) * 24
    kind = bill_line(line.line)
    first = next((e.value for e in scenario.derived if e.id in FIRST_HOURS and isinstance(e.value, float)), run)
    if kind.unused:
        return run, run + line.quantity / scenario.nodes
    if kind.outlives_run:
        return 0.0, run + retention_hours
    if line.line == COMPUTE:
        return 0.0, min(first, run)
    if line.line in (COMPUTE_FALLBACK, BLOCK_MORE):
        return min(first, run), run
    return 0.0, run


def _by_month(line: PlannedLine, begin: float, end: float, start: date) -> Iterator[Charge]:
    months = list(_months(start, begin, end))
    by_month = line.unit.endswith("-Mo")
    hours = [(until - month) / timedelta(hours=1) for month, until in months]
    weights = [
        part / hours_of_month(month.date()) if by_month else part
        for part, (month, _) in zip(hours, months, strict=True)
    ]
    weights = weights if sum(weights) else [1.0]  # no time at all, such as hours of a fallback that is never needed
    whole = sum(weights)
    costs = _tiered_costs(line, begin, hours) or [line.effective_cost * weight / whole for weight in weights]
    for (month, until), weight, usd in zip(months, weights, costs, strict=True):
        yield Charge(line=line, begin=month, end=until, quantity=line.quantity * weight / whole, usd=usd)


def _tiered_costs(line: PlannedLine, begin: float, hours: Sequence[float]) -> list[float]:
    """USD of each month of a line with monthly tiers, scaled to its cost; empty for any other line, and for one that
    was evaluated without its inputs."""
    if line.equation != TIERED or not line.inputs or begin or not line.effective_cost:
        return []
    given: dict[str, Any] = {entry.name: entry.value for entry in line.inputs}
    ends, passed = [0.0], 0.0
    for part in hours:
        passed += part
        given["hours"] = passed
        ends.append(scalar(tiered_storage(**given)))
    if not ends[-1]:
        return []
    return [(after - before) * line.effective_cost / ends[-1] for before, after in pairwise(ends)]


def _months(start: date, begin: float, end: float) -> Iterator[tuple[datetime, datetime]]:
    """The parts of the calendar months from one hour after the start to another; one without length for no time."""
    first = _midnight(start)
    since, until = first + timedelta(hours=begin), first + timedelta(hours=end)
    if until <= since:
        yield since, since
        return
    count = (until.year - first.year) * 12 + until.month - first.month + 1
    for month, after in pairwise(month_starts(start, count)):
        low, high = max(month, since), min(after, until)
        if low < high:
            yield low, high


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)
