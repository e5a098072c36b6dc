"""The settings in `storage.separate-nvme`.

No `from __future__ import annotations`: pydantic would have to compile every annotation again from its text.
"""

from pydantic import Field

from planner.plan.forms import Count, InstanceName, Protection, Section


class SeparateSettings(Section):
    """A separate storage cluster of i3en, i4i or i7ie instances."""

    instance_type: InstanceName | None = Field(None, description="default: the cheapest that fits")
    spares: Count | None = Field(None, description="paid storage nodes that replace a failed one")
    protection: Protection | None = Field(None, description="none, or data+parity like 16+4")


SETTINGS = SeparateSettings
