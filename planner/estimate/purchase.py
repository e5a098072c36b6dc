"""The GPU nodes on the bill, by purchase option, over the dates of the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.estimate.block_purchase import bill_block
from planner.estimate.committed_purchase import bill_commitment
from planner.estimate.node_purchase import NodePurchase, PurchaseResult
from planner.estimate.uncommitted_purchase import bill_on_demand, bill_spot, bill_spot_then_on_demand
from planner.estimate.waiting import bill_late_nodes
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values


def bill_gpu_nodes(
    ledger: Ledger,
    purchase: NodePurchase,
    hours: Number,
    values: Values,
    *,
    unallocated_hours: Number = 0.0,
    spot_hours: Number | None = None,
    waiting_usd: Number = 0.0,
) -> PurchaseResult:
    """Add the lines of the GPU nodes for a run of `hours`; on spot, without the hours in which there are no nodes.

    spot_hours: with fallback, until the run moves to On-Demand. waiting_usd: an hour of what else stands. Reserved
    Instances and Savings Plans are rates: their nodes have to be found as On-Demand ones have.
    """
    family = purchase.option.family
    if family == "spot":
        return bill_spot(ledger, purchase, hours, values, unallocated_hours)
    if family == "capacity-block":
        return bill_block(ledger, purchase, hours, values, waiting_usd)
    if family == "spot-fallback":
        assert spot_hours is not None
        bought = bill_spot_then_on_demand(ledger, purchase, hours, spot_hours, values, unallocated_hours)
    elif family == "on-demand":
        bought = bill_on_demand(ledger, purchase, hours)
    else:
        bought = bill_commitment(ledger, purchase, hours)
    if purchase.is_held or bought.why_not:
        return bought
    moves = True if spot_hours is None else np.asarray(hours > spot_hours)
    waited, said = bill_late_nodes(ledger, purchase, values, waiting_usd, moves)
    return replace(bought, waited_hours=waited, warnings=(*bought.warnings, *said))
