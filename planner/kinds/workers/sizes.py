"""The search of `optimize` for a worker pool: how many nodes."""

from __future__ import annotations

from collections.abc import Sequence

from planner.kinds.asking import REPLAYING, Ask, Look, Watch
from planner.kinds.workers.answers import plan_of, runs_of
from planner.report.blocks import markdown
from planner.report.blocks.terminal import Cells
from planner.report.wording.worker_pool_page import sizes
from planner.worker_pool.result import PoolScenario
from planner.worker_pool.search import RUNS, PoolSearch, runs_in, search_pool

FORMATS = ("table", "json", "md")


def searched(ask: Ask, minimize: str, watch: Watch) -> PoolSearch:
    """minimize: "cost" or "time". Raises UsageProblem."""
    runs = RUNS if ask.draws is None else runs_of(ask.draws, "--draws")
    loaded = plan_of(ask)
    with watch.steps(REPLAYING, runs_in(loaded, ask.book, runs)) as step:
        return search_pool(loaded, ask.book, minimize, runs=runs, seed=ask.seed, as_of=ask.as_of, step=step)


def written(found: PoolSearch, style: str, look: Look) -> str:
    """In a format."""
    if style == "json":
        from planner.report.data.worker_pool_search_json import render as render_json

        return render_json(found)
    head, sections = sizes(found)
    if style == "md":
        return markdown.sections("optimize", head, sections)
    return Cells(width=look.width, ascii_only=look.ascii_only).text(head, sections)


def best(found: PoolSearch) -> tuple[PoolScenario | None, Sequence[str]]:
    """(the recommended choice or None, what it adds to the plan)."""
    return (found.best.scenario, [f"pool.max={found.best.nodes}"]) if found.best else (None, ())
