"""Tables, records and commands in the width of a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import zip_longest

from planner.report.wording.table import Column
from planner.report.wording.wrapping import cells, cut, wrap

TABLE_FROM = 80  # in a narrower terminal, a table that does not fit becomes records
GAP = 2  # cells between two columns
NARROWEST = 8  # minimum width of a text column


def command(text: str, width: int, indent: str = "  ") -> list[str]:
    """A command in lines of at most `width` cells that a shell reads as one: broken between words, and inside a word
    only if it is longer than a line. Raises ValueError if `text` is not a command."""
    lines, line = [], indent
    for word in shlex.split(text):
        quoted = shlex.quote(word)
        if line.strip() and cells(line) + 1 + cells(quoted) + 2 > width:
            lines.append(f"{line} \\")
            line = f"{indent}  "
        elif line.strip():
            line += " "
        while _room(line, word) + 2 > width and len(word) > 1:
            # each part is quoted separately; the next one starts in the first cell because a space would end the word
            fitting = (n for n in range(min(len(word), width), 1, -1) if _room(line, word[:n]) < width)
            n = next(fitting, 1)
            lines.append(f"{line}{shlex.quote(word[:n])}\\")
            line, word = "", word[n:]
        line += shlex.quote(word)
    return [*lines, line]


def _room(line: str, word: str) -> int:
    return cells(line) + cells(shlex.quote(word))


def fitted(columns: Sequence[Column], width: int) -> list[tuple[Column, int]] | None:
    """Columns and their widths in at most `width` cells; None if the numbers alone do not fit."""
    kept = needed(columns, width)
    widths = [column.natural for column in kept]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        texts = [i for i, column in enumerate(kept) if column.text and widths[i] > NARROWEST]
        if not texts:
            return None
        widths[max(texts, key=lambda i: widths[i])] -= 1
    return list(zip(kept, widths, strict=True))


def needed(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns that fit, after leaving out optional ones."""
    kept = list(columns)
    while _total(kept) > width and any(column.keep for column in kept):
        last = max(column.keep for column in kept)
        kept = [column for column in kept if column.keep != last]
    return kept


def _total(columns: Sequence[Column]) -> int:
    return sum(column.natural for column in columns) + GAP * (len(columns) - 1)


def whole(columns: Sequence[Column], width: int, rule: str = "─") -> list[str]:
    """A table in which no text is cut. If it does not fit: texts are wrapped and optional columns left out; below
    TABLE_FROM cells, every row is a record."""
    placed = fitted(columns, width)
    narrow = width < TABLE_FROM and not all_fit(columns, width)
    return records(columns, width) if placed is None or narrow else rows(placed, rule, more="")


def all_fit(columns: Sequence[Column], width: int) -> bool:
    """Whether every column fits at its full width."""
    return _total(columns) <= width


def records(columns: Sequence[Column], width: int, skip: Sequence[str] = ("",)) -> list[str]:
    """One record per row, for narrow terminals: the first text column as its name, then each figure with its title.
    skip: values to leave out."""
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
    """Facts joined into lines of at most `width` cells; a fact is broken only if it is longer than a line."""
    found: list[str] = []
    for fact in facts:
        if found and cells(f"{found[-1]}; {fact};") <= width:
            found[-1] += f"; {fact}"
        else:
            found[-1:] = [*(f"{line};" for line in found[-1:]), fact]
    return found


def rows(placed: Sequence[tuple[Column, int]], rule: str = "─", more: str = "…") -> list[str]:
    """The header, a rule and a line per row. more: marks a text that is cut; "": texts are wrapped instead."""

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
