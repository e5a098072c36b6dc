"""Waiting for nodes: whether a whole fleet is found On-Demand on the day it is asked for, and what stands meanwhile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.estimate.node_purchase import NodePurchase
from planner.models.bill_lines import WAIT
from planner.models.ledger import Ledger
from planner.models.number import Number, median
from planner.models.values import Values
from pricing.catalog import InstanceType

FOUND, LATER = "on_demand.found_fraction", "on_demand.later_days"
GPUS = 128  # that the assumption speaks of
SHORT = ("p4", "p5", "p6", "trn")  # EC2 User Guide, Capacity Blocks: sold as blocks because they are sought after
WAITED = "fleet.waited_hours"
NO_GUARANTEE = "an On-Demand price does not guarantee capacity"
SAID_BELOW = 0.95
MANY_NODES = 16


def is_short(instance: InstanceType) -> bool:
    return instance.family.startswith(SHORT)


def chance(found_fraction: Number, instance: InstanceType, nodes: int) -> Number:
    """Of so many On-Demand nodes on one day, where each further GPU is as hard to find as the one before; 1 for types
    that are not short."""
    if not is_short(instance):
        return 1.0
    return found_fraction ** (nodes * instance.gpu_count / GPUS)


def drawn(values: Values, stream: str, fraction: Number) -> NDArray[np.bool_]:
    """In which draws something with that chance happens; at central values, whether it is likelier than not."""
    return np.asarray(values.uniform(stream) < fraction)


def found(values: Values, stream: str, purchase: NodePurchase) -> NDArray[np.bool_]:
    """In which draws the nodes of a purchase are found On-Demand on the day they are asked for."""
    return drawn(values, stream, chance(values[FOUND], purchase.instance, purchase.nodes))


def bill_late_nodes(
    ledger: Ledger, purchase: NodePurchase, values: Values, waiting_usd: Number, asked: NDArray[np.bool_] | bool = True
) -> tuple[Number, tuple[str, ...]]:
    """Hours until On-Demand nodes are there, in the draws in which they are asked for, and what to say of it.

    The plan itself counts on them, as on people who lose no time. waiting_usd: USD an hour of what else stands.
    """
    if not values.draws:
        return 0.0, _warnings(purchase, median(chance(values[FOUND], purchase.instance, purchase.nodes)), values)
    waits = np.asarray(asked) & ~found(values, "on_demand.start", purchase)
    hours = np.where(waits, values[LATER] * 24 * _part(purchase), 0.0)
    if np.any(hours):
        rule = f"rule:{LATER}, where {purchase.nodes} nodes are not found on the day"
        bill_wait(ledger, ledger.sheet.taken(WAITED, "h", later=(hours, rule)), waiting_usd)
    return hours, ()


def bill_wait(ledger: Ledger, hours: Number, waiting_usd: Number) -> None:
    """Add the line of what stands while the run has no nodes."""
    ledger.assumed(
        WAIT,
        equation="T3",
        quantity=hours,
        unit="Hrs",
        usd=waiting_usd,
        source="the other lines of the run, an hour on average",
        inputs={
            "count": (1, "rule:the stack"),
            "hours": (hours, f"run:{WAITED}"),
            "usd_per_hour": (waiting_usd, "run:fleet.waiting_usd"),
        },
        service="AmazonEC2",
        note="storage and network while the run waits for nodes",
    )


def _part(purchase: NodePurchase) -> float:
    """Of the wait for as many GPUs as the assumption speaks of: fewer come free sooner."""
    return min(purchase.nodes * purchase.instance.gpu_count / GPUS, 1.0)


def _warnings(purchase: NodePurchase, likely: float, values: Values) -> tuple[str, ...]:
    if not is_short(purchase.instance):
        return (f"{NO_GUARANTEE} for this many nodes",) if purchase.nodes >= MANY_NODES else ()
    days = median(values[LATER]) * _part(purchase)
    said = (
        f"{NO_GUARANTEE}: {purchase.nodes} x {purchase.instance.name} are there on the first day with an assumed "
        f"chance of {likely:.0%}, else {days:.3g} days later. If yours are reserved, add --set assumptions.{FOUND}=1"
    )
    return (said,) if likely < SAID_BELOW else ()
