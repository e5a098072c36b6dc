"""What logs of short runs say, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.answer.ranges import Range
from planner.answer.row import Row as Choice
from planner.profile.logs import Log
from planner.profile.measure import SLOW, Measured
from planner.profile.table import Row, efficiency
from planner.report.wording import figures
from planner.report.wording.wrapping import wrap


@dataclass(frozen=True, kw_only=True)
class Narrowed:
    """The recommended choice of a plan without and with the table; None where none is."""

    before: Choice | None
    after: Choice | None


def sentences(
    rows: Sequence[Row], read: Sequence[tuple[int, Log, Measured]], narrowed: Narrowed | None, width: int
) -> list[str]:
    """The table, then what stands behind it, in lines of at most `width` cells."""
    unit = next((log.unit for _, log, _ in read if log.unit), "samples")
    lines = [f"{'GPUs':>7}  {f'{unit}/s':>12}  {'9 of 10 runs':>19}  {'per GPU':>9}  {'logs':>4}"]
    for row in rows:
        low, high = (row.samples_per_second * (1 + sign * row.within) for sign in (-1, 1))
        logs = sum(gpus == row.gpus for gpus, *_ in read)
        lines.append(
            f"{row.gpus:>7,}  {_rate(row.samples_per_second):>12}  {f'{_rate(low)} - {_rate(high)}':>19}  "
            f"{_rate(row.samples_per_second / row.gpus):>9}  {logs:>4}"
        )
    for text in ("", *_scaling(rows), *_behind(read), *_range(narrowed)):
        lines += wrap(text, width, "  ") if text else [""]
    return lines


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _scaling(rows: Sequence[Row]) -> list[str]:
    kept = efficiency(rows)
    said = (
        "One size is measured: other sizes are scaled linearly, with a range that grows with each doubling. A log of a "
        "second size narrows it."
        if kept is None
        else f"Scaling: a GPU of {rows[-1].gpus:,} does {figures.percent(kept)} of what one of {rows[0].gpus:,} does."
    )
    if all(row.repeated for row in rows):
        return [said]
    return [said, "The range has the usual difference from run to run, which one log of a size cannot show."]


def _behind(read: Sequence[tuple[int, Log, Measured]]) -> list[str]:
    found = []
    for gpus, log, each in read:
        said = f"{gpus:,} GPUs: {figures.many(each.steps, 'step')} count"
        said += f", {each.warm_up} at the start do not" if each.warm_up else ""
        if each.slow:
            said += (
                f"; {each.slow} took over {SLOW:g} times the median ({figures.percent(each.slow_fraction)} of the "
                "time): saves, evaluation or waits for data, which the mean has"
            )
        if log.saves:
            middle = sorted(log.saves)[len(log.saves) // 2]
            said += f"; training waited {middle:.3g} s for a checkpoint"
        if log.mfu is not None:
            said += f"; of a plan in FLOP, --set run.work.mfu={log.mfu:.3g}"
        found.append(f"{said}.")
    return found


def _range(narrowed: Narrowed | None) -> list[str]:
    if narrowed is None:
        return []
    before, after = narrowed.before, narrowed.after
    if before is None or after is None or before.cost_usd is None or after.cost_usd is None:
        return ["No choice of the plan is recommended " + ("with" if after is None else "without") + " this table."]
    less = 1 - _width(after.cost_usd) / _width(before.cost_usd) if _width(before.cost_usd) else 0.0
    how = f"{figures.percent(less)} narrower" if less > 0 else f"{figures.percent(-less)} wider"
    return [
        f"The plan before: {_span(before)}.",
        f"With this table: {_span(after)}. As a share of its middle, the range of the cost is {how}.",
    ]


def _width(cost: Range) -> float:
    return 0.0 if math.isinf(cost.p90) else (cost.p90 - cost.p10) / cost.p50


def _span(row: Choice) -> str:
    cost, days = row.cost_usd, row.days
    assert cost is not None  # it is recommended
    assert days is not None
    return (
        f"{row.id}, {figures.usd(cost.p10)} to {figures.usd(cost.p90)}, middle {figures.usd(cost.p50)}; "
        f"{figures.days(days.p10)} to {figures.days(days.p90)} days"
    )
