"""The section of a stack file that describes a Lustre file system."""

from __future__ import annotations

from planner.layouts.deployment import Fields
from planner.layouts.shared.lustre_size import FileSystem
from planner.models.capacity import included_metadata_iops


def lustre_section(file_system: FileSystem) -> Fields:
    """Capacity in GiB, throughput in MB/s. metadata_iops 0: what the capacity includes."""
    choice, gib, iops = file_system.choice, file_system.capacity_gib, file_system.metadata_iops
    return {
        "deployment": choice.deployment,
        "capacity_gib": gib,
        "mbps_per_tib": 0 if choice.is_tiering else file_system.mbps,
        "throughput_mbps": file_system.mbps if choice.is_tiering else 0,
        "metadata_iops": iops if iops > included_metadata_iops(capacity_gib=gib) else 0,
        "efa": choice.efa,
    }
