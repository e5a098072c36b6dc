"""Text in columns for a terminal: cut, wrapped and aligned by the cells that characters take, not by their count."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

TABLE_FROM = 80  # narrower than this, a row that does not fit is a record of several lines
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
            # a long name breaks after one of its parts where that leaves no line half empty
            part = max(map(head.rfind, "/-._,")) + 1
            head = head[:part] if cells(head[:part]) > width / 2 else head
            lines.append(head)
            line = indent + line[len(head) :]
    return [*lines, line] if line.strip() else lines


def command(text: str, width: int, indent: str = "  ") -> list[str]:
    """A command in lines of at most `width` cells which a shell reads as one: broken between words, and inside one
    only where it is longer than a line. Raises ValueError where `text` is no command."""
    lines, line = [], indent
    for word in shlex.split(text):
        quoted = shlex.quote(word)
        if line.strip() and cells(line) + 1 + cells(quoted) + 2 > width:
            lines.append(f"{line} \\")
            line = f"{indent}  "
        elif line.strip():
            line += " "
        while _room(line, word) + 2 > width and len(word) > 1:
            # a part is quoted by itself; the next begins in the first cell, since a space would end the word
            fitting = (n for n in range(min(len(word), width), 1, -1) if _room(line, word[:n]) < width)
            n = next(fitting, 1)
            lines.append(f"{line}{shlex.quote(word[:n])}\\")
            line, word = "", word[n:]
        line += shlex.quote(word)
    return [*lines, line]


def _room(line: str, word: str) -> int:
    return cells(line) + cells(shlex.quote(word))


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. keep: 0 stays at any width; others leave when there is no room, the highest first
    and those of one number together.

    text: left-aligned and may be cut; anything else is a number, right-aligned and never cut. code: names of lines or
    scenarios, which Markdown shows as code.
    """

    title: str
    values: Sequence[str]
    text: bool = False
    keep: int = 0
    code: bool = False

    @property
    def natural(self) -> int:
        return max(map(cells, (self.title, *self.values)))


def fitted(columns: Sequence[Column], width: int) -> list[tuple[Column, int]] | None:
    """Columns and their widths in at most `width` cells; None where the numbers alone do not fit."""
    kept = needed(columns, width)
    widths = [column.natural for column in kept]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        texts = [i for i, column in enumerate(kept) if column.text and widths[i] > NARROWEST]
        if not texts:
            return None
        widths[max(texts, key=lambda i: widths[i])] -= 1
    return list(zip(kept, widths, strict=True))


def needed(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns without those that may leave and for which there is no room."""
    kept = list(columns)
    while _total(kept) > width and any(column.keep for column in kept):
        last = max(column.keep for column in kept)
        kept = [column for column in kept if column.keep != last]
    return kept


def _total(columns: Sequence[Column]) -> int:
    return sum(column.natural for column in columns) + GAP * (len(columns) - 1)


def whole(columns: Sequence[Column], width: int, rule: str = "─") -> list[str]:
    """A table in which nothing is cut or left out, where there is room for it. Else one whose texts go on in the next
    line and whose least columns leave, from TABLE_FROM cells on; below that one record a row."""
    placed = fitted(columns, width)
    narrow = width < TABLE_FROM and not all_fit(columns, width)
    return records(columns, width) if placed is None or narrow else rows(placed, rule, more="")


def all_fit(columns: Sequence[Column], width: int) -> bool:
    """Whether there is room for every column as wide as it is."""
    return _total(columns) <= width


def records(columns: Sequence[Column], width: int, skip: Sequence[str] = ("",)) -> list[str]:
    """One row under the other, for narrow terminals: what it is called, by the first text, then each figure with its
    title. skip: values that say nothing."""
    name = next(column for column in columns if column.text)
    lines: list[str] = []
    for index, title in enumerate(name.values):
        facts = [
            f"{column.title} {column.values[index]}".strip()
            for column in columns
            if column is not name and column.values[index] not in skip
        ]
        lines += wrap(title, width, indent="    ")
        lines += [line for text in _packed(facts, width - 2) for line in wrap(f"  {text}", width, indent="    ")]
    return lines


def _packed(facts: Sequence[str], width: int) -> list[str]:
    """Facts in lines of at most `width` cells, none of them broken where it fits a line."""
    found: list[str] = []
    for fact in facts:
        if found and cells(f"{found[-1]}; {fact};") <= width:
            found[-1] += f"; {fact}"
        else:
            found[-1:] = [*(f"{line};" for line in found[-1:]), fact]
    return found


def rows(placed: Sequence[tuple[Column, int]], rule: str = "─", more: str = "…") -> list[str]:
    """The header, a rule and one line a row. more: where a text is cut; "": it goes on in the next line instead."""

    def lines(texts: Sequence[str]) -> list[str]:
        if more or all(cells(text) <= room for (_, room), text in zip(placed, texts, strict=True)):
            return [line(texts)]
        wrapped = [
            wrap(text, room, "  ") if column.text else [text]
            for (column, room), text in zip(placed, texts, strict=True)
        ]
        return [line(part) for part in zip_longest(*wrapped, fillvalue="")]

    def line(texts: Sequence[str]) -> str:
        parts = []
        for (column, width), text in zip(placed, texts, strict=True):
            shown = cut(text, width, more)
            space = " " * (width - cells(shown))
            parts.append(shown + space if column.text else space + shown)
        return (" " * GAP).join(parts).rstrip()

    count = len(placed[0][0].values)
    total = sum(width for _, width in placed) + GAP * (len(placed) - 1)
    body = [text for i in range(count) for text in lines([column.values[i] for column, _ in placed])]
    return [*lines([column.title for column, _ in placed]), rule * total, *body]
