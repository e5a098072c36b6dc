"""Days and shares as people say them."""

from __future__ import annotations

import math
from datetime import date, timedelta

from planner.answer.row import Row
from planner.report.wording.figures import NEVER, NO_END_DAYS, days, many, percent, plain

FEW = 10  # outcomes, below which nothing can be said of 1 in 10
MANY = 100  # from which on nobody asks how many stand behind it


def run_days(value: float) -> str:
    """As `figures.days`, without a zero that says nothing: `42.3 days`, `5 days`, `1 day`; `never` where no such run
    ends."""
    if math.isinf(value):
        return NEVER
    if value > NO_END_DAYS:
        return many(round(value / 365.25), "year")
    said = days(value).removesuffix(".0")
    return counted(said, "day")


def by_day(start: date, ran: float) -> str:
    """The date by which so many days have passed; `never` where they never do."""
    return NEVER if ran > NO_END_DAYS else f"{start + timedelta(days=math.ceil(ran))}"


def costlier_in(row: Row, outcomes: str) -> str:
    """In how many outcomes a choice costs more than the recommended one, and as much: `costlier in 60% of the runs, and
    costs the same in 40%`. outcomes: what they are called. "" where that is not known."""
    above, below = row.above_best_fraction, row.below_best_fraction
    if above is None or below is None:
        return ""
    same = 1 - above - below
    if same > 1 - 1e-9:
        return f"costs the same in all {outcomes}"
    equal = f", and costs the same in {percent(same)}" if same >= 0.005 else ""
    return f"is costlier in {percent(above)} of the {outcomes}{equal}"


def risk_of_few(draws: int, option: str) -> str:
    """What is said instead of a risk where too few outcomes are simulated; "" where there are enough. option: which
    says how many."""
    if draws >= FEW:
        return ""
    drawn = "one simulated outcome says" if draws == 1 else f"{draws} simulated outcomes say"
    return f"Risk: unknown, since {drawn} nothing of 1 in 10; {option} simulates more."


def behind(draws: int) -> str:
    """How many outcomes stand behind a P90 of few: `, as 2 of the 20 simulated ones do`; "" where there are many."""
    above = draws - 1 - int(0.9 * (draws - 1))  # P90 lies between two outcomes, or is one
    return f", as {above} of the {draws} simulated ones do" if draws < MANY and above else ""


def in_ten(share: float) -> str:
    """A share of the outcomes: `9 of 10`, `19 of 20`, else percent."""
    for whole in (10, 20, 100):
        if math.isclose(share * whole, round(share * whole), abs_tol=1e-9):
            return f"{round(share * whole)} of {whole}"
    return f"{share:.1%}"


def time_limit(days: float) -> str:
    """A limit, as it is written: `30 minutes`, `12 hours`, `1 day`, `4.5 days`."""
    return counted(plain(days, 4), "day") if days > 1 - 1e-9 else hours(days * 24)


def counted(number: str, unit: str) -> str:
    """`1 day`, `1.2 days`: by the number as it is printed."""
    return f"{number} {unit}{'' if number == '1' else 's'}"


def hours(value: float) -> str:
    """`42 minutes`, `5.4 hours`, `2.8 days`."""
    if not math.isfinite(value):
        return NEVER
    if value < 1.5:
        return minutes(value * 60)
    if value < 71.95:
        return counted(f"{value:.3g}", "hour")
    return counted(f"{value / 24:.3g}", "day")


def minutes(value: float) -> str:
    """`30 seconds`, `3.1 minutes`, `2.2 hours`."""
    if value < 1.5:
        return counted(f"{value * 60:.0f}", "second")
    return counted(f"{value:.3g}", "minute") if value < 89.95 else counted(f"{value / 60:.3g}", "hour")
