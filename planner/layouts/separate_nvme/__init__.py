"""A separate storage cluster over S3."""

from planner.layouts.room import Room

ROOM = Room(
    title="Separate NVMe cluster over S3",
    brief="separate NVMe",
    sections=("control", "pool", "nvme"),
    may_refuse=("instance_type",),
)
