"""S, fsx-lustre: FSx for Lustre, linked to the bucket, in AWS's increments.

PERSISTENT_2 in four throughput tiers, SCRATCH_2, or Intelligent-Tiering. Files come from S3 on first read
(data repository association; Intelligent-Tiering takes none and is filled by copy).
"""

from __future__ import annotations

from planner.layouts.base import Demand, Service
from planner.layouts.shared.lustre_service import lustre_service
from planner.layouts.shared.lustre_size import FileSystem
from planner.layouts.shared.s3 import DURABILITY
from planner.models.values import Values


def service_of(file_system: FileSystem, demand: Demand, values: Values, not_considered: tuple[str, ...]) -> Service:
    """What the file system gives. not_considered: warnings of the choice of a tier."""
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
        lost_node="a lost GPU node loses nothing: the file system stands apart",
        warnings=not_considered,
    )
