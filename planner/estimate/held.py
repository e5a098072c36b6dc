"""A fleet that is held for a given time: how many of its GPU-hours are delivered."""

from __future__ import annotations

import numpy as np

from planner.estimate.job_rates import JobRates
from planner.layouts.base import Demand
from planner.models.derived import Sourced
from planner.models.interruptions import no_spare_probability
from planner.models.number import Number
from planner.models.sheet import Sheet

NO_FALLBACK = "it needs work with an end; this fleet is held"


def delivered_fraction(demand: Demand, rates: JobRates, unallocated: Sourced, hours: Sourced, sheet: Sheet) -> Number:
    """Share of the fleet's node-hours in which a node is there.

    unallocated: hours in which a spot fleet waits; failed nodes that wait for a replacement come on top.
    """
    failures, replacement = rates.failures, rates.replacement
    losses = failures[0] + rates.node_reclaims[0]
    lost: Sourced = (losses, "run:goodput.node_losses_per_hour")
    no_spare = sheet.equation(
        "goodput.no_spare_fraction",
        no_spare_probability,
        failures_per_hour=lost,
        replacement_hours=replacement,
        spares=(demand.nodes - demand.training_nodes, "plan:fleet.spares"),
    )
    missing = sheet.arithmetic(
        "fleet.missing_fraction",
        np.minimum(failures[0] * no_spare * replacement[0] / demand.training_nodes, 1.0),
        "fraction",
        "min(failures * no_spare * replacement / training_nodes, 1)",
        "node-hours in which a failed node is not replaced yet",
        failures=(failures[0], failures[1], "1/h"),
        no_spare=(no_spare, "run:goodput.no_spare_fraction", "fraction"),
        replacement=(replacement[0], replacement[1], "h"),
        training_nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
    )
    return sheet.arithmetic(
        "delivered_fraction",
        (1 - missing) * (1 - np.minimum(unallocated[0] / hours[0], 1.0)),
        "fraction",
        "(1 - missing) * (1 - min(unallocated / hours, 1))",
        "node-hours with a node, of all that are asked for",
        missing=(missing, "run:fleet.missing_fraction", "fraction"),
        unallocated=(unallocated[0], unallocated[1], "h"),
        hours=(hours[0], hours[1], "h"),
    )


def delivered_gpu_hours(nominal: Sourced, delivered: Number, sheet: Sheet) -> Number:
    """GPU-hours that the fleet delivers. nominal: all of its training GPUs for the whole time."""
    return sheet.arithmetic(
        "useful_gpu_hours",
        nominal[0] * delivered,
        "GPU-hours",
        "gpu_hours * delivered",
        "delivered GPU-hours",
        gpu_hours=(nominal[0], nominal[1], "GPU-hours"),
        delivered=(delivered, "run:delivered_fraction", "fraction"),
    )
