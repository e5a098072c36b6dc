"""Building blocks of a comment in Markdown: escaped text, tables, folded parts, and the size limit.

For CommonMark with GitHub's tables. Text from a plan, a price book or a saved file has to pass `md`, `line` or `code`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.report.data.encoding import utf8
from planner.report.wording.figures import visible
from planner.report.wording.markdown_texts import left_out

LIMIT = 65_536  # characters in a comment on GitHub
ROOM = LIMIT - 536

GAP = "&#8203;"  # zero-width space; breaks up mentions, issue numbers and addresses, which renderers turn into links
_LOOKED_FOR = re.compile(
    r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=[\w+-]+:)|/(?=/)|\bwww\\?\.|\b(?:mailto|xmpp):", re.IGNORECASE
)
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;", "\0": GAP})
_ACTING = re.compile(r"([\\*_~\[\]]|\$(?!\d)|(?<=\w)\.(?=[^\W\d_]{2}))")
_BEGINS = re.compile(r"^(?:(\d{1,9})([.)])(?=\s|$)|([-+=#:~]))")
_HARMLESS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.+/_=,:%-]| (?=[A-Za-z0-9/-]))*")


def md(text: str) -> str:
    """Escaped text inside a line: no markup, link, image, mention, formula or end of a cell.

    A dollar sign before a digit is not escaped, because a formula cannot end there.
    """
    escaped = _ACTING.sub(r"\\\1", " ".join(visible(text).split()))
    return _LOOKED_FOR.sub(lambda found: found[0] + "\0", escaped).translate(_ENTITIES)


def line(text: str) -> str:
    """The same at the start of a line: no heading, rule or list. Blank text becomes `(blank)`."""
    return _BEGINS.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", md(text)) or "(blank)"


def code(text: str) -> str:
    """A name as code if it has only the characters of names, else as text; it may begin a line."""
    return f"`{text}`" if _HARMLESS.fullmatch(text) else line(text)


def marker(what: str, name: str) -> str:
    """A hidden comment with which a bot finds its own comment again; the same for the same name."""
    slug = re.sub("[^a-z0-9]+", "-", name[:200].lower()).strip("-")[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    return f"<!-- planner:{what} {'-'.join(filter(None, (slug, digest)))} -->"


def table(titles: Sequence[str], numbers: Sequence[bool]) -> list[str]:
    """Header and rule of a table; numbers are right-aligned."""
    return [row([md(title) for title in titles]), row(["---:" if number else ":---" for number in numbers])]


def row(cells: Sequence[str]) -> str:
    """One row; the cells are Markdown."""
    return "| " + " | ".join(cells) + " |"


@dataclass(frozen=True, kw_only=True)
class Fold:
    """A folded part of a comment.

    title: plain text, because a summary is not parsed as Markdown. head: lines above the rows. what: the name of the
    rows, in case some have to be left out.
    """

    title: str
    rows: Sequence[str]
    what: str
    head: Sequence[str] = field(default=())

    def text(self, count: int) -> str:
        lines = ["<details>", f"<summary>{self.title}</summary>", "", *self.head, *self.rows[:count], "", "</details>"]
        return "\n".join(lines) + "\n\n"


def document(first: str, folds: Sequence[Fold], last: str, *, all_there: str) -> str:
    """As much as fits one comment, in this order, with a note on what was left out.

    all_there: a sentence on where everything is. The last fold gets its space first.
    """
    room = ROOM - _size(first) - _size(last) - 600
    kept: dict[int, int] = {}
    left: list[str] = []
    for place in (len(folds) - 1, *range(len(folds) - 1)) if folds else ():
        fold = folds[place]
        count = _fitting(fold, room)
        if count < len(fold.rows):
            left.append(f"{fold.what} ({len(fold.rows) - count:,})")
        if count:
            kept[place] = count
            room -= _size(fold.text(count))
    text = first + "".join(folds[place].text(kept[place]) for place in sorted(kept))
    if left:
        text += f"{left_out(LIMIT, left, all_there)}\n\n"
    return utf8(text + last)


def _fitting(fold: Fold, room: int) -> int:
    """The number of its rows that fit."""
    room -= _size(fold.text(0))
    for count, text in enumerate(fold.rows):
        room -= _size(text) + 1
        if room < 0:
            return count
    return len(fold.rows)


def _size(text: str) -> int:
    """Length in UTF-16 units, as most services count: characters beyond the first plane count twice."""
    return len(text) + sum(char > "\uffff" for char in text)
