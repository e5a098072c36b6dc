"""The settings in `storage.converged`.

No `from __future__ import annotations`: pydantic would have to compile every annotation again from its text.
"""

from typing import Annotated

from pydantic import Field

from planner.plan.forms import InstanceName, Section


class ConvergedSettings(Section):
    """A storage pool on the NVMe drives of the GPU nodes."""

    control_instance_type: InstanceName | None = Field(None, description="instance type of the control nodes")
    control_nodes: Annotated[int, Field(ge=1, le=9)] | None = Field(
        None, description="number of control nodes, On-Demand; default: an assumption"
    )
    posix: bool | None = Field(
        None,
        description="files over the pool, by JuiceFS; default: true with data.access: posix",
    )

    def has_files(self, access: str | None) -> bool:
        """Whether training opens files over the pool. access: the plan's `data.access`."""
        return access == "posix" if self.posix is None else self.posix


SETTINGS = ConvergedSettings
