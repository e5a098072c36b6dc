"""The page to sign, as Markdown: the top of a comment, or a file."""

from __future__ import annotations

from planner.report.markdown.escaped import md, row, table
from planner.report.wording.sheet import Sheet


def render(sheet: Sheet) -> str:
    """The same sheet gives the same bytes."""
    return "\n".join([f"## {md(sheet.title)}: {md(sheet.name)}", "", f"**{md(sheet.lead)}**", "", *facts(sheet)]) + "\n"


def facts(sheet: Sheet) -> list[str]:
    """Below the choice: a list of what there is to know, and the lines to fill in."""
    found = [f"- **{md(what)}**: {md(' '.join(_ended(text) for text in said))}" for what, said in sheet.facts]
    lines = [row([md(role), *("" for _ in sheet.fields)]) for role in sheet.signed]
    return [*found, *(["", *table(["", *sheet.fields], [False] * (1 + len(sheet.fields))), *lines] if lines else [])]


def _ended(text: str) -> str:
    return text if text.endswith((".", ":")) else f"{text}."
