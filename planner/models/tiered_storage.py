"""T: what stored data costs under price tiers that start again each calendar month."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from planner.models.calendar_months import hours_of_month, month_starts
from planner.models.equation import equation
from planner.models.number import Number, scalar

Tiers = Sequence[tuple[float, float, float]]  # (from GB, to GB, USD per GB), abutting from 0


Curve = tuple[np.ndarray, np.ndarray]


def tiered_usd(quantity_gb: Number, tiers: Tiers) -> Number:
    """USD of one month's quantity under monthly tiers that abut from 0. Quantity beyond the last tier costs
    nothing here: callers ask `beyond_tiers` first."""
    return sum(np.maximum(0.0, np.minimum(quantity_gb, upper) - lower) * usd for lower, upper, usd in tiers)


def beyond_tiers(quantity_gb: float, tiers: Tiers) -> bool:
    """Whether a month's quantity lies above the last tier that the book knows."""
    return quantity_gb > tiers[-1][1]


def _show_tiers(*, stored_gb: float, tiers: Tiers) -> list[str]:
    lines: list[str] = []
    for lower, upper, usd in tiers:
        part = max(0.0, min(stored_gb, upper) - lower)
        lines.append(f"{part:,.1f} GB x {usd:g} = {part * usd:,.2f} USD")
    lines.append(f"result = {tiered_usd(stored_gb, tiers):,.2f}")
    return lines


@equation(
    "T1",
    "tiered-storage-month",
    units={"stored_gb": "GB of 2^30 bytes", "tiers": "from:to:USD, ..."},
    result_unit="USD/month",
    source="Amazon S3 pricing: 0.023 to 50 TB, 0.022 to 500 TB, 0.021 above, in us-east-1",
    show=_show_tiers,
)
def tiered_storage_month(*, stored_gb: float, tiers: Tiers) -> float:
    """Cost of one month of storage with price tiers that start again each calendar month."""
    return scalar(tiered_usd(stored_gb, tiers))


@lru_cache(maxsize=256)  # one curve serves every scenario that stores the same
def storage_cost_curve(*, stored_gb: float, tiers: tuple[tuple[float, float, float], ...], start: date) -> Curve:
    """Cumulative cost of keeping `stored_gb` from `start` on: (hours, USD) of a piecewise linear curve.

    The bill counts GB-months = GB-hours divided by the hours of the calendar month, and its tiers start again with the
    month, so inside a month the cost bends where a tier fills and at each month's end.
    """
    starts = month_starts(start)
    hours, usd = [0.0], [0.0]
    for begin, end in pairwise(starts):
        length = (end - begin) / timedelta(hours=1)
        base_h, base_usd, whole = hours[-1], usd[-1], hours_of_month(begin)
        bends = [upper * whole / stored_gb for _, upper, _ in tiers if np.isfinite(upper)]
        for h in [*sorted(b for b in bends if 0 < b < length), length]:
            hours.append(base_h + h)
            usd.append(base_usd + scalar(tiered_usd(stored_gb * h / whole, tiers)))
    return np.array(hours), np.array(usd)


def cost_at(curve: Curve, hours: Number) -> Number:
    """Read a cumulative cost curve at some hours; beyond its end it goes on at its mean slope."""
    x, y = curve
    beyond = np.maximum(np.asarray(hours) - x[-1], 0.0) * y[-1] / x[-1]
    return (np.interp(hours, x, y) + beyond)[()]


def _show_months(*, stored_gb: float, tiers: Tiers, start: date, hours: float, below_gb: float = 0.0) -> list[str]:
    lines: list[str] = []
    done = 0.0
    cost = partial(tiered_storage, stored_gb=stored_gb, tiers=tiers, start=start, below_gb=below_gb)
    for begin, end in pairwise(month_starts(start)):
        length = min((end - begin) / timedelta(hours=1), hours - done)
        if length <= 0:
            break
        usd = cost(hours=done + length) - cost(hours=done)
        whole = hours_of_month(begin)
        months = length / whole
        lines.append(
            f"{begin:%Y-%m}: {stored_gb:,.3f} GB x {length:,.3f} h / {whole:g} = {stored_gb * months:,.3f} GB-Mo"
            + (f" above {below_gb * months:,.3f}" if below_gb else "")
            + f": {usd:,.2f} USD"
        )
        done += length
    if hours > done:
        usd = cost(hours=hours) - cost(hours=done)
        lines.append(f"later: {hours - done:,.1f} h at the mean of the months above: {usd:,.2f} USD")
    lines.append(f"result = {cost(hours=hours):,.6f}")
    return lines


@equation(
    "T10",
    "tiered-storage",
    units={
        "stored_gb": "GB of 2^30 bytes",
        "tiers": "from:to:USD, ...",
        "start": "YYYY-MM-DD",
        "hours": "h",
        "below_gb": "GB of 2^30 bytes",
    },
    result_unit="USD",
    source="Amazon S3 FAQs: byte-hours of a month over 2^30 bytes and its 744 hours; the tiers start again each month",
    show=_show_months,
)
def tiered_storage(*, stored_gb: float, tiers: Tiers, start: date, hours: Number, below_gb: float = 0.0) -> Number:
    """Cost of storage from a start day for a number of hours, with price tiers that start again each calendar month.

    A month is billed by GB x hours divided by the hours of that month (744 in October), which fills its tiers from the
    lowest one. below_gb: other data in the same
    storage class, which fills the lower tiers first. Limits: after five years the mean of the first five is used.
    """
    ladder = tuple(tiers)
    both = cost_at(storage_cost_curve(stored_gb=below_gb + stored_gb, tiers=ladder, start=start), hours)
    if not below_gb:
        return both
    return both - cost_at(storage_cost_curve(stored_gb=below_gb, tiers=ladder, start=start), hours)
