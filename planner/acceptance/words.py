"""Numbers of an acceptance in words."""

from __future__ import annotations

import math

from planner.acceptance.miss import Change
from planner.acceptance.planned import Expected


def number(value: float) -> str:
    """Three digits, with commas: 0.523, 12.3, 1,980,000."""
    if not value or not math.isfinite(value):
        return f"{value:g}"
    digits = 2 - math.floor(math.log10(abs(value)))
    if digits <= 0:
        return f"{round(value, digits):,.0f}"
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".")


def beside(measured: float, expected: Expected) -> str:
    """`2,180 GB/s, 61 % of plan (3,570; P5 to P95 1,010 to 4,620)`."""
    unit = expected.quantity.unit
    share = f"{measured / expected.planned:.0%}".replace("%", " %")
    return (
        f"{number(measured)} {unit}, {share} of plan "
        f"({number(expected.planned)}; P5 to P95: {number(expected.low)} to {number(expected.high)})"
    )


def costs(change: Change) -> str:
    """`+9 days, +$640k (P10 to P90: +4 to +15 days, ...)`; what never ends is said."""
    never = f"; never ends in {change.never_fraction:.0%} of the outcomes".replace("%", " %")
    tail = never if change.never_fraction > 0 else ""
    if not math.isfinite(change.days[0]):
        return "the run never ends"
    (d10, d50, d90), (u10, u50, u90) = change.days, change.usd
    if not _moves(d90, 0.01) and not _moves(d10, 0.01) and not _moves(u90, 1) and not _moves(u10, 1):
        return f"+0 days, +$0{tail}"
    between = f"P10 to P90: {_days(d10)} to {_days(d90)} days, {_usd(u10)} to {_usd(u90)}"
    return f"{_days(d50)} days, {_usd(u50)} ({between}){tail}"


def _moves(value: float, least: float) -> bool:
    return abs(value) >= least


def _days(value: float) -> str:
    return f"{value:+.2f}" if abs(value) < 1 else f"{value:+,.1f}" if abs(value) < 10 else f"{value:+,.0f}"


def _usd(value: float) -> str:
    sign, size = "-" if value < 0 else "+", abs(value)
    for limit, letter in ((1e6, "M"), (1e3, "k")):
        if size >= limit:
            return f"{sign}${number(size / limit)}{letter}"
    return f"{sign}${size:,.0f}"
