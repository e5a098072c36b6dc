"""The blocks, without any format. Texts are as a person reads them; each format makes them safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from markupsafe import Markup

from planner.report.wording.sheet import Sheet
from planner.report.wording.table import Column


class Level(Enum):
    """Which formats have a block: all of them; pages, and a terminal that was asked for more (-v); pages alone."""

    ANSWER = 1
    MORE = 2
    EVIDENCE = 3


@dataclass(frozen=True, kw_only=True)
class Head:
    """Above everything. over: what the page is about, in two or three words. facts: what it rests on."""

    over: str
    name: str
    facts: Sequence[str]
    level: Level = Level.ANSWER


@dataclass(frozen=True, kw_only=True)
class Signed:
    """The page to sign: first on paper, the list of facts in a comment, not in a terminal."""

    sheet: Sheet
    level: Level = Level.EVIDENCE


@dataclass(frozen=True, kw_only=True)
class Card:
    """The answer. lead: in a sentence. figures: (the figure, what it is) in large type below a title, on pages that
    have both instead of the sentence. sentences: below it."""

    title: str
    lead: str
    figures: Sequence[tuple[str, Sequence[str]]] = ()
    sentences: Sequence[str] = ()
    level: Level = Level.ANSWER


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One choice. usd: P10, P50 and P90 of its cost; futures: P10, mean and P90 of each of two futures, which are
    drawn instead.
    family: of the purchase, which gives its colour. cost, range, days: as text. exact: the figures to the dollar.
    aside: why it is not eligible, "" if it is."""

    rank: int
    first: bool
    name: str
    bought: str
    family: str
    usd: tuple[float, float, float]
    cost: str
    range: str
    days: str
    exact: str = ""
    aside: str = ""
    futures: Sequence[tuple[float, float, float]] = ()


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Ranges of choices on one axis of USD. Tables say the same, so that formats without pictures leave it out."""

    bars: Sequence[Bar]
    level: Level = Level.EVIDENCE


@dataclass(frozen=True, kw_only=True)
class Table:
    """label: what it shows, for those who do not see it."""

    label: str
    columns: Sequence[Column]
    level: Level = Level.ANSWER


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Sentences, each a paragraph; items of a list if bulleted."""

    texts: Sequence[str]
    bulleted: bool = False
    level: Level = Level.ANSWER


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A drawing, on pages that have them."""

    svg: Markup
    level: Level = Level.EVIDENCE


@dataclass(frozen=True, kw_only=True)
class Command:
    """What to type, in a terminal. It is never cut: a shell can read it."""

    lead: str
    text: str
    level: Level = Level.ANSWER


Inner = Card | Bars | Table | Texts | Picture | Command


@dataclass(frozen=True, kw_only=True)
class Section:
    """Blocks under one heading. anchor: its id on a page. folded: closed until somebody opens it. code: whether the
    title is a name, such as a scenario's."""

    title: str
    anchor: str
    blocks: Sequence[Inner]
    folded: bool = False
    code: bool = False
    level: Level = Level.ANSWER


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole page. appendix: what follows the page to sign. footer: what gave it."""

    head: Head
    signed: Signed
    appendix: str
    sections: Sequence[Section]
    footer: str
