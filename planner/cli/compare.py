"""`planner compare`: every layout and purchase option of a plan, priced and ranked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from planner.api.arguments import named
from planner.cli.gates import check_junit, report_violations
from planner.cli.next_step import APPROVE, after
from planner.cli.options import (
    OUT,
    Asked,
    book_of,
    common,
    format_option,
    gate_options,
    priced_plan,
    scenario_option,
    worker_pool_in,
)
from planner.cli.output import format_of, room_of, warn_of_prices, warn_of_unpriced, write_result
from planner.cli.progress import PRICING, STUDY, counted, progress
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
    from planner.api.comparisons import comparison_of

    style = format_of(style, out, ("table", "json", "csv", "md", "html"))
    check_junit(junit, out)
    if scenario is not None and style != "focus":
        raise UsageProblem("--scenario is of -f focus; every other format has all scenarios")
    loaded, pool = worker_pool_in(asked.plan, asked.overrides)
    if pool is not None:
        from planner.cli import worker_pool

        return worker_pool.compare(
            pool, asked, style, out, scenario, gates, junit, top=top, verbose=verbose, color=color, quiet=quiet
        )
    assert loaded is not None  # one of the two
    book = book_of(loaded, asked.prices, asked.as_of)
    request = asked.request_of(loaded, book, derivations=style in ("json", "html", "focus"))
    with progress(PRICING, quiet=quiet) as shown:
        comparison = comparison_of(loaded, request, counted(shown))
    found = violations(comparison, gates)
    listed = None
    if asked.own and style in ("table", "md", "json"):
        with progress(PRICING, quiet=quiet) as shown:
            at_list = replace(asked, own=False).request_of(loaded, book, derivations=False)
            listed = comparison_of(loaded, at_list, counted(shown))
    if style == "table":
        from planner.report.terminal.comparison_text import render

        room = room_of(out, color)
        text = render(
            comparison,
            width=room.width,
            colour=room.colour,
            ascii_only=room.ascii_only,
            top=top,
            plan_path=asked.plan,
            again=asked.again,
            verbose=verbose,
            everything=everything,
        )
    elif style == "json":
        from planner.report.data.comparison_json import render as render_json

        text = render_json(comparison, listed)
    elif style == "csv":
        from planner.report.data.comparison_csv import render as render_csv

        text = render_csv(comparison)
    elif style == "focus":
        from planner.report.data.focus_csv import render as render_focus

        chosen = named(comparison, scenario or "best")
        text = render_focus(comparison, chosen, loaded.plan, request.start)
        warn_of_unpriced(chosen, quiet, color)
    elif style == "md":
        from planner.decide.study import study
        from planner.report.markdown.comparison_markdown import render as render_markdown

        found_by_gates = found if gates.asked_for else None
        with progress(STUDY, quiet=quiet) as trying:
            studied = study(request, comparison, grid=False, each=counted(trying))
        text = render_markdown(comparison, studied, plan_path=asked.plan, gates=found_by_gates)
    else:
        from planner.api.page import page_of

        with progress(STUDY, quiet=quiet) as trying:
            text = page_of(loaded, request, comparison, each=counted(trying), others=1)
    if listed is not None and style != "json":
        from planner.report.wording.own_prices import beside

        lines = "\n".join(beside(listed, comparison))
        text += f"\n```text\n{lines}\n```\n" if style == "md" else f"\n{lines}\n"
    write_result(text, out)
    warn_of_prices(comparison, asked.prices, style, quiet, color)
    after(asked, comparison, style, step=APPROVE, quiet=quiet)
    return report_violations(found, comparison.plan_name, gates, junit)
