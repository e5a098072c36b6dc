"""The page to sign, as Markdown: the top of a comment, or a file."""

from __future__ import annotations

from planner.report.markdown.escaped import line, md
from planner.report.wording.sheet import Sheet


def render(sheet: Sheet) -> str:
    """The same sheet gives the same bytes."""
    lines = [f"## {md(sheet.title)}: {md(sheet.name)}", "", f"**{md(sheet.lead)}**", ""]
    for what, said in sheet.facts:
        lines += [f"- **{md(what)}**: {md(' '.join(_ended(text) for text in said))}"]
    lines += ["", line("   ".join(f"{name}: ………………………" for name in sheet.signed))] if sheet.signed else []
    return "\n".join(lines) + "\n"


def _ended(text: str) -> str:
    return text if text.endswith((".", ":")) else f"{text}."
