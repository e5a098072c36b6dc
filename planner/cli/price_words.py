"""Changed prices in a line each, the largest change first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


TABLES = {
    "on_demand": "On-Demand",
    "commitments": "commitments",
    "capacity_blocks": "Capacity Blocks",
    "metered": "billed by use",
}
NAMED = 5


def counted_prices(counts: Mapping[str, int]) -> str:
    """`12 On-Demand, 40 commitments`; tables without a price are left out."""
    return ", ".join(f"{count:,} {TABLES[table]}" for table, count in counts.items() if count) or "no price"


def named_few(names: Sequence[str]) -> str:
    """`: a, b and 3 more`, "" without names."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f": {', '.join(names[:NAMED])}{more}" if names else ""


def _percent(percent: float | None) -> str:
    if percent is None:
        return "from zero"
    return f"{percent:+.0f} %" if abs(percent) >= 10 else f"{percent:+.1f} %"
