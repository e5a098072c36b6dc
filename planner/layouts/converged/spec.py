"""The part of a stack file that only `converged` has: control nodes, the pool, and cores reserved for its targets."""

from __future__ import annotations

from fleet_pool.settings import reserved_vcpu

from planner.layouts.converged.bill import control_instance_type, control_nodes
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.deployment import Deployment, control_section, pool_section
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.catalog import InstanceType


def deployment_of(settings: ConvergedSettings, instance: InstanceType, plan: Plan, values: Values) -> Deployment:
    """instance: type of the GPU nodes. Raises NotDeployable."""
    count, _ = control_nodes(settings, values)
    return Deployment(
        sections={
            "control": control_section(control_instance_type(settings), int(count), values),
            "pool": pool_section(plan, values),
        },
        reserved_vcpu=reserved_vcpu(instance.vcpu),
    )
