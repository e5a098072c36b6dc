"""Quantities as people write them in a plan: `2.2PB`, `600GiB`, `12h`, `93%`, `A100:256`, `16..64`.

Decimal and binary sizes are different units, so a number without a unit is refused.
Each parser raises BadValue with what to write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from pricing.offers import HOURS_PER_YEAR

_DECIMAL = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18}
_BINARY = {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "PIB": 2**50, "EIB": 2**60}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
# Compiled when a value is first read by them, since a plan uses a few. ASCII only: \d would take Arabic digits, and
# the Kelvin sign is a K to a pattern that ignores case.
_NUMBER = r"([0-9]+(?:_[0-9]{3})*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)"
_SIZE = rf"{_NUMBER}\s*([KMGTPEkmgtpe]?[iI]?B|[kmgtpe]?i?b)"
_NEAR_SIZE = r"([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(?:([KMGTPkmgtp])[iI]?[bB]?(?![A-Za-z])|$)"
_DURATION = rf"{_NUMBER}\s*([smhdw])"
_LONG_DURATION = rf"{_NUMBER}\s*(h(?:ou)?rs?|days?|w(?:ee)?ks?|min(?:ute)?s?)"
_MONTHS = rf"{_NUMBER}\s*(?:mo|months?)"
_BYTES_PS = rf"{_NUMBER}\s*([KMGTPE]i?B)\s*(?:ps|/sec|/second|/ s|per s|per second)"
_BITS_PS = rf"{_NUMBER}\s*([KMGTPEkmgtpe])b(?:it)?(?:/s|ps)"
_RATE = rf"{_NUMBER}\s*([KMGTPEkmgtpe]?[iI]?B)/s"
_BITS = rf"{_NUMBER}\s*(?:[KMGTPE]i?b(?:it|ps|/s)?|[kmgtpe]i?b(?:it|ps|/s))"
_PERCENT = rf"{_NUMBER}\s*%"
_ACCELERATOR = r"([A-Za-z][A-Za-z0-9]*):([0-9]{1,9})"
_RANGE = r"([0-9]{1,9})\.\.([0-9]{1,9})"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_COMMA = r"[0-9],[0-9]"

MAX_BYTES = 10**21  # a zettabyte; a larger size has the wrong unit
MAX_HOURS = 10.0 * HOURS_PER_YEAR  # longer than any training run
MOST_KEPT = 1_000_000  # checkpoints of a run
_MOST_NODES = 100_000
MOST_LISTED, MOST_IN_RANGE = 16, 256  # node counts of a plan: written one by one, or as a range

_SIZES = "write 2.2PB (decimal) or 600GiB (binary)"
_RATES = "write 15MB/s or 2GiB/s"
_DURATIONS = "write 90m, 12h, 21d or 8w"
_FRACTIONS = "write 93% or 0.93"
_COUNTS = "write 400, [16, 32] or 16..64"
_DAYS = "write year-month-day, like 2026-11-21"


class BadValue(ValueError):
    """A value that a plan cannot hold. message: what is wrong with it; remedy: what to write instead, or nothing."""

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message, self.remedy = message, remedy
        super().__init__(f"{message}: {remedy}" if remedy else message)


def _times(text: str, unit: int) -> float:
    """Number times unit, rounded once: 2.2PB and 2200TB must be the same plan."""
    return float(Decimal(text.replace("_", "")) * unit)


def _refusal(text: object, what: str, remedy: str) -> BadValue:
    if re.fullmatch(_BITS, str(text)[:100].strip(), re.ASCII):
        return BadValue(f"{what} must be in bytes (B), not bits (b)", remedy)
    if re.search(_COMMA, str(text)[:100]):
        # 1,500 is 1500 in some countries and 1.5 in others
        return BadValue(f"{what} must be written without commas", remedy)
    return BadValue(f"not {what}", remedy)


def _bounded(value: float, upper: float, what: str) -> float:
    if value <= 0:
        raise BadValue(f"{what} must be greater than zero")
    if not value <= upper:
        raise BadValue(f"{what} is too large for any plan", "check the unit")
    return value


def _as_size(text: object) -> str:
    """What to write instead, with the given number where there is one."""
    found = re.match(_NEAR_SIZE, str(text)[:100].strip(), re.ASCII)
    if not found:
        return _SIZES
    near = found[1] + (found[2] or "G").upper()
    return f"write {'' if found[2] else 'the unit, as in '}{near}B (decimal) or {near}iB (binary)"


def parse_bytes(text: object) -> float:
    """Bytes from `2.2PB` (10^15) or `600GiB` (2^30)."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        raise BadValue("a size needs a unit", _as_size(text))
    match = re.fullmatch(_SIZE, str(text).strip(), re.ASCII)
    if not match:
        raise _refusal(text, "a size", _as_size(text))
    unit = match[2].upper()
    return _bounded(_times(match[1], (_DECIMAL | _BINARY)[unit]), MAX_BYTES, "a size")


def parse_bytes_per_second(text: object) -> float:
    """Bytes a second from `15MB/s` or `2GiB/s`."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        raise BadValue("a rate needs a unit", _RATES)
    match = re.fullmatch(_RATE, str(text).strip(), re.ASCII)
    if not match:
        near = re.fullmatch(_BYTES_PS, str(text)[:100].strip(), re.ASCII)
        bits = re.fullmatch(_BITS_PS, str(text)[:100].strip(), re.ASCII)
        remedy = f"write {near[1]}{near[2]}/s" if near else _RATES
        if bits:
            unit = f"{bits[2].upper()}B/s"
            remedy = f"write {bits[1]}{unit} if bytes are meant, {_times(bits[1], 1) / 8:g}{unit} if bits are"
        raise _refusal(text, "a rate", remedy)
    unit = match[2].upper()
    return _bounded(_times(match[1], (_DECIMAL | _BINARY)[unit]), MAX_BYTES, "a rate")


def parse_hours(text: object) -> float:
    """Hours from `90m`, `12h`, `21d`, `8w`."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        raise BadValue("a duration needs a unit", _DURATIONS)
    match = re.fullmatch(_DURATION, str(text).strip(), re.ASCII)
    if not match:
        raise _refusal(text, "a duration", _as_duration(str(text)[:100].strip()))
    return _bounded(_times(match[1], _SECONDS[match[2]]) / 3600, MAX_HOURS, "a duration")


