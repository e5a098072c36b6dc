"""A comparison of training scenarios in each format, and its page to sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.api.comparisons import Comparison
from planner.kinds.asking import STUDYING, Look, Watch
from planner.kinds.training.answers import named

if TYPE_CHECKING:
    from planner.api.reconciliations import Reconciliation
    from planner.decide.study import Study
    from planner.report.wording.sheet import Sheet

WITH_DERIVATIONS = ("json", "html", "focus")


def written(found: Comparison, style: str, look: Look, watch: Watch, listed: Comparison | None = None) -> str:
    """In a format. listed: the same at list prices, shown beside prices of one's own."""
    text = _written(found, style, look, watch, listed)
    if listed is None or style == "json":
        return text
    from planner.report.wording.own_prices import beside

    lines = "\n".join(beside(listed, found))
    return text + (f"\n```text\n{lines}\n```\n" if style == "md" else f"\n{lines}\n")


def _written(found: Comparison, style: str, look: Look, watch: Watch, listed: Comparison | None) -> str:
    if style == "table":
        from planner.report.terminal.comparison_text import render

        return render(
            found,
            width=look.width,
            colour=look.colour,
            ascii_only=look.ascii_only,
            top=look.top,
            plan_path=look.plan_path,
            again=look.again,
            verbose=look.verbose,
            everything=look.everything,
        )
    if style == "json":
        from planner.report.data.comparison_json import render as render_json

        return render_json(found, listed)
    if style == "csv":
        from planner.report.data.comparison_csv import render as render_csv

        return render_csv(found)
    if style == "focus":
        from planner.report.data.focus_csv import render as render_focus

        return render_focus(found, named(found, look.row), found.loaded.plan, found.request.start)
    if style == "md":
        from planner.report.markdown.comparison_markdown import render as render_markdown

        study = _study(found, watch)
        return render_markdown(found, study, plan_path=look.plan_path, again=look.again, gates=look.gates)
    from planner.api.page import page_of

    with watch.each(STUDYING) as each:
        return page_of(
            found.loaded,
            found.request,
            found,
            architecture=look.architecture,
            each=each,
            others=1,
            reconciled=_reconciled(found, look.bills),
        )


def _study(found: Comparison, watch: Watch) -> Study | None:
    from planner.decide.study import study

    with watch.each(STUDYING) as each:
        return study(found.request, found, grid=False, each=each)


def _reconciled(found: Comparison, bills: tuple[str, ...]) -> Reconciliation | None:
    if not bills:
        return None
    from planner.api.reconciliations import reconciled

    return reconciled(found.request, found, named(found, "best"), bills)


def sheet(found: Comparison, watch: Watch) -> Sheet:
    """The page to sign."""
    from planner.report.wording.sheet import sheet_of

    return sheet_of(found, _study(found, watch))
