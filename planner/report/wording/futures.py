"""What a choice costs, in words: one figure, or two where its cost has two peaks and the middle is of neither."""

from __future__ import annotations

import math

from planner.answer.row import Row
from planner.report.wording import figures, rounding

SPOT, BLOCK, ANY = ("where spot holds", "where it does not"), ("within the block", "beyond it"), ("", "")
NEAR = 0.02  # of the outcomes
FAR = 0.05  # from the P50


def about(row: Row) -> str:
    """`about $241k (on average $310k)`; `about $207k on average: $116k where spot holds (64% of the outcomes), $370k
    where it does not (36%)`, which add up; without an average the middle of each."""
    assert row.cost_usd is not None  # it is priced
    if not row.futures:
        mean = f" (on average {figures.usd(row.mean_cost_usd or 0.0)})" if _is_skewed(row) else ""
        return f"about {figures.usd(row.cost_usd.p50)}{mean}"
    names, (share, rest) = _names(row), _percent(row)
    first, second = _each(row)
    all_of_them = f"{figures.usd(row.mean_cost_usd)} on average: " if adds_up(row) and row.mean_cost_usd else ""
    return (
        f"about {all_of_them}{_where(first, names[0])} ({share}% of the outcomes), {_where(second, names[1])} ({rest}%)"
    )


def either(row: Row) -> tuple[str, str]:
    """(`$116k or $370k`, `64% or 36%`): the average of each, the middle where one has none."""
    share, rest = _percent(row)
    return " or ".join(_each(row)), f"{share}% or {rest}%"


def on_average(row: Row) -> str:
    """What the figures of `either` are, before their shares."""
    return "on average, in " if adds_up(row) else ""


def adds_up(row: Row) -> bool:
    """Whether both have an average."""
    return bool(row.futures) and all(math.isfinite(one.mean_usd) for one in row.futures)


def may_be_wrong(row: Row, best: Row) -> str:
    """How far the share of the first future, or all its costs, may be off before the recommended choice costs less on
    average: `The 65% is an assumption: down to 26%, or at costs up to 49% higher, it costs less on average`; "" where
    it does not."""
    mean, limit = row.mean_cost_usd, best.mean_cost_usd
    if not mean or limit is None or not math.isfinite(limit) or mean >= limit:
        return ""
    costs = f"at costs up to {rounding.share_apart(mean, limit)} higher, it costs less on average"
    if not adds_up(row):
        return f"Even {costs}"
    first, second = (one.mean_usd for one in row.futures)
    least = (second - limit) / (second - first)
    share = f"down to {figures.percent(least)}" if least > 0 else "even at 0%"
    return f"The {_percent(row)[0]}% is an assumption: {share}, or {costs}"


def _is_skewed(row: Row) -> bool:
    """Whether bad outcomes move the average far from the middle."""
    mean, cost = row.mean_cost_usd, row.cost_usd
    return mean is not None and cost is not None and math.isfinite(mean) and abs(mean - cost.p50) > FAR * cost.p50


def _each(row: Row) -> tuple[str, str]:
    """What each costs: on average where both end."""
    usd = [one.mean_usd if adds_up(row) else one.p50_usd for one in row.futures]
    first, second = ("no end" if math.isinf(one) else figures.usd(one) for one in usd)
    return first, second


def _percent(row: Row) -> tuple[int, int]:
    """The shares of both, which add up to 100 as printed."""
    share = round(100 * row.futures[0].fraction)
    return share, 100 - share


def _where(usd: str, name: str) -> str:
    return f"{usd} {name}".rstrip()


def _names(row: Row) -> tuple[str, str]:
    """A block's end divides the futures only where about as many outcomes outlast it as are in the second one."""
    if row.option is not None and row.option.starts_on_spot:
        return SPOT
    outlast = row.outlast_fraction
    return BLOCK if outlast is not None and abs(outlast - row.futures[1].fraction) <= NEAR else ANY
