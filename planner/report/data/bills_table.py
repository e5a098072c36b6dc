"""The bills of all feasible scenarios as one table: a row per scenario, a column per line of a bill, in USD."""

from __future__ import annotations

import csv
import io
import math
from urllib.parse import quote

from planner.decide.comparison import Comparison

HEAD = ("Rank", "Scenario", "Eligible", "P10 USD", "P50 USD", "P90 USD", "Planned USD", "P50 days")


def bills_table(comparison: Comparison) -> str:
    """CSV. Empty cells are lines that the scenario does not have, or figures that are not known."""
    feasible = [(rank, s) for rank, s in enumerate(comparison.scenarios, 1) if s.feasible]
    lines = list(dict.fromkeys(line.line for _, s in feasible for line in s.bill))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*HEAD, *lines])
    for rank, s in feasible:
        cost, days = s.cost_usd, s.days
        figures = [cost.p10, cost.p50, cost.p90, cost.plan] if cost and s.complete else [None] * 4
        by_line = {line.line: line.effective_cost for line in s.bill}
        writer.writerow(
            [
                rank,
                s.id,
                "yes" if s.eligible else "no",
                *map(_usd, figures),
                "" if days is None or math.isinf(days.p50) else f"{days.p50:.2f}",
                *(_usd(by_line.get(line)) for line in lines),
            ]
        )
    return out.getvalue()


def as_link(text: str) -> str:
    """The table as the address of a link that downloads it."""
    return f"data:text/csv;charset=utf-8,{quote(text, safe='/,+._-')}"


def _usd(value: float | None) -> str:
    return "" if value is None or math.isinf(value) else f"{value:.2f}"
