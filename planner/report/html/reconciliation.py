"""A plan beside its bill as an HTML page of its own, in the style of the report."""

from __future__ import annotations

from markupsafe import Markup

from planner import __version__
from planner.bills.job_log import JobRecord
from planner.bills.measured import Measured, goodput_of
from planner.bills.reconcile import Reconciliation
from planner.report.data.encoding import utf8
from planner.report.html.page import environment, style
from planner.report.wording import page_texts
from planner.report.wording import reconciliation as words
from planner.report.wording.figures import visible


def render(plan_name: str, found: Reconciliation, values: tuple[Measured, ...], log: JobRecord | None) -> str:
    """The whole page; it loads nothing from elsewhere, and has no script."""
    columns = words.columns(found)
    rows = zip(*(column.values for column in columns), strict=True)
    page = (
        environment()
        .get_template("reconciliation.html.j2")
        .render(
            title=visible(words.title(plan_name, found)),
            style=Markup(style()),
            headline=words.headline(found),
            misses=[visible(text) for text in words.misses(found)],
            titles=[(column.title, column.text) for column in columns],
            rows=[[(visible(cell), column.text) for cell, column in zip(row, columns, strict=True)] for row in rows],
            notes=[visible(text) for text in words.notes(found)],
            measured=[visible(text) for text in words.measured(values, goodput_of(found, log) if log else None, log)],
            program=page_texts.program(__version__),
        )
    )
    return utf8(page)
