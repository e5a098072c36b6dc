"""Blocks as Markdown for a comment: the answer first, the rest folded."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.blocks.block import Card, Head, Inner, Page, Section, Table, Texts
from planner.report.markdown import sheet
from planner.report.markdown.escaped import code, line, marker, md, row, table
from planner.report.wording.sheet import Sheet, prose


def text(page: Page) -> str:
    """The comment: a hidden marker with the plan's name, what there is to approve, then the sections."""
    return "\n".join([*_lines("compare", page.head, page.sections, page.signed.sheet), "", line(page.footer)]) + "\n"


def sections(verb: str, head: Head, sections: Sequence[Section]) -> str:
    """The same of a verb whose answer has no page to sign."""
    return "\n".join(_lines(verb, head, sections, None)) + "\n"


def _lines(verb: str, head: Head, sections: Sequence[Section], signed: Sheet | None) -> list[str]:
    lines = [marker(verb, head.name)]
    for section in sections:
        lines += _section(section, head, signed)
    return lines


def _section(section: Section, head: Head, signed: Sheet | None) -> list[str]:
    inside = [part for block in section.blocks for part in _block(block, head, signed)]
    if not section.folded:
        return inside
    title = code(section.title) if section.code else section.title
    return ["", f"<details><summary>{title}</summary>", "", *inside, "</details>"]


def _block(block: Inner, head: Head, signed: Sheet | None) -> list[str]:
    if isinstance(block, Card):
        return _card(block, head, signed)
    if isinstance(block, Table):
        count = len(block.columns[0].values)
        rows = [
            row([code(c.values[at]) if c.code else md(c.values[at]) or " " for c in block.columns])
            for at in range(count)
        ]
        titles = [column.title or " " for column in block.columns]
        return [*table(titles, [not column.text for column in block.columns]), *rows, ""]
    if isinstance(block, Texts) and block.texts:
        return [*(f"- {md(one)}" if block.bulleted else line(one) for one in block.texts), ""]
    return []


def _card(card: Card, head: Head, signed: Sheet | None) -> list[str]:
    # what the page to sign says is not said again
    there = {one for _, said in signed.facts for one in said} if signed else set()
    rest = " ".join(one for one in card.sentences if prose(one).removeprefix("Risk: ") not in there)
    facts = [*sheet.facts(signed), ""] if signed else []
    said = [line(rest), ""] if rest else []
    return [f"**{md(card.lead)}**", "", *facts, *said, line("; ".join(head.facts)), ""]
