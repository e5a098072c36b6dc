"""FSx for Lustre, linked to the bucket."""

from planner.layouts.room import Room

ROOM = Room(
    title="FSx for Lustre",
    brief="FSx for Lustre",
    sections=("lustre",),
    may_refuse=("efa", "capacity_bytes", "deployment"),
    variant_unit="MB/s per TiB",
    is_posix=True,
    lustre_deployment="PERSISTENT_2",
)
