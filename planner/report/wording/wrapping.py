"""Text measured, cut and wrapped by the cells that its characters take, not by their number."""

from __future__ import annotations

import unicodedata


def cells(text: str) -> int:
    """Terminal cells of a text: wide characters take two. Combining characters count as one, so that a line is never
    longer than this, however a terminal counts them."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def for_terminal(text: str, ascii_only: bool) -> str:
    """The text with a ? for what a terminal cannot show."""
    return text.encode("ascii" if ascii_only else "utf-8", "replace").decode()


def cut(text: str, room: int, more: str = "…") -> str:
    """The text in at most `room` cells, ending in `more` if it was cut."""
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
    """Lines of at most `width` cells, broken at spaces; a word is broken only if it is longer than a line."""
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
            # break a long name after one of its parts, unless that leaves the line half empty
            part = max(map(head.rfind, "/-._,")) + 1
            head = head[:part] if cells(head[:part]) > width / 2 else head
            lines.append(head)
            line = indent + line[len(head) :]
    return [*lines, line] if line.strip() else lines
