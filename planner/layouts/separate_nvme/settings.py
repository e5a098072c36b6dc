"""What a plan may write under `storage.separate-nvme`.

No `from __future__ import annotations`: pydantic would compile every annotation again from its text.
"""

from pydantic import Field

from planner.plan.forms import Count, InstanceName, Protection, Section


class SeparateSettings(Section):
    """A storage cluster of its own on i3en, i4i or i7ie."""

    instance_type: InstanceName | None = Field(None, description="default: the cheapest that fits")
    spares: Count | None = Field(None, description="storage nodes paid for that wait for a failure")
    protection: Protection | None = Field(None, description="none, or data+parity like 16+4")


SETTINGS = SeparateSettings
