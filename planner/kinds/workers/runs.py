"""What `simulate` replays of a worker pool: one choice in full, or its most interrupted job as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.errors import UsageProblem
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.workers.answers import compared, named_or_first, runs_of
from planner.report.blocks.terminal import Cells
from planner.report.wording.worker_pool_page import distributions, head


def replayed(
    ask: Ask,
    scenario: str | None,
    recordings: Sequence[str],
    policies: str | None,
    starts: Sequence[int] | int | None,
    style: str,
    look: Look,
    watch: Watch,
) -> str:
    """In a format. starts: runs of each choice. policies: of kinds that take them. Raises UsageProblem."""
    if recordings:
        raise UsageProblem("recordings and their rules apply to gangs; a worker pool follows the rules of its plan")
    runs = None if starts is None else runs_of(starts if isinstance(starts, int) else "a file", "--starts")
    found = compared(replace(ask, draws=runs), watch)
    if style == "json":
        from planner.report.data.worker_pool_json import render as render_json

        return render_json(found)
    chosen = named_or_first(found, scenario)
    if style == "svg":
        from planner.report.pictures.job_timeline import alone

        return alone(chosen)
    cells = Cells(width=look.width, ascii_only=look.ascii_only)
    return cells.text(head(found), distributions(found, chosen))
