"""Timestamps of a stack file: read with any UTC offset, written in UTC as AWS requires."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_timestamp(text: str) -> datetime:
    """The start or end of a block in UTC. Raises ValueError for text that is not a time, or has no UTC offset."""
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise ValueError("no offset from UTC")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:  # in the first or last hours of the calendar
        raise ValueError(str(error)) from None


def timestamp_text(moment: datetime) -> str:
    """Auto Scaling API Reference, PutScheduledUpdateGroupAction: whole seconds, in UTC, with a Z and nothing else."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
