"""The part of a stack file that only `fsx-lustre` has: the file system."""

from __future__ import annotations

from planner.layouts.deployment import Deployment
from planner.layouts.shared.lustre_size import FileSystem
from planner.layouts.shared.lustre_spec import lustre_section


def deployment_of(file_system: FileSystem) -> Deployment:
    """The file system with its priced sizes."""
    return Deployment(sections={"lustre": lustre_section(file_system)})
