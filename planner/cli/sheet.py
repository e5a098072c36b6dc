"""`planner report --sheet`: the page to sign, in the format that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.report.wording.sheet import Sheet


def rendered(sheet: Sheet, style: str) -> str:
    """The page to sign of any kind of plan."""
    if style == "md":
        from planner.report.markdown.sheet import render as render_markdown

        return render_markdown(sheet)
    from planner.report.html.sheet import render as render_html

    return render_html(sheet)
