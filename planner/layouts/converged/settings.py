"""What a plan may write under `storage.converged`.

No `from __future__ import annotations`: pydantic would compile every annotation again from its text.
"""

from typing import Annotated

from pydantic import Field

from planner.plan.forms import InstanceName, Section


class ConvergedSettings(Section):
    """The GPU nodes' own NVMe, pooled."""

    control_instance_type: InstanceName | None = Field(None, description="type of the control nodes")
    control_nodes: Annotated[int, Field(ge=1, le=9)] | None = Field(
        None, description="control nodes, on-demand; default: an assumption"
    )


SETTINGS = ConvergedSettings
