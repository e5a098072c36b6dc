"""A comparison of a fleet's choices in each format, and its page to sign."""

from __future__ import annotations

from planner.api.arguments import named
from planner.fleet.result import FleetComparison
from planner.kinds.asking import Look, Watch
from planner.report.blocks import markdown
from planner.report.blocks.terminal import Cells
from planner.report.wording.fleet import sheet_of
from planner.report.wording.fleet_page import SKIP
from planner.report.wording.fleet_page import page as page_of
from planner.report.wording.sheet import Sheet

WITH_DERIVATIONS = ()
ROWS = 3  # of the table in a terminal


def written(
    found: FleetComparison, style: str, look: Look, watch: Watch | None, listed: FleetComparison | None = None
) -> str:
    """In a format. listed: of kinds that take prices of one's own."""
    if style in ("json", "csv"):
        from planner.report.data import fleet_json

        return fleet_json.render(found) if style == "json" else fleet_json.render_csv(found)
    if style == "focus":
        from planner.report.data.focus_csv import render_even

        chosen = named(found, look.row)
        return render_even(found, chosen, chosen.instance_type, found.plan.start or found.prices.as_of)
    if style == "table":
        top = ROWS if look.top is None else look.top
        return Cells(width=look.width, ascii_only=look.ascii_only).page(page_of(found, top), look.verbose)
    page = page_of(found, look.top)
    if style == "md":
        return markdown.text(page)
    from planner.report.blocks import html

    return html.text(page, SKIP)


def sheet(found: FleetComparison, watch: Watch) -> Sheet:
    """The page to sign."""
    return sheet_of(found)
