"""Text in columns for a terminal: cut, wrapped and aligned by the cells that characters take, not by their count."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

GAP = 2  # cells between two columns
NARROWEST = 8  # a column of text is not cut below this


def cells(text: str) -> int:
    """Cells that a text takes: wide characters take two. Combining ones count as one, so that a line is
    never longer than it says, counted either way."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, room: int, more: str = "…") -> str:
    """The text in at most `room` cells, with `more` where something is missing."""
    if cells(text) <= room:
        return text
    kept, used = [], cells(more)
    for char in text:
        used += cells(char)
        if used > room:
            break
        kept.append(char)
    return "".join(kept) + more[: max(room, 0)]


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` cells, broken at spaces, inside a word only where it is longer than a line."""
    lines: list[str] = []
    line = text[: len(text) - len(text.lstrip())]
    start = True
    for word in text.split():
        if not start and cells(line) + 1 + cells(word) > width:
            lines.append(line)
            line, start = indent, True
        line += word if start else f" {word}"
        start = False
        while cells(line) > width:
            head = cut(line, width, "")
            lines.append(head)
            line = indent + line[len(head) :]
    return [*lines, line] if line.strip() else lines


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. keep: 0 stays at any width; others leave when there is no room, the highest first
    and those of one number together.

    text: left-aligned and may be cut; anything else is a number, right-aligned and never cut.
    """

    title: str
    values: Sequence[str]
    text: bool = False
    keep: int = 0

    @property
    def natural(self) -> int:
        return max(map(cells, (self.title, *self.values)))


def fitted(columns: Sequence[Column], width: int) -> list[tuple[Column, int]] | None:
    """Columns and their widths in at most `width` cells; None where the numbers alone do not fit."""
    kept = list(columns)
    while _total(kept) > width and any(column.keep for column in kept):
        last = max(column.keep for column in kept)
        kept = [column for column in kept if column.keep != last]
    widths = [column.natural for column in kept]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        texts = [i for i, column in enumerate(kept) if column.text and widths[i] > NARROWEST]
        if not texts:
            return None
        widths[max(texts, key=lambda i: widths[i])] -= 1
    return list(zip(kept, widths, strict=True))


def _total(columns: Sequence[Column]) -> int:
    return sum(column.natural for column in columns) + GAP * (len(columns) - 1)


def rows(placed: Sequence[tuple[Column, int]], rule: str = "─", more: str = "…") -> list[str]:
    """The header, a rule and one line a row."""

    def line(texts: Sequence[str]) -> str:
        parts = []
        for (column, width), text in zip(placed, texts, strict=True):
            shown = cut(text, width, more)
            space = " " * (width - cells(shown))
            parts.append(shown + space if column.text else space + shown)
        return (" " * GAP).join(parts).rstrip()

    count = len(placed[0][0].values)
    total = sum(width for _, width in placed) + GAP * (len(placed) - 1)
    body = [line([column.values[i] for column, _ in placed]) for i in range(count)]
    return [line([column.title for column, _ in placed]), rule * total, *body]
