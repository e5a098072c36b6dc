"""Only the bucket: every epoch is read from S3."""

from planner.layouts.room import Room

ROOM = Room(title="Streaming from S3", brief="S3 streaming", has_settings=False)
