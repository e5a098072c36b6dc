"""A comparison of a worker pool's choices in each format, and its page to sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.kinds.asking import Look, Watch
from planner.kinds.workers.answers import named
from planner.worker_pool.result import PoolComparison

if TYPE_CHECKING:
    from planner.report.wording.sheet import Sheet

WITH_DERIVATIONS = ()


def written(found: PoolComparison, style: str, look: Look, watch: Watch, listed: PoolComparison | None = None) -> str:
    """In a format. listed: of kinds that take prices of one's own."""
    if style == "table":
        from planner.report.terminal.worker_pool_text import render

        return render(
            found,
            width=look.width,
            ascii_only=look.ascii_only,
            plan_path=look.plan_path,
            again=look.again,
            top=look.top,
            verbose=look.verbose,
        )
    if style in ("json", "csv"):
        from planner.report.data import worker_pool_json

        return worker_pool_json.render(found) if style == "json" else worker_pool_json.render_csv(found)
    if style == "focus":
        from planner.report.data.focus_csv import render_pool

        return render_pool(found, named(found, look.row))
    if style == "md":
        from planner.report.markdown.worker_pool_markdown import render as render_markdown

        return render_markdown(found)
    from planner.report.html.worker_pool_page import render as render_html

    return render_html(found)


def sheet(found: PoolComparison) -> Sheet:
    """The page to sign."""
    from planner.report.wording.sheet import pool_sheet_of

    return pool_sheet_of(found)
