"""The part of a stack file that only `converged` has: control nodes, the pool, cores reserved for its targets, and the
database of files."""

from __future__ import annotations

import math

from fleet_pool.settings import reserved_vcpu

from planner.layouts.base import Demand
from planner.layouts.converged.bill import control_instance_type, control_nodes
from planner.layouts.converged.files import DATABASE_CLASS
from planner.layouts.converged.files_bill import LEAST_GIB
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.deployment import Deployment, Fields, control_section, pool_section
from planner.models.values import Values
from planner.plan.types import Plan


def deployment_of(
    settings: ConvergedSettings, demand: Demand, plan: Plan, values: Values, *, files: bool
) -> Deployment:
    """files: whether jobs use the pool as a file system. Raises NotDeployable."""
    count, _ = control_nodes(settings, values)
    sections = {
        "control": control_section(control_instance_type(settings), int(count), values),
        "pool": pool_section(plan, values),
    }
    return Deployment(
        sections={**sections, "files": _database(demand, values)} if files else sections,
        reserved_vcpu=reserved_vcpu(demand.instance.vcpu),
    )


def _database(demand: Demand, values: Values) -> Fields:
    """As large as billed, in whole GiB."""
    stored = demand.copied_in_bytes / demand.file_bytes * values.central("posix.database_bytes_per_file")
    return {"instance_class": DATABASE_CLASS, "storage_gib": max(math.ceil(stored / 2**30), LEAST_GIB)}
