"""The part of a stack file that `fsx-lustre-scratch` would have; a preview shows it."""

from __future__ import annotations

from planner.layouts.deployment import Deployment
from planner.layouts.fsx_lustre_scratch import ROOM
from planner.layouts.shared.lustre_size import FileSystem
from planner.layouts.shared.lustre_spec import lustre_section


def deployment_of(file_system: FileSystem) -> Deployment:
    """The file system with its priced sizes, and why it is not deployed yet."""
    return Deployment(
        sections={"lustre": lustre_section(file_system)}, why_not=f"fsx-lustre-scratch is {ROOM.not_deployed}"
    )
