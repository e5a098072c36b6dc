"""The page to sign, as HTML that prints on one sheet."""

from __future__ import annotations

from markupsafe import Markup

from planner import __version__
from planner.report.data.encoding import utf8
from planner.report.html.page import environment, style
from planner.report.wording.sheet import Sheet


def render(sheet: Sheet) -> str:
    """The whole page, without script. The same sheet gives the same bytes."""
    text = environment().get_template("sheet.html.j2").render(style=Markup(style()), version=__version__, sheet=sheet)
    return utf8(text)
