"""`planner report`: the comparison as one self-contained HTML page, or as Markdown for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planner.cli.gates import check_junit, report_violations
from planner.cli.next_step import DEPLOY, after
from planner.cli.options import Asked, common, format_option, gate_options, look_of, priced_plan
from planner.cli.output import format_of, say, write_result
from planner.cli.progress import Watched
from planner.cli.sheet import rendered
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

    style = format_of(style, out, ("html", "md"))
    out = out or f"report.{style}"
    check_junit(junit, out)
    if bills and style != "html":
        raise UsageProblem("--bill adds a section to the HTML page; `planner reconcile` has the other formats")
    if bills and sheet:
        raise UsageProblem("--sheet writes only the page to sign; --bill belongs to the whole report")
    ask, watch = asked.ask(), Watched(quiet)
    answers, pages = ask.loaded.kind.part("answers"), ask.loaded.kind.part("pages")
    comparison = answers.compared(ask, watch, derivations=style in pages.WITH_DERIVATIONS)
    found = violations(comparison, gates)
    if sheet:
        text = rendered(pages.sheet(comparison, watch), style)
    else:
        shown = found if gates.asked_for else None
        look = look_of(asked, architecture=architecture, bills=bills, gates=shown)
        text = pages.written(comparison, style, look, watch)
    write_result(text, out)
    if out != "-":
        say(f"Wrote {out}", quiet)
        if "stack" not in ask.loaded.kind.refused:
            after(asked, comparison, style, step=DEPLOY, quiet=quiet)
    return report_violations(found, comparison.plan_name, gates, junit)
