"""The page to sign, as HTML that prints on one sheet."""

from __future__ import annotations

import re

from markupsafe import Markup

from planner import __version__
from planner.report.data.encoding import utf8
from planner.report.html.page import TEMPLATES, environment
from planner.report.wording.figures import visible
from planner.report.wording.sheet import Sheet


def render(sheet: Sheet) -> str:
    """The whole page, without script. The same sheet gives the same bytes."""
    style = "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("style.css", "sheet.css"))
    text = (
        environment()
        .get_template("sheet.html.j2")
        .render(
            style=Markup(re.sub(r"/\*.*?\*/\s*", "", style, flags=re.DOTALL)),
            version=__version__,
            title=sheet.title,
            name=visible(sheet.name),
            lead=visible(sheet.lead),
            facts=[(what, [visible(text) for text in said]) for what, said in sheet.facts],
            signed=sheet.signed,
        )
    )
    return utf8(text)
