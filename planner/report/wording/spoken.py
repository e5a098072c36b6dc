"""Numbers as people say them: as many digits as the range of the outcomes supports."""

from __future__ import annotations

import math

from planner.answer.ranges import Range
from planner.report.wording.figures import NEVER, days, dollars, many

WIDE = 0.1  # a range wider than this share of its middle supports two digits, a narrower one three


def cost(value: float, of: Range) -> str:
    """USD of a range of costs: `$9.0M`, `$13.2M`, `$202k`; `never` beyond the outcomes that finish."""
    return NEVER if math.isinf(value) else f"${_short(value, 2 if _is_wide(of) else 3)}"


def _is_wide(of: Range) -> bool:
    return math.isinf(of.p90) or of.p90 - of.p10 > WIDE * of.p50


def usd(value: float) -> str:
    """A difference or a part, in two digits: `$145k`, `$1.3M`."""
    return f"${_short(value, 2)}"


def _short(value: float, digits: int) -> str:
    """Of two digits, a leading 1 is followed by one more, since it would be rounded by up to 5 %."""
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    lead = abs(value) / 10.0**power
    decimals = digits - 1 - power + (1 if digits == 2 and lead < 2 else 0)
    rounded = round(value, decimals)
    if abs(rounded) < 1000:
        return f"{rounded:,.{max(0, min(decimals, 2))}f}"
    if abs(rounded) < 9_999.5:
        return f"{rounded:,.0f}"
    text = dollars(rounded)
    unit = text[-1]
    step = {"k": 3, "M": 6, "B": 9, "T": 12}[unit]
    return f"{rounded / 10.0**step:,.{max(0, min(decimals + step, 2))}f}{unit}"


def run_days(value: float) -> str:
    """`42 days`, `5.3 days`, `1 day`; `never` where no such run ends."""
    if math.isinf(value):
        return NEVER
    if value < 9.95:
        return f"{days(value)} days" if round(value, 1) != 1 else "1 day"
    if value > 1095:
        return many(round(value / 365.25), "year")
    return many(round(value), "day")


def in_ten(share: float) -> str:
    """A share of the outcomes: `9 of 10`, `19 of 20`, else percent."""
    for whole in (10, 20, 100):
        if math.isclose(share * whole, round(share * whole), abs_tol=1e-9):
            return f"{round(share * whole)} of {whole}"
    return f"{share:.1%}"


def out_of_ten(share: float) -> str:
    """The rest of it: `1 in 10`, `1 in 20`, else percent."""
    rest = 1 - share
    count = round(1 / rest) if rest > 0 else 0
    return f"1 in {count}" if count and math.isclose(rest * count, 1, abs_tol=1e-9) else f"{rest:.1%}"
