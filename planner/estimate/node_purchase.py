"""Input and result of buying GPU nodes, and the bill line that every purchase option has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.models.bill import INSTANCES
from planner.models.bill_lines import COMPUTE
from planner.models.compute import node_hours
from planner.models.derived import PRICE, Sourced
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.plan.types import Purchase
from pricing.book import PriceBook
from pricing.catalog import InstanceType
from pricing.offers import Price, PurchaseOption

RUN_HOURS = "run:run.hours"
COMPUTE_PRICE = "run:fleet.compute.effective_unit_price"
BLOCK_FEE = "fleet.block_usd"


@dataclass(frozen=True, kw_only=True)
class Cash:
    """Money due.

    due: a day, or "monthly" for the monthly bill. at_least: whether it lacks a line without a price. derivation: the id
    of its number, "" if the bill has it.
    """

    due: str
    usd: float
    what: str
    at_least: bool = False
    derivation: str = ""


@dataclass(frozen=True, kw_only=True)
class After:
    """What follows the first block, or the commitment, of a fleet that is held longer: days of further blocks, bought 8
    weeks before each, then hours On-Demand."""

    block_days: int = 0
    on_demand_hours: float = 0.0


@dataclass(frozen=True, kw_only=True)
class NodePurchase:
    """The input of a purchase.

    is_held: whether the nodes are held for a given time, so that they may be given back half an hour before the end of
    a block. block_days: of the Capacity Block to buy, or of its two parts; None for another option, or where none has a
    price. after: what follows it, of a fleet that is held.
    """

    instance: InstanceType
    nodes: int
    option: PurchaseOption
    settings: Purchase
    start: date
    is_held: bool = False
    block_days: float | None = None
    after: After = After()


@dataclass
class PurchaseResult:
    """The result: the hourly rate of the run's own hours (for experiments), upfront money, warnings.

    taken_over_usd: the part of a commitment's bill that other work in the company pays (reuse_value).
    unused_node_hours: paid but not used by the run; experiments use them first. block_days: length of the Capacity
    Block; usable_hours: of a run that it holds; had_hours: the same with the parts that AWS sells; second: in which
    draws it sells the second, None if there is none. outlasts_block: in which draws the run does not end within it;
    None if that cannot be. waited_hours: without nodes after it. undelivered_hours: without nodes, of a fleet that is
    held. ends_with_block: whether a run that outlasts it does not finish.
    """

    usd_per_hour: Number | None = None
    upfront: tuple[Cash, ...] = ()
    instalments: tuple[Cash, ...] = ()
    taken_over_usd: float = 0.0
    unused_node_hours: Number = 0.0
    block_days: float | None = None
    usable_hours: Number = 0.0
    had_hours: Number = 0.0
    second: NDArray[np.bool_] | None = None
    outlasts_block: NDArray[np.bool_] | None = None
    waited_hours: Number = 0.0
    undelivered_hours: Number = 0.0
    ends_with_block: bool = False
    warnings: tuple[str, ...] = ()
    why_not: tuple[str, ...] = ()


def nodes_of(purchase: NodePurchase) -> Sourced:
    """The paid nodes, as an input of an equation."""
    return purchase.nodes, "run:nodes"


def list_price(ledger: Ledger, purchase: NodePurchase, otherwise: float) -> tuple[float, str]:
    """(On-Demand list price of a node-hour, note); if it is unknown, `otherwise` with a note."""
    try:
        return ledger.book.listed_on_demand(purchase.instance.name, ledger.region).usd, ""
    except LookupError:
        return otherwise, "; the On-Demand price is unknown, so this rate is shown as the list price"


def on_demand_price(book: PriceBook, instance_type: str, region: str) -> Price | None:
    """The On-Demand price of a node-hour; None where there is none, so that no plan can count on it."""
    try:
        return book.on_demand(instance_type, region)
    except LookupError:
        return None


def bill_used_hours(
    ledger: Ledger,
    purchase: NodePurchase,
    hours: Number,
    price: Price,
    usd: Number,
    *,
    list_usd: float,
    note: str,
    pricing_category: str,
    equation: str = "C9",
    hours_input: str = "hours",
    hours_origin: str = RUN_HOURS,
    line: str = COMPUTE,
    hourly: bool = True,
    unallocated_hours: Number = 0.0,
    more_inputs: Mapping[str, Sourced] | None = None,
) -> None:
    """Add the line of the node-hours that the run uses, at `usd` per node-hour.

    hours_input: the name of the hours in the equation; hours_origin: where they come from. unallocated_hours: in which
    there are no nodes. hourly: whether a deployed stack has these nodes from its start.
    """
    inputs: dict[str, Sourced] = {
        "nodes": nodes_of(purchase),
        hours_input: (hours, hours_origin),
        "usd_per_hour": (None, PRICE),
        **(more_inputs or {}),
    }
    ledger.add(
        line,
        service=INSTANCES,
        equation=equation,
        quantity=node_hours(nodes=purchase.nodes, hours=hours, unheld_hours=unallocated_hours),
        price=price,
        inputs=inputs,
        usd=usd,
        list_usd=list_usd,
        usd_per_hour=purchase.nodes * usd if hourly else None,
        pricing_category=pricing_category,
        note=note,
    )
