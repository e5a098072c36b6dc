"""`planner report`: the comparison as one self-contained HTML page, or as Markdown for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planner.api.arguments import named
from planner.cli.gates import check_junit, report_violations
from planner.cli.next_step import DEPLOY, after
from planner.cli.options import Asked, book_of, common, format_option, gate_options, priced_plan, worker_pool_in
from planner.cli.output import format_of, say, write_result
from planner.cli.progress import PRICING, STUDY, counted, progress
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.answer.gates import Gates


@click.command()
@priced_plan
@format_option(["html", "md"], "md fits a pull request comment. [default: by FILE's ending, else html]")
@click.option(
    "-o", "--out", metavar="FILE", help="Write to FILE; `-` is standard output. [default: report.html or report.md]"
)
@click.option(
    "--architecture/--no-architecture",
    default=True,
    help="Draw the deployment of the best scenario on the HTML page; needs the `deploy` extra. [default: draw it]",
)
@click.option(
    "--sheet", is_flag=True, help="Write only the page to sign: choice, budget, payments, what to decide when."
)
@click.option(
    "--bill",
    "bills",
    multiple=True,
    metavar="FILE|DIR",
    help="AWS's bill of the best scenario's stack, as for `reconcile`: adds a section to the HTML page; may repeat.",
)
@gate_options
@common
def command(
    asked: Asked,
    style: str | None,
    out: str | None,
    architecture: bool,
    sheet: bool,
    bills: tuple[str, ...],
    gates: Gates,
    junit: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Write one self-contained HTML page about PLAN: the answer, the comparison, every bill, every source.

    As Markdown it fits a pull request comment: the answer first, folded tables, and a hidden marker by which a later
    run finds the comment to update.
    """
    from planner.answer.gates import violations
    from planner.api.comparisons import comparison_of

    style = format_of(style, out, ("html", "md"))
    out = out or f"report.{style}"
    check_junit(junit, out)
    if bills and style != "html":
        raise UsageProblem("--bill adds a section to the HTML page; `planner reconcile` has the other formats")
    if bills and sheet:
        raise UsageProblem("--sheet writes only the page to sign; --bill belongs to the whole report")
    loaded, pool = worker_pool_in(asked.plan, asked.overrides)
    if pool is not None:
        from planner.cli import worker_pool

        if bills:
            raise UsageProblem("--bill: the bill of a worker pool cannot be compared with its plan yet")
        return worker_pool.report(pool, asked, style, out, gates, junit, sheet=sheet, quiet=quiet)
    assert loaded is not None  # one of the two
    book = book_of(loaded, asked.prices, asked.as_of)
    request = asked.request_of(loaded, book, derivations=style == "html")
    with progress(PRICING, quiet=quiet) as shown:
        comparison = comparison_of(loaded, request, counted(shown))
    found = violations(comparison, gates)
    if sheet:
        from planner.cli.sheet import rendered
        from planner.report.wording.sheet import sheet_of

        text = rendered(sheet_of(comparison), style)
    elif style == "md":
        from planner.decide.study import study
        from planner.report.markdown.comparison_markdown import render as render_markdown

        shown = found if gates.asked_for else None
        with progress(STUDY, quiet=quiet) as trying:
            studied = study(request, comparison, grid=False, each=counted(trying))
        text = render_markdown(comparison, studied, plan_path=asked.plan, gates=shown)
    else:
        from planner.api.page import page_of

        reconciled = None
        if bills:
            from planner.api.reconciliations import reconciled as beside

            reconciled = beside(request, comparison, named(comparison, "best"), bills)
        with progress(STUDY, quiet=quiet) as trying:
            text = page_of(
                loaded,
                request,
                comparison,
                architecture=architecture,
                each=counted(trying),
                others=1,
                reconciled=reconciled,
            )
    write_result(text, out)
    if out != "-":
        say(f"Wrote {out}", quiet)
        after(asked, comparison, style, step=DEPLOY, quiet=quiet)
    return report_violations(found, comparison.plan_name, gates, junit)
