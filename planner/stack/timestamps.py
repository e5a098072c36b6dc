"""A moment as a stack file has it: read in any zone that it names, written in UTC as AWS takes it."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_timestamp(text: str) -> datetime:
    """The start or end of a block. Raises ValueError for what is no moment, or one without its offset from UTC."""
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise ValueError("no offset from UTC")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:  # in the first or last hours that a calendar has
        raise ValueError(str(error)) from None


def timestamp_text(moment: datetime) -> str:
    """Auto Scaling API Reference, PutScheduledUpdateGroupAction: whole seconds, in UTC, with a Z and nothing else."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
