"""Bill lines that only `converged` has: control nodes and their volumes."""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.shared.control_nodes import CONTROL_INSTANCE_TYPE
from planner.layouts.shared.instances import bill_on_demand_nodes, bill_volumes
from planner.models.derived import Sourced
from planner.models.ledger import Ledger
from planner.models.values import Values


def control_instance_type(settings: ConvergedSettings) -> str:
    """Instance type of the control nodes: from the plan, or the default."""
    return settings.control_instance_type or CONTROL_INSTANCE_TYPE


def control_nodes(settings: ConvergedSettings, values: Values) -> Sourced:
    """Number of control nodes, with its origin: from the plan, or the assumption."""
    if settings.control_nodes:
        return settings.control_nodes, "plan:storage.converged.control_nodes"
    return values.given("pool.control_nodes")


def bill_control_nodes(settings: ConvergedSettings, ledger: Ledger, timing: Timing, values: Values) -> None:
    """Control nodes and their root volumes, from the first to the last paid GPU-hour."""
    count, hours = control_nodes(settings, values), timing.standing_hours
    bill_on_demand_nodes(ledger, "pool.control-nodes", control_instance_type(settings), count, hours)
    bill_volumes(ledger, "pool.control-ebs", count, values.given("pool.control_volume_gib"), timing)
