"""What the nodes' own links carry over IP."""

from __future__ import annotations

import numpy as np

from planner.layouts.base import Demand
from planner.models.derived import Sourced
from planner.models.number import Number
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Values
from pricing.catalog import InstanceType


def ip_gbps(id: str, instance: InstanceType, values: Values, sheet: Sheet) -> Sourced:
    """What a node sends or receives over IP, Gbit/s: all of one network card; of several, what one interface carries.

    The other cards of a GPU node have interfaces for EFA alone.
    """
    network = instance.network_mbps, f"catalogue:{instance.name}.network_mbps", "Mbit/s"
    if instance.network_cards <= 1:
        whole = sheet.arithmetic(id, network[0] / 1000, "Gbit/s", "network_mbps / 1000", network_mbps=network)
        return whole, f"run:{id}"
    assumed = values.given("converged.ip_gbps_per_node")
    part = sheet.arithmetic(
        id,
        np.minimum(assumed[0], network[0] / 1000),
        "Gbit/s",
        "min(ip_gbps, network_mbps / 1000)",
        "one interface has an address",
        ip_gbps=(*assumed, "Gbit/s"),
        network_mbps=network,
    )
    return part, f"run:{id}"


def client_rate(demand: Demand, values: Values, sheet: Sheet = UNRECORDED) -> Number:
    """Combined IP receive rate of the training nodes, GB/s."""
    gbps = ip_gbps("storage.client_network_gbps", demand.instance, values, sheet)
    return sheet.arithmetic(
        "storage.clients_gb_per_s",
        demand.training_nodes * 0.95 * gbps[0] / 8,
        "GB/s",
        "nodes * 0.95 * gbps / 8",
        "95 % of what the training nodes receive over IP",
        nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
        gbps=(*gbps, "Gbit/s"),
    )
