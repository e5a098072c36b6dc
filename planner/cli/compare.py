"""`planner compare`: every layout and purchase option of a plan, priced and ranked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from planner.cli.gates import check_junit, report_violations
from planner.cli.next_step import APPROVE, after
from planner.cli.options import OUT, Asked, common, format_option, gate_options, look_of, priced_plan, scenario_option
from planner.cli.output import format_of, warn_of_prices, warn_of_unpriced, write_result
from planner.cli.progress import Watched
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.answer.gates import Gates


@click.command()
@priced_plan
@format_option(
    ["table", "json", "csv", "md", "html", "focus"],
    "json and html contain everything, csv one row per bill line; md fits a pull request comment; focus is one "
    "scenario's bill by month, as CSV of FOCUS 1.2. [default: by FILE's ending, else table]",
)
@OUT
@scenario_option("The scenario that -f focus writes", default="best")
@click.option(
    "--top",
    type=click.IntRange(0),
    metavar="ROWS",
    help="Rows of the table; 0 shows all. [default: as many as fit a screen, at most 12]",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="A row for every feasible choice: also those that are not eligible or unpriced, and each commitment.",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Also list notes, warnings, and every assumption with its range and source."
)
@gate_options
@common
def command(
    asked: Asked,
    style: str | None,
    out: str | None,
    scenario: str | None,
    top: int | None,
    everything: bool,
    verbose: bool,
    gates: Gates,
    junit: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Price every storage layout, purchase option and instance type of PLAN and recommend one.

    Eligible scenarios come first: those that finish within the plan's limits in 9 of 10 simulated outcomes. They rank
    by P50, which half of the outcomes cost less than. The planned cost uses the central value of every assumption.
    """
    from planner.answer.gates import violations

    style = format_of(style, out, ("table", "json", "csv", "md", "html"))
    check_junit(junit, out)
    if scenario is not None and style != "focus":
        raise UsageProblem("--scenario applies only to -f focus; every other format has all scenarios")
    ask, watch = asked.ask(), Watched(quiet)
    answers, pages = ask.loaded.kind.part("answers"), ask.loaded.kind.part("pages")
    derivations = style in pages.WITH_DERIVATIONS
    comparison = answers.compared(ask, watch, derivations=derivations)
    found = violations(comparison, gates)
    listed = None
    if asked.own and style in ("table", "md", "json"):
        listed = answers.compared(replace(asked, own=False).ask_of(ask.loaded), watch, derivations=False)
    look = look_of(
        *(asked, out, color),
        top=top,
        verbose=verbose,
        everything=everything,
        gates=found if gates.asked_for else None,
        row=scenario or "best",
    )
    write_result(pages.written(comparison, style, look, watch, listed), out)
    if style == "focus":
        warn_of_unpriced(answers.named(comparison, look.row), quiet, color)
    warn_of_prices(comparison, asked.prices, style, quiet, color)
    after(asked, comparison, style, step=APPROVE, quiet=quiet)
    return report_violations(found, comparison.plan_name, gates, junit)
