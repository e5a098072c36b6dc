"""Bill lines of a Slurm cluster by AWS PCS: controller, accounting, management of nodes, and the login node.

AWS's price page was not to be had: the fees are assumptions with their range, marked as such on the bill. AWS PCS bills
each by the hour (AWS PCS User Guide, "Slurm accounting"; what-is-service, 2026).
"""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.layouts.shared.control_nodes import CONTROL_INSTANCE_TYPE
from planner.layouts.shared.instances import bill_assumed_hours, bill_on_demand_nodes, bill_volumes
from planner.models.controller_sizes import LOGIN_NODES, size_of
from planner.models.derived import Sourced
from planner.models.ledger import Ledger
from planner.models.values import Values

LOGIN_INSTANCE_TYPE = CONTROL_INSTANCE_TYPE
ONE: Sourced = (1, "rule:one cluster, with one login node")


def bill_scheduler(ledger: Ledger, gpu_nodes: int, most_nodes: int, timing: Timing, values: Values) -> None:
    """From the first to the last paid GPU-hour. most_nodes: for which the controller has room. More than AWS PCS has
    are billed as its largest, and refused when the stack file is written."""
    size = size_of(most_nodes) or "LARGE"
    controller = f"scheduler.{size.lower()}_controller_usd_per_hour"
    share = values["scheduler.accounting_fraction"]
    nodes: Sourced = (gpu_nodes + LOGIN_NODES, "rule:every GPU node, and the login node")
    hours = timing.standing_hours
    for line, count, usd, key in (
        ("scheduler.controller", ONE, values[controller], controller),
        ("scheduler.accounting", ONE, values[controller] * share, "scheduler.accounting_fraction"),
        ("scheduler.node-fee", nodes, values["scheduler.node_usd_per_hour"], "scheduler.node_usd_per_hour"),
    ):
        bill_assumed_hours(ledger, line, count, usd, hours, service="AWSPCS", assumption=values.table[key])
    bill_on_demand_nodes(ledger, "scheduler.login-node", LOGIN_INSTANCE_TYPE, ONE, hours)
    bill_volumes(ledger, "scheduler.login-ebs", ONE, values.given("scheduler.login_volume_gib"), timing)
