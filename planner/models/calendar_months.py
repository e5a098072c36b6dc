"""Calendar months: how much of each a time fills, since AWS divides a GB-month by the hours of that very month."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from pricing.offers import HOURS_PER_MONTH

if TYPE_CHECKING:
    import numpy as np

    from planner.models.number import Number

HORIZON_MONTHS = 60  # beyond five years a month has the mean length


def month_starts(start: date, months: int = HORIZON_MONTHS) -> list[datetime]:
    """The start day, then the first of each of the next months."""
    first = datetime(start.year, start.month, start.day)
    starts, year, month = [first], start.year, start.month
    for _ in range(months):
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        starts.append(datetime(year, month, 1))
    return starts


def hours_of_month(day: date) -> float:
    """Hours of the calendar month that a day is in: 744, 720, 696 or 672."""
    _, after = month_starts(day.replace(day=1), 1)
    return (after - datetime(day.year, day.month, 1)) / timedelta(hours=1)


def parts_of_months(start: date, hours: float) -> Iterator[tuple[datetime, float, float]]:
    """(begin, hours of it, hours of its whole calendar month) for each month that the time touches, for five years."""
    for begin, end in pairwise(month_starts(start)):
        part = min(hours, (end - begin) / timedelta(hours=1))
        if part <= 0:
            return
        yield begin, part, hours_of_month(begin)
        hours -= part


@lru_cache(maxsize=64)
def _passed(start: date) -> tuple[np.ndarray, np.ndarray]:
    """Hours and months that have passed at the end of each month."""
    import numpy as np  # shell completion reads the names of equations without it

    hours, months = [0.0], [0.0]
    for begin, end in pairwise(month_starts(start)):
        length = (end - begin) / timedelta(hours=1)
        hours.append(hours[-1] + length)
        months.append(months[-1] + length / hours_of_month(begin))
    return np.array(hours), np.array(months)


def calendar_months(start: date, hours: Number) -> Number:
    """Months that so many hours from a start day are, each part divided by the hours of its own month.

    All of October, 744 h, is one month, and so is all of November with 720 h. Beyond five years, 730 h are a month.
    """
    import numpy as np

    passed_hours, passed_months = _passed(start)
    beyond = np.maximum(np.asarray(hours) - passed_hours[-1], 0.0) / HOURS_PER_MONTH
    return (np.interp(hours, passed_hours, passed_months) + beyond)[()]
