"""What a choice costs, in words: one figure, or two where its cost has two peaks and the middle is of neither."""

from __future__ import annotations

import math

from planner.answer.row import Row
from planner.report.wording import figures

SPOT, BLOCK, ANY = ("where spot holds", "where it does not"), ("within the block", "beyond it"), ("", "")
NEAR = 0.02  # of the outcomes
FAR = 0.05  # from the P50


def about(row: Row) -> str:
    """`about $241k (on average $310k)`; `about $104k where spot holds (64% of the outcomes), $310k where it does not
    (36%)`."""
    assert row.cost_usd is not None  # it is priced
    if not row.futures:
        mean = f" (on average {figures.usd(row.mean_cost_usd or 0.0)})" if _is_skewed(row) else ""
        return f"about {figures.usd(row.cost_usd.p50)}{mean}"
    first, second = row.futures
    names, (share, rest) = _names(row), _percent(row)
    more = "no end" if math.isinf(second.p50_usd) else figures.usd(second.p50_usd)
    return (
        f"about {_where(figures.usd(first.p50_usd), names[0])} ({share}% of the outcomes), "
        f"{_where(more, names[1])} ({rest}%)"
    )


def either(row: Row) -> tuple[str, str]:
    """(`$104k or $310k`, `64% or 36%`)."""
    first, second = row.futures
    share, rest = _percent(row)
    return f"{figures.usd(first.p50_usd)} or {figures.usd(second.p50_usd)}", f"{share}% or {rest}%"


def average(row: Row) -> str:
    """`the average is $171k`, where two futures make the middle say little; else ""."""
    return f"the average is {figures.usd(row.mean_cost_usd)}" if row.futures and row.mean_cost_usd is not None else ""


def _is_skewed(row: Row) -> bool:
    """Whether bad outcomes move the average far from the middle."""
    mean, cost = row.mean_cost_usd, row.cost_usd
    return mean is not None and cost is not None and math.isfinite(mean) and abs(mean - cost.p50) > FAR * cost.p50


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
