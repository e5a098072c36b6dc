"""Days and shares as people say them."""

from __future__ import annotations

import math

from planner.report.wording.figures import NEVER, NO_END_DAYS, days, many


def run_days(value: float) -> str:
    """As `figures.days`, without a zero that says nothing: `42.3 days`, `5 days`, `1 day`; `never` where no such run
    ends."""
    if math.isinf(value):
        return NEVER
    if value > NO_END_DAYS:
        return many(round(value / 365.25), "year")
    said = days(value).removesuffix(".0")
    return f"{said} day{'' if said == '1' else 's'}"


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
