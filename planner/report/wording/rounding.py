"""The one rounding rule of everything that is printed, so that it adds up for a reader who has only the page.

1. A figure at a glance has three digits (`figures.dollars`, `figures.days`), a share whole percents: the same figure is
   the same text in a sentence, a card and a table.
2. A difference is that of the two figures as they are printed.
3. Parts are rounded so that they add up to their total as it is printed: the largest remainders are rounded up.

Bills are printed to the cent, by rule 3; JSON and CSV are not rounded at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from planner.report.wording import figures, spoken

_NUMBER = re.compile(r"(-?)[^\d]*([\d,]*\.?\d+)([kMBT]?)")
_UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def number(text: str) -> float:
    """The value of a printed figure: `$1.84M` is 1,840,000. Raises ValueError where there is none."""
    found = _read(text)
    return float(f"{found[1]}{found[2].replace(',', '')}") * _UNITS[found[3]]


def place(text: str) -> float:
    """What one unit of the last printed digit is worth: 10,000 in `$1.84M`."""
    found = _read(text)
    return _UNITS[found[3]] / 10.0 ** len(found[2].partition(".")[2])


def _read(text: str) -> re.Match[str]:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"no figure: {text!r}")
    return found


def printed(value: float, shown: Callable[[float], str]) -> float:
    """The value as it is printed; itself where it is printed in words, such as `never`."""
    try:
        return number(shown(value))
    except ValueError:
        return value


def hours_apart(one: float, other: float) -> str:
    """By how much two waits differ as printed, whatever the unit of each: `37.5 hours`."""
    gap = abs(_hours(spoken.hours(other)) - _hours(spoken.hours(one)))
    return spoken.hours(gap)


def _hours(text: str) -> float:
    count, unit = text.split(" ")
    return float(count) * {"second": 1 / 3600, "minute": 1 / 60, "hour": 1.0, "day": 24.0}[unit.rstrip("s")]


def apart(one: float, other: float, shown: Callable[[float], str] = figures.dollars) -> float:
    """Other less one, both as they are printed."""
    return round(number(shown(other)) - number(shown(one)), 6)


def exactly(value: float) -> str:
    """USD with every digit that it has: `$108.9k`, for what is rounded already."""
    name = next((name for name in "TBMk" if value >= max(_UNITS[name], 10_000)), "")
    text = f"{round(value / _UNITS[name], 6):,.6f}"
    return f"${text.rstrip('0').rstrip('.')}{name}"


def usd_apart(one: float, other: float) -> str:
    """By how much two costs differ as printed, without a sign: `$130k`; `less than $1k` where both print alike."""
    gap = abs(apart(one, other))
    if gap:
        return f"${figures.tick_label(gap)}"
    least = max(place(figures.dollars(one)), place(figures.dollars(other)))
    return "$0" if one == other else f"less than ${figures.tick_label(least)}"


def less_in_full(one: float, other: float) -> str:
    """`$120 less ($11,140 instead of $11,260)`: to the dollar, where a few dollars of effort decide."""
    gap = abs(apart(one, other, figures.money))
    return f"{exactly(gap)} less (${figures.money(other)} instead of ${figures.money(one)})"


def share_apart(one: float, other: float) -> str:
    """The same as a share of the first, in whole percents."""
    base = number(figures.dollars(one))
    share = round(100 * abs(apart(one, other)) / base) if base else 0
    return f"{share:,}%" if share else "<1%"


def parts(values: Sequence[float], total: float, unit: float) -> list[float]:
    """The values as multiples of `unit` that add up to `total`, itself such a multiple: each is rounded down, and those
    with the largest remainders up."""
    scaled = [value / unit for value in values]
    low = [math.floor(value + 1e-9) for value in scaled]
    missing = round(total / unit) - sum(low)
    order = sorted(range(len(values)), key=lambda at: low[at] - scaled[at])
    up = min(max(missing, 0), len(order))
    for at in order[:up]:
        low[at] += 1
    if missing != up and order:  # ends that are printed in different places: the largest part takes what is left
        low[max(order, key=lambda at: abs(scaled[at]))] += missing - up
    return [count * unit for count in low]


def whole(values: Sequence[float]) -> list[str]:
    """Parts and, last, their total, in whole units: `1,234`."""
    total = round(math.fsum(values))
    return [f"{value:,.0f}" for value in (*parts(values, total, 1.0), total)]


def cents(values: Sequence[float], total: float) -> list[float]:
    """Lines of a bill in whole cents that add up to the total in cents."""
    return [round(value, 2) for value in parts(values, round(total, 2), 0.01)]


def hourly(components: Sequence[Sequence[float]]) -> list[tuple[float, list[float]]]:
    """(sum, values) of each component in hundredths of a cent: values add up to their sum, and these to the total."""
    sums = [math.fsum(values) for values in components]
    unit = 1e-4
    found = parts(sums, round(math.fsum(sums) / unit) * unit, unit)
    return [(total, parts(values, total, unit)) for values, total in zip(components, found, strict=True)]


def glances(values: Sequence[float]) -> list[str]:
    """Parts of a cost in the last place of its total at a glance; `<$1k` for a part that is less than half of it."""
    text = figures.dollars(math.fsum(values))
    unit = place(text)
    rounded = parts(values, number(text), unit)
    return [_part(value, exact, unit) for value, exact in zip(rounded, values, strict=True)]


def _part(value: float, exact: float, unit: float) -> str:
    if value == 0 and exact:
        return f"<{exactly(unit)}"
    return f"{'-' if value < 0 else ''}{exactly(abs(value))}"


def percents(values: Sequence[float], digits: int = 0) -> list[str]:
    """Shares of their sum that add up to 100% as printed; `<1%` for one that is less than half of the last place,
    beside a 99% that would else be all of it."""
    whole, unit = math.fsum(values), 10.0**-digits
    if not whole:
        return [f"{0:.{digits}f}%" for _ in values]
    shares = [100 * value / whole for value in values]
    rounded = [
        min(value, 100.0 - unit) if share < 100.0 - 1e-9 else value  # never all of it where it is not
        for value, share in zip(parts(shares, 100.0, unit), shares, strict=True)
    ]
    return [
        f"<{unit:g}%" if not value and share else f"{value:.{digits}f}%"
        for value, share in zip(rounded, shares, strict=True)
    ]
