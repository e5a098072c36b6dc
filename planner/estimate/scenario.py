"""One priced choice: a run, its GPU nodes, and the complete bill.

The same function runs once at central values and once on arrays of draws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.estimate.bounded_prices import are_small, without_bounded
from planner.estimate.held import delivered_gpu_hours
from planner.estimate.input import narrow_supply
from planner.estimate.node_purchase import NodePurchase, PurchaseResult
from planner.estimate.purchase import bill_gpu_nodes
from planner.estimate.run import Run
from planner.estimate.waiting import WAITED
from planner.models.bill import Line, Unpriced
from planner.models.compute import node_hours, usd_per_useful_gpu_hour
from planner.models.derived import Derived, SourcedQuantity
from planner.models.effort import effort_usd
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.people import bill_people
from planner.models.sheet import Sheet
from planner.models.values import Values
from pricing.book import PriceBook

BEFORE = "fleet.delivered_before_changes"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of one evaluation: numbers are floats, or arrays with one entry per draw.

    effort_usd: what operating it costs, on no bill. keeps_bounded: whether the lines with a bounded price are on the
    bill; else they count as unpriced.
    """

    run: Run
    bought: PurchaseResult
    lines: tuple[Line, ...]
    unpriced: tuple[Unpriced, ...]
    days: Number
    cost_usd: Number
    effort_usd: Number
    usd_per_useful_gpu_hour: Number
    why_not: tuple[str, ...]
    warnings: tuple[str, ...]
    derived: tuple[Derived, ...] = ()
    keeps_bounded: bool = True


def price(
    book: PriceBook, run: Run, layout: str, purchase: NodePurchase, values: Values, *, keep_bounded: bool | None = None
) -> Outcome:
    """Put the GPU nodes and the people on a run's bill.

    keep_bounded: whether lines with a bounded price count; None: if every other line has a price and they are small.
    """
    sheet = values.sheet()
    nodes = Ledger(book, run.plan.region, sheet)
    bought = bill_gpu_nodes(
        nodes,
        purchase,
        run.hours,
        values,
        unallocated_hours=run.unallocated_node_hours,
        spot_hours=run.spot_hours,
        waiting_usd=0.0 if purchase.option.family == "spot" else _waiting_usd(run, nodes.sheet),
    )
    run = _delivered(run, bought, nodes.sheet)
    days = _days(run, bought, nodes.sheet)
    held = sheet.equation(
        "fleet.node_hours",
        node_hours,
        nodes=(purchase.nodes, "run:nodes"),
        hours=(run.hours, "run:run.hours"),
        unheld_hours=(run.unallocated_node_hours, "run:fleet.unheld_hours"),
    )
    people = Ledger(book, run.plan.region, sheet)
    bill_people(
        people,
        run.plan.people,
        purchase.instance,
        hours=run.hours,
        node_hours=held,
        unused_node_hours=bought.unused_node_hours,
        usd_per_node_hour=bought.usd_per_hour,
        values=values,
    )
    if purchase.option.family not in ("ri", "sp") or bought.usd_per_hour is None:
        nothing = (0.0, "rule:no commitment, so no unused hours")
        sheet.taken("fleet.unused_node_hours", "node-hours", unused=nothing)
    ledgers = (nodes, run.ledger, people)
    lines = tuple(line for ledger in ledgers for line in ledger.lines)
    unpriced = tuple(entry for ledger in ledgers for entry in ledger.unpriced)
    if keep_bounded is None:
        keep_bounded = not unpriced and are_small(lines)
    if not keep_bounded:
        lines, unpriced = without_bounded(lines, unpriced, run.ledger.bounded)
    # purchase options share the ledger of the run, and adding arrays of draws takes time
    summed = keep_bounded and values.draws
    cost = sum(ledger.cost_usd for ledger in ledgers) if summed else sum(line.effective_cost for line in lines)
    per_hour = _totals(sheet, run, lines, cost)
    return Outcome(
        run=run,
        bought=bought,
        lines=lines,
        unpriced=unpriced,
        days=days,
        cost_usd=cost,
        effort_usd=effort_usd(layout, purchase.option, run.hours, values, sheet),
        usd_per_useful_gpu_hour=per_hour,
        why_not=(*run.refusals, *bought.why_not, *nodes.not_offered, *people.not_offered),
        warnings=(
            *run.work.notes,
            *run.service.warnings,
            *(() if values.draws else (*narrow_supply(run.work, run.service), *_rare_checkpoints(run))),
            *bought.warnings,
        ),
        derived=(*run.derived, *sheet.derived),
        keeps_bounded=keep_bounded,
    )


