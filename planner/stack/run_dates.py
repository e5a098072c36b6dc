"""The calendar days of a run, which an annual budget depends on."""

from __future__ import annotations

import math
from datetime import date, timedelta


def last_day(start: date, days: float) -> date:
    """The last day of a run of so many days. An endless run lasts to the end of the calendar."""
    if not math.isfinite(days) or days > (date.max - start).days:
        return date.max
    return start + timedelta(days=max(math.ceil(days), 1) - 1)


def crosses_new_year(start: date, days: float) -> bool:
    """Whether a run continues after 31 December: AWS resets an annual budget on 1 January."""
    return last_day(start, days).year > start.year
