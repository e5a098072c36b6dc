"""S, fsx-lustre: FSx for Lustre, linked to the bucket, in AWS's increments.

PERSISTENT_2 in four throughput tiers, SCRATCH_2, or Intelligent-Tiering. Files are loaded from S3 on first read (data
repository association; not with Intelligent-Tiering, into which the data is copied).
"""

from __future__ import annotations

from planner.layouts.base import Demand, Service
from planner.layouts.shared.lustre_service import lustre_service
from planner.layouts.shared.lustre_size import FileSystem
from planner.layouts.shared.s3 import DURABILITY
from planner.models.values import Values


def service_of(file_system: FileSystem, demand: Demand, values: Values, not_considered: tuple[str, ...]) -> Service:
    """What the file system provides. not_considered: warnings about the choice of a tier."""
    durability = (
        "one zone, not replicated: SCRATCH_2 loses data with a server; the data set is in S3 as well"
        if file_system.choice.deployment == "SCRATCH_2"
        else f"one zone, replicated inside it; {DURABILITY} once exported"
    )
    return lustre_service(
        file_system,
        demand,
        values,
        durability=durability,
        lost_node="no data is lost with a GPU node: the file system is separate",
        warnings=not_considered,
    )
