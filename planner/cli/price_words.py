"""Changed prices in a line each, the largest change first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.listing import Change


def change_lines(changes: Iterable[Change]) -> list[str]:
    """`p5.48xlarge capacity-block us-east-1 31.464 -> 41.53, +32 %`; prices that are new or gone are left out.

    Spot comes last, since it always changes.
    """
    both = [change for change in changes if change.old is not None and change.new is not None]
    both.sort(key=lambda one: (" spot " in one.what, -abs(one.percent or 0.0), one.what, one.region))
    return [f"{one.what} {one.region} {one.old:.10g} -> {one.new:.10g}, {_percent(one.percent)}" for one in both]


def _percent(percent: float | None) -> str:
    if percent is None:
        return "from zero"
    return f"{percent:+.0f} %" if abs(percent) >= 10 else f"{percent:+.1f} %"
