"""The NVMe drives of the GPU nodes, pooled as a cache over S3."""

from planner.layouts.room import Room

ROOM = Room(title="Pooled NVMe of the GPU nodes, over S3", brief="pooled NVMe", sections=("control", "pool"))
