"""Blocks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.report.blocks.block import Card, Command, Head, Inner, Level, Page, Section, Table, Texts
from planner.report.terminal.columns import command, whole
from planner.report.wording.figures import visible
from planner.report.wording.wrapping import wrap

NARROWEST = 32
TITLED = (Level.MORE, Level.EVIDENCE)  # what a person asked to see has its title


@dataclass(frozen=True, kw_only=True)
class Cells:
    """width: of a line, at least 32."""

    width: int
    ascii_only: bool

    def page(self, page: Page, verbose: bool = False) -> str:
        """Lines of at most `width` cells, but for commands. verbose: with what a page has beyond the answer, which is
        named where it is left out."""
        if verbose:
            return self.text(page.head, [one for one in page.sections if one.level is not Level.EVIDENCE])
        more = [one.title for one in page.sections if one.level is Level.MORE]
        named = Texts(texts=[f"-v: {', '.join(title[:1].lower() + title[1:] for title in more)}"])
        answer = [one for one in page.sections if one.level is Level.ANSWER]
        return self.text(page.head, [*answer, *([Section(title="", anchor="", blocks=[named])] if more else [])])

    def text(self, head: Head, sections: Sequence[Section]) -> str:
        """The same of some sections."""
        lines = self._wrapped([head.name, *head.facts])
        for section in sections:
            titled = [f"{section.title}:"] if section.level in TITLED else []
            lines += ["", *titled, *self._blocks(section)]
        text = "\n".join(line.rstrip() for line in lines) + "\n"
        return text.encode("ascii" if self.ascii_only else "utf-8", "replace").decode()

    def _blocks(self, section: Section) -> list[str]:
        shown = (block for block in section.blocks if block.level is not Level.EVIDENCE)
        return [line for block in shown for line in self._block(block)]

    def _block(self, block: Inner) -> list[str]:
        if isinstance(block, Card):
            return [*self._wrapped([block.lead]), *self._wrapped([f"  {text}" for text in block.sentences])]
        if isinstance(block, Table):
            return whole(block.columns, max(self.width, NARROWEST), "-" if self.ascii_only else "─")
        if isinstance(block, Texts):
            return self._wrapped([f"- {text}" if block.bulleted else text for text in block.texts])
        if isinstance(block, Command):
            return [block.lead, *command(block.text, max(self.width, NARROWEST))]
        return []

    def _wrapped(self, texts: Sequence[str]) -> list[str]:
        return [part for text in texts for part in wrap(visible(text), max(self.width, NARROWEST), "  ")]
