"""The clock, which only commands and the program of `pulumi up` read: models and stack files know no time of day."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)
