"""One choice, priced: a run and a way to buy its GPU nodes -> the whole bill.

The same function runs once on central values and once on arrays of draws.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.purchase import Bought, Buy, bill_compute
from planner.decide.run import Run
from planner.models.bill import Ledger, Line, Unpriced
from planner.models.compute import usd_per_useful_gpu_hour
from planner.models.people import bill_people
from planner.models.values import Number, Values
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one evaluation gives: numbers are floats, or arrays with one entry a draw."""

    run: Run
    bought: Bought
    lines: tuple[Line, ...]
    unpriced: tuple[Unpriced, ...]
    cost_usd: Number
    usd_per_useful_gpu_hour: Number
    why_not: tuple[str, ...]
    warnings: tuple[str, ...]


def price(book: PriceBook, run: Run, buy: Buy, values: Values) -> Outcome:
    """Put the GPU nodes and the people on a run's bill."""
    nodes = Ledger(book, run.plan.region)
    bought = bill_compute(nodes, buy, run.hours, values, unpaid_hours=run.node_hours_unpaid)
    people = Ledger(book, run.plan.region)
    bill_people(
        people,
        run.plan.people,
        buy.instance,
        hours=run.hours,
        node_hours=buy.nodes * (run.hours - run.node_hours_unpaid),
        unused_node_hours=bought.unused_node_hours,
        usd_per_node_hour=bought.usd_per_hour,
        values=values,
    )
    ledgers = (nodes, run.ledger, people)
    lines = tuple(line for ledger in ledgers for line in ledger.lines)
    cost = sum(line.effective_cost for line in lines)
    return Outcome(
        run=run,
        bought=bought,
        lines=lines,
        unpriced=tuple(entry for ledger in ledgers for entry in ledger.unpriced),
        cost_usd=cost,
        usd_per_useful_gpu_hour=usd_per_useful_gpu_hour(cost_usd=cost, useful_gpu_hours=run.work.useful_gpu_hours),
        why_not=(*run.refusals, *bought.why_not, *nodes.not_offered, *people.not_offered),
        warnings=(*run.work.notes, *run.service.warnings, *bought.warnings),
    )
