"""The settings in `storage.fsx-lustre-scratch`.

No `from __future__ import annotations`: pydantic would have to compile every annotation again from its text.
"""

from pydantic import Field

from planner.plan.forms import Bytes, Section


class ScratchSettings(Section):
    """FSx for Lustre, scratch deployment."""

    capacity_bytes: Bytes | None = Field(None, alias="capacity", description="default: from the hot data set")


SETTINGS = ScratchSettings
