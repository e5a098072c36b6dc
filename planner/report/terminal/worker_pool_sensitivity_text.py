"""What a worker pool's cost depends on, as text for a terminal."""

from __future__ import annotations

from planner.report.terminal.columns import TABLE_FROM, fitted, rows
from planner.report.wording import worker_pool_sensitivity as words
from planner.report.wording.figures import visible
from planner.report.wording.wrapping import wrap
from planner.worker_pool.sensitivity import PoolStudy

NARROWEST = 32


def render(study: PoolStudy, *, width: int, ascii_only: bool, top: int, of: str) -> str:
    """Lines of at most `width` cells (at least 32). top: rows of the table, 0 for all. of: "cost_usd" or "days"."""
    width = max(width, NARROWEST)
    moving = [one for one in study.swings if one.spread("cost_usd") or one.spread("days")]
    moving.sort(key=lambda one: -one.spread(of))  # stable: else by the other
    shown = moving[: top or None]
    lines = [*wrap(visible(study.planned.plan.name), width), *wrap(visible(words.title(study)), width, indent="  ")]
    lines += ["", *wrap(words.method(study), width)]
    placed = fitted(words.columns(study, shown), width) if width >= TABLE_FROM and shown else None
    if placed:
        lines += rows(placed, rule="-" if ascii_only else "─", more="..." if ascii_only else "…")
    elif shown:
        for one in shown:
            lines += wrap(words.name(one), width, indent="  ")
            lines += [line for text in words.record(one) for line in wrap(f"  {text}", width, indent="    ")]
    else:
        lines += [f"  {words.NOTHING_CHANGES_IT}"]
    for text in words.remarks(study, len(moving) - len(shown), len(study.swings) - len(moving)):
        lines += wrap(visible(text), width, indent="  ")
    lines += ["", *(line for text in words.recommendation(study) for line in wrap(visible(text), width, indent="    "))]
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return text.encode("ascii" if ascii_only else "utf-8", "replace").decode()
