"""The rules of dates: which observation stands in a book 'as of' a day (design 3.0, decision 0002).

Everything here is pure: days in, a choice out.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

OBSERVED_WITHIN_DAYS = 45  # an older observation, or a later one, is carried
# A source without any date proves only that the price stood when it was collected: that day stands in
# for the date, so such a row is always the farthest and always carried back.
COLLECTED = date(2026, 11, 21)


@dataclass(frozen=True, order=True)
class Day:
    """A day with how well it is known.

    vagueness: 0 a day or a month (its last day), 1 a year or an open span ("2025-04 or later"),
    2 no date at all. Dated goes before undated, whatever the distance.
    not_before: an open span says that the price began with it, so it is not carried back beyond.
    """

    when: date
    vagueness: int = 0
    not_before: date = date.min


def last_day(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def parse_day(text: str) -> Day:
    """Read a source's date: a day, a month, a year, `2025-04 or later`, `before 2025-06`, `undated`.

    Raises ValueError for anything else: a date that is not understood must not be guessed.
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
        return Day(date(int(text), 12, 31), 1)
    if text in ("", "undated"):
        return Day(COLLECTED, 2)
    raise ValueError(f"date {text!r} is not understood")


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One price as one source stated it.

    key: what is priced, without tier (table, then the table's own key columns). usd: the source's text,
    kept letter by letter. tier: GB from and to, as text. grade: A, B or C.
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
    """A price change that is known: the old price stood on `old_until`, the new one on `new_from`.

    With an exact day the two are neighbours; `between A and B` leaves room in the middle.
    """

    old_until: date
    new_from: date
    what: str = field(default="", compare=False)

    def surely_between(self, one: date, other: date) -> bool:
        """True if one of the days has the old price and the other the new one."""
        early, late = min(one, other), max(one, other)
        return early <= self.old_until and late >= self.new_from

    def perhaps_between(self, one: date, other: date) -> bool:
        """True if the change may have happened between the days."""
        early, late = min(one, other), max(one, other)
        return early < late and early < self.new_from and late > self.old_until


def carried(when: date, as_of: date) -> str:
    """`""` for an observation of the last 45 days, else `forward` or `back`."""
    if when > as_of:
        return "back"
    return "forward" if (as_of - when).days > OBSERVED_WITHIN_DAYS else ""


def refusal(seen: Observation, as_of: date, changes: Iterable[Change], *, carry_back: bool) -> str:
    """Why the observation may not stand in the book, or `""` if it may.

    A change that surely lies between always refuses. One that only may lie between (a window) refuses
    what is carried: a price seen in the last 45 days is still the best knowledge there is.
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

    Equal distance goes to the earlier one (no carrying back), then to the better grade; the rest only
    makes the order total, so that a build has one result.
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
    """The observation that stands in a book as of the day, or None if none may."""
    changes = tuple(changes)
    allowed = [one for one in seen if not refusal(one, as_of, changes, carry_back=carry_back)]
    return min(allowed, key=lambda one: preference(one, as_of), default=None)
