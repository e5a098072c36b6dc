"""Units of quantities in text: `13min` as hours, `600GB` as bytes, and results in the unit of a published figure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TIMES = {
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "d": 86_400.0,
    "day": 86_400.0,
    "week": 604_800.0,
    "month": 730 * 3600.0,
    "year": 8760 * 3600.0,
}
_SIZES = {
    "B": 1.0,
    "byte": 1.0,
    **{f"{prefix}B": 1000.0**n for n, prefix in enumerate("KMGTPE", 1)},
    **{f"{prefix}iB": 1024.0**n for n, prefix in enumerate("KMGTPE", 1)},
    "kB": 1000.0,
}
_BITS = {
    f"{prefix}{unit}": 1000.0**n / 8 for n, prefix in enumerate("KMGT", 1) for unit in ("bit/s", "b/s", "bps", "bits/s")
}
_RATES = {
    **{f"{name}/s": factor for name, factor in _SIZES.items()},
    **{f"{prefix}Bps": 1000.0**n for n, prefix in enumerate("KMGT", 1)},
    **_BITS,
}
_SHARES = {"fraction": 1.0, "%": 0.01, "percent": 0.01}
_WEIGHTS = {"kg": 1.0, "t": 1000.0, "g": 0.001}
DIMENSIONS: Mapping[str, Mapping[str, float]] = {
    "time": _TIMES,
    "size": _SIZES,
    "data rate": _RATES,
    "share": _SHARES,
    "weight": _WEIGHTS,
}
_BINARY_GB = re.compile(r"GB of 2\^30")


class WrongUnit(ValueError):
    """A unit of another kind of quantity."""


def unit_of(text: str) -> tuple[str, float] | None:
    """(kind of quantity, factor to its base unit) of a unit, by its first word; None for a unit not known here."""
    if _BINARY_GB.match(text):
        return "size", float(2**30)
    word = re.split(r"[ ,]", text.strip(), maxsplit=1)[0]
    for kind, units in DIMENSIONS.items():
        for name in (word, word.removesuffix("s"), word.lower(), word.lower().removesuffix("s")):
            if name in units and (kind == "time" or name in (word, word.removesuffix("s"))):
                return kind, units[name]
    return None


def converted(value: float, unit: str, to: str) -> float:
    """A value in another unit of the same kind; unchanged where one of the units is not known here.

    Raises WrongUnit for units of two kinds, such as hours and GB.
    """
    one, other = unit_of(unit), unit_of(to)
    if one is None or other is None:
        return value
    if one[0] != other[0]:
        raise WrongUnit(f"{unit} is a {one[0]} and {to} a {other[0]}")
    return value * (one[1] / other[1])


_NUMBER_WITH_UNIT = re.compile(
    r"([+-]?[0-9][0-9_,]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?|[+-]?\.[0-9]+)\s*([A-Za-z%][A-Za-z%/]*)"
)


def split_unit(text: str) -> tuple[str, str]:
    """A number as text and its unit: `13min` is ("13", "min"); ("13", "") without a unit."""
    found = _NUMBER_WITH_UNIT.fullmatch(text.strip())
    return (found[1], found[2]) if found else (text, "")