def _delivered(run: Run, bought: PurchaseResult, sheet: Sheet) -> Run:
    """The run with the hours in which a fleet that is held has no nodes, since one purchase follows another."""
    if run.delivered_fraction is None or not np.any(bought.undelivered_hours):
        return run
    before = tuple(replace(e, id=BEFORE) if e.id == "delivered_fraction" else e for e in run.derived)
    delivered = sheet.arithmetic(
        "delivered_fraction",
        run.delivered_fraction * (1 - bought.undelivered_hours / run.hours),
        "fraction",
        "delivered * (1 - undelivered / hours)",
        "without the hours in which one purchase follows another",
        delivered=(run.delivered_fraction, f"run:{BEFORE}", "fraction"),
        undelivered=(bought.undelivered_hours, "rule:half an hour and a start at each change of nodes", "h"),
        hours=(run.hours, "run:run.hours", "h"),
    )
    useful = delivered_gpu_hours((run.work.useful_gpu_hours, "run:fleet.gpu_hours"), delivered, sheet)
    kept = tuple(entry for entry in before if entry.id != "useful_gpu_hours")
    return replace(run, delivered_fraction=delivered, useful_gpu_hours=useful, derived=kept)


def _rare_checkpoints(run: Run) -> tuple[str, ...]:
    """A warning where the plan's own interval saves less often than the run is interrupted, or never before its end."""
    own, work, mtbf = run.plan.reliability.checkpoint_interval_hours, run.work.hours, run.interruptions.rates.mtbf_hours
    if own is None or own <= min(float(work), float(mtbf[0])):
        return ()
    said = f"checkpoints every {_time(own)} (reliability.checkpoint_interval)"
    why = f"the run is interrupted every {_time(float(mtbf[0]))} on average, so most work is done more than once"
    if own > float(work):
        why = f"the work takes {_time(float(work))}, so an interruption repeats all of it"
    return (f"{said}: {why}; leave the key out for the optimum",)


def _time(hours: float) -> str:
    return f"{hours:.3g} hours" if hours < 48 else f"{hours / 24:.3g} days"


def _waiting_usd(run: Run, sheet: Sheet) -> Number:
    """USD an hour of everything but the nodes, on average over the run."""
    return sheet.arithmetic(
        "fleet.waiting_usd",
        run.ledger.cost_usd / run.hours,
        "USD/Hrs",
        "other_usd / hours",
        "storage and network",
        other_usd=(run.ledger.cost_usd, "rule:the lines of storage and network", "USD"),
        hours=(run.hours, "run:run.hours", "h"),
    )


def _days(run: Run, bought: PurchaseResult, sheet: Sheet) -> Number:
    """From the first to the last GPU-hour, the waits for nodes included."""
    hours: SourcedQuantity = (run.hours, "run:run.hours", "h")
    if not np.any(bought.waited_hours):
        return sheet.arithmetic("days", run.hours / 24, "days", "hours / 24", hours=hours)
    waited: SourcedQuantity = (bought.waited_hours, f"run:{WAITED}", "h")
    days = (run.hours + bought.waited_hours) / 24
    return sheet.arithmetic("days", days, "days", "(hours + waited) / 24", hours=hours, waited=waited)


def _totals(sheet: Sheet, run: Run, lines: tuple[Line, ...], cost: Number) -> Number:
    """Record the totals of the lines and the product of the fractions; returns USD per useful GPU-hour."""
    if sheet.recording:
        bill: dict[str, SourcedQuantity] = {
            line.line: (line.effective_cost, f"run:{line.line}", "USD") for line in lines
        }
        sheet.arithmetic("cost_usd", cost, "USD", "sum(inputs)", "all lines of the bill", **bill)
        useful, shares = run.work.scaling_efficiency * run.input_fraction * run.availability_fraction, {}
        for name, share in (
            ("scaling_efficiency", run.work.scaling_efficiency),
            ("input_fraction", run.input_fraction),
            ("availability_fraction", run.availability_fraction),
        ):
            shares[name] = (share, f"run:goodput.{name}", "fraction")
        expression = "scaling_efficiency * input_fraction * availability_fraction"
        sheet.arithmetic("goodput.useful_fraction", useful, "fraction", expression, **shares)
    return sheet.equation(
        "usd_per_useful_gpu_hour",
        usd_per_useful_gpu_hour,
        cost_usd=(cost, "run:cost_usd"),
        useful_gpu_hours=(run.useful_gpu_hours, "run:useful_gpu_hours"),
    )
