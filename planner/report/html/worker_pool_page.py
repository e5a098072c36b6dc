"""A worker pool as one HTML page that needs nothing else: the answer, then each choice with its distributions, its bill
and the picture of an interrupted job."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from planner import __version__
from planner.report.data.encoding import utf8
from planner.report.data.provenance import model_sha256
from planner.report.html.page import environment, style
from planner.report.pictures.job_timeline import drawn
from planner.report.wording import worker_pool as words
from planner.report.wording import worker_pool_tables as tables
from planner.report.wording.figures import visible
from planner.report.wording.page_headings import LABELS
from planner.report.wording.sheet import APPENDIX, pool_sheet_of
from planner.report.wording.table import Column
from planner.worker_pool.result import PoolComparison, PoolScenario

SHAPE_NAMES = re.compile(r"\bjob-(title|desc)\b")
STYLE_OF_PICTURE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class TableView:
    """titles: (text, whether it is a number). rows: cells by column."""

    titles: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ChoiceView:
    """One choice in full."""

    rank: int
    name: str
    interrupted_by: str
    why_not: tuple[str, ...]
    spreads: TableView
    bill: TableView | None
    sources: tuple[str, ...]
    story: tuple[str, ...]
    picture: Markup


def render(found: PoolComparison) -> str:
    """The whole page. The same comparison gives the same bytes."""
    shown = [s for s in found.scenarios if s.feasible]
    first, *more = words.answer(found)
    return utf8(
        environment()
        .get_template("worker_pool.html.j2")
        .render(
            name=visible(found.plan.name),
            facts=words.heading(found),
            style=Markup(style()),
            sheet=pool_sheet_of(found),
            appendix=APPENDIX,
            first=first,
            more=more,
            table=_table(words.columns(shown)) if shown else None,
            notes=[visible(text) for text in words.notes(found)],
            choices=[_choice(rank, one) for rank, one in enumerate(shown, 1)],
            assumptions=tables.assumed(found),
            version=__version__,
            t=words.PAGE,
            labels=LABELS,
            footer=words.footer(__version__, found.plan_sha256, model_sha256()),
        )
    )


def _choice(rank: int, one: PoolScenario) -> ChoiceView:
    # ids are unique on a page, and a style in one picture would count for all of it
    picture = SHAPE_NAMES.sub(rf"job-\1-{rank}", STYLE_OF_PICTURE.sub("", drawn(one)) if rank > 1 else drawn(one))
    return ChoiceView(
        rank=rank,
        name=one.id,
        interrupted_by=one.choice.interruptions_said,
        why_not=words.reasons(one),
        spreads=_table(tables.spread_columns(one)),
        bill=_table(tables.bill_columns(one.bill)) if one.bill else None,
        sources=tuple(visible(text) for text in tables.bill_sources(one)),
        story=tuple(tables.story(one)),
        picture=Markup(picture),
    )


def _table(columns: Sequence[Column]) -> TableView:
    count = len(columns[0].values)
    return TableView(
        titles=tuple((column.title, not column.text) for column in columns),
        rows=tuple(tuple(visible(column.values[at]) for column in columns) for at in range(count)),
    )
