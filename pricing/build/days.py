"""The rules for dates: which observation a book 'as of' a day uses (decision 0002).

Pure functions: days in, a choice out.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from pricing.offers import OBSERVED_WITHIN_DAYS

# A source without any date proves only that the price was valid when it was collected. That day is used
# as its date, so such a row is always the last choice and always carried back.
COLLECTED = date(2026, 11, 21)


@dataclass(frozen=True, order=True)
class Day:
    """A day and how precisely it is known.

    vagueness: 0 a day or a month (its last day), 1 a year or an open span ("2025-04 or later"), 2 no date at all. Dated
    ones are preferred to undated ones at any distance. not_before: an open span says that the price began then, so it
    is not carried back further.
    """

    when: date
    vagueness: int = 0
    not_before: date = date.min


def last_day(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def parse_day(text: str) -> Day:
    """Parse a source's date: a day, a month, a year, `2025-04 or later`, `before 2025-06`, `undated`.

    Raises ValueError for anything else, because a date must not be guessed.
    """
    text = text.strip()
    if match := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text):
        return Day(date(*map(int, match.groups())))
    if match := re.fullmatch(r"(\d{4})-(\d\d)( or later)?", text):
        end = last_day(int(match[1]), int(match[2]))
        return Day(end, 1, end.replace(day=1)) if match[3] else Day(end)
    if match := re.fullmatch(r"before (\d{4})-(\d\d)", text):
        return Day(date(int(match[1]), int(match[2]), 1) - timedelta(days=1), 1)
    if match := re.fullmatch(r"(\d{4})", text):
        return Day(min(date(int(text), 12, 31), COLLECTED), 1)  # nothing was seen after the day it was collected
    if text in ("", "undated"):
        return Day(COLLECTED, 2)
    raise ValueError(f"date {text!r} is not understood")


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One price from one source.

    key: what is priced, without the tier (table, then the table's key columns). usd: the source's text, unchanged.
    tier: GB from and to, as text. grade: A, B or C.
    """

    key: tuple[str, ...]
    usd: str
    unit: str
    day: Day
    grade: str
    source: str
    note: str = ""
    tier: tuple[str, str] = ("0", "Inf")


@dataclass(frozen=True, kw_only=True)
class Change:
    """A known price change: the old price was valid on `old_until`, the new one from `new_from`.

    With an exact day the two are consecutive; `between A and B` leaves days in between.
    """

    old_until: date
    new_from: date
    what: str = field(default="", compare=False)

    def surely_between(self, one: date, other: date) -> bool:
        """Whether one of the days has the old price and the other the new one."""
        early, late = min(one, other), max(one, other)
        return early <= self.old_until and late >= self.new_from

    def perhaps_between(self, one: date, other: date) -> bool:
        """Whether the change may have happened between the days."""
        early, late = min(one, other), max(one, other)
        return early < late and early < self.new_from and late > self.old_until


def carried(when: date, as_of: date) -> str:
    """`""` for an observation of the last 45 days, else `forward` or `back`."""
    if when > as_of:
        return "back"
    return "forward" if (as_of - when).days > OBSERVED_WITHIN_DAYS else ""


def refusal(seen: Observation, as_of: date, changes: Iterable[Change], *, carry_back: bool) -> str:
    """Why the observation may not be used for the book, or `""` if it may.

    A change that is certainly in between always rules it out. A change that may be in between (a window) rules out only
    carried prices: a price seen in the last 45 days is still the best available.
    """
    when = seen.day.when
    direction = carried(when, as_of)
    if direction == "back" and not carry_back:
        return "later than the book"
    if as_of < seen.day.not_before:
        return "before the span that its source names"
    for change in changes:
        if change.surely_between(when, as_of) or (direction and change.perhaps_between(when, as_of)):
            return "across a price event"
    return ""


def preference(seen: Observation, as_of: date) -> tuple[object, ...]:
    """Sort key, best first: A or B before C, dated before undated, then the nearest.

    At equal distance the earlier one is preferred (no carrying back), then the better grade; the other parts only make
    the order total, so that a build has one result.
    """
    when = seen.day.when
    return (
        seen.grade == "C",
        seen.day.vagueness,
        abs((as_of - when).days),
        when > as_of,
        seen.grade,
        seen.source,
        seen.usd,
        seen.note,
    )


def choose(
    seen: Iterable[Observation], as_of: date, changes: Iterable[Change] = (), *, carry_back: bool = False
) -> Observation | None:
    """The observation that a book as of the day uses, or None."""
    changes = tuple(changes)
    allowed = [one for one in seen if not refusal(one, as_of, changes, carry_back=carry_back)]
    return min(allowed, key=lambda one: preference(one, as_of), default=None)