def parse_run_hours(text: object) -> float:
    """Hours from `12h`, `21d`, `8w`: of what lasts as long as a run, where `1m` is meant as a month."""
    match = re.fullmatch(_DURATION, str(text).strip(), re.ASCII)
    if match and match[2] in "sm":
        days = f"{_times(match[1], 30):g}d"
        remedy = f"write {days} if months are meant" if match[2] == "m" else "write 12h, 21d or 8w"
        raise BadValue(f"{match[2]} is {'minutes' if match[2] == 'm' else 'seconds'}, too short for a run", remedy)
    return parse_hours(text)


def _as_duration(text: str) -> str:
    """What to write instead: `20 days` is 20d, a month about 30."""
    near, months = re.fullmatch(_LONG_DURATION, text.lower(), re.ASCII), re.fullmatch(_MONTHS, text.lower(), re.ASCII)
    if months:
        return f"a month is no fixed time; write {_times(months[1], 30):g}d"
    return f"write {near[1]}{near[2][0]}" if near else _DURATIONS


def parse_fraction(text: object) -> float:
    """A fraction from `93%` or 0.93; 0 and 1 are allowed."""
    if isinstance(text, bool):
        raise BadValue("not a fraction", _FRACTIONS)
    if isinstance(text, int | float):
        value = float(text)
    else:
        match = re.fullmatch(_PERCENT, str(text).strip(), re.ASCII)
        if not match:
            raise _refusal(text, "a fraction", _FRACTIONS)
        value = _times(match[1], 1) / 100
    if not 0 <= value <= 1:
        remedy = f"write {value:g}%" if 1 < value <= 100 and "%" not in str(text) else _FRACTIONS
        raise BadValue("a fraction must be between 0 and 1 (0% and 100%)", remedy)
    return value


@dataclass(frozen=True)
class Accelerators:
    """`A100:256`: 256 GPUs of that kind in total. gpu is upper case."""

    gpu: str
    count: int


def parse_accelerators(text: object) -> Accelerators:
    match = re.fullmatch(_ACCELERATOR, str(text).strip(), re.ASCII)
    if not match or not 1 <= int(match[2]) <= 1_000_000:
        many = str(text).strip() if str(text).strip().isdecimal() else "256"
        raise BadValue("not a GPU count", f"write the kind of GPU and how many, as in H100:{many} or A100:{many}")
    return Accelerators(match[1].upper(), int(match[2]))


def parse_accelerator_list(text: object) -> tuple[Accelerators, ...]:
    """One `A100:256` or a list of them, without repeats."""
    items = list(text) if isinstance(text, list | tuple) else [text]
    if not 1 <= len(items) <= 16:
        raise BadValue("a plan has between 1 and 16 GPU counts")
    return tuple(dict.fromkeys(parse_accelerators(item) for item in items))


def parse_counts(text: object) -> tuple[int, ...]:
    """Node counts from 400, [16, 32] or `16..64`, which is every count from 16 to 64."""
    if isinstance(text, bool):
        raise BadValue("not a node count", _COUNTS)
    most = MOST_LISTED
    if isinstance(text, int):
        counts: tuple[int, ...] = (text,)
    elif isinstance(text, list) and text and all(isinstance(x, int) and not isinstance(x, bool) for x in text):
        counts = tuple(dict.fromkeys(text))
    else:
        match = re.fullmatch(_RANGE, str(text).strip(), re.ASCII)
        if not match:
            raise BadValue("not a node count", _COUNTS)
        low, high = int(match[1]), int(match[2])
        if not 1 <= low <= high:
            raise BadValue("a range of node counts must go from low to high", "write it like 16..64")
        if high - low >= MOST_IN_RANGE and high <= _MOST_NODES:
            raise BadValue(
                f"a range has at most {MOST_IN_RANGE} node counts", f"write {low}..{low + MOST_IN_RANGE - 1}"
            )
        counts, most = tuple(range(low, min(high, _MOST_NODES + 1) + 1)), MOST_IN_RANGE
    if not all(1 <= n <= _MOST_NODES for n in counts):
        raise BadValue("a node count must be between 1 and 100,000")
    if len(counts) > most:
        raise BadValue(f"a plan has at most {MOST_LISTED} node counts", "a range such as 16..64 may have more")
    return counts


def parse_day(text: object) -> date:
    """A calendar day from `2026-11-21`; a time of day or another order of year, month and day is refused."""
    if type(text) is date:
        return text
    if isinstance(text, str) and re.fullmatch(_DAY, text, re.ASCII):
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise BadValue("no such day in the calendar", _DAYS) from None
    raise BadValue("not a day", _DAYS)


def parse_kept(text: object) -> int | Literal["all"]:
    """How many checkpoints are kept: a count from 1, or `all`."""
    if text == "all":
        return "all"
    if isinstance(text, int) and not isinstance(text, bool) and 1 <= text <= MOST_KEPT:
        return text
    raise BadValue("not a number of checkpoints", f"write 3 (from 1 to {MOST_KEPT:,}) or all")
