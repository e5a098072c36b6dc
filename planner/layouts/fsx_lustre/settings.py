"""The settings in `storage.fsx-lustre`.

No `from __future__ import annotations`: pydantic would have to compile every annotation again from its text.
"""

from typing import Annotated, Literal

from pydantic import Field

from planner.plan.forms import Bytes, Section


class LustreSettings(Section):
    """FSx for Lustre."""

    deployment: Literal["PERSISTENT_2", "SCRATCH_2", "INTELLIGENT_TIERING"] = Field(
        "PERSISTENT_2", description="AWS deployment type"
    )
    throughput_mbps_per_tib: tuple[Literal[125, 250, 500, 1000], ...] = Field(
        (),
        strict=False,
        max_length=4,
        description="MB/s per TiB, one scenario each; default: the cheapest tier that is fast enough",
    )
    capacity_bytes: Bytes | None = Field(None, alias="capacity", description="default: from the hot data set")
    metadata_iops: Annotated[int, Field(ge=1500, le=192_000)] | None = Field(
        None, description="provisioned metadata IOPS; default: what the capacity includes"
    )
    efa: bool = Field(False, description="EFA between clients and file system; needs Nitro v4 or later")


SETTINGS = LustreSettings
