"""A plan beside its bill: a section of the report, and an HTML page of its own in the same style."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from planner import __version__
from planner.bills.job_log import JobRecord
from planner.bills.measured import Measured, goodput_of
from planner.bills.reconcile import Reconciliation
from planner.report.data.encoding import utf8
from planner.report.wording import page_texts
from planner.report.wording import reconciliation as words
from planner.report.wording.figures import visible

Cell = tuple[str, bool]  # and whether it is text, which is aligned to the left


@dataclass(frozen=True, kw_only=True)
class ReconciledView:
    """What the section shows."""

    title: str
    name: str
    headline: str
    misses: tuple[str, ...]
    titles: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]
    measured_title: str
    measured: tuple[str, ...]


def reconciled_view(
    plan_name: str, found: Reconciliation, values: tuple[Measured, ...], log: JobRecord | None
) -> ReconciledView:
    columns = words.columns(found)
    rows = zip(*(column.values for column in columns), strict=True)
    measured = words.measured(values, goodput_of(found, log) if log else None, log)
    return ReconciledView(
        title=page_texts.PLAN_AND_BILL,
        name=visible(words.title(plan_name, found)),
        headline=words.headline(found),
        misses=tuple(map(visible, words.misses(found))),
        titles=tuple((column.title, column.text) for column in columns),
        rows=tuple(
            tuple((visible(cell), column.text) for cell, column in zip(row, columns, strict=True)) for row in rows
        ),
        notes=tuple(map(visible, words.notes(found))),
        measured_title=page_texts.MEASURED,
        measured=tuple(map(visible, measured)),
    )


def render(view: ReconciledView) -> str:
    """The whole page; it loads nothing from elsewhere, and has no script."""
    from planner.report.html.page import environment, style

    template = environment().get_template("reconciliation.html.j2")
    page = template.render(reconciled=view, style=Markup(style()), program=page_texts.program(__version__))
    return utf8(page)
