"""Bill lines that only `separate-nvme` has: storage nodes, control nodes and their volumes."""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.layouts.separate_nvme.cluster import Cluster
from planner.layouts.shared.control_nodes import CONTROL_INSTANCE_TYPE
from planner.layouts.shared.instances import bill_on_demand_nodes, bill_volumes
from planner.models.ledger import Ledger
from planner.models.values import Values


def bill_cluster(cluster: Cluster, ledger: Ledger, timing: Timing, values: Values) -> None:
    """All instances of the cluster, On-Demand, from the first to the last paid GPU-hour."""
    hours = timing.standing_hours
    nodes, size_gib = (cluster.nodes, "run:storage.nodes"), values.given("pool.control_volume_gib")
    bill_on_demand_nodes(ledger, "storage.nvme.nodes", cluster.storage_instance.name, nodes, hours)
    bill_volumes(ledger, "storage.nvme.ebs", nodes, size_gib, timing)
    count = values.given("pool.control_nodes")
    bill_on_demand_nodes(ledger, "pool.control-nodes", CONTROL_INSTANCE_TYPE, count, hours)
    bill_volumes(ledger, "pool.control-ebs", count, size_gib, timing)
