"""When a run stands, in days of the calendar: what a budget of a calendar year sees of it."""

from __future__ import annotations

import math
from datetime import date, timedelta


def last_day(start: date, days: float) -> date:
    """The last day of a run of so many days. What never ends lasts to the end of the calendar."""
    if not math.isfinite(days) or days > (date.max - start).days:
        return date.max
    return start + timedelta(days=max(math.ceil(days), 1) - 1)


def crosses_new_year(start: date, days: float) -> bool:
    """Whether a run goes on after 31 December: AWS counts an annual budget from nothing on 1 January."""
    return last_day(start, days).year > start.year
