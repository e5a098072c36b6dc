"""A comparison of a worker pool's choices in each format, and its page to sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.kinds.asking import Look, Watch
from planner.kinds.workers.answers import named
from planner.report.blocks import markdown
from planner.report.blocks.terminal import Cells
from planner.report.wording.worker_pool_page import SKIP
from planner.report.wording.worker_pool_page import page as page_of
from planner.worker_pool.result import PoolComparison

if TYPE_CHECKING:
    from planner.report.wording.sheet import Sheet

WITH_DERIVATIONS = ()


def written(found: PoolComparison, style: str, look: Look, watch: Watch, listed: PoolComparison | None = None) -> str:
    """In a format. listed: of kinds that take prices of one's own."""
    if style in ("json", "csv"):
        from planner.report.data import worker_pool_json

        return worker_pool_json.render(found) if style == "json" else worker_pool_json.render_csv(found)
    if style == "focus":
        from planner.report.data.focus_csv import render_even

        chosen = named(found, look.row)
        return render_even(found, chosen, chosen.instance_type, found.plan.start or found.prices.as_of)
    page = page_of(found, look.plan_path, look.again, look.top)
    if style == "table":
        return Cells(width=look.width, ascii_only=look.ascii_only).page(page, look.verbose)
    if style == "md":
        return markdown.text(page)
    from planner.report.blocks import html

    return html.text(page, SKIP)


def sheet(found: PoolComparison, watch: Watch) -> Sheet:
    """The page to sign."""
    from planner.report.wording.sheet import pool_sheet_of

    return pool_sheet_of(found)
