"""Blocks as one HTML page that needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from planner import __version__
from planner.report.blocks.bars import bars_view
from planner.report.blocks.block import Bars, Card, Inner, Page, Section, Table
from planner.report.data.encoding import utf8
from planner.report.html.page import environment, style
from planner.report.wording.figures import visible


@dataclass(frozen=True, kw_only=True)
class TableView:
    """titles: (text, whether it is a number). rows: cells by column."""

    label: str
    titles: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]


def text(page: Page, skip: str) -> str:
    """The whole page. skip: words of the link to the answer. The same page gives the same bytes."""
    return utf8(
        environment()
        .get_template("blocks.html.j2")
        .render(
            page=page,
            sections=[_section(section) for section in page.sections],
            skip=skip,
            style=Markup(style()),
            version=__version__,
        )
    )


@dataclass(frozen=True, kw_only=True)
class SectionView:
    """cards: they have a frame of their own. blocks: (name of the macro, what it shows), in one frame."""

    section: Section
    cards: tuple[Card, ...]
    blocks: tuple[tuple[str, object], ...]


def _section(section: Section) -> SectionView:
    rest = [block for block in section.blocks if not isinstance(block, Card)]
    return SectionView(
        section=section,
        cards=tuple(block for block in section.blocks if isinstance(block, Card)),
        blocks=tuple((type(block).__name__.lower(), _view(block)) for block in rest),
    )


def _view(block: Inner) -> object:
    if isinstance(block, Table):
        return table_view(block)
    return bars_view(block.bars) if isinstance(block, Bars) else block


def table_view(table: Table) -> TableView:
    """Cells by row."""
    count = len(table.columns[0].values)
    return TableView(
        label=table.label,
        titles=tuple((column.title, not column.text) for column in table.columns),
        rows=tuple(tuple(visible(column.values[at]) for column in table.columns) for at in range(count)),
    )
